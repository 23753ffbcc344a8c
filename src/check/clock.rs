//! Deadlines and time sources of a check.

use super::error::CheckError;
use crate::game::Progress;
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

/// The caller's progress, which also counts as cancelled after a deadline.
pub(crate) struct Clock<'a> {
    progress: &'a dyn Progress,
    deadline: Option<Instant>,
}

impl<'a> Clock<'a> {
    pub fn new(progress: &'a dyn Progress, deadline: Option<Instant>) -> Clock<'a> {
        Clock { progress, deadline }
    }

    /// Whether the deadline has passed and the caller has not cancelled.
    pub fn is_up(&self) -> bool {
        self.has_passed() && !self.progress.cancelled()
    }

    /// Returns `None` if the deadline interrupted the work, otherwise `result`.
    ///
    /// # Errors
    /// The error in `result`, including an interruption by the caller.
    pub fn in_time<T>(&self, result: Result<T, CheckError>) -> Result<Option<T>, CheckError> {
        match result {
            Err(CheckError::Interrupted) if self.is_up() => Ok(None),
            result => result.map(Some),
        }
    }

    fn has_passed(&self) -> bool {
        self.deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
    }
}

impl Progress for Clock<'_> {
    fn phase(&self, name: &str, unit: &str, total: u64) {
        self.progress.phase(name, unit, total);
    }

    fn advance(&self, units: u64) {
        self.progress.advance(units);
    }

    fn note(&self, text: &str) {
        self.progress.note(text);
    }

    fn cancelled(&self) -> bool {
        self.progress.cancelled() || self.has_passed()
    }
}
