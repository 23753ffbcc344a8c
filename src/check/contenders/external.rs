//! AIs that are programs of their own, and the protocols to speak with them. `docs/check-ai.md`
//! describes both.

use super::line::LinePlayer;
use super::player::{
    Contender, Fault, FaultKind, Player, Reply, Round, StartError, read_move, shorten,
};
use super::process::{Heard, MAX_LINE, Process};
use super::ugi::UgiPlayer;
use crate::game::Notation;
use std::time::Duration;

/// How to speak with a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
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
    protocol: Protocol,
    timeout: Duration,
}

impl External {
    /// An AI by its command line, which is split into words as a shell does but not given to one.
    /// Each move may take so long.
    ///
    /// # Errors
    /// If the command is empty or has a quote without its end.
    pub fn new(
        command: &str,
        protocol: Protocol,
        timeout: Duration,
    ) -> Result<External, StartError> {
        let fail = |problem: &str| StartError::Command {
            command: command.to_owned(),
            problem: problem.to_owned(),
        };
        let words = shell_words::split(command).map_err(|_| fail("a quote has no end"))?;
        if words.is_empty() {
            return Err(fail("it is empty"));
        }
        Ok(External {
            command: command.to_owned(),
            words,
            protocol,
            timeout,
        })
    }

    /// How long a move may take.
    pub(super) fn timeout(&self) -> Duration {
        self.timeout
    }

    pub(super) fn start<G: Notation>(&self, game: &G) -> Result<Process, StartError> {
        let environment = [
            // Or Python keeps its answers to itself until there are many.
            ("PYTHONUNBUFFERED", "1".to_owned()),
            ("ZERMELO_RULES", game.rules()),
        ];
        Process::start(&self.words, &environment).map_err(|cause| StartError::Spawn {
            command: self.command.clone(),
            cause,
        })
    }

    pub(super) fn handshake_failed(&self, problem: String) -> StartError {
        StartError::Handshake {
            command: self.command.clone(),
            problem,
        }
    }
}

impl<'a, G: Notation> Contender<'a, G> for External {
    fn player(&'a self, game: &'a G) -> Result<Box<dyn Player<G> + 'a>, StartError> {
        // The first one is started at once: a command that can't be started is the caller's
        // mistake, not the AI's.
        Ok(match self.protocol {
            Protocol::Line => Box::new(LinePlayer::new(self, game)?),
            Protocol::Ugi { movetime } => Box::new(UgiPlayer::new(self, game, movetime)?),
        })
    }
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
            let detail = format!(
                "answered {:?}, which is no text in UTF-8",
                shorten(&text, 60)
            );
            Err(Fault::new(FaultKind::Garbled, detail))
        }
    }
}

pub(super) fn reply<M>(answer: Result<M, Fault>, time: Duration) -> Reply<M> {
    Reply { answer, time }
}

/// Whether a round's bounds allow another question.
pub(super) fn may_go_on(round: &Round<'_>, faults: usize) -> bool {
    faults < round.faults && !(round.stop)()
}
