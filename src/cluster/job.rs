//! The job of solving a game into a file, and its result.

use crate::game::{SolveError, SolveOptions, SolveTimes};
use crate::solve::Method;
use crate::table::{ReadError, WriteError, WriteOptions, Written};
use std::path::{Path, PathBuf};

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
    /// Used if the game's own solver can save memory that way.
    pub scratch: Option<&'a Path>,
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
    pub kept_in: Option<PathBuf>,
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
            kept_in: None,
        }
    }
}
