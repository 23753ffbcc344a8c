//! Progress reports and cancellation of long work.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// Receives progress reports and may cancel the work. The library itself never prints.
pub trait Progress: Sync {
    /// Begins a phase of `total` units of work (0: unknown).
    ///
    /// `unit` is the plural noun for a unit. If it means nothing to people it is empty, and only
    /// the share done is shown.
    fn phase(&self, _name: &str, _unit: &str, _total: u64) {}

    /// Reports that more units of the phase are done. Called from any thread.
    fn advance(&self, _units: u64) {}

    /// Receives a notice for the user: one sentence without a full stop.
    fn note(&self, _text: &str) {}

    /// Returns whether to cancel the work. Checked often, from any thread.
    fn cancelled(&self) -> bool {
        false
    }
}

/// Ignores progress and never cancels.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProgress;

impl Progress for NoProgress {}

/// Fails with this error if the caller has cancelled the work.
pub(crate) fn check_cancelled<E>(progress: &dyn Progress, interrupted: E) -> Result<(), E> {
    match progress.cancelled() {
        true => Err(interrupted),
        false => Ok(()),
    }
}

/// Progress of work that `stop` or a deadline may also cancel. Reports are passed on unchanged.
pub struct CancelScope<'a> {
    progress: &'a dyn Progress,
    stop: &'a (dyn Fn() -> bool + Sync),
    deadline: Option<Instant>,
}

impl<'a> CancelScope<'a> {
    /// Passes reports on to `progress`; `progress` or `stop` may cancel the work.
    #[must_use]
    pub fn new(progress: &'a dyn Progress, stop: &'a (dyn Fn() -> bool + Sync)) -> CancelScope<'a> {
        CancelScope {
            progress,
            stop,
            deadline: None,
        }
    }

    /// Passes reports on to `progress`; `progress` or the deadline may cancel the work.
    pub(crate) fn with_deadline(
        progress: &'a dyn Progress,
        deadline: Option<Instant>,
    ) -> CancelScope<'a> {
        CancelScope {
            deadline,
            ..CancelScope::new(progress, &|| false)
        }
    }

    /// Returns whether the deadline has passed and the caller has not cancelled.
    pub(crate) fn is_past_deadline(&self) -> bool {
        self.deadline_has_passed() && !self.progress.cancelled()
    }

    fn deadline_has_passed(&self) -> bool {
        self.deadline.is_some_and(|end| Instant::now() >= end)
    }
}

impl Progress for CancelScope<'_> {
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
        self.progress.cancelled() || (self.stop)() || self.deadline_has_passed()
    }
}

/// Converts units of work to the units that are reported.
pub(crate) struct PhaseShare<'a> {
    progress: &'a dyn Progress,
    work: u64,
    units: u64,
    done: AtomicU64,
}

impl<'a> PhaseShare<'a> {
    /// Begins a phase of `units` reported units that take `work` units of work.
    pub fn phase(
        progress: &'a dyn Progress,
        name: &str,
        (unit, units): (&str, u64),
        work: u64,
    ) -> PhaseShare<'a> {
        progress.phase(name, unit, units);
        PhaseShare {
            progress,
            work,
            units,
            done: AtomicU64::new(0),
        }
    }

    /// Returns the reported units that correspond to some work.
    fn units(&self, work: u64) -> u64 {
        let share = u128::from(work.min(self.work)) * u128::from(self.units);
        (share / u128::from(self.work.max(1))) as u64
    }
}

impl Progress for PhaseShare<'_> {
    fn phase(&self, name: &str, unit: &str, total: u64) {
        self.progress.phase(name, unit, total);
    }

    fn advance(&self, work: u64) {
        let before = self.done.fetch_add(work, Relaxed);
        let after = before.saturating_add(work);
        self.progress
            .advance(self.units(after) - self.units(before));
    }

    fn note(&self, text: &str) {
        self.progress.note(text);
    }

    fn cancelled(&self) -> bool {
        self.progress.cancelled()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct UnitCounter(AtomicU64);

    impl Progress for UnitCounter {
        fn phase(&self, _: &str, _: &str, _: u64) {}
        fn advance(&self, units: u64) {
            self.0.fetch_add(units, Relaxed);
        }
    }

    #[test]
    fn scopes_pass_on_reports_and_are_cancelled_by_either_side() {
        struct Caller(UnitCounter, bool);

        impl Progress for Caller {
            fn phase(&self, _: &str, _: &str, total: u64) {
                self.0.advance(100 * total);
            }
            fn advance(&self, units: u64) {
                self.0.advance(units);
            }
            fn note(&self, text: &str) {
                self.0.advance(10 * text.len() as u64);
            }
            fn cancelled(&self) -> bool {
                self.1
            }
        }

        for (own, other) in [(false, false), (true, false), (false, true)] {
            let caller = Caller(UnitCounter::default(), own);
            let stop = || other;
            let scope = CancelScope::new(&caller, &stop);
            assert_eq!(scope.cancelled(), own || other);
            scope.phase("", "", 1);
            scope.note("ab");
            scope.advance(3);
            assert_eq!(caller.0.0.load(Relaxed), 123);
        }
    }

    #[test]
    fn all_work_advances_by_all_units() {
        for (units, work) in [(10, 7), (7, 10), (1, 1000), (0, 5), (3, 0)] {
            let counter = UnitCounter::default();
            let share = PhaseShare::phase(&counter, "", ("", units), work);
            for _ in 0..work {
                share.advance(1);
            }
            let all = if work == 0 { 0 } else { units };
            assert_eq!(counter.0.load(Relaxed), all, "{units} of {work}");
            share.advance(5);
            assert!(counter.0.load(Relaxed) <= units);
        }
    }
}
