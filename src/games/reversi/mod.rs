//! Reversi on small boards, on bitboards.
//!
//! Black, written `B`, moves first. A disc is placed on an empty square so that it encloses, in at
//! least one of the eight directions, an unbroken line of the opponent's discs between itself and
//! another disc of its own colour. All enclosed discs are flipped. A player who can't place a disc
//! passes, which is a move of its own, `pass`. The game is over when neither player can place a
//! disc. The score is the number of discs of the side to move minus the opponent's; empty squares
//! don't count.
//!
//! A position is written row by row from the top, each row's squares as `B`, `W` or `.`, with `/`
//! between rows, then a space and the side to move, `B` or `W`. The start of the 4×4 board is
//! `..../.WB./.BW./.... B`. A move is a square, with a letter for its column and a number for its
//! row counted from the top, such as `b1`, or `pass`.
//!
//! Positions are in one class if a rotation or reflection of the board turns them into each other,
//! with or without a swap of the colours and of the side to move. In the canonical position, Black
//! is to move.

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
