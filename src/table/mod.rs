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
pub use format::{
    Damage, FORMAT_VERSION, GroupRecord, KeyedLayout, LayerRecord, Layout, Metadata, RankedLayout,
    SegmentRecord,
};
pub use read::{
    Access, FilePart, LayerCount, LayerSize, Mismatch, Outcomes, ProbeError, ReadError, Sections,
    TableFile,
};
pub use table::Table;
pub use verify::{Checksums, Part, Refutation, Verdict, VerifyError, verify, verify_part};
pub(crate) use write::directory;
pub use write::{Misfit, TableWriter, WriteError, WriteOptions, Written, write_table};
