//! The division of memory between the endgame and the transposition table.

use super::board::Numbers;
use super::endgame::Form;
use super::prover::Transpositions;
use crate::game::SearchError;
use crate::games::kalah::index::Arrangements;
use crate::games::transpositions::bits_of;

/// The sizes of an endgame and a transposition table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryPlan {
    /// The most seeds on the board of positions in the endgame.
    pub endgame_seeds: usize,
    /// The form of the endgame.
    pub form: Form,
    /// Bytes for the transposition table, which uses the largest power of two of them.
    pub table_bytes: u64,
}

/// Bytes for the program, its stacks, and the endgame's temporary data.
pub(super) const OVERHEAD: u64 = 32 << 20;
/// The most seeds on the board of the smallest endgame.
const LEAST_ENDGAME: usize = 2;
/// Bytes of the endgame that pays off with 36 seeds, at one byte per position.
const BYTES_AT_36: f64 = 25e6;
/// Factor of those bytes for each additional seed.
const GROWTH: f64 = 1.28;
/// The largest endgame that pays off, in bytes.
const MOST_BYTES: f64 = 40e9;
/// The largest endgame for many questions; larger ones are always packed.
const MOST_IN_BYTES: f64 = 5e9;

impl MemoryPlan {
    /// Returns the sizes for `questions` positions with about `seeds` seeds.
    ///
    /// No position may have more than `seeds` seeds on the board. Everything must fit in `memory`
    /// bytes, while `threads` threads make the endgame. If an endgame is available already, such as
    /// a table, `available` is its number of seeds. The plan then takes at most these, but no more
    /// than it would solve, because reading takes time, too.
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
        let least = OVERHEAD + endgame_bytes(Form::Bytes, pits, LEAST_ENDGAME) + least_table;
        SearchError::check_memory(least, memory)?;
        let pays = BYTES_AT_36 * GROWTH.powf(seeds as f64 - 36.0);
        let pays = pays.clamp(1e6, MOST_BYTES);
        // With each additional seed, the endgame takes 1.5 times as long and a search a third less.
        // So the best endgame grows with the square root of the number of questions.
        let many = pays * (questions.max(1) as f64).sqrt();
        let pays = many.min(MOST_IN_BYTES).max(pays);
        let free = memory - OVERHEAD - least_table;
        let fits = |form: Form, seeds: usize| {
            let bytes = endgame_bytes(form, pits, seeds);
            let made = match (form, available) {
                (Form::Bytes, _) | (Form::Half, Some(_)) => bytes,
                _ => endgame_bytes(Form::Packed, pits, seeds)
                    .saturating_add(unpacked_bytes(pits, seeds, threads)),
            };
            let is_small = form != Form::Bytes || bytes as f64 <= MOST_IN_BYTES;
            // Half of the memory is for the table, which doesn't exist yet while the endgame is
            // made.
            bytes <= free / 2 && made <= free && is_small
        };
        let most = largest_endgame(pits, seeds, pays as u64);
        let most = available.map_or(most, |available| most.min(available));
        // Take the largest endgame that fits, in the fastest form that fits.
        let forms = [Form::Bytes, Form::Packed, Form::Half];
        let (endgame_seeds, form) = (LEAST_ENDGAME..=most)
            .rev()
            .find_map(|seeds| {
                let form = forms.into_iter().find(|&form| fits(form, seeds))?;
                Some((seeds, form))
            })
            .unwrap_or((most.min(LEAST_ENDGAME), Form::Bytes));
        let left = free - endgame_bytes(form, pits, endgame_seeds) + least_table;
        Ok(MemoryPlan {
            endgame_seeds,
            form,
            table_bytes: left.min((pays / 3.0) as u64).max(least_table),
        })
    }

    /// Returns whether an endgame of this size can replace the planned one.
    pub(super) fn has_room_for(&self, endgame_bytes: u64, memory: u64) -> bool {
        let others = OVERHEAD.saturating_add(self.table_bytes);
        endgame_bytes.saturating_add(others) <= memory
    }
}

// A trial search comes before a large endgame is made. Most positions of games with few pits, and
// those near the end of any game, need few nodes. For these, making the endgame would take far
// longer than the search.

/// Positions of an endgame that is too small for a trial search to pay off.
const WORTH_A_TRIAL: u64 = 8 << 20;
/// Positions of the large endgame for each position of the trial search's endgame.
///
/// A trial search takes about a fortieth of the time for making the large endgame.
const POSITIONS_A_POSITION: u64 = 64;
/// Positions of the large endgame for each node that a trial search may visit.
const POSITIONS_A_NODE: u64 = 4000;
/// Bytes of a trial search's transposition table.
const TABLE_BYTES: u64 = 4 << 20;

/// Returns the plan of a trial search and its nodes per question.
///
/// The search is for positions with up to `seeds` seeds. `saved` are the seeds of the large endgame
/// that it may make unnecessary. `None` if that endgame is small enough to be made at once.
pub(super) fn plan_before(pits: usize, seeds: usize, saved: usize) -> Option<(MemoryPlan, u64)> {
    let saved = positions(pits, saved).unwrap_or(u64::MAX);
    if saved < WORTH_A_TRIAL {
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

/// Returns the error for more seeds than can be searched.
pub(super) fn too_many_seeds(pits: usize, seeds: usize) -> SearchError {
    let most = (0..seeds)
        .rev()
        .find(|&fewer| positions(pits, fewer).is_some());
    SearchError::TooMany {
        found: format!("{seeds} seeds on the board with {pits} pits per side"),
        most: most.unwrap_or(0) as u32,
    }
}

/// Returns the most seeds, up to `seeds`, of an endgame in `bytes`.
///
/// It has one byte per position.
pub(super) fn largest_endgame(pits: usize, seeds: usize, bytes: u64) -> usize {
    (LEAST_ENDGAME..=seeds)
        .rev()
        .find(|&seeds| endgame_bytes(Form::Bytes, pits, seeds) <= bytes)
        .unwrap_or(LEAST_ENDGAME)
}

/// Returns the bytes of the smallest transposition table for this many positions.
pub(super) fn least_table(count: u64) -> u64 {
    Transpositions::least_bytes(bits_of(count))
}

/// Returns the number of positions with up to `seeds` seeds, with finished ones.
///
/// `None` if it doesn't fit in 64 bits.
pub(super) fn positions(pits: usize, seeds: usize) -> Option<u64> {
    Numbers::new(pits, seeds).map(|numbers| numbers.count())
}

/// Returns the size of an endgame in bytes.
fn endgame_bytes(form: Form, pits: usize, seeds: usize) -> u64 {
    let positions = positions(pits, seeds).unwrap_or(u64::MAX);
    // Add a little for the steps while the endgame is made.
    match form {
        Form::Bytes => positions.saturating_add(positions / 8),
        // Codes too far from the others of their row for four bits take 32 bits more.
        Form::Packed => positions / 2 + positions / 8 + positions / 32,
        Form::Half => positions / 4 + positions / 16 + positions / 32,
    }
}

/// Returns the bytes of a packed endgame's unpacked splits, one per thread.
fn unpacked_bytes(pits: usize, seeds: usize, threads: usize) -> u64 {
    let arrangements = Arrangements::new(pits, seeds);
    let larger = arrangements.count(seeds.div_ceil(2)) as u64;
    let both = larger.saturating_mul(2 * arrangements.count(seeds / 2) as u64);
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
                    let endgame = endgame_bytes(plan.form, pits, plan.endgame_seeds);
                    let bytes = endgame + plan.table_bytes + OVERHEAD;
                    assert!(bytes <= memory, "{pits} {seeds} {memory}: {plan:?}");
                }
            }
        }
    }

    /// Checks the memory named by the help, in tenths of a GB.
    ///
    /// A table's size is a power of two.
    #[test]
    fn plans_take_what_help_says() {
        let most = |seeds: usize, questions| {
            let plan = plan(6, 12 * seeds, 100 << 30, questions, None);
            let endgame = endgame_bytes(plan.form, 6, plan.endgame_seeds);
            (endgame + (1 << plan.table_bytes.ilog2()) + OVERHEAD).div_ceil(100_000_000)
        };
        let found = [(3, 1), (4, 1), (5, 1), (4, 1000)].map(|(n, many)| most(n, many));
        for (found, said) in found.into_iter().zip([5, 7, 80, 80]) {
            assert!(found <= said, "{found} for {said}");
        }
    }

    /// More questions get a larger endgame, if there is memory for it.
    #[test]
    fn many_questions_pay_for_a_larger_endgame() {
        let seeds = |questions, memory| plan(6, 48, memory, questions, None).endgame_seeds;
        assert!(seeds(100, 20 << 30) >= seeds(1, 20 << 30) + 3);
        assert_eq!(seeds(100, 200 << 20), seeds(1, 200 << 20));
    }

    /// With little memory, the endgame is packed and so has more seeds.
    #[test]
    fn little_memory_is_used_well() {
        assert_eq!(plan(6, 48, 2 << 30, 1, None).form, Form::Bytes);
        for (memory, form) in [(14 << 30, Form::Packed), (5 << 30, Form::Half)] {
            let plan = plan(6, 60, memory, 1, None);
            assert_eq!(plan.form, form);
            assert!(plan.endgame_seeds > largest_endgame(6, 60, memory / 2));
        }
        // Scores read from a table need no memory for solving.
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
