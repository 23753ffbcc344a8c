//! The search algorithms' names, counters, errors and observers, and MTD(f).
//!
//! Source of MTD(f): A. Plaat, J. Schaeffer, W. Pijls and A. de Bruin, "Best-first fixed-depth
//! minimax algorithms", Artificial Intelligence 87, 1996.

use super::window::Window;
use crate::game::{Bounds, Game};

/// A search algorithm.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Algorithm {
    /// Searches every move: the first player maximizes, the second minimizes.
    Minimax,
    /// Minimax with every value seen from the side to move.
    ///
    /// Slow and obviously correct, so the other searches are compared with it. With a table, it
    /// searches each class once, as long as the table remembers that class.
    Negamax,
    /// Skips moves that can no longer change the result.
    AlphaBeta,
    /// Alpha-beta with a null-window search for every move except the first.
    ///
    /// A move that turns out to be better than the best so far is searched again for its score.
    /// Pays off when the first move is usually the best.
    NegaScout,
    /// Alpha-beta in a series of null-window searches that close in on the score.
    ///
    /// Each asks whether the score is at least some value. The first value is the points already
    /// won, the next ones follow from the bounds found. Pays off when that is a good guess and a
    /// table remembers the answers.
    Mtdf,
}

impl Algorithm {
    /// All algorithms, simplest first.
    pub const ALL: [Algorithm; 5] = [
        Algorithm::Minimax,
        Algorithm::Negamax,
        Algorithm::AlphaBeta,
        Algorithm::NegaScout,
        Algorithm::Mtdf,
    ];
}

crate::text::display_as_serialized!(Algorithm);

/// The error of a search that was stopped before it knew the score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the search was stopped")]
pub struct Stopped;

/// Counts of positions and table accesses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Counts {
    /// Number of visits to positions.
    pub nodes: u64,
    /// Positions that were finished or at the search depth.
    pub evaluations: u64,
    /// Positions some of whose moves were not searched.
    pub cutoffs: u64,
    /// Positions with an entry in the table.
    pub table_hits: u64,
    /// Positions not searched because their entry was sufficient.
    pub table_cutoffs: u64,
    /// Writes to the table.
    pub table_stores: u64,
    /// Writes that replaced another position's entry: 0 as long as all positions fit.
    pub table_replacements: u64,
}

/// Runs null-window searches until the bounds meet; returns the score.
///
/// `search` receives the window and returns its fail-soft result. The last result is the score.
///
/// # Errors
/// The first error of `search`.
pub(super) fn mtdf<E>(
    guess: i32,
    mut bounds: Bounds,
    mut search: impl FnMut(Window) -> Result<i32, E>,
) -> Result<i32, E> {
    let mut last = guess;
    let ask = |wanted| {
        last = search(Window::at_least(wanted))?;
        Ok(last)
    };
    bounds.close_in(guess, ask, |_| ())?;
    Ok(last)
}

/// The reason why a visit to a position ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// The game is over there, or the search depth is reached.
    Leaf,
    /// The transposition table had a bound that is sufficient for the window.
    Table,
    /// A move's score reached beta, so the moves after it were skipped.
    Cut,
    /// All moves were searched.
    Searched,
}

crate::text::display_as_serialized!(End);

/// An observer of a search.
///
/// `()` observes nothing. The search is compiled for each type, so that costs nothing.
pub trait Observer<G: Game> {
    /// Receives the moves of a position before they are searched, and may reorder them.
    ///
    /// `depth` is the number of moves to search from the position.
    fn expand(&mut self, _position: &G::Position, _depth: u32, _moves: &mut [G::Move]) {}

    /// Receives each move before it is searched, in the order that `expand` left.
    fn descend(&mut self) {}

    /// Receives each position visited, with the window in which it is searched.
    ///
    /// Two visits after the same move are a search and its repetition.
    fn enter(&mut self, _position: &G::Position, _window: Window) {}

    /// Receives the end of the visit to the position entered last that has not ended yet.
    ///
    /// `found` is the score if it is in the window, and otherwise a bound. `window` is the one of
    /// `enter`, narrowed by the transposition table.
    fn leave(&mut self, _window: Window, _found: i32, _end: End) {}
}

impl<G: Game> Observer<G> for () {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mtdf_closes_in_on_any_score_from_any_guess() {
        for score in -3..=3 {
            for guess in (-4..=4).chain([i32::MIN, -1000, i32::MAX]) {
                let mut searches = 0;
                let found = mtdf::<()>(
                    guess,
                    Bounds {
                        lower: -9,
                        upper: 9,
                    },
                    |window| {
                        searches += 1;
                        assert_eq!(window.beta, window.alpha + 1);
                        // A fail-soft search that returns the weakest correct bound.
                        Ok(if score >= window.beta {
                            window.beta
                        } else {
                            window.alpha
                        })
                    },
                );
                assert_eq!(found, Ok(score), "guess {guess}");
                let most = if guess.saturating_abs() <= 4 { 9 } else { 19 };
                assert!(searches <= most, "{searches}");
            }
        }
    }
}
