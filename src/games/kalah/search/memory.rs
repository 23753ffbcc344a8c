//! What a search may spend on its endgame and on its transposition table.

use super::endgame::Form;
use super::numbers::Numbers;
use super::prover::Transpositions;
use crate::game::SearchError;
use crate::games::kalah::LAYER_NAME;
use crate::games::kalah::index::Arrangements;
use crate::games::transpositions::bits_of;

/// The sizes of an endgame and a transposition table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryPlan {
    /// Positions with at most so many seeds on the board are solved beforehand.
    pub endgame_seeds: usize,
    /// How their scores are kept.
    pub form: Form,
    /// The transposition table's bytes; what it takes is a power of two.
    pub table_bytes: u64,
}

/// The program itself, stacks and what the endgame takes besides its scores.
pub(super) const OVERHEAD: u64 = 32 << 20;
/// The smallest endgame that is worth its name.
const LEAST_ENDGAME: usize = 2;
/// With 36 seeds on the board an endgame of so many bytes, one per position, pays; with each seed
/// more, of so many times as many, up to a limit.
const BYTES_AT_36: f64 = 25e6;
const GROWTH: f64 = 1.28;
const MOST_BYTES: f64 = 40e9;
/// Many questions pay for no more, and what is larger is packed whatever memory there is.
const MOST_IN_BYTES: f64 = 5e9;

impl MemoryPlan {
    /// What pays for so many positions with about `seeds` seeds on the board, and none with more, within
    /// `memory` bytes, if so many threads make the endgame. If an endgame is there already, such as a
    /// table, no more than its `available` seeds can be taken. No more of it is taken than would be
    /// made: to read it takes time, too.
    ///
    /// # Errors
    /// If there are too many seeds or too little memory.
    pub fn new(
        pits: usize,
        seeds: usize,
        memory: u64,
        threads: usize,
        questions: usize,
        available: Option<usize>,
    ) -> Result<MemoryPlan, SearchError> {
        let count = positions(pits, seeds).ok_or_else(|| too_many_seeds(pits, seeds))?;
        let least_table = least_table(count);
        let least = OVERHEAD + kept_bytes(Form::Bytes, pits, LEAST_ENDGAME) + least_table;
        suffices(seeds, least, memory)?;
        let pays = BYTES_AT_36 * GROWTH.powf(seeds as f64 - 36.0);
        let pays = pays.clamp(1e6, MOST_BYTES);
        // With each seed more the endgame takes half as long again and a search a third less, so
        // that of many questions each is worth the square root of an endgame.
        let many = pays * (questions.max(1) as f64).sqrt();
        let pays = many.min(MOST_IN_BYTES).max(pays);
        let free = memory - OVERHEAD - least_table;
        let fits = |form: Form, seeds: usize| {
            let kept = kept_bytes(form, pits, seeds);
            let made = match (form, available) {
                (Form::Bytes, _) | (Form::Half, Some(_)) => kept,
                _ => kept_bytes(Form::Packed, pits, seeds)
                    .saturating_add(unpacked_bytes(pits, seeds, threads)),
            };
            let is_small = form != Form::Bytes || kept as f64 <= MOST_IN_BYTES;
            // Half of the memory is for the table, which is not there yet while the endgame is made.
            kept <= free / 2 && made <= free && is_small
        };
        let most = largest_endgame(pits, seeds, pays as u64);
        let most = available.map_or(most, |available| most.min(available));
        let forms = [Form::Bytes, Form::Packed, Form::Half];
        let (endgame_seeds, form) = (LEAST_ENDGAME..=most)
            .rev()
            .find_map(|seeds| {
                let form = forms.into_iter().find(|&form| fits(form, seeds))?;
                Some((seeds, form))
            })
            .unwrap_or((most.min(LEAST_ENDGAME), Form::Bytes));
        let left = free - kept_bytes(form, pits, endgame_seeds) + least_table;
        Ok(MemoryPlan {
            endgame_seeds,
            form,
            table_bytes: left.min((pays / 3.0) as u64).max(least_table),
        })
    }

    /// Whether an endgame of so many bytes can take the place of the planned one within `memory`
    /// bytes.
    pub(super) fn has_room_for(&self, endgame_bytes: u64, memory: u64) -> bool {
        let others = OVERHEAD.saturating_add(self.table_bytes);
        endgame_bytes.saturating_add(others) <= memory
    }
}

// A quick look before a large endgame is made: most positions of games with few pits, and those near
// the end of any, need so few nodes that the endgame would take far longer than the search.

/// An endgame of fewer positions is made in less time than it takes to find out whether it pays.
const WORTH_A_LOOK: u64 = 8 << 20;
/// A look has an endgame of its own, with one position for so many of the one that is to be saved,
/// and visits no more than one node for so many of them to answer a question. Together that takes about a fortieth of the
/// time that making the endgame does.
const POSITIONS_A_POSITION: u64 = 64;
const POSITIONS_A_NODE: u64 = 4000;
const TABLE_BYTES: u64 = 4 << 20;

/// The plan of a search that has a look, of positions with at most so many seeds on the board, before
/// an endgame of `saved` seeds is made, and how many nodes it may visit; none if that is made at once.
pub(super) fn plan_before(pits: usize, seeds: usize, saved: usize) -> Option<(MemoryPlan, u64)> {
    let saved = positions(pits, saved).unwrap_or(u64::MAX);
    if saved < WORTH_A_LOOK {
        return None;
    }
    let count = positions(pits, seeds).unwrap_or(u64::MAX);
    let plan = MemoryPlan {
        endgame_seeds: largest_endgame(pits, seeds, saved / POSITIONS_A_POSITION),
        form: Form::Bytes,
        table_bytes: TABLE_BYTES.max(least_table(count)),
    };
    Some((plan, saved / POSITIONS_A_NODE))
}

/// An error if so many bytes are less than what positions with so many seeds need at least.
pub(super) fn suffices(seeds: usize, least: u64, memory: u64) -> Result<(), SearchError> {
    match memory < least {
        true => Err(SearchError::Memory {
            layer: seeds as u32,
            layer_name: LAYER_NAME,
            least,
            allowed: memory,
        }),
        false => Ok(()),
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

/// The most seeds, no more than `seeds`, of an endgame that takes so many bytes, one per position.
pub(super) fn largest_endgame(pits: usize, seeds: usize, bytes: u64) -> usize {
    (LEAST_ENDGAME..=seeds)
        .rev()
        .find(|&seeds| kept_bytes(Form::Bytes, pits, seeds) <= bytes)
        .unwrap_or(LEAST_ENDGAME)
}

/// The bytes of the smallest transposition table for so many positions.
pub(super) fn least_table(count: u64) -> u64 {
    Transpositions::least_bytes(bits_of(count))
}

/// How many positions there are with at most so many seeds on the board, finished ones included;
/// nothing if they can't be counted.
pub(super) fn positions(pits: usize, seeds: usize) -> Option<u64> {
    Numbers::new(pits, seeds).map(|numbers| numbers.count())
}

/// What an endgame takes, in bytes.
fn kept_bytes(form: Form, pits: usize, seeds: usize) -> u64 {
    let positions = positions(pits, seeds).unwrap_or(u64::MAX);
    // And a little for the steps while it is made.
    match form {
        Form::Bytes => positions.saturating_add(positions / 8),
        // What is too far from the others of its row for four bits takes 32 more.
        Form::Packed => positions / 2 + positions / 8 + positions / 32,
        Form::Half => positions / 4 + positions / 16 + positions / 32,
    }
}

/// What of a packed endgame is in bytes while it is made: on each thread a split.
fn unpacked_bytes(pits: usize, seeds: usize, threads: usize) -> u64 {
    let arrangements = Arrangements::new(pits, seeds);
    let rich = arrangements.count(seeds.div_ceil(2)) as u64;
    let both = rich.saturating_mul(2 * arrangements.count(seeds / 2) as u64);
    both.saturating_mul(threads as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(
        pits: usize,
        seeds: usize,
        memory: u64,
        questions: usize,
        available: Option<usize>,
    ) -> MemoryPlan {
        MemoryPlan::new(pits, seeds, memory, 2, questions, available).unwrap()
    }

    #[test]
    fn plans_stay_within_the_memory() {
        for (pits, seeds) in [(1, 12), (4, 48), (6, 24), (6, 36), (6, 48), (6, 72)] {
            for memory in [33 << 20, 40 << 20, 100 << 20, 1 << 30, 20 << 30] {
                for (available, questions) in [(2, 1), (10, 1), (10, 99), (seeds, 1), (seeds, 999)]
                {
                    let plan = plan(pits, seeds, memory, questions, Some(available));
                    assert!(plan.endgame_seeds <= available);
                    let endgame = kept_bytes(plan.form, pits, plan.endgame_seeds);
                    let bytes = endgame + plan.table_bytes + OVERHEAD;
                    assert!(bytes <= memory, "{pits} {seeds} {memory}: {plan:?}");
                }
            }
        }
    }

    /// What help says of the memory that is used, in tenths of a GB. A table's bytes are a power of
    /// two.
    #[test]
    fn plans_take_what_help_says() {
        let most = |seeds: usize, questions| {
            let plan = plan(6, 12 * seeds, 100 << 30, questions, None);
            let endgame = kept_bytes(plan.form, 6, plan.endgame_seeds);
            (endgame + (1 << plan.table_bytes.ilog2()) + OVERHEAD).div_ceil(100_000_000)
        };
        let found = [(3, 1), (4, 1), (5, 1), (4, 1000)].map(|(n, many)| most(n, many));
        for (found, said) in found.into_iter().zip([5, 7, 80, 80]) {
            assert!(found <= said, "{found} for {said}");
        }
    }

    /// More questions get a larger endgame, as far as there is memory.
    #[test]
    fn many_questions_pay_for_a_larger_endgame() {
        let seeds = |questions, memory| plan(6, 48, memory, questions, None).endgame_seeds;
        assert!(seeds(100, 20 << 30) >= seeds(1, 20 << 30) + 3);
        assert_eq!(seeds(100, 200 << 20), seeds(1, 200 << 20));
    }

    /// With little memory the endgame is packed, and has more seeds than it could have in bytes.
    #[test]
    fn little_memory_is_used_well() {
        assert_eq!(plan(6, 48, 2 << 30, 1, None).form, Form::Bytes);
        for (memory, form) in [(14 << 30, Form::Packed), (5 << 30, Form::Half)] {
            let plan = plan(6, 60, memory, 1, None);
            assert_eq!(plan.form, form);
            assert!(plan.endgame_seeds > largest_endgame(6, 60, memory / 2));
        }
        // What is read from a table need not be made.
        let read = plan(6, 60, 3 << 30, 1, Some(40));
        assert_eq!(read.form, Form::Half);
        assert!(read.endgame_seeds >= plan(6, 60, 3 << 30, 1, None).endgame_seeds);
    }

    fn one(seeds: usize, memory: u64) -> Result<MemoryPlan, SearchError> {
        MemoryPlan::new(6, seeds, memory, 1, 1, None)
    }

    #[test]
    fn the_least_memory_is_said_and_works() {
        let SearchError::Memory { least, .. } = one(48, 1000).unwrap_err() else {
            panic!("1000 bytes are too little");
        };
        assert!(one(48, least).is_ok());
        assert!(one(48, least - 1).is_err());
    }

    #[test]
    fn the_most_seeds_are_said_and_work() {
        let SearchError::TooMany { most, .. } = one(252, 1 << 30).unwrap_err() else {
            panic!("252 seeds are too many");
        };
        let most = most as usize;
        assert!(one(most, 1 << 40).is_ok());
        assert!(one(most + 1, 1 << 40).is_err());
    }
}
