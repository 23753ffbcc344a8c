//! The rules of the games, a file or a directory each. [`crate::any`] lists their families.

mod cells;
pub mod connect4;
pub mod dobutsu;
pub mod dots;
pub mod eight;
mod grid;
pub mod kalah;
pub mod lgame;
pub mod listed;
pub mod merels;
pub mod oware;
pub mod own;
mod pages;
pub mod reversi;
pub mod tictactoe;
mod transpositions;

pub use cells::Cell;
pub(crate) use cells::ones;

use crate::game::Notation;

/// Returns whether a game's rules are in this module, where they have tests and needn't be checked
/// again.
pub(crate) fn is_built_in<G: Notation>(game: &G) -> bool {
    let path = game.rules_type().strip_prefix(module_path!());
    path.is_some_and(|rest| rest.starts_with("::"))
}
