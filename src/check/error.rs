//! Why a check can't be made.

use super::contenders::StartError;
use crate::game::Notation;
use crate::oracle::{Inventory, Oracle, OracleError};

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
    /// No way leads from the start to a canonical position that the oracle lists: it is wrong.
    #[error("no way from the start leads to the entry {position}")]
    Unreachable {
        /// The position.
        position: String,
    },
    /// The oracle's positions have no common start.
    #[error("{0} has no start, so there are no lines of play to check")]
    NoStart(String),
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
        match error {
            OracleError::Interrupted(_) => CheckError::Interrupted,
            error => CheckError::Oracle(error),
        }
    }
}

/// The oracle's list of positions, from which something is wanted.
pub(super) fn inventory_of<'a, G: Notation>(
    oracle: &'a dyn Oracle<G>,
    wanted: &'static str,
) -> Result<&'a dyn Inventory<G>, CheckError> {
    oracle
        .inventory()
        .ok_or_else(|| CheckError::NeedsInventory {
            game: oracle.game().name(),
            wanted,
        })
}
