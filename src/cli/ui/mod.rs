//! Output for people: colours, progress, grids.

pub mod grid;
pub mod progress;
pub mod style;
