//! The rules of the games.

pub mod eight;
pub mod kalah;
pub mod tictactoe;
