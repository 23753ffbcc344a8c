//! The time that a check may take.

use super::error::CheckError;
use crate::game::Progress;
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

/// The source of the time that an AI has for its answers: the system's clock, or a test's.
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

/// The caller's progress, and when to stop without being told.
pub(crate) struct Clock<'a> {
    progress: &'a dyn Progress,
    deadline: Option<Instant>,
}

impl<'a> Clock<'a> {
    pub fn new(progress: &'a dyn Progress, deadline: Option<Instant>) -> Clock<'a> {
        Clock { progress, deadline }
    }

    /// Whether it is the clock alone that wants to stop.
    pub fn is_up(&self) -> bool {
        self.has_passed() && !self.progress.cancelled()
    }

    /// Nothing where the time is up; an error if the caller wants to stop, or anything else.
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
