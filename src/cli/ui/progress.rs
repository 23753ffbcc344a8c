//! The progress bar, and cancellation by signals.

use crate::game::Progress;
use crate::text::count;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt::Write;
use std::io::{self, IsTerminal, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, Instant};

static INTERRUPTED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
static WAITING: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Makes the first Ctrl-C, SIGTERM or SIGHUP cancel the job; a second one ends the program.
///
/// Without this, the first one ends the program at once. That is safe, too, but leaves a temporary
/// directory behind.
#[cfg(not(target_family = "wasm"))]
pub fn catch_interrupts() -> io::Result<()> {
    use signal_hook::consts::signal::{SIGINT, SIGTERM};
    let signals = [
        SIGINT,
        SIGTERM,
        #[cfg(unix)]
        signal_hook::consts::signal::SIGHUP,
    ];
    // `nohup` ignores SIGHUP, so that the program continues.
    for signal in signals.into_iter().filter(|&signal| !is_ignored(signal)) {
        // Actions run in the order of their registration, so the first signal finds the flag unset
        // and only the second one ends the program.
        signal_hook::flag::register_conditional_shutdown(signal, 2, Arc::clone(&INTERRUPTED))?;
        signal_hook::flag::register_conditional_shutdown(signal, 2, Arc::clone(&WAITING))?;
        signal_hook::flag::register(signal, Arc::clone(&INTERRUPTED))?;
    }
    Ok(())
}

/// Does nothing, because there are no signals.
#[cfg(target_family = "wasm")]
pub fn catch_interrupts() -> io::Result<()> {
    Ok(())
}

/// Waits for input; meanwhile the first signal ends the program, with exit code 2.
///
/// Reading a pipe or a terminal may take forever, and no signal ends it.
pub fn waiting<T>(wait: impl FnOnce() -> T) -> T {
    WAITING.store(true, Ordering::SeqCst);
    // The signal may have come just before.
    if INTERRUPTED.load(Ordering::SeqCst) {
        std::process::exit(2);
    }
    let waited = wait();
    WAITING.store(false, Ordering::SeqCst);
    waited
}

/// Turns a file at its size limit into an error, like a full disk, instead of the end of the program.
pub fn survive_size_limits() -> io::Result<()> {
    #[cfg(unix)]
    signal_hook::flag::register(signal_hook::consts::signal::SIGXFSZ, Arc::default())?;
    Ok(())
}

/// Tells the C library to return each freed block of some megabytes to the system.
///
/// By default it keeps those of up to 32 MB, which can be half of the memory that a game takes.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code)]
pub fn return_freed_memory() {
    // SAFETY: this only sets parameters of the allocator.
    unsafe {
        nix::libc::mallopt(nix::libc::M_MMAP_THRESHOLD, 4 << 20);
        // Setting the first stops the C library from raising this one, which starts at 128 kB.
        nix::libc::mallopt(nix::libc::M_TRIM_THRESHOLD, 8 << 20);
    };
}

/// Returns whether this process was started to ignore a signal.
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

/// Returns whether the user or the system has cancelled the job.
#[cfg(feature = "mpi")]
pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Turns off all bars, lines and notes of progress.
pub fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

static QUIET: AtomicBool = AtomicBool::new(false);

/// Progress on standard error, for commands that take more than a moment.
///
/// On a terminal it is a bar with rate, elapsed time and remaining time, elsewhere a line every 30
/// seconds.
pub struct Bar {
    state: Mutex<State>,
    bar: ProgressBar,
}

struct State {
    kind: Kind,
    /// Start of the command.
    began: Instant,
    /// Time when the bar was first shown, or the last line was printed.
    shown: Option<Instant>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Nothing,
    Bar,
    Lines,
}

/// Time before a bar is shown: one that disappears before it can be read only flickers.
const PATIENCE: Duration = Duration::from_millis(300);

/// Time before the first line, and between lines.
const LINE_EVERY: Duration = Duration::from_secs(30);

impl Bar {
    pub fn new() -> Bar {
        let kind = if QUIET.load(Ordering::Relaxed) {
            Kind::Nothing
        } else if io::stderr().is_terminal() {
            Kind::Bar
        } else {
            Kind::Lines
        };
        Bar::of(kind)
    }

    /// Returns a progress that is not printed.
    #[cfg(feature = "serve")]
    pub fn hidden() -> Bar {
        Bar::of(Kind::Nothing)
    }

    fn of(kind: Kind) -> Bar {
        Bar {
            state: Mutex::new(State {
                kind,
                began: Instant::now(),
                shown: None,
            }),
            bar: ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()),
        }
    }

    /// Returns a function that prints a line on standard error, above the bar.
    pub fn printer(&self) -> impl Fn(&str) + Send + Sync + use<> {
        let bar = self.bar.clone();
        move |text| {
            // Nothing can be done if even this can't be printed.
            let _ = bar.suspend(|| writeln!(anstream::stderr(), "{text}"));
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// Returns the phase, if its amount of work is known: "solving, 45% of 1,234 classes, 0:05
    /// elapsed".
    #[cfg(feature = "serve")]
    pub fn in_words(&self) -> Option<String> {
        let words = || format!("{}, {}", self.bar.prefix(), self.line(self.bar.elapsed()));
        self.is_total_known().then(words)
    }

    /// Returns whether the phase's amount of work is known.
    #[cfg(feature = "serve")]
    pub fn is_total_known(&self) -> bool {
        self.bar.length().is_some_and(|total| total > 0)
    }

    /// Returns "45% of 1,234 positions, 0:05 elapsed, 0:08 left".
    fn line(&self, elapsed: Duration) -> String {
        let unit = self.bar.message();
        let (done, total) = (self.bar.position(), self.bar.length().unwrap_or(0));
        let clock = clock(elapsed);
        if total == 0 {
            return format!("{} {unit}, {clock} elapsed", count(done));
        }
        let share = 100 * u128::from(done.min(total)) / u128::from(total);
        let left = left(done, total, elapsed);
        let of = match &*unit {
            "" => String::new(),
            unit => format!(" of {} {unit}", count(total)),
        };
        format!("{share}%{of}, {clock} elapsed{left}")
    }
}

/// Returns ", 0:08 left" by the mean rate so far, as work may pause while a layer is written.
///
/// Empty as long as the rate is unknown.
fn left(done: u64, total: u64, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64() * total.saturating_sub(done) as f64 / done as f64;
    match Duration::try_from_secs_f64(seconds) {
        Ok(left) if elapsed >= Duration::from_secs(1) => format!(", {} left", clock(left)),
        _ => String::new(),
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.finish();
    }
}

/// Formats a time: `0:05`, `12:34`, `1:02:03`.
pub fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

impl State {
    /// Returns whether to print a line.
    fn is_line_due(&self, now: Instant) -> bool {
        now - self.shown.unwrap_or(self.began) >= LINE_EVERY
    }
}

impl Progress for Bar {
    fn phase(&self, name: &str, unit: &str, total: u64) {
        self.bar.reset();
        self.bar.set_length(total);
        self.bar.set_prefix(name.to_owned());
        self.bar.set_message(unit.to_owned());
        let template = match (total, unit) {
            (0, _) => "{spinner} {prefix}: {human_pos} {msg}, {elapsed} elapsed",
            (_, "") => "{prefix} {wide_bar} {percent:>3}%, {elapsed} elapsed{left}",
            _ => {
                "{prefix} {wide_bar} {percent:>3}% of {human_len} {msg}, {rate}, {elapsed} elapsed{left}"
            }
        };
        let style = ProgressStyle::with_template(template).expect("a template that is right");
        let rate = |state: &ProgressState, out: &mut dyn Write| {
            // Writing to a string can't fail.
            let _ = write!(out, "{}/s", count(state.per_sec() as u64));
        };
        let left = move |state: &ProgressState, out: &mut dyn Write| {
            let _ = out.write_str(&left(state.pos(), total, state.elapsed()));
        };
        self.bar
            .set_style(style.with_key("rate", rate).with_key("left", left));
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
                let (name, line) = (self.bar.prefix(), self.line(self.bar.elapsed()));
                // Nothing can be done if even this can't be printed.
                let _ = writeln!(anstream::stderr(), "{name}: {line}");
            }
            _ => {}
        }
    }

    fn note(&self, text: &str) {
        if QUIET.load(Ordering::Relaxed) {
            return;
        }
        self.printer()(text);
    }

    fn cancelled(&self) -> bool {
        INTERRUPTED.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_far_it_is() {
        let bar = Bar::hidden();
        let line = || bar.line(Duration::from_secs(5));
        assert_eq!(bar.in_words(), None);
        bar.phase("solving", "classes", 1000);
        bar.advance(250);
        assert_eq!(line(), "25% of 1,000 classes, 0:05 elapsed, 0:15 left");
        // More units than announced.
        bar.advance(1750);
        assert_eq!(line(), "100% of 1,000 classes, 0:05 elapsed, 0:00 left");
        assert!(bar.in_words().unwrap().starts_with("solving, 100% of "));
        bar.phase("finding", "", 1000);
        bar.advance(500);
        assert_eq!(line(), "50%, 0:05 elapsed, 0:05 left");
        bar.phase("sampling", "entries", 0);
        bar.advance(12_345);
        assert_eq!(line(), "12,345 entries, 0:05 elapsed");
        assert_eq!(bar.in_words(), None);
    }

    #[test]
    fn the_time_left_follows_from_the_mean_rate() {
        let elapsed = Duration::from_secs(20);
        assert_eq!(left(25, 100, elapsed), ", 1:00 left");
        assert_eq!(left(150, 100, elapsed), ", 0:00 left");
        assert_eq!(left(0, 100, elapsed), "");
        assert_eq!(left(25, 100, elapsed / 40), "");
    }

    #[test]
    fn lines_come_every_so_often() {
        let began = Instant::now();
        let mut state = State {
            kind: Kind::Lines,
            began,
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
