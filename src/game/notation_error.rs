//! The error for a text that can't be read.

use crate::text::harmless;

/// The error for a position or move that can't be read, with a correct example.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "can't read \"{}\": {problem}\ntip: write it like {example}",
    harmless(input)
)]
pub struct NotationError {
    /// The text.
    pub input: String,
    /// The problem, in words that follow the text.
    pub problem: String,
    /// A correct text.
    pub example: String,
    /// Whether the text may be a position that an explicit game graph doesn't list.
    pub is_unlisted: bool,
}

impl NotationError {
    /// Returns an error for `input` with the problem and a correct example.
    ///
    /// The problem is written after the input.
    #[must_use]
    pub fn new(input: &str, problem: impl Into<String>, example: impl Into<String>) -> Self {
        NotationError {
            input: input.to_owned(),
            problem: problem.into(),
            example: example.into(),
            is_unlisted: false,
        }
    }

    /// Returns the number of the column, from 1, in which a part of a text begins.
    #[must_use]
    pub fn column(text: &str, part: &str) -> usize {
        let offset = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
        let before = text.char_indices().take_while(|(index, _)| *index < offset);
        before.count() + 1
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
