//! Games given as explicit graphs: every position with its moves and their targets.
//!
//! This is how games in other languages are solved. The caller explores the game and adds each
//! position as text ([`Builder`]), and [`solve`] finds the scores on the graph. If positions can
//! repeat, the retrograde solver of all games finds them. The graph is a file of its own beside the
//! table, `nim.bin.game` beside `nim.bin`. Its digest is part of the rules string, so that a table is
//! never used with another game's graph.
//!
//! The keys in a table of such a game are the numbers of the positions. Zermelo doesn't know the
//! game's symmetries, so every position is a class of its own.
//!
//! If the side to move is not given, the turn passes with every move, and a position's text stands for
//! the side that gets there on a shortest way. With ` first` or ` second` at its end it stands for
//! that side.

mod build;
mod file;
mod graph;
mod look;
mod rules;
mod solve;
#[cfg(test)]
mod tests;

pub use build::Builder;
pub(crate) use file::NAME;
pub use file::beside;
pub use graph::{BuildError, Graph};
pub use look::Squares;
pub use rules::Listed;
pub(crate) use rules::{ListedFamily, Misreadings};
pub use solve::solve;
