//! Options, results and errors of writing a table.

use crate::game::SolveError;
use crate::table::format::{BLOCK_ENTRIES, Difference, TILE_SIDE};
use crate::work::DiskError;
use std::path::PathBuf;

/// Options of writing a table.
///
/// Only `tile_side` and `block_entries` change its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WriteOptions {
    /// Whether to replace an existing file, if the table is written to a path.
    pub force: bool,
    /// Whether to discard an earlier run's unfinished table instead of resuming.
    ///
    /// It applies only to tables that are written to a path.
    pub restart: bool,
    /// Number of threads; 0 for those of the caller's pool.
    pub threads: usize,
    /// Side of a ranked table's tiles, 8 to 256; they have up to `tile_side²` slots.
    ///
    /// Smaller tiles are faster to decode completely, but make the index larger.
    pub tile_side: u32,
    /// Number of entries per block in a keyed table, 1 to 65,536.
    ///
    /// A probe decodes a block.
    pub block_entries: u32,
}

impl Default for WriteOptions {
    fn default() -> Self {
        WriteOptions {
            force: false,
            restart: false,
            threads: 0,
            tile_side: TILE_SIDE,
            block_entries: BLOCK_ENTRIES,
        }
    }
}

impl WriteOptions {
    /// Returns the options, limited to valid values.
    pub(super) fn within_limits(self) -> WriteOptions {
        WriteOptions {
            tile_side: self.tile_side.clamp(8, 256),
            block_entries: self.block_entries.clamp(1, 1 << 16),
            ..self
        }
    }
}

/// Properties of a table that was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Written {
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Number of entries.
    pub entries: u64,
}

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

/// Action of a [`DiskError`] when a write fails.
pub const WRITE: &str = "write the table";
