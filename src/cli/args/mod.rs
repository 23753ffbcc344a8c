//! Options that several commands share, each once.

pub mod asking;
pub mod game;
pub mod numbers;
pub mod resources;
