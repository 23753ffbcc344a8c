//! Programs as AIs: the code that all protocols share.
//!
//! `docs/how-to/connect-an-engine.md` describes the protocols.

use super::player::{Fault, FaultKind, StartError, Trace, read_move, shorten};
use super::process::{Process, TimeSource};
use crate::game::Notation;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The default for the extra time of the first answer after a start.
const STARTUP: Duration = Duration::from_secs(10);

/// Protocol between the checker and a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Protocol {
    /// One line per position to the program, one line per move from it.
    #[default]
    Line,
    /// The Universal Game Interface.
    Ugi {
        /// The time per move that is sent to the program.
        movetime: Duration,
    },
}

/// AI that a command starts.
#[derive(Clone)]
pub struct External {
    /// The command line as given.
    pub(super) command: String,
    words: Vec<String>,
    pub(super) protocol: Protocol,
    /// The time limit per move.
    pub(super) timeout: Duration,
    /// The extra time for the first answer after a start.
    startup: Duration,
    /// The clock that times all waits for the program.
    pub(super) time: TimeSource,
    trace: Option<Trace>,
}

impl External {
    /// Creates an AI from its command line and the time limit per move.
    ///
    /// The command line is split into words as a shell does it (on Windows, as programs there do
    /// it), but no shell runs it.
    ///
    /// # Errors
    /// If the command is empty, has an unclosed quotation mark, or is meant for a shell.
    pub fn new(
        command: &str,
        protocol: Protocol,
        timeout: Duration,
    ) -> Result<External, StartError> {
        let fail = |problem| StartError::Command {
            command: command.to_owned(),
            problem,
        };
        let words = split(command).ok_or_else(|| fail("a quotation mark is not closed"))?;
        if words.is_empty() {
            return Err(fail("it is empty"));
        }
        if let Some(sign) = sign_of_shell(command) {
            let command = command.to_owned();
            return Err(StartError::Shell { command, sign });
        }
        Ok(External {
            command: command.to_owned(),
            words,
            protocol,
            timeout,
            startup: STARTUP,
            time: Arc::new(Instant::now),
            trace: None,
        })
    }

    /// Sets the extra time for the first answer after each start.
    #[must_use]
    pub fn with_startup(mut self, startup: Duration) -> External {
        self.startup = startup;
        self
    }

    /// Passes on all lines that are exchanged with the program.
    #[must_use]
    pub fn with_trace(mut self, trace: Trace) -> External {
        self.trace = Some(trace);
        self
    }

    /// Replaces the system's clock.
    ///
    /// Every wait for the program is measured by the new clock. Tests pass one so that no verdict
    /// depends on how busy the machine is.
    #[doc(hidden)]
    #[must_use]
    pub fn with_clock(mut self, now: impl Fn() -> Instant + Send + Sync + 'static) -> External {
        self.time = Arc::new(now);
        self
    }

    /// Returns the time limit for the next answer of a process.
    pub(super) fn time_limit(&self, process: &Process) -> Duration {
        match process.lines {
            0 => self.timeout + self.startup,
            _ => self.timeout,
        }
    }

    pub(super) fn start<G: Notation>(&self, game: &G) -> Result<Process, StartError> {
        let environment = [
            // Without this, Python buffers its answers until the buffer is full.
            ("PYTHONUNBUFFERED", "1".to_owned()),
            ("ZERMELO_RULES", game.rules()),
        ];
        let mut process =
            Process::start(&self.words, &environment, &self.time).map_err(|cause| {
                let command = self.command.clone();
                StartError::Spawn { command, cause }
            })?;
        process.trace.clone_from(&self.trace);
        Ok(process)
    }
}

/// Splits a command into words as a shell does; `None` if a quotation mark is open.
#[cfg(not(windows))]
fn split(command: &str) -> Option<Vec<String>> {
    shell_words::split(command).ok()
}

/// Splits a command into words as programs on Windows do.
///
/// A backslash is an ordinary character except before a quotation mark.
#[cfg(windows)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere a quote must end")]
fn split(command: &str) -> Option<Vec<String>> {
    Some(winsplit::split(command))
}

/// Returns the first sign outside of quotation marks that a shell would interpret, if there is one.
///
/// These are `|`, `<`, `>`, `&` and `;`, and `~` for a home directory.
fn sign_of_shell(command: &str) -> Option<char> {
    let mut letters = command.chars().peekable();
    let (mut quote, mut before) = (None, ' ');
    while let Some(letter) = letters.next() {
        let follows = letters.peek().copied().unwrap_or(' ');
        match (quote, letter) {
            (None, '|' | '<' | '>' | '&' | ';') => return Some(letter),
            (None, '~') if before == ' ' && matches!(follows, '/' | ' ') => return Some(letter),
            (None | Some('"'), '\\') if cfg!(not(windows)) => _ = letters.next(),
            (None, '"') => quote = Some('"'),
            (None, '\'') if cfg!(not(windows)) => quote = Some('\''),
            (Some(mark), _) if mark == letter => quote = None,
            _ => {}
        }
        before = letter;
    }
    None
}

/// Program that is asked, by any protocol.
pub(super) struct ProgramQuestions<'a, G: Notation> {
    pub program: &'a External,
    pub game: &'a G,
    /// The running process; `None` before the start and after a fault.
    pub process: Option<Process>,
    /// The last position asked.
    pub last: Option<G::Position>,
    /// The average time per move when it was asked last.
    pub pace: Option<Duration>,
}

impl<'a, G: Notation> ProgramQuestions<'a, G> {
    /// Wraps a program that is not started yet.
    pub fn new(program: &'a External, game: &'a G) -> ProgramQuestions<'a, G> {
        ProgramQuestions {
            program,
            game,
            process: None,
            last: None,
            pace: None,
        }
    }

    /// Returns the end of the running process's standard error since the last call.
    pub fn take_stderr(&mut self) -> String {
        let process = self.process.as_mut();
        process.map(Process::take_stderr).unwrap_or_default()
    }

    /// Ends the process, if there is one, and completes the fault.
    ///
    /// The fault gets the end of standard error and, after a timeout, whether the program answers
    /// when its input ends.
    pub fn end(&mut self, mut fault: Fault) -> Fault {
        let Some(mut process) = self.process.take() else {
            return fault;
        };
        // The wrong line itself does not count as an earlier line.
        let lines = process.lines - u64::from(fault.noticed.answer.is_some());
        fault.noticed.lines_before = lines;
        if fault.kind == FaultKind::Timeout {
            fault.noticed.unended = process.unfinished_line().map(|text| shorten(&text, 60));
            match &fault.noticed.unended {
                Some(text) => fault
                    .detail
                    .push_str(&format!("; it wrote {text:?}, but did not end the line")),
                None if fault.noticed.answered_at_next => {}
                // A slow program would hardly write two answers in that moment.
                None => fault.noticed.answered_at_end = process.writes_when_input_ends(2),
            }
        }
        fault.stderr = process.end();
        fault
    }

    /// Ends a process that has written an unrequested line; returns the fault.
    pub fn end_after_extra(&mut self, extra: &str, detail: &str) -> Fault {
        let detail = format!("{detail} {:?}", shorten(extra, 60));
        self.end(Fault::new(FaultKind::Malformed, detail).with_extra_line(extra))
    }
}

/// Parses a line as an answer.
pub(super) fn read_line<G: Notation>(
    game: &G,
    position: &G::Position,
    line: Vec<u8>,
) -> Result<G::Move, Fault> {
    match String::from_utf8(line) {
        Ok(text) => read_move(game, position, text.trim()),
        Err(bytes) => {
            let text = String::from_utf8_lossy(bytes.as_bytes());
            let detail = format!("answered {:?}, which is not UTF-8 text", shorten(&text, 60));
            Err(Fault::new(FaultKind::Malformed, detail))
        }
    }
}

#[cfg(all(test, not(windows)))]
mod tests {
    use super::*;

    #[test]
    fn commands_for_a_shell_are_refused() {
        for (command, sign) in [
            ("python3 a.py | head -3", Some('|')),
            ("./ai>log", Some('>')),
            ("./ai 2>&1", Some('>')),
            ("cd x && ./ai", Some('&')),
            ("./ai; true", Some(';')),
            ("./ai < book", Some('<')),
            ("~/ai", Some('~')),
            ("python3 ~/ai.py", Some('~')),
            ("sh -c 'a | b > c; ~/d && e'", None),
            ("sh -c \"a \\\" | b\"", None),
            ("./ai \\| a~b ~user '~'", None),
            ("'R&D/ai' \"a;b\"", None),
        ] {
            assert_eq!(sign_of_shell(command), sign, "{command}");
            let made = External::new(command, Protocol::Line, Duration::ZERO);
            assert_eq!(made.is_err(), sign.is_some());
        }
    }
}
