//! Verifying tables: checks of the bytes, and proofs of the scores.
//!
//! ```text
//! proof ─┬─► pass, walk ─► judge
//!        ├─► checkpoint ─► proof_dir (a directory)
//!        └─► state (layers in memory) ─► view, load (entries in memory) ─► tile
//! sample ─► judge
//! ```

mod checkpoint;
mod checksums;
pub(crate) mod judge;
mod load;
mod pass;
mod proof;
mod proof_dir;
mod sample;
mod state;
#[cfg(test)]
mod tests;
pub(in crate::table) mod tile;
mod verdict;
pub(in crate::table) mod view;
mod walk;

pub use proof::{VerifyOptions, verify};
pub use sample::{Sample, verify_sample};
pub(crate) use sample::{ScoredEntry, for_each_batch};
pub use verdict::{Refutation, Verdict, VerifyError};
