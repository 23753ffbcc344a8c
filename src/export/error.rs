//! Why an export fails.

use crate::oracle::AskError;
use crate::table::ReadError;
use crate::work::DiskError;
use std::path::PathBuf;

/// Why a table can't be exported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The table can't be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The table can't answer.
    #[error(transparent)]
    Ask(#[from] AskError),
    /// The system refuses.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// The folder has an export already.
    #[error("{} is there already, of another export", path.display())]
    Exists {
        /// The manifest.
        path: PathBuf,
    },
    /// What the table can't give was asked for.
    #[error("{0}")]
    Wanted(String),
    /// There are fewer or more entries than the table says.
    #[error("layer {layer} should have {expected} entries, but has {found}")]
    Count {
        /// The layer.
        layer: u32,
        /// What the table says.
        expected: u64,
        /// How many there are.
        found: u64,
    },
    /// The caller wanted it to stop.
    #[error("interrupted; the folder has no manifest, for the export is not complete")]
    Interrupted,
}
