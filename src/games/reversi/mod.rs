//! Reversi on small boards, on bitboards.
//!
//! Black, written `B`, moves first. A disc is placed on an empty square. In at least one of the
//! eight directions, it must enclose an unbroken line of the opponent's discs between itself and
//! another disc of its own colour. All enclosed discs are flipped. A player who can't place a disc
//! passes, which is a move of its own, `pass`. The game is over when neither player can place a
//! disc. The score is the number of discs of the side to move minus the opponent's; empty squares
//! don't count.
//!
//! A position is written row by row from the top, with `/` between rows and `B`, `W` or `.` for
//! each square. After a space follows the side to move, `B` or `W`. The start of the 4×4 board is
//! `..../.WB./.BW./.... B`. A move is a square, with a letter for its column and a number for its
//! row counted from the top, such as `b1`, or `pass`.
//!
//! Two positions are in one class if a rotation or reflection of the board turns one into the
//! other, or into the other with the colours and the side to move swapped. In the canonical
//! position, Black is to move.

mod board;
mod misreadings;
mod notation;
mod rules;

pub use rules::{Board, Move, Position, Reversi, Start};

#[cfg(test)]
mod tests;
