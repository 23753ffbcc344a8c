//! Writing tables: to a file with checkpoints, or in memory.
//!
//! ```text
//! writer ─┬─► checkpoint ─► output
//!         └─► ranked, keyed ─► job ─► output
//! ```

mod checkpoint;
#[cfg(test)]
mod crash_tests;
mod error;
mod job;
mod keyed;
mod options;
mod output;
mod ranked;
mod writer;

pub use checkpoint::check_place;
#[cfg(feature = "cli")]
pub(crate) use checkpoint::{Place, clear_after, directory};
pub(crate) use checkpoint::{ScratchFolder, folder_beside, unsuitable};
pub use error::WriteError;
pub use keyed::SortedEntries;
pub use options::{WriteOptions, Written};
pub use writer::{TableWriter, write_table, write_to_vec};
