//! What a search may spend on its endgame and on its transposition table.

use super::numbers::Numbers;
use super::transposition::Transpositions;
use crate::game::SearchError;
use crate::games::kalah::LAYER_NAME;

/// The sizes of an endgame and a transposition table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryPlan {
    /// Positions with at most so many seeds on the board are solved beforehand, a byte each.
    pub endgame_seeds: usize,
    /// The transposition table's bytes; what it takes is a power of two.
    pub table_bytes: u64,
}

/// The program itself, stacks and what the endgame takes besides its scores.
const OVERHEAD: u64 = 32 << 20;
/// The smallest endgame that is worth its name.
const LEAST_ENDGAME: usize = 2;
/// With 36 seeds on the board an endgame of so many positions pays; with each seed more, of so many
/// times as many, up to a limit.
const POSITIONS_AT_36: f64 = 37e6;
const GROWTH: f64 = 1.23;
const MOST_POSITIONS: f64 = 5e9;

impl MemoryPlan {
    /// What pays for a position with `seeds` seeds on the board, within `memory` bytes.
    ///
    /// # Errors
    /// If there are too many seeds or too little memory.
    pub fn new(pits: usize, seeds: usize, memory: u64) -> Result<MemoryPlan, SearchError> {
        MemoryPlan::for_many(pits, seeds, memory, 1)
    }

    /// What pays for so many positions with about `seeds` seeds on the board, and none with more.
    ///
    /// # Errors
    /// If there are too many seeds or too little memory.
    pub fn for_many(
        pits: usize,
        seeds: usize,
        memory: u64,
        questions: usize,
    ) -> Result<MemoryPlan, SearchError> {
        let count = positions(pits, seeds).ok_or_else(|| too_many_seeds(pits, seeds))?;
        let least_table = Transpositions::least_bytes(count);
        let least = OVERHEAD + endgame_bytes(pits, LEAST_ENDGAME) + least_table;
        if memory < least {
            return Err(SearchError::Memory {
                layer: seeds as u32,
                layer_name: LAYER_NAME,
                least,
                allowed: memory,
            });
        }
        let pays = POSITIONS_AT_36 * GROWTH.powf(seeds as f64 - 36.0);
        // With each seed more the endgame takes half as long again and a search a third less, so
        // that of many questions each is worth the square root of an endgame.
        let pays = pays * (questions.max(1) as f64).sqrt();
        let pays = pays.clamp(1e6, MOST_POSITIONS);
        let free = memory - OVERHEAD - least_table;
        let most = (pays as u64).min(free / 2);
        let endgame_seeds = largest_endgame(pits, seeds, most);
        let left = free - endgame_bytes(pits, endgame_seeds) + least_table;
        Ok(MemoryPlan {
            endgame_seeds,
            table_bytes: left.min((pays / 2.0) as u64).max(least_table),
        })
    }

    /// The same for an endgame that is there already, of which no more than `available` seeds can
    /// be taken. No more of it is taken than would be made: to read it takes time, too.
    ///
    /// # Errors
    /// If there are too many seeds or too little memory.
    pub fn with_endgame(
        pits: usize,
        seeds: usize,
        memory: u64,
        available: usize,
        questions: usize,
    ) -> Result<MemoryPlan, SearchError> {
        let plan = MemoryPlan::for_many(pits, seeds, memory, questions)?;
        Ok(MemoryPlan {
            endgame_seeds: plan.endgame_seeds.min(available),
            ..plan
        })
    }

    /// Whether an endgame of so many seeds, at least as many as planned, can take the place of the
    /// planned one within `memory` bytes.
    pub(super) fn has_room_for(&self, pits: usize, endgame_seeds: usize, memory: u64) -> bool {
        let others = OVERHEAD.saturating_add(self.table_bytes);
        endgame_bytes(pits, endgame_seeds).saturating_add(others) <= memory
    }
}

/// These are more seeds than can be searched.
pub(super) fn too_many_seeds(pits: usize, seeds: usize) -> SearchError {
    let most = (0..seeds)
        .rev()
        .find(|&fewer| positions(pits, fewer).is_some());
    SearchError::TooMany {
        layer: seeds as u32,
        layer_name: LAYER_NAME,
        board: format!("with {pits} pits per side"),
        most: most.unwrap_or(0) as u32,
    }
}

/// The most seeds, no more than `seeds`, of an endgame that takes so many bytes.
pub(super) fn largest_endgame(pits: usize, seeds: usize, bytes: u64) -> usize {
    (LEAST_ENDGAME..=seeds)
        .rev()
        .find(|&seeds| endgame_bytes(pits, seeds) <= bytes)
        .unwrap_or(LEAST_ENDGAME)
}

/// How many positions there are with at most so many seeds on the board, finished ones included;
/// nothing if they can't be counted.
pub(super) fn positions(pits: usize, seeds: usize) -> Option<u64> {
    Numbers::new(pits, seeds).map(|numbers| numbers.count())
}

/// What an endgame takes, in bytes.
fn endgame_bytes(pits: usize, seeds: usize) -> u64 {
    // A byte per position, and a little for the steps while it is made.
    let scores = positions(pits, seeds).unwrap_or(u64::MAX);
    scores.saturating_add(scores / 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_stay_within_the_memory() {
        for (pits, seeds) in [(1, 12), (4, 48), (6, 24), (6, 36), (6, 48), (6, 72)] {
            for memory in [33 << 20, 40 << 20, 100 << 20, 1 << 30, 20 << 30] {
                for (available, questions) in [(2, 1), (10, 1), (10, 99), (seeds, 1), (seeds, 999)]
                {
                    let plan = MemoryPlan::with_endgame(pits, seeds, memory, available, questions)
                        .unwrap();
                    assert!(plan.endgame_seeds <= available);
                    let endgame = endgame_bytes(pits, plan.endgame_seeds);
                    let bytes = endgame + plan.table_bytes + OVERHEAD;
                    assert!(bytes <= memory, "{pits} {seeds} {memory}: {plan:?}");
                }
            }
        }
    }

    /// What help says of the memory that is used, in tenths of a GB.
    #[test]
    fn plans_take_what_help_says() {
        let most = |seeds: usize, questions| {
            let plan = MemoryPlan::for_many(6, 12 * seeds, 100 << 30, questions).unwrap();
            let endgame = endgame_bytes(6, plan.endgame_seeds);
            (endgame + plan.table_bytes + OVERHEAD).div_ceil(100_000_000)
        };
        let found = [(3, 1), (4, 1), (5, 1), (4, 1000)].map(|(n, many)| most(n, many));
        for (found, said) in found.into_iter().zip([5, 7, 70, 70]) {
            assert!(found <= said, "{found} for {said}");
        }
    }

    /// More questions get a larger endgame, as far as there is memory.
    #[test]
    fn many_questions_pay_for_a_larger_endgame() {
        let seeds = |questions, memory| {
            let plan = MemoryPlan::for_many(6, 48, memory, questions).unwrap();
            plan.endgame_seeds
        };
        assert!(seeds(100, 20 << 30) >= seeds(1, 20 << 30) + 3);
        assert_eq!(seeds(100, 200 << 20), seeds(1, 200 << 20));
    }

    #[test]
    fn the_least_memory_is_said_and_works() {
        let SearchError::Memory { least, .. } = MemoryPlan::new(6, 48, 1000).unwrap_err() else {
            panic!("1000 bytes are too little");
        };
        assert!(MemoryPlan::new(6, 48, least).is_ok());
        assert!(MemoryPlan::new(6, 48, least - 1).is_err());
    }

    #[test]
    fn the_most_seeds_are_said_and_work() {
        let SearchError::TooMany { most, .. } = MemoryPlan::new(6, 252, 1 << 30).unwrap_err()
        else {
            panic!("252 seeds are too many");
        };
        let most = most as usize;
        assert!(MemoryPlan::new(6, most, 1 << 40).is_ok());
        assert!(MemoryPlan::new(6, most + 1, 1 << 40).is_err());
    }
}
