//! The position of a question.

use crate::game::{Notation, Roots};
use crate::oracle::AskError;

/// Reads a position, or returns the start if there is no text.
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
