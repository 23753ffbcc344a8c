//! Options that several commands share.

pub mod ai;
pub mod asking;
pub mod game;
pub mod numbers;
pub mod resources;
