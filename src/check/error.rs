//! Why a check can't be made.

use super::contenders::StartError;
use crate::game::{Notation, SearchError};
use crate::oracle::{Oracle, OracleError};
use crate::table::Table;
use crate::text::count;

/// A check could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// The AI can't be started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The oracle has no score for a position that can come up, or can't be read.
    #[error(transparent)]
    Oracle(OracleError),
    /// More positions than memory allows.
    #[error("up to {positions} positions are too many for {allowed} bytes of memory")]
    TooMany {
        /// The number of positions: of all that there may be, or of those that were found before
        /// the memory was full.
        positions: u64,
        /// The bytes that may be used.
        allowed: u64,
    },
    /// The oracle's positions have no common start.
    #[error("{0} has no start, so there are no lines of play to check")]
    NoStart(String),
    /// A position that somebody has listed can't be asked about.
    #[error("line {line}: {problem}")]
    Listed {
        /// Its line, counted from 1.
        line: u64,
        /// What is wrong with it.
        problem: String,
    },
    /// Nothing is listed.
    #[error("no position is listed")]
    NothingListed,
    /// More different positions were wanted than came up.
    #[error(
        "{} different positions with a choice of moves were wanted, and no more than {} came up",
        count(*.wanted),
        count(*.found)
    )]
    TooFew {
        /// The number that was wanted.
        wanted: u64,
        /// The number that came up.
        found: u64,
    },
    /// The oracle has no list of its positions, and can't be asked what takes one.
    #[error(
        "{wanted} of {game} can only be listed from a table, and these scores don't come from one; \
         every position that can be walked to from the start can be checked, or every line of play"
    )]
    NeedsInventory {
        /// The game's name.
        game: String,
        /// What was to be listed: "canonical positions", …
        wanted: &'static str,
    },
    /// Who receives the mistakes one by one could not take one.
    #[error("the list of mistakes can't be written: {0}")]
    List(std::io::Error),
    /// The deadline passed before the first question.
    #[error("the time was up before anything was asked")]
    OutOfTime,
    /// The caller wanted it to stop.
    #[error("stopped before the check was complete")]
    Interrupted,
}

impl From<OracleError> for CheckError {
    fn from(error: OracleError) -> CheckError {
        if is_interruption(&error) {
            CheckError::Interrupted
        } else {
            CheckError::Oracle(error)
        }
    }
}

/// Whether an oracle has no answer only because it was told to stop.
pub(super) fn is_interruption(error: &OracleError) -> bool {
    match error {
        OracleError::Interrupted(_) => true,
        OracleError::Search(error) => matches!(**error, SearchError::Interrupted),
        _ => false,
    }
}

/// The oracle's list of positions, from which something is wanted.
pub(super) fn inventory_of<'a, G: Notation>(
    oracle: &'a dyn Oracle<G>,
    wanted: &'static str,
) -> Result<&'a Table<G>, CheckError> {
    oracle
        .inventory()
        .ok_or_else(|| CheckError::NeedsInventory {
            game: oracle.game().name(),
            wanted,
        })
}
