//! The error for a text that can't be read.

use crate::text::harmless;

/// The error for a malformed position or move, with a correct example.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{problem}: \"{}\" (a correct example: {example})", harmless(input))]
pub struct NotationError {
    /// The text.
    pub input: String,
    /// The problem, in words that precede the text.
    pub problem: String,
    /// A correct text.
    pub example: String,
    /// Whether the text may be a position that an explicit game graph doesn't list.
    pub is_unlisted: bool,
}

impl NotationError {
    /// An error for `input` with the problem and a correct example.
    ///
    /// The problem is written before the input.
    #[must_use]
    pub fn new(input: &str, problem: impl Into<String>, example: impl Into<String>) -> Self {
        NotationError {
            input: input.to_owned(),
            problem: problem.into(),
            example: example.into(),
            is_unlisted: false,
        }
    }

    /// An error for a text that is not listed but may be a position.
    #[must_use]
    pub fn unlisted(input: &str, problem: impl Into<String>, example: impl Into<String>) -> Self {
        NotationError {
            is_unlisted: true,
            ..NotationError::new(input, problem, example)
        }
    }
}
