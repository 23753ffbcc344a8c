//! Solving by several processes, on one machine or many: every class belongs to one of them, by a
//! hash of its key, so that the memory that each needs is divided by their number.
//!
//! ```text
//! transport (mpi; threads in tests) ─► game::Team ─► solve::keyed ──► merge ─► the table
//! ```
//!
//! In the end the first process merges what all have, sorted, into the table, which has the same
//! bytes as one that is solved by a single process. A game with a solver of its own ([`Sweep`]) is
//! solved by that, which shares the work of each layer itself ([`Team`]).

mod job;
mod merge;
#[cfg(feature = "mpi")]
pub mod mpi;
mod shared;
#[cfg(test)]
mod tests;

pub use crate::game::{Lost, Team, Transport};
pub use job::{SolveJob, SolveJobCause, SolveJobError, SolvedTable};

use crate::conformance::check_before_solving;
use crate::game::{Notation, Solution, SolveError, SolveTimes, Sweep};
use crate::pool::{STACK, in_pool};
use crate::solve::keyed::{BLOCK, Job, Key, Saved, rules_of};
use crate::solve::{Method, by_searches};
use crate::table::{ScratchFolder, TableWriter, Written, folder_beside};
use crate::work::folder::Folder;
use std::time::Instant;

/// The steps in which a game is solved.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// How many classes each process looks at between two exchanges, at least 1.
    pub block: usize,
    /// How much of the time may go to checkpoints. There are none within a layer.
    pub save_share: f64,
    /// By the rules alone, even if the game has a solver of its own.
    pub by_rules: bool,
}

impl Default for Pace {
    /// With a checkpoint every second, if a layer is complete, unless they are large.
    fn default() -> Pace {
        Pace {
            block: BLOCK,
            save_share: 0.05,
            by_rules: false,
        }
    }
}

/// Solves a game together with the other processes of the team. The first one writes the table, and
/// only there something is returned.
///
/// The table grows in its folder as any other ([`TableWriter`]), in which every process keeps what
/// it has found, and what it has no memory for; from that the same call goes on later, with any
/// number of processes.
///
/// # Errors
/// In all processes if it can't be solved or written, the folder is not the same for all, or any
/// process is told to stop or ends.
pub fn solve_to_table<G: Notation>(
    game: &G,
    job: &SolveJob<'_>,
    pace: Pace,
    team: &Team<'_>,
) -> Result<Option<SolvedTable>, SolveJobError> {
    let began = Instant::now();
    in_pool(job.options.threads, STACK, || {
        let begin = || TableWriter::begin(game, job.path, job.write, team.progress());
        let mut writer = match team.is_first().then(begin).transpose() {
            Ok(writer) => writer,
            Err(error) => return Ok(team.settle(Err(error.into()))?),
        };
        let solved = to_table(job, team, writer.as_mut(), |folder, writer| {
            check_before_solving(game)?;
            let sweep = game.capabilities().solving.sweep();
            match (sweep.filter(|_| !pace.by_rules), game.key_bits()) {
                _ if job.method == Method::Search => solve_by_searches(game, job, team, writer),
                (Some(sweep), _) => solve_by_sweep(&*sweep, job, team, writer),
                (None, ..=64) => solve_keys::<G, u64>(game, job, pace, folder, team, writer),
                (None, _) => solve_keys::<G, u128>(game, job, pace, folder, team, writer),
            }
        });
        let solved = team.settle(solved).map_err(|error| SolveJobError {
            cause: Box::new(error.into()),
            kept_in: writer.and_then(|writer| Some(writer.kept_in()?.to_owned())),
        })?;
        Ok(solved.map(|(times, written)| SolvedTable {
            times,
            seconds: began.elapsed().as_secs_f64(),
            written,
        }))
    })
}

/// Solves what is not complete yet, and completes the table where it is written.
fn to_table<'w, G: Notation>(
    job: &SolveJob<'_>,
    team: &Team<'_>,
    mut writer: Option<&mut TableWriter<'w, G>>,
    solve: impl FnOnce(Folder, Option<&mut TableWriter<'w, G>>) -> Result<SolveTimes, SolveError>,
) -> Result<Option<(SolveTimes, Written)>, SolveError> {
    let folder = folder_beside(job.path)?;
    shared::check_shared(&folder, team)?;
    let is_complete = writer.as_ref().is_some_and(|writer| writer.is_complete());
    let times = match team.tell(Ok([u64::from(is_complete)]))?[0] {
        [0] => solve(folder, writer.as_deref_mut())?,
        _ => SolveTimes::default(),
    };
    let written = writer.map(TableWriter::finish).transpose()?;
    Ok(written.map(|written| (times, written)))
}

/// By the game's own solver, which shares the work of each layer.
fn solve_by_sweep<G: Notation>(
    sweep: &dyn Sweep,
    job: &SolveJob<'_>,
    team: &Team<'_>,
    writer: Option<&mut TableWriter<'_, G>>,
) -> Result<SolveTimes, SolveError> {
    let (options, progress) = (job.options, team.progress());
    if let Some(writer) = writer {
        if let Some(place) = job.scratch {
            writer.set_scratch(place)?;
        }
        let (scores, times) = sweep.solve_together(options, progress, writer, team)?;
        writer.write(&Solution::Ranked(scores))?;
        return Ok(times);
    }
    let mut own = ScratchFolder::open(job.path, job.scratch, team.rank(), job.write.restart)?;
    let (_, times) = sweep.solve_together(options, progress, &mut own, team)?;
    own.is_over();
    Ok(times)
}

/// By one process.
fn solve_by_searches<G: Notation>(
    game: &G,
    job: &SolveJob<'_>,
    team: &Team<'_>,
    writer: Option<&mut TableWriter<'_, G>>,
) -> Result<SolveTimes, SolveError> {
    let Some(writer) = writer else {
        return Ok(SolveTimes::default());
    };
    let solved = by_searches(game, job.options, team.progress())?;
    writer.write(&solved.solution)?;
    Ok(solved.times)
}

fn solve_keys<G: Notation, K: Key>(
    game: &G,
    job: &SolveJob<'_>,
    pace: Pace,
    folder: Folder,
    team: &Team<'_>,
    writer: Option<&mut TableWriter<'_, G>>,
) -> Result<SolveTimes, SolveError> {
    let rules = rules_of(game)?;
    let job: Job<'_, K> = Job::new(&*rules, team, job.options, pace.block);
    let mut saved = Saved::new(folder, pace.save_share);
    let (layers, times) = job.solve(&mut saved)?;
    merge::write(&job, game, &layers, writer)?;
    Ok(times)
}
