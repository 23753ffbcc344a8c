//! Verifying tables: checks of the bytes, and proofs of the scores.
//!
//! ```text
//! proof ─┬─► pass ─► judge
//!        └─► state (checkpoints) ─► view (positions) ─► layers (in memory) ─► tile, keys, proof_dir
//!                                   groups (of layers) ─┘
//! sample ─► judge
//! ```

mod checksums;
mod groups;
pub(crate) mod judge;
mod keys;
mod layers;
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

pub use proof::{VerifyOptions, verify};
pub use sample::{Sample, verify_sample};
pub(crate) use sample::{ScoredEntry, for_each_batch};
pub use verdict::{Refutation, Verdict, VerifyError};
