//! The error of exports.

use crate::oracle::AskError;
use crate::table::ReadError;
use crate::work::DiskError;
use std::path::PathBuf;

/// The reason why an export failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The table's file can't be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The table can't be queried.
    #[error(transparent)]
    Ask(#[from] AskError),
    /// A file system operation failed.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// The directory already has an export.
    #[error("{} is there already, of another export", path.display())]
    Exists {
        /// The manifest's path.
        path: PathBuf,
    },
    /// The directory has files that no export writes.
    #[error("{} is no file of an export, and the export would be mixed with it", path.display())]
    Mixed {
        /// Path of such a file.
        path: PathBuf,
    },
    /// The options ask for something that the table doesn't have.
    #[error("{0}")]
    Wanted(String),
    /// The caller cancelled the export.
    #[error("interrupted; the folder has no manifest, for the export is not complete")]
    Interrupted,
}
