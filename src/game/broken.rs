//! Promises of rules that are not kept.

use super::Notation;

/// A promise that a game breaks.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the rules of {game} contradict themselves: {promise}, but {found}")]
pub struct Broken {
    /// The game's rules string.
    pub game: String,
    /// What should hold.
    pub promise: &'static str,
    /// What was found instead, and where.
    pub found: String,
}

impl Broken {
    pub(crate) fn new<G: Notation>(game: &G, promise: &'static str, found: String) -> Broken {
        let game = game.rules();
        Broken {
            game,
            promise,
            found,
        }
    }
}
