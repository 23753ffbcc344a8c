//! What can be wrong with a list.

/// Why there is no list.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// It is not one of a game that can be solved: what is wrong, in a sentence without a full stop.
    #[error("{0}")]
    Rules(String),
    /// The caller wanted it to stop.
    #[error("interrupted")]
    Interrupted,
}

impl BuildError {
    /// Of a position that has no moves, but no score either.
    #[must_use]
    pub fn stuck(position: &str) -> BuildError {
        BuildError::Rules(format!("{position} is not finished, but has no moves"))
    }
}

pub(super) fn refused<T>(problem: impl Into<String>) -> Result<T, BuildError> {
    Err(BuildError::Rules(problem.into()))
}
