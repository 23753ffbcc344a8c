//! Solving a game into a table file, by one process or several.
//!
//! The first process writes the table, which has the same bytes from any number of processes. Every
//! process saves its checkpoints beside the table; the same call resumes from them later, with any
//! number of processes.

use super::keyed::BLOCK;
use super::{FoundScores, Method, SolveStorage, Solver, find_scores};
use crate::conformance::{BEFORE_SOLVING, check_untested};
use crate::game::{Checkpoints, Notation, Progress, SolveError, SolveOptions, SolveTimes, Team};
use crate::pool::{STACK, in_pool};
use crate::table::{
    ReadError, ScratchFolder, TableWriter, WriteError, WriteOptions, Written, folder_beside,
};
use crate::work::folder::Folder;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A job: how to solve a game, and where to write its table.
#[derive(Clone, Copy, Debug)]
pub struct SolveJob<'a> {
    /// Path of the table.
    pub path: &'a Path,
    /// The method. [`Method::Search`] needs a job with a single process.
    pub method: Method,
    /// Threads and memory of each process.
    pub options: SolveOptions,
    /// Options for writing the table.
    pub write: WriteOptions,
    /// Another directory than the table's for temporary files.
    ///
    /// Used if the solver can save memory that way.
    pub scratch: Option<&'a Path>,
    /// How often processes exchange messages and save checkpoints.
    pub(crate) pace: Pace,
}

impl<'a> SolveJob<'a> {
    /// Returns a job by [`Method::Backward`], with the default options for writing.
    #[must_use]
    pub fn new(path: &'a Path, options: SolveOptions) -> SolveJob<'a> {
        SolveJob {
            path,
            method: Method::Backward,
            options,
            write: WriteOptions::default(),
            scratch: None,
            pace: Pace::default(),
        }
    }
}

/// How often processes exchange messages and save checkpoints.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// Number of classes that each process expands between two exchanges, at least 1.
    pub block: usize,
    /// Greatest share of the time to spend on checkpoints (mostly between layers).
    pub save_share: f64,
}

impl Default for Pace {
    /// At most one checkpoint per second, mostly between layers, fewer if they are large.
    fn default() -> Pace {
        Pace {
            block: BLOCK,
            save_share: 0.05,
        }
    }
}

/// A solved game whose table is written.
#[derive(Clone, Copy, Debug)]
pub struct SolvedTable {
    /// Seconds per step; 0 for steps that weren't needed.
    pub times: SolveTimes,
    /// Seconds in total, from the start of solving.
    pub seconds: f64,
    /// Number of entries and bytes of the table.
    pub written: Written,
}

/// The error if a game isn't solved or its table isn't written.
#[derive(Debug, thiserror::Error)]
#[error("{cause}")]
pub struct SolveJobError {
    /// The cause.
    pub cause: Box<SolveJobCause>,
    /// Directory of the checkpoint from which a later run can resume.
    ///
    /// Only the first process knows it.
    pub saved_in: Option<PathBuf>,
}

/// Why a job failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SolveJobCause {
    /// Solving failed.
    #[error(transparent)]
    Solve(SolveError),
    /// Writing the table failed.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// Reading the table back failed.
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl From<SolveError> for SolveJobCause {
    fn from(error: SolveError) -> SolveJobCause {
        match error {
            SolveError::Checkpoints(cause) => match cause.downcast::<WriteError>() {
                Ok(error) => SolveJobCause::Write(*error),
                Err(cause) => SolveJobCause::Solve(SolveError::Checkpoints(cause)),
            },
            error => SolveJobCause::Solve(error),
        }
    }
}

impl<E: Into<SolveJobCause>> From<E> for SolveJobError {
    fn from(cause: E) -> SolveJobError {
        SolveJobError {
            cause: Box::new(cause.into()),
            saved_in: None,
        }
    }
}

/// Solves a game by one process and writes its table to a file.
///
/// It resumes from the checkpoints of an earlier run, if there are any. Most games save work by whole
/// layers, so a game with a single layer begins again.
///
/// # Errors
/// If the game can't be solved, the table can't be written or exists already, or the caller cancels.
/// To replace a table, pass a [`SolveJob`] to [`crate::any::AnyGame::solve_to_file`].
pub fn solve_to_file<G: Notation>(
    game: &G,
    path: &Path,
    options: SolveOptions,
    progress: &dyn Progress,
) -> Result<SolvedTable, SolveJobError> {
    let team = Team::alone(progress);
    let solved = solve_to_file_in_team(game, &SolveJob::new(path, options), &team)?;
    Ok(solved.expect("the only process has the result"))
}

/// Solves a game together with the other processes of a team, and writes its table to a file.
///
/// All processes call this function with the same job; only the first returns a result. The table
/// grows in its directory like any other ([`TableWriter`]).
///
/// # Errors
/// In all processes, if the game can't be solved, the table can't be written, the processes don't
/// see the same directory, or one of them is cancelled or ends.
pub fn solve_to_file_in_team<G: Notation>(
    game: &G,
    job: &SolveJob<'_>,
    team: &Team<'_>,
) -> Result<Option<SolvedTable>, SolveJobError> {
    let began = Instant::now();
    // The first process opens the table; an error there becomes one in every process.
    let begin = || TableWriter::begin(game, job.path, job.write, team.progress());
    let mut writer = match team.is_first().then(begin).transpose() {
        Ok(writer) => writer,
        Err(error) => return Ok(team.agree(Err(error.into()))?),
    };
    let solved = in_pool(job.options.threads, STACK, || {
        solve_rest(game, &job.method.solver(game), job, team, writer.as_mut())
    });
    let solved = team.agree(solved).map_err(|error| {
        if error.is_of_the_rules() {
            writer.iter_mut().for_each(TableWriter::discard);
        }
        SolveJobError {
            cause: Box::new(error.into()),
            saved_in: writer.and_then(|writer| Some(writer.saved_in()?.to_owned())),
        }
    })?;
    Ok(solved.map(|(times, written)| SolvedTable {
        times,
        seconds: began.elapsed().as_secs_f64(),
        written,
    }))
}

/// Solves the layers that are not complete yet, and completes the table.
pub(super) fn solve_rest<G: Notation>(
    game: &G,
    solver: &Solver,
    job: &SolveJob<'_>,
    team: &Team<'_>,
    mut writer: Option<&mut TableWriter<'_, G>>,
) -> Result<Option<(SolveTimes, Written)>, SolveError> {
    let folder = folder_beside(job.path)?;
    check_shared(&folder, team)?;
    let mut times = SolveTimes::default();
    let is_complete = writer.as_ref().is_some_and(|writer| writer.is_complete());
    if !team.broadcast_flag(is_complete)? {
        check_untested(game, BEFORE_SOLVING)?;
        // Processes other than the first have a directory of their own for scratch files.
        let mut local = None;
        let checkpoints: &mut dyn Checkpoints = match (writer.as_deref_mut(), job.scratch) {
            (Some(writer), None) => writer,
            (Some(writer), Some(place)) => {
                writer.set_scratch(place)?;
                writer
            }
            (None, place) => {
                let restart = job.write.restart;
                local.insert(ScratchFolder::open(job.path, place, team.rank(), restart)?)
            }
        };
        let storage = SolveStorage {
            checkpoints,
            folder: Some(folder),
            save_share: job.pace.save_share,
            block: job.pace.block,
        };
        let (scores, took) = find_scores(game, solver, job.options, team, storage)?;
        times = took;
        let is_ranked = game.capabilities().solving.ranking().is_some();
        match (writer.as_deref_mut(), scores) {
            (Some(writer), Some(FoundScores::Sorted(mut sorted))) if !is_ranked => {
                writer.write_sorted(sorted.count, &mut *sorted.entries)?;
            }
            (Some(writer), Some(scores)) => writer.write(&scores.collect(game, job.options)?)?,
            _ => {}
        }
        local.iter_mut().for_each(|local| local.is_over = true);
    }
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
