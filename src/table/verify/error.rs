//! What can go wrong when a table is verified.

use crate::game::SearchError;
use crate::table::read::ReadError;
use crate::text::{bytes, bytes_up};
use crate::work::DiskError;
use std::path::PathBuf;

/// Why a table could be neither proved nor refuted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The table can't be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// It would take more memory than it may use.
    #[error(
        "verifying {path} needs {} of memory, and {} may be used",
        bytes_up(*needed),
        bytes(*allowed)
    )]
    Memory {
        /// The file.
        path: PathBuf,
        /// The bytes it needs.
        needed: u64,
        /// The bytes it may use.
        allowed: u64,
    },
    /// The folder for what there is no memory for can't be used.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// Its positions can't be searched.
    #[error(transparent)]
    Search(SearchError),
    /// The caller wanted it to stop.
    #[error("interrupted; {path} is neither proved nor refuted")]
    Interrupted {
        /// The file.
        path: PathBuf,
    },
}
