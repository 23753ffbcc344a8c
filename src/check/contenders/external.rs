//! AIs that are programs of their own, and the protocols to speak with them. `docs/check-ai.md`
//! describes both.

use super::line::LinePlayer;
use super::player::{Contender, Player, StartError};
use super::program::Program;
use super::ugi::UgiPlayer;
use crate::check::clock::TimeSource;
use crate::game::Notation;
use std::time::{Duration, Instant};

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
    program: Program,
    protocol: Protocol,
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
        let program = Program::new(command, timeout)?;
        Ok(External { program, protocol })
    }

    /// The same AI; the first answer after each start may take this much longer than others.
    #[must_use]
    pub fn with_startup(mut self, startup: Duration) -> External {
        self.program.set_startup(startup);
        self
    }

    /// The same AI, timed by another clock than the system's.
    ///
    /// Every wait for the program is measured by this clock. Tests pass one so that no verdict
    /// depends on how busy the machine is.
    #[doc(hidden)]
    #[must_use]
    pub fn with_clock(mut self, now: impl Fn() -> Instant + Send + Sync + 'static) -> External {
        self.program.time = TimeSource::new(now);
        self
    }
}

impl<'a, G: Notation> Contender<'a, G> for External {
    fn player(&'a self, game: &'a G) -> Result<Box<dyn Player<G> + 'a>, StartError> {
        // The first one is started at once: a command that can't be started is the caller's
        // mistake, not the AI's.
        Ok(match self.protocol {
            Protocol::Line => Box::new(LinePlayer::new(&self.program, game)?),
            Protocol::Ugi { movetime } => Box::new(UgiPlayer::new(&self.program, game, movetime)?),
        })
    }

    fn command(&self) -> Option<&str> {
        Some(self.program.command())
    }
}
