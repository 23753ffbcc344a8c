//! Options that several commands share.

pub mod ai;
mod cgroup;
pub mod game;
pub mod numbers;
pub mod resources;
