//! The rules of the games, a folder each. Their families are listed in [`crate::any`].

pub mod connect4;
pub mod eight;
pub mod kalah;
pub mod listed;
pub mod reversi;
pub mod tictactoe;
mod words;
