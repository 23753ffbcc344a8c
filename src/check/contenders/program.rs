//! What the protocols share: a program that is started by a command, and what goes wrong with it.

use super::answer::{read_move, shorten};
use super::player::{CommandProblem, Fault, FaultKind, StartError};
use super::process::{Heard, MAX_LINE, Process};
use crate::check::clock::TimeSource;
use crate::game::Notation;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// How much longer than others the first answer after a start may take, unless somebody says so.
const STARTUP: Duration = Duration::from_secs(10);

/// How much longer than others the first answer after a start may take: twice as long as the last
/// start took, once that is known, and nothing if the first start was waited for in vain. Shared by
/// all copies of an AI.
#[derive(Clone, Debug)]
struct Startup {
    most: Duration,
    /// In nanoseconds.
    allowed: Arc<AtomicU64>,
}

impl Startup {
    fn of(most: Duration) -> Startup {
        let nanos = u64::try_from(most.as_nanos()).unwrap_or(u64::MAX);
        Startup {
            most,
            allowed: Arc::new(AtomicU64::new(nanos)),
        }
    }

    fn left(&self, first_line: Option<Duration>) -> Duration {
        let Some(took) = first_line else {
            return Duration::from_nanos(self.allowed.load(Relaxed)).min(self.most);
        };
        let twice = u64::try_from(2 * took.as_nanos()).unwrap_or(u64::MAX);
        self.allowed.fetch_min(twice, Relaxed);
        Duration::ZERO
    }

    fn was_in_vain(&self) {
        if Duration::from_nanos(self.allowed.load(Relaxed)) >= self.most {
            self.allowed.store(0, Relaxed);
        }
    }
}

/// A program as an AI.
#[derive(Clone, Debug)]
pub(super) struct Program {
    command: String,
    words: Vec<String>,
    /// How long a move may take.
    pub timeout: Duration,
    startup: Startup,
    /// By which all waits for it are measured.
    pub time: TimeSource,
}

impl Program {
    pub fn new(command: &str, timeout: Duration) -> Result<Program, StartError> {
        let fail = |problem| StartError::Command {
            command: command.to_owned(),
            problem,
        };
        let words = split(command).ok_or_else(|| fail(CommandProblem::OpenQuote))?;
        if words.is_empty() {
            return Err(fail(CommandProblem::Empty));
        }
        Ok(Program {
            command: command.to_owned(),
            words,
            timeout,
            startup: Startup::of(STARTUP),
            time: TimeSource::default(),
        })
    }

    /// How much longer the first answer after a start may take.
    pub fn set_startup(&mut self, startup: Duration) {
        self.startup = Startup::of(startup);
    }

    /// How long the next answer of a process may take.
    pub fn patience(&self, process: &Process) -> Duration {
        self.timeout + self.startup.left(process.first_line())
    }

    /// Notes that a process wrote nothing although it was given the time for a start.
    pub fn started_in_vain(&self) {
        self.startup.was_in_vain();
    }

    /// As it was given.
    pub fn command(&self) -> &str {
        &self.command
    }

    pub fn start<G: Notation>(&self, game: &G) -> Result<Process, StartError> {
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

    pub fn handshake_failed(&self, problem: String) -> StartError {
        StartError::Handshake {
            command: self.command.clone(),
            problem,
        }
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

/// Ends the process, if there is one; the fault gets what it wrote to standard error, and whether
/// it answers only at the end of its input.
pub(super) fn end(process: &mut Option<Process>, mut fault: Fault) -> Fault {
    if let Some(mut process) = process.take() {
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
    }
    fault
}

/// What went wrong where a line was expected; nothing if the caller wants to stop.
pub(super) fn fault_of(heard: Heard, timeout: Duration) -> Option<Fault> {
    Some(match heard {
        Heard::Line(_) | Heard::Stopped => return None,
        Heard::Silence => Fault::new(
            FaultKind::Timeout,
            format!("gave no answer within {} s", timeout.as_secs_f64()),
        ),
        Heard::TooLong => Fault::new(
            FaultKind::Garbled,
            format!("wrote a line of more than {MAX_LINE} bytes"),
        ),
        Heard::Ended(how) => Fault::new(FaultKind::Crash, how),
    })
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
            Err(Fault::new(FaultKind::Garbled, detail))
        }
    }
}
