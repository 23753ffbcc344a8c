//! Errors of writing a table.

use crate::game::SolveError;
use crate::table::format::Difference;
use crate::work::DiskError;
use std::path::PathBuf;

/// The reason why a table can't be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// A file system operation failed.
    ///
    /// The cause is an [`InvalidInput`](std::io::ErrorKind::InvalidInput) if no file can be written
    /// to the path given.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// The table's file exists already.
    #[error("{path} already exists")]
    Exists {
        /// Path of the file.
        path: PathBuf,
    },
    /// The directory has another unfinished table.
    #[error(
        "{path}: an earlier run has left an unfinished table in {folder}, of something else: expected {expected}, found {found}"
    )]
    Unfinished {
        /// Path of the file.
        path: PathBuf,
        /// Directory of the unfinished table.
        folder: PathBuf,
        /// Rules of the table to be written, or its options if they differ.
        expected: String,
        /// Rules or options of the unfinished table.
        found: String,
    },
    /// The solver's scores can't be a table of the game.
    #[error("the solved scores don't fit the game: {0}")]
    Solution(#[from] Difference),
    /// The source of the entries has failed.
    #[error(transparent)]
    Entries(SolveError),
    /// The caller cancelled.
    #[error("interrupted; {path} was not written or changed")]
    Interrupted {
        /// Path of the file.
        path: PathBuf,
    },
}

/// Turns a writer's error into that of a solver.
impl From<WriteError> for SolveError {
    fn from(error: WriteError) -> SolveError {
        match error {
            WriteError::Interrupted { .. } => SolveError::Interrupted,
            WriteError::Entries(error) => error,
            other => SolveError::Checkpoints(Box::new(other)),
        }
    }
}

/// What a [`DiskError`] says can't be done when a write fails.
pub const WRITE: &str = "write the table";
