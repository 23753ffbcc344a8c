//! The rules of the games, one directory each. [`crate::any`] lists their families.

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
mod pieces;
pub mod reversi;
pub mod tictactoe;
mod transpositions;

pub(crate) use cells::ones;

use crate::game::Notation;
use std::any::TypeId;

/// Whether a game is one of the library's, whose rules have tests and needn't be checked again.
pub(crate) fn is_built_in<G: Notation>(game: &G) -> bool {
    [
        TypeId::of::<connect4::Connect4>(),
        TypeId::of::<dobutsu::Dobutsu>(),
        TypeId::of::<dots::Dots>(),
        TypeId::of::<eight::Eight>(),
        TypeId::of::<kalah::Kalah>(),
        TypeId::of::<lgame::LGame>(),
        TypeId::of::<listed::Listed>(),
        TypeId::of::<merels::Merels>(),
        TypeId::of::<oware::Oware>(),
        TypeId::of::<reversi::Reversi>(),
        TypeId::of::<tictactoe::TicTacToe>(),
    ]
    .contains(&game.rules_type())
}
