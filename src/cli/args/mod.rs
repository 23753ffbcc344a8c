//! Options that several commands share.

pub mod ai;
pub mod game;
pub mod numbers;
pub mod resources;
