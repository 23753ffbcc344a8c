//! The progress bar, and the wish to stop.

use crate::game::Progress;
use crate::text::count;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt::Write;
use std::io::{self, IsTerminal, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

static INTERRUPTED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// From now on the first Ctrl-C, or the wish to terminate, asks for an orderly end; a second one
/// ends the program at once.
///
/// Without this they end the program at once, which is safe, too, but leaves a temporary folder
/// behind.
pub fn catch_interrupts() -> io::Result<()> {
    use signal_hook::consts::signal::{SIGINT, SIGTERM};
    let signals = [
        SIGINT,
        SIGTERM,
        #[cfg(unix)]
        signal_hook::consts::signal::SIGHUP,
    ];
    // Whoever starts a program with `nohup` wants it to go on.
    for signal in signals.into_iter().filter(|&signal| !is_ignored(signal)) {
        // Actions run in the order of their registration: the first signal finds the flag not yet
        // set.
        signal_hook::flag::register_conditional_shutdown(signal, 2, Arc::clone(&INTERRUPTED))?;
        signal_hook::flag::register(signal, Arc::clone(&INTERRUPTED))?;
    }
    // A file that grows beyond a limit on its size is to be an error like a full disk, not the
    // program's end.
    #[cfg(unix)]
    signal_hook::flag::register(signal_hook::consts::signal::SIGXFSZ, Arc::default())?;
    Ok(())
}

/// Whether this process was started to ignore a signal.
#[cfg(unix)]
#[allow(unsafe_code)]
fn is_ignored(signal: i32) -> bool {
    use nix::libc;
    // SAFETY: zeros are a valid sigaction, and without a new one the call only fills in the old.
    unsafe {
        let mut now: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &raw mut now) == 0
            && now.sa_sigaction == libc::SIG_IGN
    }
}

#[cfg(not(unix))]
fn is_ignored(_signal: i32) -> bool {
    false
}

/// Whether the user or the system wants an end.
#[cfg(feature = "mpi")]
pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// From now on no bar, line or note of progress is printed.
pub fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

static QUIET: AtomicBool = AtomicBool::new(false);

/// Progress on standard error, for phases that take more than a moment: on a terminal a bar with
/// rate, time elapsed and time left; elsewhere the same as a line every so often.
pub struct Bar {
    state: Mutex<State>,
    bar: ProgressBar,
}

struct State {
    kind: Kind,
    /// When the command began.
    began: Instant,
    phase: Phase,
    /// Since when a bar is shown, or when the last line was printed.
    shown: Option<Instant>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Nothing,
    Bar,
    Lines,
}

#[derive(Clone, Default)]
struct Phase {
    name: String,
    unit: String,
    /// 0 if unknown.
    total: u64,
}

/// A bar that would be gone before it could be read only flickers.
const PATIENCE: Duration = Duration::from_millis(300);

/// How long it is to the first line, and from one to the next.
const LINE_EVERY: Duration = Duration::from_secs(30);

/// No rate and no time left are told before so much of a phase has gone by.
const TELLING: Duration = Duration::from_secs(1);

impl Bar {
    pub fn new() -> Bar {
        let kind = if QUIET.load(Ordering::Relaxed) {
            Kind::Nothing
        } else if io::stderr().is_terminal() {
            Kind::Bar
        } else {
            Kind::Lines
        };
        Bar {
            state: Mutex::new(State {
                kind,
                began: Instant::now(),
                phase: Phase::default(),
                shown: None,
            }),
            bar: ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()),
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.finish();
    }
}

impl Phase {
    /// The bar's template; its last word is filled in by [`Phase::tell`].
    fn template(&self) -> &'static str {
        if self.total == 0 {
            "{spinner} {prefix}: {told}"
        } else {
            "{prefix} {wide_bar} {told}"
        }
    }

    /// How far it is after so many units and so much time: "45% of 1,234 positions, 1,000/s, 0:05
    /// elapsed, 0:08 left", without what is not known yet, and without the rate and then the time
    /// elapsed if the line is to be no longer than `width`.
    fn tell(&self, done: u64, elapsed: Duration, width: usize) -> String {
        let seconds = elapsed.as_secs_f64();
        let rate = done as f64 / seconds;
        let mut parts = vec![if self.total == 0 {
            format!("{} {}", count(done), self.unit)
        } else {
            let share = 100 * u128::from(done.min(self.total)) / u128::from(self.total);
            match self.unit.as_str() {
                "" => format!("{share:>3}%"),
                unit => format!("{share:>3}% of {} {unit}", count(self.total)),
            }
        }];
        let is_known = elapsed >= TELLING && done > 0;
        if is_known && !self.unit.is_empty() {
            parts.push(match rate {
                10.0.. => format!("{}/s", count(rate as u64)),
                _ => format!("{rate:.1}/s"),
            });
        }
        parts.push(format!("{} elapsed", clock(elapsed)));
        if is_known && self.total > 0 {
            let left = self.total.saturating_sub(done) as f64 / rate;
            if let Ok(left) = Duration::try_from_secs_f64(left.ceil()) {
                parts.push(format!("{} left", clock(left)));
            }
        }
        let room = width.saturating_sub(self.name.chars().count() + ": ".len());
        while parts.join(", ").len() > room && parts.len() > 2 {
            // The rate, and then the time elapsed.
            parts.remove(1);
        }
        parts.join(", ")
    }
}

/// `0:05`, `12:34`, `1:02:03`
pub fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

impl State {
    /// Whether a line is due.
    fn is_line_due(&self, now: Instant) -> bool {
        now - self.shown.unwrap_or(self.began) >= LINE_EVERY
    }
}

impl Progress for Bar {
    fn phase(&self, name: &str, unit: &str, total: u64) {
        let phase = Phase {
            name: name.to_owned(),
            unit: unit.to_owned(),
            total,
        };
        self.bar.reset();
        self.bar.set_length(total);
        self.bar.set_position(0);
        let template = ProgressStyle::with_template(phase.template());
        let style = template.expect("a template that is right");
        let told = phase.clone();
        let tell = move |state: &ProgressState, out: &mut dyn Write| {
            let width = terminal_size::terminal_size_of(io::stderr());
            let width = width.map_or(usize::MAX, |(width, _)| usize::from(width.0));
            // What can't be written is not shown.
            let _ = out.write_str(&told.tell(state.pos(), state.elapsed(), width));
        };
        self.bar.set_prefix(name.to_owned());
        self.bar.set_style(style.with_key("told", tell));
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.phase = phase;
    }

    fn advance(&self, units: u64) {
        self.bar.inc(units);
        let Ok(mut state) = self.state.try_lock() else {
            return;
        };
        match state.kind {
            Kind::Bar if state.shown.is_none() && state.began.elapsed() > PATIENCE => {
                state.shown = Some(Instant::now());
                self.bar.set_draw_target(ProgressDrawTarget::stderr());
                self.bar.enable_steady_tick(Duration::from_millis(200));
            }
            Kind::Lines if state.is_line_due(Instant::now()) => {
                state.shown = Some(Instant::now());
                let Phase { name, .. } = &state.phase;
                let (done, elapsed) = (self.bar.position(), self.bar.elapsed());
                let told = state.phase.tell(done, elapsed, usize::MAX);
                // Nothing can be done if even this can't be printed.
                let _ = writeln!(anstream::stderr(), "{name}: {}", told.trim_start());
            }
            _ => {}
        }
    }

    fn note(&self, text: &str) {
        if QUIET.load(Ordering::Relaxed) {
            return;
        }
        // Nothing can be done if even this can't be printed.
        let print = || writeln!(anstream::stderr(), "{text}");
        let _ = self.bar.suspend(print);
    }

    fn cancelled(&self) -> bool {
        INTERRUPTED.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(total: u64, done: u64, seconds: f64) -> String {
        let phase = Phase {
            name: "solving".to_owned(),
            unit: "classes".to_owned(),
            total,
        };
        phase.tell(done, Duration::from_secs_f64(seconds), usize::MAX)
    }

    #[test]
    fn narrow_terminals_are_told_what_matters_most() {
        let phase = Phase {
            name: "solving".to_owned(),
            unit: "classes".to_owned(),
            total: 1000,
        };
        let told = |width| phase.tell(250, Duration::from_secs(5), width);
        let all = " 25% of 1,000 classes, 50/s, 0:05 elapsed, 0:15 left";
        assert_eq!(told(9 + all.len()), all);
        assert_eq!(
            told(8 + all.len()),
            " 25% of 1,000 classes, 0:05 elapsed, 0:15 left"
        );
        assert_eq!(told(45), " 25% of 1,000 classes, 0:15 left");
        assert_eq!(told(5), " 25% of 1,000 classes, 0:15 left");
    }

    #[test]
    fn what_is_not_known_is_not_told() {
        assert_eq!(told(1000, 0, 0.0), "  0% of 1,000 classes, 0:00 elapsed");
        assert_eq!(told(1000, 0, 75.0), "  0% of 1,000 classes, 1:15 elapsed");
        assert_eq!(told(1000, 9, 0.5), "  0% of 1,000 classes, 0:00 elapsed");
        assert_eq!(
            told(1000, 250, 5.0),
            " 25% of 1,000 classes, 50/s, 0:05 elapsed, 0:15 left"
        );
        assert_eq!(
            told(1000, 1, 10.0),
            "  0% of 1,000 classes, 0.1/s, 0:10 elapsed, 2:46:30 left"
        );
        assert_eq!(told(0, 12_345, 0.2), "12,345 classes, 0:00 elapsed");
        assert_eq!(
            told(0, 12_345, 2.0),
            "12,345 classes, 6,172/s, 0:02 elapsed"
        );
        // More than was announced must not end in nonsense.
        assert_eq!(
            told(10, 20, 2.0),
            "100% of 10 classes, 10/s, 0:02 elapsed, 0:00 left"
        );
    }

    #[test]
    fn lines_come_every_so_often() {
        let began = Instant::now();
        let mut state = State {
            kind: Kind::Lines,
            began,
            phase: Phase::default(),
            shown: None,
        };
        let after = |seconds| began + Duration::from_secs(seconds);
        assert!(!state.is_line_due(after(29)));
        assert!(state.is_line_due(after(30)));
        state.shown = Some(after(35));
        assert!(!state.is_line_due(after(64)));
        assert!(state.is_line_due(after(65)));
    }
}
