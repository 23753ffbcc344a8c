//! Errors of a check.

use super::contenders::StartError;
use crate::game::{CancelScope, Notation};
use crate::oracle::{Inventory, Oracle, OracleError};
use crate::text::{bytes, count};
use crate::work::DiskError;

/// Reason why a check failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// The AI can't be started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The oracle has no score for a reachable position, or can't be read.
    #[error(transparent)]
    Oracle(OracleError),
    /// There are more positions than the memory can hold.
    #[error(
        "the list of more than {} positions doesn't fit into {} of memory",
        count(*.positions),
        bytes(*.allowed)
    )]
    TooMany {
        /// The number of positions found until memory was full.
        positions: u64,
        /// The memory limit in bytes.
        allowed: u64,
    },
    /// The oracle's positions have no common start.
    #[error("{0} has no start, so there are no games to play or to check")]
    NoStart(String),
    /// A position in the caller's list can't be asked about.
    #[error("line {line}: {problem}")]
    Listed {
        /// The number of its line, counted from 1.
        line: u64,
        /// The problem with the position.
        problem: String,
        /// Advice on a text that can't be read.
        tip: Option<String>,
    },
    /// The caller's list is empty.
    #[error("no position is listed")]
    NothingListed,
    /// The games had no position with a choice of moves.
    #[error("no position with a choice of moves came up in the games")]
    NoChoice,
    /// The request needs a list of all positions, and the oracle has none.
    #[error(
        "{wanted} of {game} can only be listed from a table, and these scores don't come from one; \
         every position that can be walked to from the start can be checked, or every line of play"
    )]
    NeedsInventory {
        /// The game's name.
        game: String,
        /// The kind of list requested: "canonical positions", …
        wanted: &'static str,
    },
    /// The deadline passed before the first question.
    #[error("the time was up before anything was asked")]
    OutOfTime,
    /// A finished game can't be saved or read.
    #[error(transparent)]
    Saved(#[from] DiskError),
    /// The caller cancelled.
    #[error("stopped before the check was complete")]
    Interrupted,
}

impl From<OracleError> for CheckError {
    fn from(error: OracleError) -> CheckError {
        if error.is_interruption() {
            CheckError::Interrupted
        } else {
            CheckError::Oracle(error)
        }
    }
}

impl CancelScope<'_> {
    /// Returns `result`, with [`CheckError::OutOfTime`] if the deadline interrupted the work.
    ///
    /// # Errors
    /// The error in `result`, including an interruption by the caller.
    pub(super) fn in_time<T>(&self, result: Result<T, CheckError>) -> Result<T, CheckError> {
        match result {
            Err(CheckError::Interrupted) if self.is_past_deadline() => Err(CheckError::OutOfTime),
            result => result,
        }
    }
}

/// Returns the oracle's list of positions, which `wanted` needs.
///
/// # Errors
/// [`CheckError::NeedsInventory`] if the oracle has no such list.
pub(super) fn inventory_of<'a, G: Notation>(
    oracle: &'a dyn Oracle<G>,
    wanted: &'static str,
) -> Result<Box<dyn Inventory<G> + 'a>, CheckError> {
    oracle
        .inventory()
        .ok_or_else(|| CheckError::NeedsInventory {
            game: oracle.game().name(),
            wanted,
        })
}
