//! Verdicts and errors of verifying a table.

use crate::game::{Notation, Roots, SearchError};
use crate::table::read::ReadError;
use crate::table::table::Table;
use crate::text::{bytes, bytes_up};
use crate::work::DiskError;
use std::path::PathBuf;

/// The verdict on a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// All reachable classes have entries with right scores, and there are no others.
    Proved {
        /// Number of entries.
        entries: u64,
        /// Number of layers with entries.
        steps: u32,
        /// Number of moves tried.
        moves: u64,
    },
    /// All entries of a sample have the best score of their moves.
    ///
    /// See [`crate::table::verify_sample`].
    Agrees {
        /// Number of entries in the sample.
        entries: u64,
    },
    /// Something is wrong.
    ///
    /// Of several errors, the first one in the lowest layer is reported, for any number of threads.
    /// If the table is proved as a single layer, it is the first in the table's order.
    ///
    /// In tables of at most a million entries, a missing class is reported before an extra entry,
    /// and both before a wrong score.
    Refuted(Refutation),
}

/// The reason why a table is wrong, with scores for the side to move.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refutation {
    /// An entry doesn't have the best score of its moves.
    #[error(
        "the table has the score {stored} for {position}, but its best move, {best}, scores {found}"
    )]
    Wrong {
        /// Position in the game's notation.
        position: String,
        /// Score in the table.
        stored: i32,
        /// First of the best moves.
        best: String,
        /// Score of the best moves.
        found: i32,
    },
    /// A reachable class has no entry.
    #[error("the table has no score for {position}, which {from}")]
    Missing {
        /// Canonical position in the game's notation.
        position: String,
        /// Origin: "is the start", or the move and the position before it.
        from: String,
    },
    /// An entry belongs to no reachable class.
    #[error("the table has {}{position}, which can't be reached", match stored {
        Some(score) => format!("the score {score} for "),
        None => "an entry for ".into(),
    })]
    Extra {
        /// Position in the game's notation.
        position: String,
        /// Score in the table, unless it is omitted.
        stored: Option<i32>,
    },
    /// An unfinished position has no moves: the rules contradict themselves.
    #[error("{position} is not finished, but has no moves")]
    Stuck {
        /// Position in the game's notation.
        position: String,
    },
    /// An entry with an omitted score has a best move whose score it can't have.
    #[error("the best move of {position} scores {found}, which is no score of the table's")]
    Underivable {
        /// Position in the game's notation.
        position: String,
        /// Score of its best move.
        found: i32,
    },
    /// A count of entries by score is wrong.
    #[error(
        "the table counts {stored} entries with the score {score} in {part}, but there are {found}"
    )]
    Miscounted {
        /// Part of the table: "segment 3", "layer 5".
        part: String,
        /// Score of the entries.
        score: i32,
        /// Count in the table.
        stored: u64,
        /// Number of entries found.
        found: u64,
    },
    /// The game numbers its positions inconsistently.
    #[error("the place of {position} in the table belongs to another position")]
    Misnumbered {
        /// Position in the game's notation, or its place if it has none.
        position: String,
    },
}

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
        /// Memory that the proof needs at least, in bytes.
        needed: u64,
        /// Memory that the caller allows, in bytes.
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
