//! The position that is asked about.

use crate::game::{Notation, Roots};
use crate::oracle::AskError;

/// The position that a text names, or the start.
pub(super) fn position_of<G: Notation>(
    game: &G,
    text: Option<&str>,
) -> Result<G::Position, AskError> {
    match text {
        Some(text) => Ok(game.parse_position(text)?),
        None if game.capabilities().solving.roots() == Roots::Everywhere => {
            Err(AskError::NoStart {
                game: game.name(),
                example: game.format_position(&game.start()),
            })
        }
        None => Ok(game.start()),
    }
}
