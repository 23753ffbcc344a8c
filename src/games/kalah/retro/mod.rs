//! The scores of all positions by retrograde analysis, row by row.
//!
//! First the reachable positions are found, from the most seeds downwards. Then they are solved,
//! from the fewest seeds upwards. A split's *larger side* (`rich` in the code) has at least as many
//! seeds as its *smaller side* (`poor`).
//!
//! The modules, from the bottom up:
//!
//! - `steps`: the effect of a move on each side by itself;
//! - `lines`: the positions that a row's moves lead to;
//! - `bits`: the reachable positions;
//! - `matrix`, made of `plane`, `packed` and `matrix_of_reached`: the codes, and those along a
//!   line;
//! - `reach`, `dense` and `sparse`: finding and solving positions;
//! - `splits`: sharing the work between threads;
//! - `together`: sharing the work between processes;
//! - `kept` and `store`: checkpoints and files;
//! - `memory`, `needs` and `forecast`: estimates of memory, disk space and time;
//! - `layers` and `layer`: the solved layers, and solving one more;
//! - [`solver`]: solving all layers.

mod bits;
pub(super) mod dense;
mod forecast;
mod kept;
mod layer;
pub(super) mod layers;
mod lines;
pub(super) mod matrix;
mod matrix_of_reached;
pub(super) mod memory;
mod needs;
mod packed;
pub(super) mod plane;
mod reach;
pub mod solver;
mod sparse;
mod splits;
pub(super) mod steps;
pub(super) mod store;
pub(super) mod together;

pub use solver::KalahSolver;
