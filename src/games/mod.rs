//! The rules of the games, one directory each. [`crate::any`] lists their families.

mod cells;
pub mod connect4;
pub mod eight;
pub mod kalah;
pub mod listed;
pub mod own;
mod pages;
pub mod reversi;
pub mod tictactoe;
mod transpositions;

use crate::game::Notation;
use std::any::TypeId;

/// Whether a game is one of the library's, whose rules have tests and needn't be checked again.
pub(crate) fn is_built_in<G: Notation>(game: &G) -> bool {
    [
        TypeId::of::<connect4::Connect4>(),
        TypeId::of::<eight::Eight>(),
        TypeId::of::<kalah::Kalah>(),
        TypeId::of::<listed::Listed>(),
        TypeId::of::<reversi::Reversi>(),
        TypeId::of::<tictactoe::TicTacToe>(),
    ]
    .contains(&game.rules_type())
}
