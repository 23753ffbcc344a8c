//! Errors of explicit game graphs.

/// Why a graph can't be built.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The game can't be solved. The message says why, without a full stop.
    #[error("{0}")]
    Rules(String),
    /// A position can repeat, and the game promises that none can.
    ///
    /// Positions and moves in turn, from a position back to itself.
    #[error("a position can come up twice in one game{}", crate::text::cycle(.0))]
    Repetition(Vec<String>),
    /// The caller cancelled the work.
    #[error("interrupted")]
    Interrupted,
}

impl BuildError {
    /// The error for a position without moves and without a score.
    #[must_use]
    pub fn stuck(position: &str) -> BuildError {
        BuildError::Rules(format!("{position} is not finished, but has no moves"))
    }
}

pub(super) fn refused<T>(problem: impl Into<String>) -> Result<T, BuildError> {
    Err(BuildError::Rules(problem.into()))
}
