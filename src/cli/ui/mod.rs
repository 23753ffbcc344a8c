//! What people see: colours, numbers, progress, grids.

pub mod grid;
pub mod numbers;
pub mod progress;
pub mod style;
