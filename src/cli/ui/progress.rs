//! The progress bar, and the wish to stop.

use super::numbers::count;
use crate::game::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, Instant};

static INTERRUPTED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// From now on the first Ctrl-C, or the wish to terminate, asks for an orderly end; a second one
/// ends the program at once.
///
/// Without this they end the program at once, which is safe, too, but leaves a temporary folder
/// behind.
pub fn catch_interrupts() -> io::Result<()> {
    use signal_hook::consts::signal::{SIGINT, SIGTERM};
    for signal in [SIGINT, SIGTERM] {
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

/// A bar on standard error with rate and time left, for phases that take more than a moment;
/// nothing if standard error is not a terminal.
pub struct Bar {
    state: Mutex<State>,
    bar: ProgressBar,
}

struct State {
    began: Instant,
    shown: bool,
}

/// A bar that would be gone before it could be read only flickers.
const PATIENCE: Duration = Duration::from_millis(300);

impl Bar {
    pub fn new() -> Bar {
        Bar {
            state: Mutex::new(State {
                began: Instant::now(),
                shown: false,
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

impl Progress for Bar {
    fn phase(&self, name: &str, unit: &str, total: u64) {
        self.bar.reset();
        self.bar.set_length(total);
        self.bar.set_position(0);
        let template = if total == 0 {
            format!("{{spinner}} {name}: {{human_pos}} {unit}, {{rate}}/s")
        } else {
            format!(
                "{name} {{wide_bar}} {{percent:>3}}% of {{human_len}} {unit}, {{rate}}/s, {{eta}} left"
            )
        };
        let style = ProgressStyle::with_template(&template)
            .expect("a template that is right")
            .with_key("rate", |state: &ProgressState, out: &mut dyn fmt::Write| {
                // Nobody wants to see a fraction of a position. What can't be written is not shown.
                let _ = out.write_str(&count(state.per_sec() as u64));
            });
        self.bar.set_style(style);
    }

    fn advance(&self, units: u64) {
        self.bar.inc(units);
        if let Ok(mut state) = self.state.try_lock()
            && !state.shown
            && state.began.elapsed() > PATIENCE
        {
            state.shown = true;
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            self.bar.enable_steady_tick(Duration::from_millis(200));
        }
    }

    fn note(&self, text: &str) {
        // Nothing can be done if even this can't be printed.
        let print = || writeln!(anstream::stderr(), "{text}");
        let _ = self.bar.suspend(print);
    }

    fn cancelled(&self) -> bool {
        INTERRUPTED.load(Ordering::Relaxed)
    }
}
