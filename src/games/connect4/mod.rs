//! Connect Four on any board that fits 64 bits with a row to spare, on bitboards.
//!
//! The first player, written `X`, begins. In turn the players drop a stone into a column that isn't
//! full; it falls to the lowest free cell. Who first has four in a row, a column or a diagonal has
//! won; a full board without that is a draw. The number that makes a line is a parameter, as are
//! columns and rows.
//!
//! A position is written as rows from the top with `/` between them, `X`, `O` or `.` for each cell,
//! or as the columns played from the empty board, `4453`, `-` for none. Whose turn it is follows
//! from the stones. A move is the number of a column, counted from 1 at the left.
//!
//! Positions that are each other's mirror image are one class.
//!
//! # Rooms
//!
//! Each uses those above it: `board`, lines and mirror images of sets of cells; `rules`; `arise`,
//! which positions can come up; `notation`; `search`, the score of one position; `checking` and
//! `drawing`, for AIs and people.

mod arise;
mod arrays;
mod board;
mod capabilities;
mod checking;
#[cfg(feature = "cli")]
mod drawing;
mod family;
mod notation;
mod rules;
pub mod search;

pub use family::Connect4Family;
pub use rules::{Column, Connect4, Parameters, ParametersError, Position};

#[cfg(test)]
mod tests;
