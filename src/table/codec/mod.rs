//! Compression of blocks.
//!
//! Tiles of ranked tables are entropy-coded with contexts; runs of keys are deflated.
//!
//! ```text
//! keyed ─► deflate
//! tile ─┬─► cell ─► ans ─► model (contexts)
//!       └─► fit (counts) ─► walk ─► model
//! ```

mod ans;
mod cell;
pub mod deflate;
mod fit;
pub mod keyed;
mod model;
pub mod tile;
mod walk;

pub use cell::CellEncoder;
pub use fit::{Counts, pack};
pub use model::{MODEL_BYTES, Model, unpack};
pub use walk::middle;
