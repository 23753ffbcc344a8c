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

/// The promise that positions don't repeat, unless [`Game::endless`](super::Game::endless) says
/// otherwise.
pub(crate) const NO_REPETITION: &str = "no position comes up twice in one game";

impl Broken {
    pub(crate) fn new(game: String, promise: &'static str, found: String) -> Broken {
        Broken {
            game,
            promise,
            found,
        }
    }

    /// Returns whether the promise is that positions don't repeat.
    #[must_use]
    pub fn is_repetition(&self) -> bool {
        self.promise == NO_REPETITION
    }
}
