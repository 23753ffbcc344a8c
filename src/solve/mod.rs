//! Solving: the score of every reachable position.
//!
//! Independent methods give the same scores. They share only the rules and the walk to the
//! reachable positions. [`Method::Backward`] is retrograde analysis, by the game's own solver or by
//! keys, and [`Method::Rules`] always by keys. [`Method::Search`] searches each class by alpha-beta.

mod by_search;
pub(crate) mod keyed;
#[cfg(test)]
pub(crate) mod maze;
mod ranked;

pub(crate) use by_search::STACK as SEARCH_STACK;

use crate::conformance::check_before_solving;
use crate::game::{
    Alone, NoCheckpoints, Notation, OwnSolver, Progress, Ranking, Solution, SolveError,
    SolveOptions, SolveTimes, Team, Tile,
};
use crate::pool::{STACK, in_pool};
use crate::search::check_searchable;
use keyed::{BLOCK, Job, Key, Own, Saved, bytes, classes, rules_of};
use ranked::RankedScores;
use rayon::slice::ParallelSliceMut;
use std::sync::Arc;
use std::time::Instant;

/// A solved game.
pub struct Solved {
    /// The score of every reachable class.
    pub solution: Solution,
    /// Time spent.
    pub times: SolveTimes,
}

/// How to solve a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, serde::Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Method {
    /// Retrograde analysis, from the ends of the game backwards.
    ///
    /// By the game's own solver if it has one.
    #[default]
    Backward,
    /// An alpha-beta search of each position with a transposition table. Slower.
    Search,
    /// Retrograde analysis from the rules alone, without the game's own solver.
    ///
    /// It is for comparing that solver with. The command line doesn't offer it.
    #[cfg_attr(feature = "cli", value(skip))]
    Rules,
}

impl Method {
    /// The game's own solver, if this method uses it.
    pub(crate) fn own_solver<G: Notation>(self, game: &G) -> Option<Box<dyn OwnSolver>> {
        let solver = game.capabilities().solving.own_solver();
        solver.filter(|_| self == Method::Backward)
    }
}

crate::text::display_as_serialized!(Method);

/// Finds every reachable class of a game and its score.
///
/// The result is the same for all methods and any number of threads.
///
/// # Errors
/// If it needs more memory than allowed, is cancelled, the game can repeat a position, or the game
/// breaks another promise of its traits.
pub fn solve<G: Notation>(
    game: &G,
    method: Method,
    options: SolveOptions,
    progress: &dyn Progress,
) -> Result<Solved, SolveError> {
    check_before_solving(game)?;
    solve_unchecked(game, method, options, progress)
}

fn solve_unchecked<G: Notation>(
    game: &G,
    method: Method,
    options: SolveOptions,
    progress: &dyn Progress,
) -> Result<Solved, SolveError> {
    if method == Method::Search {
        return by_searches(game, options, progress);
    }
    let solver = method.own_solver(game);
    in_pool(options.threads, STACK, || match (solver, game.key_bits()) {
        (Some(solver), _) => {
            let (scores, times) = solver.solve(options, progress, &mut NoCheckpoints)?;
            let solution = Solution::Ranked(scores);
            Ok(Solved { solution, times })
        }
        (None, ..=64) => by_keys::<G, u64>(game, options, progress),
        (None, _) => by_keys::<G, u128>(game, options, progress),
    })
}

/// Solves by [`Method::Search`].
///
/// # Errors
/// Those of [`solve`].
pub(crate) fn by_searches<G: Notation>(
    game: &G,
    options: SolveOptions,
    progress: &dyn Progress,
) -> Result<Solved, SolveError> {
    check_searchable(game)?;
    in_pool(options.threads, by_search::STACK, || {
        let began = Instant::now();
        let (solution, reach) = match numbering_for_search(game) {
            Some(ranking) => by_search::solve_numbered(game, ranking, options, progress)?,
            None => {
                let keys = reachable(game, options.memory, progress)?;
                let reach = began.elapsed();
                let scores = by_search::solve_keyed(game, &keys, options, progress)?;
                (solution_of(game, keys, scores)?, reach)
            }
        };
        let times = SolveTimes::of(began.elapsed(), reach);
        Ok(Solved { solution, times })
    })
}

/// The ranking by which a search numbers classes, if it uses one.
///
/// Only that of a game whose own solver relies on it too, or whose scores need more than a byte
/// unless the segment is known. Any other ranking is avoided, because errors in it would show only
/// class by class.
fn numbering_for_search<G: Notation>(game: &G) -> Option<Arc<dyn Ranking<G::Position>>> {
    let solving = game.capabilities().solving;
    let is_needed = solving.own_solver().is_some() || game.score_range().codes() > 256;
    solving.ranking().filter(|_| is_needed)
}

/// Estimated least memory per process, in bytes.
///
/// `None` if there is no estimate. Most generic methods need tens of bytes per reachable class, and
/// their number turns out only during the work. But the slots of a ranking are an upper limit, and
/// a large game may estimate the number. A search of a game with a ranking needs some bits per
/// slot.
#[must_use]
pub fn memory_estimate<G: Notation>(
    game: &G,
    method: Method,
    processes: usize,
    threads: usize,
) -> Option<u64> {
    /// Memory for the program and the current blocks, without the classes, as measured.
    const PROGRAM: u64 = 40_000_000;
    /// Keys, scores, and moves between classes or bounds.
    const BYTES_A_CLASS: u64 = 64;
    /// Estimated ratio of slots to reachable classes.
    ///
    /// That of Kalah, which has by far the most slots.
    const REACHABLE_SHARE: u64 = 8;
    if let Some(solver) = method.own_solver(game) {
        return Some(solver.memory_needed(threads));
    }
    if method == Method::Search
        && let Some(ranking) = numbering_for_search(game)
    {
        return Some(by_search::memory_needed(&*ranking, threads));
    }
    let Some(ranking) = game.capabilities().solving.ranking() else {
        let classes = game.capabilities().solving.expected_classes()?;
        return Some(match method {
            // Key and code, and memory to merge the largest layer, about a sixth of all classes.
            Method::Backward | Method::Rules => {
                let key = if game.key_bits() <= u64::BITS { 8 } else { 16 };
                let all = classes.saturating_mul(key + 1 + key / 2);
                (all / processes as u64).saturating_add(PROGRAM)
            }
            Method::Search => classes.saturating_mul(by_search::BYTES_A_KEY),
        });
    };
    Some((by_search::slots_of(&*ranking) / REACHABLE_SHARE).saturating_mul(BYTES_A_CLASS))
}

fn by_keys<G: Notation, K: Key>(
    game: &G,
    options: SolveOptions,
    progress: &dyn Progress,
) -> Result<Solved, SolveError> {
    let (rules, team) = (rules_of(game)?, Team::new(&Alone, progress));
    let job: Job<'_, K> = Job::new(&*rules, &team, options, BLOCK, None);
    let (layers, times) = job.solve(&mut Saved::new(None, 0.0))?;
    let entries = (classes(&layers) * (16 + 4 + 32)) as u64;
    job.check_memory(bytes(&layers) + entries, true)?;
    let range = game.score_range();
    let entries = Own::new(&layers).map(|(key, code)| (key.wide(), range.score(code)));
    let (keys, scores) = entries.unzip();
    drop(layers);
    Ok(Solved {
        solution: solution_of(game, keys, scores)?,
        times,
    })
}

/// The keys of all reachable unfinished classes, in ascending order.
///
/// Walks move by move from the start and visits each class once. Runs in the current thread pool;
/// `memory` is in bytes.
///
/// # Errors
/// If it needs more memory than allowed, is cancelled, or the game breaks a promise.
pub fn reachable<G: Notation>(
    game: &G,
    memory: u64,
    progress: &dyn Progress,
) -> Result<Vec<u128>, SolveError> {
    let (rules, team) = (rules_of(game)?, Team::new(&Alone, progress));
    let options = SolveOptions { threads: 0, memory };
    let job: Job<'_, u128> = Job::new(&*rules, &team, options, BLOCK, None);
    let (found, _) = job.find_all(&mut Saved::new(None, 0.0))?;
    let mut keys: Vec<u128> = Vec::new();
    for layer in found.layers.into_values() {
        job.check_memory(
            ((keys.len() + layer.keys.len()) * size_of::<u128>()) as u64,
            false,
        )?;
        keys.extend(layer.keys);
    }
    keys.par_sort_unstable();
    Ok(keys)
}

/// The score of a position in a solution, seen from its side to move.
///
/// `None` if its class is not in the solution.
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
            let (rows, columns) = (slot.row..slot.row + 1, slot.column..slot.column + 1);
            let mut tile = Tile::default();
            scores.tile(slot.segment, rows, columns, &mut tile);
            let segment = &ranking.segments()[slot.segment as usize];
            segment.scores.score(tile.get(0)?)
        }
        Solution::Keyed(entries) => {
            let key = game.key(&canonical);
            let index = entries.binary_search_by_key(&key, |entry| entry.0).ok()?;
            entries[index].1
        }
    };
    Some(game.banked(position) + to_come)
}

/// The solution with these keys, in ascending order, and their scores.
pub(crate) fn solution_of<G: Notation>(
    game: &G,
    keys: Vec<u128>,
    scores: Vec<i32>,
) -> Result<Solution, SolveError> {
    Ok(match game.capabilities().solving.ranking() {
        Some(ranking) => {
            let scores = RankedScores::new(game, &*ranking, &keys, &scores)?;
            Solution::Ranked(Box::new(scores))
        }
        None => Solution::Keyed(keys.into_iter().zip(scores).collect()),
    })
}

#[cfg(test)]
mod tests;
