//! What people see: colours, progress, grids.

pub mod grid;
pub mod progress;
pub mod style;
