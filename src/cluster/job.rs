//! What is to be solved into a file, and what comes of it.

use crate::game::{SolveError, SolveOptions, SolveTimes};
use crate::solve::Method;
use crate::table::{ReadError, WriteError, WriteOptions, Written};
use std::path::{Path, PathBuf};

/// What to solve, how, and where the table goes.
#[derive(Clone, Copy, Debug)]
pub struct SolveJob<'a> {
    /// The file.
    pub path: &'a Path,
    /// How to solve; by searches only if there is one process.
    pub method: Method,
    /// Threads and memory of each process.
    pub options: SolveOptions,
    /// How to write.
    pub write: WriteOptions,
    /// Another folder than the table's for what there is no memory for, if the game's own solver can
    /// do with less.
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
    /// Where what is done so far is kept, for another run to go on from; only the first process knows.
    pub kept_in: Option<PathBuf>,
}

/// What went wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SolveJobCause {
    /// Solving.
    #[error(transparent)]
    Solve(SolveError),
    /// Writing the table.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// Reading it back.
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl From<SolveError> for SolveJobCause {
    fn from(error: SolveError) -> SolveJobCause {
        match error {
            SolveError::Journal(cause) => match cause.downcast::<WriteError>() {
                Ok(error) => SolveJobCause::Write(*error),
                Err(cause) => SolveJobCause::Solve(SolveError::Journal(cause)),
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
