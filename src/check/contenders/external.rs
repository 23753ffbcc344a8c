//! Choice of the player for a program's protocol.

use super::line::LinePlayer;
use super::player::{Contender, Player, StartError};
use super::program::{External, Protocol};
use super::ugi::UgiPlayer;
use crate::game::Notation;

impl<'a, G: Notation> Contender<'a, G> for External {
    fn player(&'a self, game: &'a G) -> Result<Box<dyn Player<G> + 'a>, StartError> {
        // Start the first process at once: if the command can't be started, that is the caller's
        // mistake and no fault of the AI.
        Ok(match self.protocol {
            Protocol::Line => Box::new(LinePlayer::new(self, game)?),
            Protocol::Ugi { movetime } => Box::new(UgiPlayer::new(self, game, movetime)?),
        })
    }

    fn command(&self) -> Option<&str> {
        Some(&self.command)
    }
}
