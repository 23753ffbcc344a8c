//! Compression of blocks.
//!
//! Tiles of ranked tables are entropy-coded with contexts; runs of keys are deflated.
//!
//! ```text
//! keyed ─► deflate
//! tile ─┬─► encode ─┐
//!       ├─► decode ─┴─► ans ─► model ─► context
//!       └─► fit (counts) ─► walk, model
//! ```

mod ans;
mod context;
mod decode;
pub mod deflate;
mod encode;
mod fit;
pub mod keyed;
mod model;
pub mod tile;
mod walk;

pub use encode::CellEncoder;
pub use fit::{Counts, pack};
pub use model::{MODEL_BYTES, Model, unpack};
pub use walk::middle;
