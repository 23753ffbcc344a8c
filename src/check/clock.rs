//! Deadlines and time sources of a check.

use super::error::CheckError;
use crate::game::Until;
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

/// Clock that times the AI's answers: the system's, or one that a test supplies.
#[derive(Clone, Default)]
pub(in crate::check) struct TimeSource(Option<Arc<dyn Fn() -> Instant + Send + Sync>>);

impl TimeSource {
    pub fn new(now: impl Fn() -> Instant + Send + Sync + 'static) -> TimeSource {
        TimeSource(Some(Arc::new(now)))
    }

    pub fn now(&self) -> Instant {
        self.0.as_ref().map_or_else(Instant::now, |now| now())
    }
}

impl fmt::Debug for TimeSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = if self.0.is_some() { "given" } else { "system" };
        f.debug_tuple("TimeSource").field(&name).finish()
    }
}

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
