//! Writing tables: to a file with checkpoints, or in memory.
//!
//! ```text
//! writer ─┬─► checkpoint ─► output
//!         └─► ranked, keyed ─► block_writer ─► output
//! ```

mod block_writer;
mod checkpoint;
#[cfg(test)]
mod crash_tests;
mod keyed;
mod options;
mod output;
mod ranked;
mod writer;

pub use checkpoint::check_place;
pub(crate) use checkpoint::{ScratchFolder, folder_beside, unsuitable};
#[cfg(feature = "cli")]
pub(crate) use checkpoint::{TargetPlace, clear_after, directory};
pub(crate) use keyed::SortedEntries;
pub use options::{WriteError, WriteOptions, Written};
pub use writer::{TableWriter, write_table, write_to_vec};
