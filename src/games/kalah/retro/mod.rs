//! The scores of all positions by retrograde analysis: which can be reached, from the most seeds
//! downwards, and what they score, from the fewest upwards; a row of positions at a time.
//!
//! From the bottom: `steps`, what a move does to each side by itself; `lines`, where a row of
//! positions goes by it; `bits`, which positions can be reached; `matrix` and what it is made of
//! (`plane`, `packed`, `matrix_of_reached`), what they score, and `codes`, the scores along a line;
//! `reach`, `dense` and `sparse`, the work, and `splits`, how threads share it; `together`, how
//! processes do; `kept`, `store`, `memory` and `forecast`, what it keeps and takes; `layer`, all of
//! that for one layer; and [`sweep`], which does it for all.

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
mod sparse;
mod splits;
pub(super) mod steps;
pub(super) mod store;
pub mod sweep;
pub(super) mod together;

pub use sweep::KalahSweep;
