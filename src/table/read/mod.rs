//! Reading table files: the open file, its metadata, its blocks.

mod block;
mod checked;
mod error;
mod file;
mod summary;

pub use block::{Block, Cache, NOT_YET};
pub use checked::CheckedFile;
pub use error::ReadError;
pub use file::{Access, TableFile};
pub use summary::{LayerSize, Outcomes};
