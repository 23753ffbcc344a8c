//! Verifying tables: checks of the bytes, and proofs of the scores.
//!
//! ```text
//! proof ─┬─► sweep, walk ─► judge
//!        ├─► plan (layers in memory), remember (checkpoints) ─► shelf (a directory)
//!        └─► view, load (entries in memory) ─► tile, marks
//! by_search ─► sample ─► judge
//! ```

mod by_search;
mod checksums;
mod error;
mod judge;
mod load;
mod marks;
mod options;
mod plan;
mod proof;
mod remember;
mod sample;
mod shelf;
mod state;
mod sweep;
#[cfg(test)]
mod tests;
pub(in crate::table) mod tile;
mod verdict;
pub(in crate::table) mod view;
mod walk;

pub use by_search::{Disagreement, Searched, verify_by_search};
pub use error::VerifyError;
pub use options::VerifyOptions;
pub use proof::verify;
pub use sample::{Sample, verify_sample};
pub use verdict::{Refutation, Verdict};
