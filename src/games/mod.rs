//! The rules of the games, a folder each. Their families are listed in [`crate::any`].

pub mod connect4;
pub mod eight;
pub mod kalah;
pub mod listed;
pub mod own;
pub mod reversi;
pub mod tictactoe;
mod words;

use std::any::TypeId;

/// Whether a type is one of the library's games, whose rules its tests check.
pub(crate) fn is_tested<G: 'static>() -> bool {
    [
        TypeId::of::<connect4::Connect4>(),
        TypeId::of::<eight::Eight>(),
        TypeId::of::<kalah::Kalah>(),
        TypeId::of::<listed::Listed>(),
        TypeId::of::<reversi::Reversi>(),
        TypeId::of::<tictactoe::TicTacToe>(),
    ]
    .contains(&TypeId::of::<G>())
}
