//! What can go wrong when a table is opened, read or probed.

use crate::table::format::Difference;
use std::io;
use std::path::PathBuf;

/// Why a table can't be read, or has no score for a position.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The operating system refused.
    #[error("{path}: can't {action}: {cause}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried: "open it", "read it", …
        action: &'static str,
        /// What the system said.
        cause: io::Error,
    },
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
        /// Where in the file.
        part: FilePart,
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

/// Where in a file something is.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum FilePart {
    /// The first bytes.
    Header,
    /// What the table says about itself.
    Metadata,
    /// The entry of a block in the index.
    Index {
        /// The block.
        block: u64,
    },
    /// A block.
    Block {
        /// The block.
        block: u64,
    },
    /// The distributions of a group of segments.
    Distributions {
        /// The group.
        group: usize,
    },
    /// How many entries have each score: in a segment, or in all of a keyed table.
    Counts {
        /// The segment, or 0.
        part: usize,
    },
    /// How many entries have each score in a layer.
    Layer {
        /// The layer.
        layer: u32,
    },
    /// The digest in the header, or anything that it guards.
    Digest,
    /// The scores that follow from a position's moves.
    Moves {
        /// The position, in the game's notation.
        position: String,
    },
}

impl std::fmt::Display for FilePart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            FilePart::Header => f.write_str("header"),
            FilePart::Metadata => f.write_str("metadata"),
            FilePart::Index { block } => write!(f, "index of block {block}"),
            FilePart::Block { block } => write!(f, "block {block}"),
            FilePart::Distributions { group } => write!(f, "distributions of group {group}"),
            FilePart::Counts { part } => write!(f, "counts of part {part}"),
            FilePart::Layer { layer } => write!(f, "counts of layer {layer}"),
            FilePart::Digest => f.write_str("digest"),
            FilePart::Moves { position } => write!(f, "what follows from {position}"),
        }
    }
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
