//! Files of long jobs: the working directory with checkpoints and scratch files.
//!
//! ```text
//! scratch (mapped) ─┬─► folder (checksums, lock) ─► disk (faults, in tests)
//! checkpoints ──────┤
//! saved searches ───┘
//! ```
//!
//! Checkpoints and scratch files are written by `Folder::put`: a file is complete and has the right
//! checksum, or it is not there.

pub(crate) mod disk;
pub(crate) mod folder;
pub(crate) mod regular;
mod saved;
mod scratch;

pub use disk::DiskError;
pub(crate) use saved::SavedSearch;
pub use scratch::Scratch;
pub(crate) use scratch::ScratchFile;
