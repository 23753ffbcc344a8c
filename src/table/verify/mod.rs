//! Verifying tables: checks of the bytes, and proofs of the scores.
//!
//! ```text
//! proof ─┬─► pass, walk ─► judge
//!        ├─► checkpoint ─► proof_dir (a directory)
//!        └─► state (layers in memory) ─► view, load (entries in memory) ─► tile
//! by_search ─► sample ─► judge
//! ```

mod by_search;
mod checkpoint;
mod checksums;
mod judge;
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

pub use by_search::{Disagreement, Searched, verify_by_search};
pub use proof::{VerifyOptions, verify};
pub use sample::{Sample, verify_sample};
pub use verdict::{Refutation, Verdict, VerifyError};
