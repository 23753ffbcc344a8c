//! Solving: the score of every reachable position.
//!
//! Independent methods give the same scores. They share only the rules and the walk to the
//! reachable positions. [`Method::Backward`] is retrograde analysis, by the game's own solver or by
//! keys, and [`Method::Rules`] always by keys. [`Method::Search`] searches each class by alpha-beta.

mod by_search;
pub(crate) mod keyed;
#[cfg(all(feature = "cli", feature = "mpi"))]
pub(crate) mod mpi;
#[cfg(test)]
mod repetition_tests;
mod solution;
#[cfg(test)]
mod team_tests;
#[cfg(test)]
mod tests;
mod to_file;
mod verify_by_search;

pub use keyed::reachable;
pub use solution::{Solved, score_of};
#[cfg(test)]
pub(crate) use to_file::Pace;
pub(crate) use to_file::solve_to_file_in_team;
pub use to_file::{SolveJob, SolveJobCause, SolveJobError, SolvedTable, solve_to_file};
pub use verify_by_search::{Disagreement, Searched, verify_by_search};

use crate::conformance::{BEFORE_SOLVING, check_untested};
use crate::game::{
    Checkpoints, NoCheckpoints, Notation, OwnSolver, Progress, Solution, SolveError, SolveOptions,
    SolveTimes, Team,
};
use crate::pool::{STACK, in_pool};
use crate::work::folder::Folder;
use by_search::{numbering_for_search, solve_by_searches};
use keyed::{BLOCK, KeyCheckpoints, KeySolver};
use solution::{SortedScores, solution_of};

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
    /// Returns the game's own solver, if this method uses it.
    pub(crate) fn own_solver<G: Notation>(self, game: &G) -> Option<Box<dyn OwnSolver>> {
        let solver = game.capabilities().solving.own_solver();
        solver.filter(|_| self == Method::Backward)
    }

    fn solver<G: Notation>(self, game: &G) -> Solver {
        match self {
            Method::Search => Solver::Search,
            _ => self.own_solver(game).map_or(Solver::Keys, Solver::OfGame),
        }
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
    check_untested(game, BEFORE_SOLVING)?;
    let team = Team::alone(progress);
    let storage = SolveStorage {
        checkpoints: &mut NoCheckpoints,
        folder: None,
        save_share: 0.0,
        block: BLOCK,
    };
    in_pool(options.threads, STACK, || {
        let (scores, times) = find_scores(game, &method.solver(game), options, &team, storage)?;
        let scores = scores.expect("the only process has all scores");
        let solution = scores.collect(game, options)?;
        Ok(Solved { solution, times })
    })
}

/// A solver that a method chooses for a game.
enum Solver {
    Search,
    OfGame(Box<dyn OwnSolver>),
    Keys,
}

/// The places where a solver saves its work, and how often.
struct SolveStorage<'a> {
    /// Used by the game's own solver; the directory for scratch files is for the solver by keys, too.
    checkpoints: &'a mut dyn Checkpoints,
    /// Directory for the checkpoints of the solver by keys, if there is one.
    folder: Option<Folder>,
    /// Greatest share of the time to spend on them.
    save_share: f64,
    /// Number of classes that each process expands between two exchanges, at least 1.
    block: usize,
}

/// The scores of all reachable classes, in memory or still to be merged.
enum FoundScores<'a> {
    Solution(Solution),
    Sorted(SortedScores<'a>),
}

impl FoundScores<'_> {
    /// Collects all scores in memory.
    fn collect<G: Notation>(self, game: &G, options: SolveOptions) -> Result<Solution, SolveError> {
        /// An entry, and its slot if there is a ranking.
        const BYTES_PER_ENTRY: u64 = 32 + 16;
        match self {
            FoundScores::Solution(solution) => Ok(solution),
            FoundScores::Sorted(sorted) => {
                let needed = sorted.memory + sorted.count.saturating_mul(BYTES_PER_ENTRY);
                options.check_memory(needed, true, || game.name())?;
                let mut entries = Vec::with_capacity(sorted.count as usize);
                for entry in sorted.entries {
                    entries.push(entry?);
                }
                Ok(solution_of(game, entries)?)
            }
        }
    }
}

/// Finds all scores by a solver, in the current thread pool.
///
/// The first process of the team returns them. Others may return `None`.
fn find_scores<'a, G: Notation>(
    game: &'a G,
    solver: &Solver,
    options: SolveOptions,
    team: &'a Team<'a>,
    storage: SolveStorage<'_>,
) -> Result<(Option<FoundScores<'a>>, SolveTimes), SolveError> {
    match (solver, game.key_bits()) {
        // The searches are for a single process.
        (Solver::Search, _) if !team.is_first() => Ok((None, SolveTimes::default())),
        #[cfg(target_family = "wasm")]
        (Solver::Search, _) => unreachable!("browsers solve backwards"),
        #[cfg(not(target_family = "wasm"))]
        (Solver::Search, _) => {
            let Solved { solution, times } = solve_by_searches(game, options, team.progress())?;
            Ok((Some(FoundScores::Solution(solution)), times))
        }
        (Solver::OfGame(solver), _) => {
            let (scores, times) = solver.solve_together(options, storage.checkpoints, team)?;
            let solution = Solution::Ranked(scores);
            Ok((Some(FoundScores::Solution(solution)), times))
        }
        (Solver::Keys, bits) => {
            let checkpoints = KeyCheckpoints::new(storage.folder, storage.save_share);
            let (block, scratch) = (storage.block, storage.checkpoints.scratch());
            let (sorted, times) = match bits {
                ..=64 => KeySolver::<u64>::new(game, team, options, block, scratch)?
                    .solve(checkpoints)?,
                _ => KeySolver::<u128>::new(game, team, options, block, scratch)?
                    .solve(checkpoints)?,
            };
            Ok((sorted.map(FoundScores::Sorted), times))
        }
    }
}

/// Returns the estimated least memory per process, in bytes.
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
