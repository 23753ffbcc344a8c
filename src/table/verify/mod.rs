//! Proving: of the bytes that they are undamaged, of the scores that they are right.
//!
//! ```text
//! proof ─┬─► sweep, reach ─┬─► judge
//!        │                 └─► view ─► held ─► tile, marks
//!        └─► plan (what is in memory when), share (processes), remember ─► shelf (a folder)
//! part, by_search ─► chosen
//! ```

mod by_search;
mod checksums;
mod error;
mod held;
mod judge;
mod layers;
mod marks;
mod options;
mod part;
mod plan;
mod proof;
mod reach;
mod remember;
mod share;
mod shelf;
mod state;
mod sweep;
#[cfg(test)]
mod tests;
pub(in crate::table) mod tile;
mod verdict;
pub(in crate::table) mod view;

#[cfg(feature = "cli")]
pub(crate) use super::write::folder::is_in_use as is_proof_in_use;
pub use by_search::{Disagreement, Searched, verify_by_search};
pub use checksums::Checksums;
pub use error::VerifyError;
pub use options::VerifyOptions;
pub use part::{Part, verify_part};
pub use proof::{verify, verify_together};
#[cfg(feature = "cli")]
pub(crate) use shelf::forget_proof;
pub use verdict::{Refutation, Verdict};
