//! Solving by several processes, on one machine or many.
//!
//! Every class belongs to one process, by a hash of its key, so that the memory per process is
//! divided by the number of processes.
//!
//! ```text
//! transport (mpi; threads in tests) ─► game::Team ─► solve::keyed ──► merge ─► the table
//! ```
//!
//! Finally, the first process merges the sorted entries of all into the table, which has the same
//! bytes as that of a single process. A game's own solver ([`OwnSolver`]) shares the work of each layer
//! itself ([`Team`]).

mod job;
mod merge;
#[cfg(feature = "mpi")]
pub mod mpi;
#[cfg(test)]
mod tests;

pub use crate::game::{Lost, Team, Transport};
pub use job::{SolveJob, SolveJobCause, SolveJobError, SolvedTable};

use crate::conformance::check_before_solving;
use crate::game::{Checkpoints, Notation, OwnSolver, Solution, SolveError, SolveTimes};
use crate::pool::{STACK, in_pool};
use crate::solve::keyed::{BLOCK, Job, Key, Saved, rules_of};
use crate::solve::{Method, by_searches};
use crate::table::{ScratchFolder, TableWriter, Written, folder_beside};
use crate::work::folder::Folder;
use std::time::{Duration, Instant};

/// How often processes exchange messages and save checkpoints.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Number of classes that each process expands between two exchanges, at least 1.
    pub block: usize,
    /// Greatest share of the time to spend on checkpoints (only between layers).
    pub save_share: f64,
}

impl Default for Pace {
    /// At most one checkpoint per second, only between layers, fewer if they are large.
    fn default() -> Pace {
        Pace {
            block: BLOCK,
            save_share: 0.05,
        }
    }
}

/// Solves a game together with the other processes of the team.
///
/// The first process writes the table, and only it returns a result. The table grows in its
/// directory like any other ([`TableWriter`]). There, every process also saves its checkpoints and
/// temporary files; the same call resumes from them later, with any number of processes.
///
/// # Errors
/// In all processes, if the game can't be solved, the table can't be written, the processes don't
/// see the same directory, or one of them is cancelled or ends.
pub fn solve_to_table<G: Notation>(
    game: &G,
    job: &SolveJob<'_>,
    pace: Pace,
    team: &Team<'_>,
) -> Result<Option<SolvedTable>, SolveJobError> {
    let began = Instant::now();
    in_pool(job.options.threads, STACK, || {
        // The first process opens the table; an error there becomes one in every process.
        let begin = || TableWriter::begin(game, job.path, job.write, team.progress());
        let mut writer = match team.is_first().then(begin).transpose() {
            Ok(writer) => writer,
            Err(error) => return Ok(team.agree(Err(error.into()))?),
        };
        let solved = to_table(job, team, writer.as_mut(), |folder, writer| {
            check_before_solving(game)?;
            match (job.method.own_solver(game), game.key_bits()) {
                _ if job.method == Method::Search => match writer {
                    // The searches are for a single process.
                    None => Ok(SolveTimes::default()),
                    Some(writer) => {
                        let solved = by_searches(game, job.options, team.progress())?;
                        writer.write(&solved.solution)?;
                        Ok(solved.times)
                    }
                },
                (Some(solver), _) => solve_by_own_solver(&*solver, job, team, writer),
                (None, ..=64) => solve_keys::<G, u64>(game, job, pace, folder, team, writer),
                (None, _) => solve_keys::<G, u128>(game, job, pace, folder, team, writer),
            }
        });
        let solved = team.agree(solved).map_err(|error| {
            if error.is_of_the_rules() {
                writer.iter_mut().for_each(TableWriter::discard);
            }
            SolveJobError {
                cause: Box::new(error.into()),
                kept_in: writer.and_then(|writer| Some(writer.kept_in()?.to_owned())),
            }
        })?;
        Ok(solved.map(|(times, written)| SolvedTable {
            times,
            seconds: began.elapsed().as_secs_f64(),
            written,
        }))
    })
}

/// Solves the layers that are not complete yet, and completes the table.
fn to_table<'w, G: Notation>(
    job: &SolveJob<'_>,
    team: &Team<'_>,
    mut writer: Option<&mut TableWriter<'w, G>>,
    solve: impl FnOnce(Folder, Option<&mut TableWriter<'w, G>>) -> Result<SolveTimes, SolveError>,
) -> Result<Option<(SolveTimes, Written)>, SolveError> {
    let folder = folder_beside(job.path)?;
    check_shared(&folder, team)?;
    let is_complete = writer.as_ref().is_some_and(|writer| writer.is_complete());
    let times = match team.broadcast_flag(is_complete)? {
        true => SolveTimes::default(),
        false => solve(folder, writer.as_deref_mut())?,
    };
    let written = writer.map(TableWriter::finish).transpose()?;
    Ok(written.map(|written| (times, written)))
}

/// Longest wait for the first process's directory, as network disks have delays.
const PATIENCE: Duration = Duration::from_millis(if cfg!(test) { 100 } else { 5000 });

/// Name of the piece by which processes recognise the first one's directory.
const TOKEN: &str = "token";

/// Checks that all processes see the directory in which the first one works.
fn check_shared(folder: &Folder, team: &Team<'_>) -> Result<(), SolveError> {
    if team.size() == 1 {
        return Ok(());
    }
    let made = || {
        let (process, now) = (std::process::id(), std::time::SystemTime::now());
        let token = format!("{process} {now:?} {}", folder.path().display());
        folder.put(TOKEN, &token, &mut |_| Ok(()))?;
        Ok(token.into_bytes())
    };
    let token = team.broadcast(made)?;
    let token = String::from_utf8_lossy(&token);
    let is_seen = || folder.find(TOKEN, &token).is_ok();
    let began = Instant::now();
    while !is_seen() && began.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(50));
    }
    let seen = team.all_gather(match is_seen() {
        true => Ok([]),
        false => Err(SolveError::NotShared {
            folder: folder.path().to_owned(),
        }),
    });
    if team.is_first() {
        // If it can't be removed, it goes with the directory.
        let _ = folder.remove(|name| name == TOKEN);
    }
    seen.map(|_| ())
}

/// Solves by the game's own solver, which shares the work of each layer.
fn solve_by_own_solver<G: Notation>(
    solver: &dyn OwnSolver,
    job: &SolveJob<'_>,
    team: &Team<'_>,
    mut writer: Option<&mut TableWriter<'_, G>>,
) -> Result<SolveTimes, SolveError> {
    let mut own = None;
    let checkpoints = checkpoints_of(job, team, &mut writer, &mut own)?;
    let (scores, times) = solver.solve_together(job.options, checkpoints, team)?;
    if let Some(writer) = writer {
        writer.write(&Solution::Ranked(scores))?;
    }
    own.iter_mut().for_each(|own| own.is_over = true);
    Ok(times)
}

/// The checkpoints of a process: the first one's writer, or else its own directory for scratch files.
fn checkpoints_of<'j, G: Notation>(
    job: &SolveJob<'_>,
    team: &Team<'_>,
    writer: &'j mut Option<&mut TableWriter<'_, G>>,
    own: &'j mut Option<ScratchFolder>,
) -> Result<&'j mut dyn Checkpoints, SolveError> {
    if let Some(writer) = writer {
        if let Some(place) = job.scratch {
            writer.set_scratch(place)?;
        }
        return Ok(&mut **writer);
    }
    let restart = job.write.restart;
    Ok(own.insert(ScratchFolder::open(
        job.path,
        job.scratch,
        team.rank(),
        restart,
    )?))
}

fn solve_keys<G: Notation, K: Key>(
    game: &G,
    job: &SolveJob<'_>,
    pace: Pace,
    folder: Folder,
    team: &Team<'_>,
    mut writer: Option<&mut TableWriter<'_, G>>,
) -> Result<SolveTimes, SolveError> {
    let rules = rules_of(game)?;
    let mut own = None;
    let scratch = checkpoints_of(job, team, &mut writer, &mut own)?.scratch();
    let job: Job<'_, K> = Job::new(&*rules, team, job.options, pace.block, scratch);
    let mut saved = Saved::new(Some(folder), pace.save_share);
    let (layers, times) = job.solve(&mut saved)?;
    merge::write(&job, game, &layers, writer)?;
    own.iter_mut().for_each(|own| own.is_over = true);
    Ok(times)
}
