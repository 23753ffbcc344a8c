//! What a user can do about an error of the library, which knows no options.

use crate::game::{SearchError, SolveError};
use crate::table::WriteError;

/// The error, its causes, and what to do about it.
pub fn with_advice(error: &anyhow::Error) -> String {
    let advice = error
        .downcast_ref()
        .and_then(for_solving)
        .or_else(|| error.downcast_ref().and_then(for_searching))
        .or_else(|| error.downcast_ref().and_then(for_writing));
    format!("{error:#}{}", advice.unwrap_or_default())
}

fn for_solving(error: &SolveError) -> Option<&'static str> {
    Some(match error {
        SolveError::Memory { .. } => "; allow more with --memory, or solve a smaller game",
        SolveError::TooLong { .. } => "; solve it with --method backward",
        _ => return None,
    })
}

fn for_writing(error: &WriteError) -> Option<&'static str> {
    Some(match error {
        WriteError::Exists { .. } => "; choose another name, or replace it with --force",
        WriteError::Unfinished { .. } => {
            "; finish it, choose another name, or discard it with --restart"
        }
        _ => return None,
    })
}

/// For a search that ran into the limits of its means.
pub fn for_searching(error: &SearchError) -> Option<&'static str> {
    Some(match error {
        SearchError::Memory { .. } => "; allow more with --memory",
        SearchError::NoMemory { .. } => "; allow less with --memory",
        _ => return None,
    })
}
