//! Connect Four on any board that fits in 64 bits with a spare row, on bitboards.
//!
//! The first player, written `X`, begins. The players take turns dropping a stone into a column
//! that isn't full, where it falls to the lowest free square. The first player with four in a row,
//! a column or a diagonal wins; a full board without a line is a draw. Columns, rows and the length
//! of a line are parameters.
//!
//! A position is written as rows from the top with `/` between them, and `X`, `O` or `.` for each
//! square. It can also be written as the columns played from the empty board, such as `4453`, or
//! `-` for none. The number of stones determines the side to move. A move is the number of a
//! column, counted from 1 at the left.
//!
//! A position and its mirror image are one class.
//!
//! # Modules
//!
//! Each module uses those above it:
//!
//! - `board`: lines and mirror images of sets of squares;
//! - `rules`: the rules;
//! - `arise`: which positions can arise;
//! - `notation`: reading, writing and drawing positions and moves;
//! - `misreadings`: rules as players misunderstand them;
//! - `search`: the score of one position.

mod arise;
mod board;
mod family;
mod misreadings;
mod notation;
mod rules;
pub mod search;

#[cfg(target_family = "wasm")]
pub use family::set_opening;
pub use family::{Connect4Family, opening};
use rules::Column;
pub use rules::{Connect4, Parameters, Position};

#[cfg(test)]
mod tests;
