//! Reading table files: the open file, its metadata, its blocks.

mod block;
mod cache;
mod checked;
mod error;
mod file;
mod index;
mod source;
mod summary;

pub use block::{Block, NOT_YET};
pub use cache::Cache;
pub use checked::CheckedFile;
pub use error::ReadError;
pub use file::{Access, TableFile};
pub use summary::{LayerSize, Outcomes};
