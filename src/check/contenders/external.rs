//! Which player speaks with a program.

use super::line::LinePlayer;
use super::player::{Contender, Player, StartError};
use super::program::{External, Protocol};
use super::ugi::UgiPlayer;
use crate::game::Notation;

impl<'a, G: Notation> Contender<'a, G> for External {
    fn player(&'a self, game: &'a G) -> Result<Box<dyn Player<G> + 'a>, StartError> {
        // The first one is started at once: a command that can't be started is the caller's
        // mistake, not the AI's.
        Ok(match self.protocol {
            Protocol::Line => Box::new(LinePlayer::new(self, game)?),
            Protocol::Ugi { movetime } => Box::new(UgiPlayer::new(self, game, movetime)?),
        })
    }

    fn command(&self) -> Option<&str> {
        Some(External::command(self))
    }
}
