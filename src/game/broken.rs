//! Promises of rules that are not kept.

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
    pub(crate) fn new(game: String, promise: &'static str, found: String) -> Broken {
        Broken {
            game,
            promise,
            found,
        }
    }
}
