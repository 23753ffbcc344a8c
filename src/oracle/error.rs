//! The error of oracles.

use super::Bounds;
use crate::game::SearchError;
use crate::table::ReadError;

/// Why an oracle can't answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OracleError {
    /// The position is not in the table, or the table can't be read.
    #[error(transparent)]
    Table(Box<ReadError>),
    /// The position can't be searched.
    #[error(transparent)]
    Search(Box<SearchError>),
    /// A position's score is not that of any of its moves: the table has other rules.
    #[error(
        "the score of {0} is that of none of its moves: the rules have changed since the table \
         was made, or the table is wrong; `verify` proves or refutes it"
    )]
    Contradiction(String),
    /// Cancelled before the score was known, with the bounds proven until then.
    #[error("interrupted; the score is from {} to {}", .0.lower, .0.upper)]
    Interrupted(Bounds),
}

impl OracleError {
    /// Whether the oracle failed only because it was cancelled.
    pub(crate) fn is_interruption(&self) -> bool {
        match self {
            OracleError::Interrupted(_) => true,
            OracleError::Search(error) => matches!(**error, SearchError::Interrupted),
            _ => false,
        }
    }
}

impl From<SearchError> for OracleError {
    fn from(error: SearchError) -> OracleError {
        OracleError::Search(Box::new(error))
    }
}

impl From<ReadError> for OracleError {
    fn from(error: ReadError) -> OracleError {
        OracleError::Table(Box::new(error))
    }
}
