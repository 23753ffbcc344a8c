//! Why an oracle can't answer.

use super::Bounds;
use crate::game::SearchError;
use crate::table::{ProbeError, ReadError};

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OracleError {
    /// The position is not in the table, or the table can't be read where it would be.
    #[error(transparent)]
    Probe(Box<ProbeError>),
    /// The table can't be read.
    #[error(transparent)]
    Table(Box<ReadError>),
    /// The position can't be searched.
    #[error(transparent)]
    Search(Box<SearchError>),
    /// Told to stop before the score was known; this much is proven of it.
    #[error("interrupted; the score is from {} to {}", .0.lower, .0.upper)]
    Interrupted(Bounds),
}

impl From<SearchError> for OracleError {
    fn from(error: SearchError) -> OracleError {
        OracleError::Search(Box::new(error))
    }
}

impl From<ProbeError> for OracleError {
    fn from(error: ProbeError) -> OracleError {
        OracleError::Probe(Box::new(error))
    }
}

impl From<ReadError> for OracleError {
    fn from(error: ReadError) -> OracleError {
        OracleError::Table(Box::new(error))
    }
}
