//! The scores of all positions by retrograde analysis, row by row.
//!
//! First the reachable positions are found, from the most seeds downwards. Then they are solved,
//! from the fewest seeds upwards. A split's *larger side* has at least as many seeds as
//! its *smaller side*.
//!
//! The modules, from the bottom up:
//!
//! - `moves`: the positions that a row's moves lead to;
//! - `bits`: the reachable positions, and their checkpoint;
//! - `storage` and `matrix`: the codes in memory and in files;
//! - `distributed`: sharing the work between threads and processes;
//! - `layers`: the solved layers;
//! - `reach`, `dense` and `sparse`: finding and solving positions;
//! - `resources`: estimates of memory, disk space and time;
//! - [`solver`]: solving all layers.

mod bits;
pub(super) mod dense;
pub(super) mod distributed;
pub(super) mod layers;
pub(super) mod matrix;
pub(super) mod moves;
mod reach;
mod resources;
pub mod solver;
mod sparse;
pub(super) mod storage;

pub use solver::KalahSolver;
