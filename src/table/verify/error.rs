//! Errors of verifying a table.

use crate::game::{Notation, Roots, SearchError};
use crate::table::read::ReadError;
use crate::table::table::Table;
use crate::text::{bytes, bytes_up};
use crate::work::DiskError;
use std::path::PathBuf;

/// The reason why a table could be neither proved nor refuted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The table can't be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// Verifying takes more memory than allowed.
    #[error(
        "verifying {path} needs {} of memory, and {} may be used",
        bytes_up(*needed),
        bytes(*allowed)
    )]
    Memory {
        /// Path of the file.
        path: PathBuf,
        /// Bytes needed.
        needed: u64,
        /// Bytes allowed.
        allowed: u64,
    },
    /// It is an opening book.
    #[error(
        "{path} is an opening book: its scores were searched, and the rules alone don't prove them"
    )]
    Opening {
        /// Path of the file.
        path: PathBuf,
    },
    /// The scratch directory can't be used.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// The table's positions can't be searched.
    #[error(transparent)]
    Search(SearchError),
    /// The caller cancelled.
    #[error("interrupted; {path} is neither proved nor refuted")]
    Interrupted {
        /// Path of the file.
        path: PathBuf,
    },
}

/// Checks that the rules alone can prove a table.
pub fn provable<G: Notation>(table: &Table<G>) -> Result<(), VerifyError> {
    match table.game().capabilities().solving.roots() {
        Roots::Opening => Err(VerifyError::Opening {
            path: table.file().path().to_owned(),
        }),
        Roots::Start | Roots::Everywhere => Ok(()),
    }
}
