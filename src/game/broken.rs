//! The error for rules that break a promise of the game traits.

/// A broken promise of a game, such as two positions with the same key.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the rules of {game} contradict themselves: {promise}, but {found}")]
pub struct Broken {
    /// The game's rules string.
    pub game: String,
    /// The promise.
    pub promise: &'static str,
    /// The violation, and where it was found.
    pub found: String,
}

impl Broken {
    pub(crate) fn new(game: String, promise: &'static str, found: String) -> Broken {
        Broken {
            game,
            promise,
            found,
        }
    }
}
