//! Reading: an open file, what it says about itself, its blocks.

mod block;
mod cache;
mod checked;
mod error;
mod file;
#[cfg(unix)]
mod guard;
mod index;
mod segment;
mod source;
mod summary;

pub use block::{Block, DerivedTile, NOT_YET};
pub use cache::Cache;
pub use checked::CheckedFile;
pub use error::{FilePart, Mismatch, ProbeError, ReadError};
pub use file::{Access, TableFile};
#[cfg(unix)]
pub use guard::survive_cut_off_tables;
pub use summary::{LayerCount, LayerSize, Outcomes};

/// Nothing needs to be done on this system: a file that is mapped can't be cut off.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn survive_cut_off_tables() -> std::io::Result<()> {
    Ok(())
}
