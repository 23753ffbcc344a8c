//! What can go wrong when a table is written.

use crate::game::SolveError;
use crate::table::format::Difference;
use crate::work::DiskError;
use std::io;
use std::path::{Path, PathBuf};

/// Why a table can't be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The operating system refused, or the writer did.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// There is a file already where the table is to be written.
    #[error("{path} already exists")]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The path names something that can't be a table.
    #[error("{path}: expected the name of a file for the table, found {found}")]
    NoFile {
        /// The path.
        path: PathBuf,
        /// What it is: "a directory", …
        found: &'static str,
    },
    /// Another run is writing the table.
    #[error(
        "{path} is being written by another run, which works in {folder}; wait for it, or choose another name"
    )]
    Busy {
        /// The file.
        path: PathBuf,
        /// The folder that the other run has locked.
        folder: PathBuf,
    },
    /// There are the beginnings of another table of this name.
    #[error(
        "{path}: an earlier run has left an unfinished table in {folder}, of something else: expected {expected}, found {found}"
    )]
    Unfinished {
        /// The file.
        path: PathBuf,
        /// The folder with the beginnings.
        folder: PathBuf,
        /// What is to be written: its rules, or how it is coded if that differs.
        expected: String,
        /// What has been begun.
        found: String,
    },
    /// What a solver handed over can't be a table of the game.
    #[error("{path}: the solved scores don't fit the game: {misfit}")]
    Solution {
        /// The file that was to be written.
        path: PathBuf,
        /// What the game allows, and what the solver gave.
        misfit: Difference,
    },
    /// The scores that were still to come don't come.
    #[error(transparent)]
    Entries(SolveError),
    /// The caller wanted it to stop.
    #[error("interrupted; {path} was not written or changed")]
    Interrupted {
        /// The file.
        path: PathBuf,
    },
}

impl WriteError {
    /// What the system said when something was tried with a file.
    pub(super) fn io(
        path: &Path,
        action: &'static str,
    ) -> impl FnOnce(io::Error) -> WriteError + use<> {
        let error = DiskError::of(path, action);
        |cause| error(cause).into()
    }

    /// What a solver handed over can't be a table with this path.
    pub(super) fn misfit(path: &Path, misfit: Difference) -> WriteError {
        let path = path.to_owned();
        WriteError::Solution { path, misfit }
    }
}

/// What a solver says of an error in writing.
impl From<WriteError> for SolveError {
    fn from(error: WriteError) -> SolveError {
        match error {
            WriteError::Interrupted { .. } => SolveError::Interrupted,
            WriteError::Entries(error) => error,
            other => SolveError::Journal(Box::new(other)),
        }
    }
}
