//! Errors of opening, reading and probing a table.

use crate::table::format::Difference;
use crate::work::DiskError;
use std::path::PathBuf;

/// The reason why a table can't be read or has no score for a position.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// A file system operation failed.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// The file is not a table.
    #[error(
        "{path} is not a table: expected a file that begins as Zermelo's tables do, found {found}"
    )]
    NotATable {
        /// Path as the caller gave it.
        path: PathBuf,
        /// Content found instead: "a directory", "an empty file", the first bytes, …
        found: String,
    },
    /// The table has another format version.
    #[error(
        "{path}: expected table format version {expected}, found version {found}; {}",
        match found > expected {
            true => "update this program, or solve the game again with it",
            false => "solve the game again to replace it",
        }
    )]
    Version {
        /// Path of the file.
        path: PathBuf,
        /// Format version that this program reads.
        expected: u32,
        /// Version of the file.
        found: u32,
    },
    /// The file is truncated or was changed after it was written.
    #[error("{path} is damaged, {part}: {damage}; solve the game again to replace it")]
    Damaged {
        /// Path of the file.
        path: PathBuf,
        /// Place in the file: "header", "block 7", …
        part: String,
        /// Difference found there.
        damage: Difference,
    },
    /// The table is of another game, or of other parameters.
    #[error("{path} is no table of this game: {difference}")]
    OtherGame {
        /// Path of the file.
        path: PathBuf,
        /// Difference between the game and the table.
        difference: Difference,
    },
    /// The position is not reachable in the table's game.
    #[error("{path} has no score for the position {position}: it can't come up in {game}")]
    NotInTable {
        /// Path of the file.
        path: PathBuf,
        /// Position in the game's notation.
        position: String,
        /// Name of the game.
        game: String,
    },
}

/// Describes the first bytes of a file that isn't a table.
pub(super) fn describe_start(start: &[u8]) -> String {
    if start.is_empty() {
        "an empty file".into()
    } else if start.iter().all(|&byte| byte == 0) {
        "zeros, as in a table that was never finished".into()
    } else {
        format!("\"{}\"", start.escape_ascii())
    }
}
