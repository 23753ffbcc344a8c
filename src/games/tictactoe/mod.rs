//! Tic-tac-toe, on bitboards.
//!
//! X moves first. A position is written as nine letters `X`, `O` and `.`, row by row; whose turn it
//! is follows from the numbers of marks. Moves are cells, `a1` (top left) to `c3` (bottom right).
//!
//! Positions that rotations and reflections of the board turn into each other are one class; the
//! one with the smallest key represents it.

mod arrays;
mod board;
#[cfg(feature = "cli")]
mod drawing;
mod family;
mod misreadings;
mod notation;
mod rules;

pub use super::cells::Cell;
pub use family::TicTacToeFamily;
pub use rules::{Position, Scoring, TicTacToe};

#[cfg(test)]
mod tests;
