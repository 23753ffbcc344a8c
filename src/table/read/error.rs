//! What can go wrong when a table is opened, read or probed.

use crate::table::format::Difference;
use crate::work::DiskError;
use std::path::PathBuf;

/// Why a table can't be read, or has no score for a position.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The operating system refused.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// The path names something that can't be a table.
    #[error("{path}: expected a table file, found {found}")]
    NoFile {
        /// The path.
        path: PathBuf,
        /// What it is: "a directory", …
        found: &'static str,
    },
    /// The file isn't a table at all.
    #[error(
        "{path} is not a table: expected a file that begins as Zermelo's tables do, found {}",
        describe_start(start)
    )]
    NotATable {
        /// The file.
        path: PathBuf,
        /// Its first bytes, at most eight.
        start: Vec<u8>,
    },
    /// The table was written by another version of the program.
    #[error(
        "{path}: expected table format version {expected}, found version {found}; {}",
        match found > expected {
            true => "update this program, or solve the game again with it",
            false => "solve the game again to replace it",
        }
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// The version that can be read.
        expected: u32,
        /// The file's version.
        found: u32,
    },
    /// The file is cut off or was changed after it was written.
    #[error("{path} is damaged, {part}: {damage}; solve the game again to replace it")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where in the file: "header", "block 7", …
        part: String,
        /// What is wrong there.
        damage: Difference,
    },
    /// The table belongs to another game, or to the same with other parameters.
    #[error("{path} is no table of this game: {difference}")]
    OtherGame {
        /// The file.
        path: PathBuf,
        /// How the game and the table differ.
        difference: Difference,
    },
    /// The position can't come up in the game that the table was solved for.
    #[error("{path} has no score for the position {position}: it can't come up in {game}")]
    NotInTable {
        /// The file.
        path: PathBuf,
        /// The position, in the game's notation.
        position: String,
        /// The game's name.
        game: String,
    },
    /// The table has no segment of this number in which every slot has a score.
    #[error("{path}: expected scores of all slots of segment {segment}, found {found}")]
    NoSegment {
        /// The file.
        path: PathBuf,
        /// The segment.
        segment: u32,
        /// What the table has instead.
        found: &'static str,
    },
}

/// What a file that isn't a table starts with, for people.
fn describe_start(start: &[u8]) -> String {
    if start.is_empty() {
        "an empty file".into()
    } else if start.iter().all(|&byte| byte == 0) {
        "zeros, as in a table that was never finished".into()
    } else {
        format!("\"{}\"", start.escape_ascii())
    }
}
