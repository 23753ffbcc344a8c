//! AIs in this process and AIs that are programs, with their common interface.
//!
//! ```text
//! player ◄─┬─ builtin
//!          └─ process ◄─ program ◄─ line, ugi
//! supervisor ◄─┘
//! ```

pub mod builtin;
mod line;
pub(in crate::check) mod player;
mod process;
mod program;
#[cfg(unix)]
mod supervisor;
mod ugi;

pub(in crate::check) use player::stderr_note;
pub use player::{Ai, Contender, Fault, FaultKind, InProcess, InText, StartError, TextAi, Trace};
pub(crate) use player::{Player, Replies, Reply, Round, StartPlayer};
pub(crate) use player::{ask_one, in_process};
pub use program::{External, Protocol};

use crate::game::Notation;
use line::LinePlayer;
use ugi::UgiPlayer;

impl<'a, G: Notation> StartPlayer<'a, G> for External {
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
