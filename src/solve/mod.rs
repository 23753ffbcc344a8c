//! Solving: the score of every reachable position.
//!
//! Two methods that share no more than the rules and the walk to the reachable positions, and that
//! give the same scores: [`Method::Backward`] works from the ends of the game backwards,
//! [`Method::Search`] searches each class by alpha-beta.

mod backward;
mod by_search;
mod by_slots;
mod layered;
mod limits;
mod ranked;
mod reach;
mod solved;

pub(crate) use by_search::STACK as SEARCH_STACK;
pub(crate) use ranked::RankedScores;
pub(crate) use reach::canonical as canonical_of_key;
pub use reach::reachable;
pub use solved::Solved;

use crate::conformance::check_before_solving;
use crate::game::{
    Journal, NoJournal, Notation, Progress, Ranking, ScoreRange, Slot, Solution, SolveError,
    SolveOptions, SolveTimes, Tile,
};
use crate::pool::{STACK, in_pool};
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

/// How to solve a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Method {
    /// From the ends of the game backwards, children before parents; by the game's own sweep if it
    /// has one.
    #[default]
    Backward,
    /// Each class by an alpha-beta search.
    Search,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Method::Backward => "backward",
            Method::Search => "search",
        })
    }
}

/// Finds every reachable class of a game and its score.
///
/// The result is the same for both methods and any number of threads.
///
/// # Errors
/// If it needs more memory than it may use, is told to stop, the game's positions can repeat, or the
/// game breaks another promise of its traits.
pub fn solve<G: Notation>(
    game: &G,
    method: Method,
    options: SolveOptions,
    progress: &dyn Progress,
) -> Result<Solved, SolveError> {
    solve_with_journal(game, method, options, progress, &mut NoJournal)
}

/// As [`solve`], and goes on from what the journal has kept of an earlier run. Only a game's own
/// sweep makes use of a journal: the other methods are for games that are solved in a moment.
///
/// # Errors
/// As [`solve`], and if the journal fails.
pub fn solve_with_journal<G: Notation>(
    game: &G,
    method: Method,
    options: SolveOptions,
    progress: &dyn Progress,
    journal: &mut dyn Journal,
) -> Result<Solved, SolveError> {
    check_before_solving(game)?;
    solve_unchecked(game, method, options, progress, journal)
}

fn solve_unchecked<G: Notation>(
    game: &G,
    method: Method,
    options: SolveOptions,
    progress: &dyn Progress,
    journal: &mut dyn Journal,
) -> Result<Solved, SolveError> {
    match (method, game.capabilities().solving.sweep()) {
        (Method::Search, _) => in_pool(options.threads, by_search::STACK, || {
            let Some(ranking) = numbering_for_search(game) else {
                return generic(game, options, progress, by_search::solve);
            };
            let (solution, times) = by_slots::solve(game, ranking, options, progress)?;
            Ok(Solved { solution, times })
        }),
        (Method::Backward, None) => backward_unchecked(game, options, progress),
        (Method::Backward, Some(sweep)) => in_pool(options.threads, STACK, || {
            let (scores, times) = sweep.solve(options, progress, journal)?;
            Ok(Solved {
                solution: Solution::Ranked(scores),
                times,
            })
        }),
    }
}

/// The ranking that a search remembers scores by: that of a game whose own solver relies on it, too.
/// Any other may be wrong, which shows only class by class.
fn numbering_for_search<G: Notation>(game: &G) -> Option<Arc<dyn Ranking<G::Position>>> {
    let solving = game.capabilities().solving;
    solving.sweep().and_then(|_| solving.ranking())
}

/// The least memory, in bytes, that solving a game on this number of threads will take, as far as
/// that can be told beforehand.
///
/// Most generic methods keep tens of bytes a reachable class, and how many there are only turns out
/// on the way; but where a game has a ranking, its slots bound them, and a large game may know
/// about how many to expect. A search of a game with a ranking takes some bits a slot.
#[must_use]
pub fn memory_estimate<G: Notation>(game: &G, method: Method, threads: usize) -> Option<u64> {
    /// Keys, scores, and links between classes or bounds.
    const BYTES_A_CLASS: u64 = 64;
    /// Of Kalah's slots, which are many times those of any other game, about an eighth is
    /// reachable.
    const REACHABLE_SHARE: u64 = 8;
    /// The same, with two or three links a class, or bounds in a table with little crowding; no
    /// ranking stands in for keys.
    const BYTES_A_KEYED_CLASS: u64 = 110;
    if let (Method::Backward, Some(sweep)) = (method, game.capabilities().solving.sweep()) {
        return Some(sweep.memory_needed(threads));
    }
    if method == Method::Search
        && let Some(ranking) = numbering_for_search(game)
    {
        return Some(by_slots::memory_needed(&*ranking, threads));
    }
    let Some(ranking) = game.capabilities().solving.ranking() else {
        let classes = game.capabilities().solving.expected_classes()?;
        if method == Method::Backward && layered::serves(game) {
            return Some(classes.saturating_mul(layered::BYTES_A_CLASS));
        }
        return Some(classes.saturating_mul(BYTES_A_KEYED_CLASS));
    };
    let slots = ranking
        .segments()
        .iter()
        .fold(0u64, |sum, segment| sum.saturating_add(segment.slots()));
    Some((slots / REACHABLE_SHARE).saturating_mul(BYTES_A_CLASS))
}

/// [`Method::Backward`] from the rules alone, even if the game has a sweep of its own.
///
/// # Errors
/// As [`solve`].
pub fn solve_backward_generic<G: Notation>(
    game: &G,
    options: SolveOptions,
    progress: &dyn Progress,
) -> Result<Solved, SolveError> {
    check_before_solving(game)?;
    backward_unchecked(game, options, progress)
}

fn backward_unchecked<G: Notation>(
    game: &G,
    options: SolveOptions,
    progress: &dyn Progress,
) -> Result<Solved, SolveError> {
    in_pool(options.threads, STACK, || {
        if layered::serves(game) {
            return layered::solve(game, options, progress);
        }
        generic(game, options, progress, backward::solve)
    })
}

/// The score of a position in a solution, seen from its side to move; nothing if its class isn't in
/// there.
#[must_use]
pub fn score_of<G: Notation>(game: &G, solution: &Solution, position: &G::Position) -> Option<i32> {
    if let Some(score) = game.final_score(position) {
        return Some(score);
    }
    let canonical = game.canonical(position);
    let to_come = match solution {
        Solution::Ranked(scores) => {
            let ranking = game.capabilities().solving.ranking()?;
            let slot = ranking.slot(&canonical)?;
            let Slot {
                segment,
                row,
                column,
            } = slot;
            let mut tile = Tile::default();
            scores.tile(segment, row..row + 1, column..column + 1, &mut tile);
            let scores: ScoreRange = ranking.segments()[segment as usize].scores;
            scores.score(tile.get(0)?)
        }
        Solution::Keyed(entries) => {
            let key = game.key(&canonical);
            let index = entries.binary_search_by_key(&key, |entry| entry.0).ok()?;
            entries[index].1
        }
    };
    Some(game.banked(position) + to_come)
}

/// Computes the scores of the classes with these keys, in their order.
type Solver<G> = fn(&G, &[u128], SolveOptions, &dyn Progress) -> Result<Vec<i32>, SolveError>;

fn generic<G: Notation>(
    game: &G,
    options: SolveOptions,
    progress: &dyn Progress,
    solver: Solver<G>,
) -> Result<Solved, SolveError> {
    let started = Instant::now();
    let keys = reachable(game, options.memory, progress)?;
    let reach = started.elapsed().as_secs_f64();
    let scores = solver(game, &keys, options, progress)?;
    let solution = match game.capabilities().solving.ranking() {
        Some(ranking) => {
            let scores = ranked::RankedScores::new(game, &*ranking, &keys, &scores)?;
            Solution::Ranked(Box::new(scores))
        }
        None => Solution::Keyed(keys.into_iter().zip(scores).collect()),
    };
    let times = SolveTimes {
        reach,
        solve: started.elapsed().as_secs_f64() - reach,
    };
    Ok(Solved { solution, times })
}

#[cfg(test)]
mod tests;
