//! Observers, which choose the order of moves and follow a search from position to position.

use super::Window;
use crate::game::Game;

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
