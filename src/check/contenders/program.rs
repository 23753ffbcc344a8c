//! AIs that are programs of their own: what the protocols share. `docs/check-ai.md` describes both.

use super::answer::{read_move, shorten};
use super::player::{Fault, FaultKind, StartError};
use super::process::Process;
use crate::check::clock::TimeSource;
use crate::game::Notation;
use std::time::{Duration, Instant};

/// How much longer than others the first answer after a start may take, unless somebody says so.
const STARTUP: Duration = Duration::from_secs(10);

/// How to speak with a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Protocol {
    /// A position a line in, a move a line out.
    #[default]
    Line,
    /// The Universal Game Interface.
    Ugi {
        /// The time for a move that the program is told.
        movetime: Duration,
    },
}

/// An AI that is started by a command.
#[derive(Clone, Debug)]
pub struct External {
    command: String,
    words: Vec<String>,
    pub(super) protocol: Protocol,
    /// How long a move may take.
    pub(super) timeout: Duration,
    /// How much longer than others the first answer after a start may take.
    startup: Duration,
    /// By which all waits for it are measured.
    pub(super) time: TimeSource,
}

impl External {
    /// An AI by its command line, which is split into words as a shell does (on Windows as programs
    /// there do) but not given to one, and the time that each move may take.
    ///
    /// # Errors
    /// If the command is empty or has a quote without its end.
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
        Ok(External {
            command: command.to_owned(),
            words,
            protocol,
            timeout,
            startup: STARTUP,
            time: TimeSource::default(),
        })
    }

    /// The same AI; the first answer after each start may take this much longer than others.
    #[must_use]
    pub fn with_startup(mut self, startup: Duration) -> External {
        self.startup = startup;
        self
    }

    /// The same AI, timed by another clock than the system's.
    ///
    /// Every wait for the program is measured by this clock. Tests pass one so that no verdict
    /// depends on how busy the machine is.
    #[doc(hidden)]
    #[must_use]
    pub fn with_clock(mut self, now: impl Fn() -> Instant + Send + Sync + 'static) -> External {
        self.time = TimeSource::new(now);
        self
    }

    /// How long the next answer of a process may take.
    pub(super) fn patience(&self, process: &Process) -> Duration {
        match process.lines() {
            0 => self.timeout + self.startup,
            _ => self.timeout,
        }
    }

    /// As it was given.
    pub(super) fn command(&self) -> &str {
        &self.command
    }

    pub(super) fn start<G: Notation>(&self, game: &G) -> Result<Process, StartError> {
        let environment = [
            // Or Python keeps its answers in a buffer until that is full.
            ("PYTHONUNBUFFERED", "1".to_owned()),
            ("ZERMELO_RULES", game.rules()),
        ];
        Process::start(&self.words, &environment, &self.time).map_err(|cause| StartError::Spawn {
            command: self.command.clone(),
            cause,
        })
    }
}

/// The words of a command, as a shell tells them apart; nothing if a quote has no end.
#[cfg(not(windows))]
fn split(command: &str) -> Option<Vec<String>> {
    shell_words::split(command).ok()
}

/// The words of a command, as programs on Windows tell them apart: a backslash is an ordinary
/// letter except before a quote.
#[cfg(windows)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere a quote must end")]
fn split(command: &str) -> Option<Vec<String>> {
    Some(winsplit::split(command))
}

/// A program that is asked, whichever its protocol.
pub(super) struct Asked<'a, G: Notation> {
    pub program: &'a External,
    pub game: &'a G,
    /// Nothing after a fault.
    pub process: Option<Process>,
    /// The position that was asked about last.
    pub last: Option<G::Position>,
}

impl<'a, G: Notation> Asked<'a, G> {
    /// A program that is not started yet.
    pub fn new(program: &'a External, game: &'a G) -> Asked<'a, G> {
        Asked {
            program,
            game,
            process: None,
            last: None,
        }
    }

    /// Ends the process, if there is one; the fault gets what it wrote to standard error, and
    /// whether it answers only at the end of its input.
    pub fn end(&mut self, mut fault: Fault) -> Fault {
        let Some(mut process) = self.process.take() else {
            return fault;
        };
        // The wrong line itself is none of those before it.
        let lines = process.lines() - u64::from(fault.noticed.answer.is_some());
        fault.noticed.lines_before = lines;
        if fault.kind == FaultKind::Timeout {
            fault.noticed.unended = process.unended().map(|text| shorten(&text, 60));
            match &fault.noticed.unended {
                Some(text) => fault
                    .detail
                    .push_str(&format!("; it wrote {text:?}, but did not end the line")),
                None if fault.noticed.answered_at_next => {}
                None => fault.noticed.answered_at_end = process.writes_when_input_ends(),
            }
        }
        fault.stderr = process.end();
        fault
    }

    /// Ends a process that has said something without being asked.
    pub fn said_too_much(&mut self, extra: &str, detail: &str) -> Fault {
        let detail = format!("{detail} {:?}", shorten(extra, 60));
        self.end(Fault::new(FaultKind::Malformed, detail).writing_also(extra))
    }
}

/// What a line says as an answer.
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
