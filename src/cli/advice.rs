//! What a user can do about an error of the library, which knows no options.

use crate::game::{SearchError, SolveError};
use crate::games::kalah::RulesError;

/// The error, its causes, and what to do about it.
pub fn with_advice(error: &anyhow::Error) -> String {
    let advice = for_rules(error.downcast_ref())
        .or_else(|| for_solving(error.downcast_ref()))
        .or_else(|| for_searching(error.downcast_ref()));
    format!("{error:#}{}", advice.unwrap_or_default())
}

fn for_rules(error: Option<&RulesError>) -> Option<String> {
    Some(match error? {
        RulesError::Pits(_) => ", such as --pits 6".into(),
        RulesError::NoSeeds => ", such as --seeds 2".into(),
        RulesError::UpTo(_) => ", as in --up-to 20".into(),
        RulesError::Seeds { pits, most, .. } => {
            format!(": with --pits {pits}, --seeds can be at most {most}")
        }
    })
}

fn for_solving(error: Option<&SolveError>) -> Option<String> {
    Some(match error? {
        SolveError::Memory { .. } => "; allow more with --memory, or solve a smaller game".into(),
        SolveError::TooLong { .. } => "; solve it with --method backward".into(),
        _ => return None,
    })
}

fn for_searching(error: Option<&SearchError>) -> Option<String> {
    Some(match error? {
        SearchError::Memory { .. } => "; allow more with --memory".into(),
        SearchError::NoMemory { .. } => "; allow less with --memory".into(),
        _ => return None,
    })
}
