//! Compares searches of a position, with text as interface.

use super::position::position_of;
use crate::game::{Notation, Progress};
use crate::oracle::{AskError, unfinished};
use crate::search::{CompareError, Compared, Comparison, check_searchable, compare};

/// Why searches can't be compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompareSearchesError {
    /// The text is not an unfinished position.
    #[error(transparent)]
    Ask(#[from] AskError),
    /// The searches can't run, or contradict each other.
    #[error(transparent)]
    Compare(#[from] CompareError),
}

pub(super) fn compare_searches<G: Notation>(
    game: &G,
    position: Option<&str>,
    comparison: &Comparison,
    progress: &dyn Progress,
) -> Result<Compared, CompareSearchesError> {
    let position = position_of(game, position)?;
    unfinished(game, &position)?;
    if comparison.depths.is_empty() {
        check_searchable(game).map_err(CompareError::from)?;
    }
    Ok(compare(game, &position, comparison, progress)?)
}
