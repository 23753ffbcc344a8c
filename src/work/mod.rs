//! The ground that long work stands on: the folder in which it keeps what it has found.
//!
//! ```text
//! scratch (mapped) ─┬─► folder (pieces, lock) ─► disk (faults, in tests)
//! whoever keeps  ───┘
//! ```
//!
//! All that is written to a folder goes through `Folder::put`: a *piece* is complete, and
//! what was written, or it is not there.

pub(crate) mod disk;
mod error;
pub(crate) mod folder;
mod piece;
pub(crate) mod regular;
mod scratch;

pub use error::DiskError;
pub use piece::Piece;
pub use scratch::Scratch;
