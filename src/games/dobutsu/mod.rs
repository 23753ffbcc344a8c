//! Dōbutsu shōgi, "Let's catch the lion", on 3×4 squares.
//!
//! The lion moves one step in any direction, the giraffe orthogonally, the elephant diagonally and
//! the chick forward. A chick that moves to the last row becomes a hen, which moves orthogonally
//! and diagonally forward. A captured piece changes sides and goes to the hand, a hen as a chick.
//! Instead of moving, a player may drop a piece from the hand on any empty square; a chick that is
//! dropped on the last row remains a chick. A player wins by capturing the lion, or by a lion on
//! the last row that can't be captured at once. Endless play is a draw.
//!
//! So the side to move has lost if the other's lion has come home. It has won if it can capture
//! the lion, which is a win in one ply. The game stops at either; the capture isn't played.
//!
//! A position is written as its rows from the top, the pieces in hand and the side to move:
//! `gle/.c./.C./ELG - first`. Letters are lion, elephant, giraffe, chick and hen; the first
//! player's are upper-case. A move is a piece's way, `b3-b2`, or a drop, `C*b3`.
//!
//! Positions are in one class if a mirror or swapping the players turns them into each other.

mod misreadings;
mod notation;
mod rules;

pub use rules::Dobutsu;
use rules::{Move, Position};

#[cfg(test)]
mod tests;
