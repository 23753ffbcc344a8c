//! Why a text can't be read.

use crate::text::harmless;

/// A piece of notation that could not be read: what it was, what is wrong with it, and an example
/// of what is right.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{problem}: \"{}\" (a correct example: {example})", harmless(input))]
pub struct NotationError {
    /// What was given.
    pub input: String,
    /// What is wrong with it.
    pub problem: String,
    /// Something that would be right.
    pub example: String,
    /// Whether it may well be a position, only none that is known: of a game that is a list, nobody
    /// can tell what else could be one.
    pub is_unlisted: bool,
}

impl NotationError {
    /// What is wrong with `input`, as words that go before it, and something that would be right.
    #[must_use]
    pub fn new(input: &str, problem: impl Into<String>, example: impl Into<String>) -> Self {
        NotationError {
            input: input.to_owned(),
            problem: problem.into(),
            example: example.into(),
            is_unlisted: false,
        }
    }

    /// The same of what is in no list, and may be a position nevertheless.
    #[must_use]
    pub fn unlisted(input: &str, problem: impl Into<String>, example: impl Into<String>) -> Self {
        NotationError {
            is_unlisted: true,
            ..NotationError::new(input, problem, example)
        }
    }
}
