//! Tic-tac-toe, on bitboards.
//!
//! X moves first. A position is written as nine letters `X`, `O` and `.`, row by row. The side to
//! move follows from the number of marks. Moves are squares, `a1` (top left) to `c3` (bottom
//! right).
//!
//! Positions are in one class if a rotation or reflection of the board turns them into each other.
//! The canonical position is the one with the smallest key.

mod notation;
mod rules;

pub use notation::TicTacToeFamily;
pub use rules::{Position, Scoring, TicTacToe};

#[cfg(test)]
mod tests;
