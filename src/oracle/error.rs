//! Why an oracle can't answer.

use super::ScoreBounds;
use crate::game::SearchError;
use crate::table::{ProbeError, ReadError};

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OracleError {
    /// The position is not in the table, or the table can't be read where it would be.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// The table can't be read.
    #[error(transparent)]
    Table(#[from] ReadError),
    /// The position can't be searched.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// Told to stop before the score was known; this much is proven of it.
    #[error("interrupted; the score is from {} to {}", .0.lower, .0.upper)]
    Interrupted(ScoreBounds),
}
