//! Solving a game into a file.

use crate::cluster::{SharedError, SharedOptions, Team, solve_to_table};
use crate::game::{Notation, SolveError, SolveOptions, SolveTimes};
use crate::solve::Method;
use crate::table::{ReadError, WriteError, WriteOptions, Written};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What to solve, how, and where the table goes.
#[derive(Clone, Copy, Debug)]
pub struct SolveJob<'a> {
    /// The file.
    pub path: &'a Path,
    /// How to solve.
    pub method: Method,
    /// Threads and memory.
    pub options: SolveOptions,
    /// How to write.
    pub write: WriteOptions,
    /// Another folder than the table's for what there is no memory for.
    pub scratch: Option<&'a Path>,
}

/// A game that is solved, its table written and in its place.
#[derive(Clone, Copy, Debug)]
pub struct SolvedTable {
    /// Seconds by part of the work; those of what was not done are 0.
    pub times: SolveTimes,
    /// Seconds in all, from the moment when it began to solve.
    pub seconds: f64,
    /// Entries and bytes of the table.
    pub written: Written,
}

/// A game was not solved, or its table not written.
#[derive(Debug, thiserror::Error)]
#[error("{cause}")]
pub struct SolveJobError {
    /// What went wrong.
    pub cause: Box<SolveJobCause>,
    /// Where what is done so far is kept, for another run to go on from.
    pub kept_in: Option<PathBuf>,
}

/// What went wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SolveJobCause {
    /// Solving.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// Writing the table.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// Reading it back.
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl<E: Into<SolveJobCause>> From<E> for SolveJobError {
    fn from(cause: E) -> SolveJobError {
        SolveJobError {
            cause: Box::new(cause.into()),
            kept_in: None,
        }
    }
}

/// Together with the other processes of a team; only the first one has the table.
pub(super) fn solve_to_file<G: Notation>(
    game: &G,
    job: &SolveJob<'_>,
    team: &Team<'_>,
) -> Result<Option<SolvedTable>, SolveJobError> {
    let began = Instant::now();
    let options = SharedOptions::new(job.method, job.options);
    match solve_to_table(game, job.path, options, job.scratch, job.write, team) {
        Ok(solved) => Ok(solved.map(|(times, written)| SolvedTable {
            times,
            seconds: began.elapsed().as_secs_f64(),
            written,
        })),
        Err(SharedError { cause, kept_in }) => Err(SolveJobError {
            cause: Box::new(cause_of(cause)),
            kept_in,
        }),
    }
}

fn cause_of(error: SolveError) -> SolveJobCause {
    match error {
        SolveError::Journal(cause) => match cause.downcast::<WriteError>() {
            Ok(error) => SolveJobCause::Write(*error),
            Err(cause) => SolveJobCause::Solve(SolveError::Journal(cause)),
        },
        error => SolveJobCause::Solve(error),
    }
}
