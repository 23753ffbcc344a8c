//! The file that holds the solved scores: format, writer, reader, verifier.
//!
//! `docs/table-format.md` describes the format byte by byte. [`write_table`] writes a [`Solution`]
//! to a file, and [`TableWriter`] does so while the game is being solved; [`TableFile`] is an open
//! file of any game; [`Table`] is one together with its game, and answers probes; [`verify`] proves
//! that a table's scores are right.
//!
//! [`Solution`]: crate::game::Solution

mod bits;
mod choose;
mod codec;
mod entries;
mod error;
mod format;
mod pool;
mod read;
#[allow(clippy::module_inception)] // A table is a file with its game.
mod table;
#[cfg(test)]
pub(crate) mod testing;
mod verify;
mod write;

pub use choose::{LayerEntries, random_entry};
pub use entries::Entries;
pub use error::{ProbeError, TableError, VerifyError};
pub use format::{
    FORMAT_VERSION, GroupRecord, KeyedLayout, LayerRecord, Layout, Metadata, RankedLayout,
    SegmentRecord,
};
pub use read::{Access, LayerCount, LayerSize, Outcomes, Sections, TableFile};
pub use table::Table;
pub use verify::{Checksums, Part, Refutation, Verdict, verify, verify_part};
pub(crate) use write::directory;
pub use write::{TableWriter, WriteOptions, Written, write_table};
