//! Reversi on small boards, on bitboards.
//!
//! Black, written `B`, moves first. A disc is placed on an empty cell so that it encloses, in at
//! least one of the eight directions, an unbroken line of the other's discs between itself and
//! another own disc; all discs so enclosed are flipped. A player who can't place a disc passes,
//! which is a move of its own, `pass`; when neither can place one, the game is over. The score is
//! the number of the mover's discs minus that of the other's; empty cells count for nobody.
//!
//! A position is written row by row from the top, each row's cells as `B`, `W` or `.`, with `/`
//! between the rows, then a space and whose turn it is, `B` or `W`: the start of the 4×4 board is
//! `..../.WB./.BW./.... B`. A move is a cell, its column a letter and its row a number from the
//! top, such as `b1`, or `pass`.
//!
//! Positions that the eight rotations and reflections of the board turn into each other, or that
//! differ only in the colours' names (with them the side to move), are one class. Its canonical
//! position is seen from the mover, who is black in it.

mod arrays;
mod board;
mod checking;
#[cfg(feature = "cli")]
mod drawing;
mod family;
mod notation;
mod rules;

pub use super::cells::Cell;
pub use family::ReversiFamily;
pub use rules::{Board, Move, Position, Reversi, Start};

#[cfg(test)]
mod tests;
