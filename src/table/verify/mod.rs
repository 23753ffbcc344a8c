//! Proving: of the bytes that they are undamaged, of the scores that they are right.

mod by_search;
mod checksums;
mod error;
mod layered;
mod layers;
pub(in crate::table) mod numbering;
mod options;
mod part;
mod proof;
#[cfg(test)]
mod tests;
mod verdict;

pub use by_search::{Disagreement, Searched, verify_by_search};
pub use checksums::Checksums;
pub use error::VerifyError;
#[cfg(feature = "cli")]
pub(crate) use layered::{forget_proof, is_proof_in_use};
pub use options::VerifyOptions;
pub use part::{Part, verify_part};
pub use proof::{verify, verify_together, verify_with};
pub use verdict::{Refutation, Verdict};
