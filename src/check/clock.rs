//! Deadlines and time sources of a check.

use super::error::CheckError;
use crate::game::Until;
use std::sync::Arc;
use std::time::Instant;

/// Clock that times the AI's answers: the system's, or one that a test supplies.
pub(in crate::check) type TimeSource = Arc<dyn Fn() -> Instant + Send + Sync>;

impl Until<'_> {
    /// Returns `result`, with [`CheckError::OutOfTime`] if the deadline interrupted the work.
    ///
    /// # Errors
    /// The error in `result`, including an interruption by the caller.
    pub(super) fn in_time<T>(&self, result: Result<T, CheckError>) -> Result<T, CheckError> {
        match result {
            Err(CheckError::Interrupted) if self.is_up() => Err(CheckError::OutOfTime),
            result => result,
        }
    }
}
