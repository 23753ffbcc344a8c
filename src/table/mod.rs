//! Table files, which store solved scores: format, writer, reader, verifier.
//!
//! `docs/reference/table-format.md` describes the format byte by byte.
//!
//! - [`write_table`] writes a [`Solution`] to a file, [`TableWriter`] writes while the game is
//!   being solved, and [`write_to_vec`] returns the bytes.
//! - [`TableFile`] is an open file of any game. It gives no scores until [`Table::new`] has checked
//!   it against its game.
//! - [`Table`] is a table file with its game, and answers probes.
//! - [`verify`] proves that a table's scores are right.
//!
//! ```
//! use zermelo::game::{Game, NoProgress, SolveOptions};
//! use zermelo::games::tictactoe::TicTacToe;
//! use zermelo::solve::{Method, solve};
//! use zermelo::table::{Table, TableFile, WriteOptions, write_to_vec};
//!
//! let game = TicTacToe::default();
//! let solved = solve(&game, Method::Backward, SolveOptions::default(), &NoProgress)?;
//! let bytes = write_to_vec(&game, &solved.solution, WriteOptions::default(), &NoProgress)?;
//! let table = Table::new(TableFile::from_bytes(bytes)?, game)?;
//! assert_eq!(table.score(&table.game().start())?, 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The writer, the reader and the verifier share only `format` (the meaning of each byte) and
//! `codec` (compressed blocks):
//!
//! ```text
//! verify ─► table, entries, choose ─► read ─┬─► codec ─► format
//!    └────► write ──────────────────────────┘
//! ```
//!
//! [`Solution`]: crate::game::Solution

mod choose;
mod codec;
mod entries;
#[cfg(test)]
mod forged_tests;
mod format;
mod loaded;
mod read;
#[allow(clippy::module_inception)] // A table is a file with its game.
mod table;
mod verify;
mod write;

pub use choose::LayerEntries;
pub(crate) use choose::random_entries;
pub use format::{Difference, Sections};
pub(crate) use format::{FORMAT_VERSION, Layout};
pub(crate) use loaded::Loaded;
pub use read::{Access, CheckedFile, LayerSize, Outcomes, ReadError, TableFile};
pub use table::Table;
pub use verify::{Refutation, Sample, Verdict, VerifyError, VerifyOptions, verify, verify_sample};
pub(crate) use verify::{ScoredEntry, for_each_batch, judge};
pub(crate) use write::SortedEntries;
pub(crate) use write::{ScratchFolder, folder_beside, unsuitable};
pub use write::{
    TableWriter, WriteError, WriteOptions, Written, check_place, write_table, write_to_vec,
};
#[cfg(feature = "cli")]
pub(crate) use write::{TargetPlace, clear_after, directory};
