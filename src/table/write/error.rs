//! What can go wrong when a table is written.

use crate::game::{ScoreRange, SolveError};
use std::io;
use std::path::{Path, PathBuf};

/// Why a table can't be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The operating system refused, or the writer did.
    #[error("{path}: can't {action}: {cause}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried: "write the table", …
        action: &'static str,
        /// What the system said.
        cause: io::Error,
    },
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
        misfit: Misfit,
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
    pub(crate) fn io(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> WriteError {
        let path = path.to_owned();
        move |cause| WriteError::Io {
            path,
            action,
            cause,
        }
    }
}

impl Misfit {
    /// The error of a table with this path.
    pub(super) fn of(self, path: &Path) -> WriteError {
        WriteError::Solution {
            path: path.to_owned(),
            misfit: self,
        }
    }
}

/// How solved scores are not what a table of their game can hold.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Misfit {
    /// Scores by rank of a game without ranks.
    #[error("expected (key, score) pairs, found scores by rank")]
    ByRank,
    /// Scores by key of a game some of whose scores are written by rank.
    #[error("expected scores by rank, found (key, score) pairs")]
    ByKey,
    /// Not all scores were handed over.
    #[error("expected all scores, found a part of them")]
    Incomplete,
    /// The solver has counted another number of entries than it has handed over.
    #[error("expected {expected} classes, found {found}")]
    Count {
        /// What the solver says.
        expected: u64,
        /// How many entries came.
        found: u64,
    },
    /// An earlier run has written another number of entries of a layer.
    #[error("expected {expected} classes in layer {layer}, found {found} from an earlier run")]
    Layer {
        /// The layer.
        layer: usize,
        /// How many classes the solver has found in it.
        expected: u64,
        /// How many are written.
        found: u64,
    },
    /// More different scores than a byte can tell apart, or none.
    #[error(
        "expected 1 to 256 different scores, found {} to {} in steps of {}",
        .0.lowest, .0.highest, .0.step
    )]
    Scores(ScoreRange),
    /// More slots than can be counted.
    #[error("expected fewer slots, found more than can be counted")]
    Slots,
    /// A code that its segment doesn't have.
    #[error("expected codes below {codes} in segment {segment}, found {found}")]
    Code {
        /// The segment.
        segment: u32,
        /// How many codes it has.
        codes: usize,
        /// The code.
        found: u8,
    },
    /// A score that the game doesn't have.
    #[error(
        "expected scores from {} to {} in steps of {}, found {found} for {position}",
        .scores.lowest, .scores.highest, .scores.step
    )]
    Score {
        /// The game's scores.
        scores: ScoreRange,
        /// The score.
        found: i32,
        /// The position, in the game's notation.
        position: String,
    },
    /// A key of no canonical position.
    #[error("expected keys of canonical positions, found {0}")]
    Key(u128),
    /// Keys that don't ascend.
    #[error("expected ascending keys, found {before} followed by {after}")]
    Order {
        /// A key.
        before: u128,
        /// The key after it.
        after: u128,
    },
    /// A table whose description is too long.
    #[error("expected a table that can be described in 64 MiB, found {found}")]
    Description {
        /// What was too much.
        found: String,
    },
}
