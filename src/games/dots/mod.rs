//! Dots and Boxes on boards of up to 7 × 7 boxes and 60 lines.
//!
//! The players in turn draw a line between two neighbouring dots. Whoever draws the fourth line of
//! a box owns it and moves again. The score is the boxes of the side to move minus the opponent's.
//!
//! The score to come depends only on the lines that are drawn, so a class is a set of lines, up to
//! the symmetries of the board and the exchange of lines that border the same single box, such as
//! the two lines at a corner. In the canonical position the first player is to move, and nobody owns
//! a box yet.
//!
//! - `board` knows the lines, boxes and symmetries, `rules` plays.
//! - `layout` numbers the classes for tables, and `solver` computes all scores in one pass.
//! - `misreadings`: rules as players misunderstand them.
//! - `chains` finds what a player should take, and `search` finds the score of one position.

mod board;
mod chains;
mod family;
mod layout;
mod misreadings;
mod notation;
mod rules;
mod search;
mod solver;

use board::{Move, Position};
pub(crate) use family::DotsFamily;
pub use rules::Dots;

#[cfg(test)]
mod tests;
