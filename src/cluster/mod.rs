//! Solving by several processes, on one machine or many: every class belongs to one of them, by a
//! hash of its key, so that the memory that each needs is divided by their number.
//!
//! ```text
//! transport (mpi; threads in tests) ─► solve::Team ─► solve::keyed ──► merge ─► the table
//!                                                     saved ◄─┘
//! ```
//!
//! In the end the first process merges what all have, sorted, into the table, which has the same
//! bytes as one that is solved by a single process. A game with a solver of its own ([`Sweep`]) is
//! solved by that, which shares the work of each layer itself ([`crate::game::peers`]).

mod merge;
#[cfg(feature = "mpi")]
pub mod mpi;
mod saved;
#[cfg(test)]
mod tests;

pub use crate::solve::{Lost, Team, Transport};

use crate::conformance::check_before_solving;
use crate::game::{Notation, Solution, SolveError, SolveOptions, SolveTimes, Sweep};
use crate::pool::{STACK, in_pool};
use crate::solve::keyed::{BLOCK, Job, Key, rules_of};
use crate::solve::{Method, by_searches};
use crate::table::{ScratchFolder, TableWriter, WriteOptions, Written, folder_beside, in_solve};
use crate::work::folder::Folder;
use saved::Saved;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How several processes solve a game.
#[derive(Clone, Copy, Debug)]
pub struct SharedOptions {
    /// By searches only if there is one process.
    pub method: Method,
    /// Threads and memory of each process.
    pub solve: SolveOptions,
    /// How many classes each process looks at between two exchanges, at least 1.
    pub block: usize,
    /// How much time goes by at least from one checkpoint to the next. There are none within a
    /// layer.
    pub save_every: Duration,
    /// By the rules alone, even if the game has a solver of its own.
    pub by_rules: bool,
}

impl SharedOptions {
    /// With a checkpoint every second, if a layer is complete.
    #[must_use]
    pub fn new(method: Method, solve: SolveOptions) -> SharedOptions {
        SharedOptions {
            method,
            solve,
            block: BLOCK,
            save_every: Duration::from_secs(1),
            by_rules: false,
        }
    }
}

/// Why several processes could not solve a game.
#[derive(Debug)]
pub struct SharedError {
    /// What went wrong. Errors of [`crate::table::WriteError`] come within [`SolveError::Journal`].
    pub cause: SolveError,
    /// Where what is done so far is kept; only the first process knows.
    pub kept_in: Option<PathBuf>,
}

/// Solves a game together with the other processes of the team. The first one writes the table, and
/// only there something is returned.
///
/// What there is no memory for goes to files in the table's folder, or in `scratch`, if the game's
/// own solver can do with less.
///
/// The table grows in its folder as any other ([`TableWriter`]), in which every process keeps what
/// it has found; from that the same call goes on later, with any number of processes.
///
/// # Errors
/// In all processes if it can't be solved or written, the folder is not the same for all, or any
/// process is told to stop or ends.
pub fn solve_to_table<G: Notation>(
    game: &G,
    path: &Path,
    options: SharedOptions,
    scratch: Option<&Path>,
    write: WriteOptions,
    team: &Team<'_>,
) -> Result<Option<(SolveTimes, Written)>, SharedError> {
    in_pool(options.solve.threads, STACK, || {
        let begin = || TableWriter::begin(game, path, write, team.progress());
        let mut writer = match team.is_first().then(begin).transpose() {
            Ok(writer) => writer,
            Err(error) => {
                let settled = team.settle(Err(in_solve(error)));
                return settled.map_err(|cause| SharedError {
                    cause,
                    kept_in: None,
                });
            }
        };
        let sweep = game.capabilities().solving.sweep();
        let sweep = sweep.filter(|_| !options.by_rules);
        let solved = to_table(path, team, writer.as_mut(), |folder, writer| {
            check_before_solving(game)?;
            match (sweep, game.key_bits()) {
                _ if options.method == Method::Search => {
                    solve_by_searches(game, options.solve, team, writer)
                }
                (Some(sweep), _) => {
                    let (options, restart) = (options.solve, write.restart);
                    solve_by_sweep(&*sweep, options, path, scratch, restart, team, writer)
                }
                (None, ..=64) => solve_keys::<G, u64>(game, options, folder, team, writer),
                (None, _) => solve_keys::<G, u128>(game, options, folder, team, writer),
            }
        });
        team.settle(solved).map_err(|cause| SharedError {
            cause,
            kept_in: writer.and_then(|writer| Some(writer.kept_in()?.to_owned())),
        })
    })
}

/// Solves what is not complete yet, and completes the table where it is written.
fn to_table<'w, G: Notation>(
    path: &Path,
    team: &Team<'_>,
    mut writer: Option<&mut TableWriter<'w, G>>,
    solve: impl FnOnce(Folder, Option<&mut TableWriter<'w, G>>) -> Result<SolveTimes, SolveError>,
) -> Result<Option<(SolveTimes, Written)>, SolveError> {
    let folder = folder_beside(path).map_err(in_solve)?;
    saved::check_shared(&folder, team)?;
    let is_complete = writer.as_ref().is_some_and(|writer| writer.is_complete());
    let times = match team.tell(Ok([u64::from(is_complete)]))?[0] {
        [0] => solve(folder, writer.as_deref_mut())?,
        _ => SolveTimes::default(),
    };
    let written = writer.map(TableWriter::finish).transpose();
    Ok(written.map_err(in_solve)?.map(|written| (times, written)))
}

/// By the game's own solver, which shares the work of each layer. What there is no memory for goes to
/// `scratch`, if that is given; `restart` discards what is there.
fn solve_by_sweep<G: Notation>(
    sweep: &dyn Sweep,
    options: SolveOptions,
    path: &Path,
    scratch: Option<&Path>,
    restart: bool,
    team: &Team<'_>,
    writer: Option<&mut TableWriter<'_, G>>,
) -> Result<SolveTimes, SolveError> {
    let progress = team.progress();
    if let Some(writer) = writer {
        if let Some(folder) = scratch {
            writer.set_scratch(folder).map_err(in_solve)?;
        }
        let (scores, times) = sweep.solve_together(options, progress, writer, team)?;
        writer.write(&Solution::Ranked(scores)).map_err(in_solve)?;
        return Ok(times);
    }
    let own = ScratchFolder::open(path, scratch, team.rank(), restart);
    let mut own = own.map_err(in_solve)?;
    let (_, times) = sweep.solve_together(options, progress, &mut own, team)?;
    own.is_over();
    Ok(times)
}

/// By one process.
fn solve_by_searches<G: Notation>(
    game: &G,
    options: SolveOptions,
    team: &Team<'_>,
    writer: Option<&mut TableWriter<'_, G>>,
) -> Result<SolveTimes, SolveError> {
    let Some(writer) = writer else {
        return Ok(SolveTimes::default());
    };
    let solved = by_searches(game, options, team.progress())?;
    writer.write(&solved.solution).map_err(in_solve)?;
    Ok(solved.times)
}

fn solve_keys<G: Notation, K: Key>(
    game: &G,
    options: SharedOptions,
    folder: Folder,
    team: &Team<'_>,
    writer: Option<&mut TableWriter<'_, G>>,
) -> Result<SolveTimes, SolveError> {
    let rules = rules_of(game)?;
    let job: Job<'_, K> = Job::new(&*rules, team, options.solve, options.block);
    let mut saved = Saved::new(folder, options.save_every);
    let (layers, times) = job.solve(saved.load(&job)?, &mut saved)?;
    merge::write(&job, game, &layers, writer)?;
    Ok(times)
}
