//! Games whose rules are a list: every position with its moves, and where each leads.
//!
//! That is what becomes of a game in another language. Whoever explores it hands over each position
//! as text ([`Builder`]), and [`solve`] finds the scores on the graph. The list is a file of its own
//! beside the table, `nim.bin.game` beside `nim.bin`; its digest is part of the rules string, so that
//! neither is taken for what belongs to the other.
//!
//! A table of such a game has keys: the numbers of the positions, in the order in which they were
//! found. Symmetries only the other language would know; so a list has every position, with its own
//! moves, and every position is a class of its own.
//!
//! If no side to move is named, the turn passes with every move, and a position whose mover is the
//! second player is written with ` second` at its end.

mod arrays;
mod build;
mod encode;
mod error;
mod family;
mod file;
mod graph;
mod notation;
mod rules;
mod solve;
#[cfg(test)]
mod tests;

pub use build::Builder;
pub use error::BuildError;
pub use family::ListedFamily;
pub use file::{FileError, NAME, beside};
pub use graph::Graph;
pub use rules::{Listed, Move, Position};
pub use solve::solve;
