//! The file that holds the solved scores: format, writer, reader, verifier.
//!
//! `docs/table-format.md` describes the format byte by byte. [`write_table`] writes a [`Solution`]
//! to a file, and [`TableWriter`] does so while the game is being solved; [`TableFile`] is an open
//! file of any game; [`Table`] is one together with its game, and answers probes; [`verify`] proves
//! that a table's scores are right.
//!
//! [`Solution`]: crate::game::Solution

mod bits;
mod cache;
mod cells;
mod choose;
mod codec;
mod context;
mod error;
mod file;
mod format;
mod growing;
mod keyed;
mod log;
mod metadata;
mod models;
mod numbering;
mod plan;
mod probe;
mod sample;
mod scan;
mod segment;
mod source;
mod target;
#[cfg(test)]
pub(crate) mod testing;
mod verify;
mod workspace;
mod writer;

pub use choose::LayerEntries;
pub use error::{ProbeError, TableError, VerifyError};
pub use file::{Access, LayerCount, LayerSize, Outcomes, Sections, TableFile};
pub use format::FORMAT_VERSION;
pub use metadata::{
    GroupRecord, KeyedLayout, LayerRecord, Layout, Metadata, RankedLayout, SegmentRecord,
};
pub use probe::{Entries, Table};
pub use sample::{Part, random_entry, verify_part};
pub use scan::Checksums;
pub(crate) use target::directory;
pub use verify::{Refutation, Verdict, verify};
pub use writer::{TableWriter, WriteOptions, Written, write_table};

/// Runs `work` on so many threads: a pool of its own, or for 0 the pool that the caller is in.
fn in_pool<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    if threads == 0 || threads == rayon::current_num_threads() {
        return work();
    }
    match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool.install(work),
        // Results don't depend on the number of threads, so any pool will do.
        Err(_) => work(),
    }
}
