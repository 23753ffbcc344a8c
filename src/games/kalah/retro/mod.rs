//! The scores of all positions by retrograde analysis: which can be reached, from the most seeds
//! downwards, and what they score, from the fewest upwards; a row of positions at a time.
//!
//! From the bottom: `steps`, what a move does to each side by itself; `lines`, where a row of
//! positions goes by it; `bits`, `plane`, `packed`,
//! `matrix`, `matrix_of_reached` and `codes`, what is known of positions; `reach`, `dense`
//! and `sparse`, the work; `together`, how several processes share it; `kept`, `store`, `memory` and
//! `forecast`, what it keeps and takes; and [`sweep`], which does it all.

mod agreement;
mod bits;
mod by_all;
pub(super) mod codes;
pub(super) mod dense;
mod forecast;
mod kept;
mod layers;
pub(super) mod lines;
pub(super) mod matrix;
mod matrix_of_reached;
mod memory;
mod needs;
pub(super) mod packed;
pub(super) mod plane;
mod reach;
mod scores;
mod sparse;
pub(super) mod steps;
pub(super) mod store;
pub mod sweep;
mod together;

pub use sweep::KalahSweep;
