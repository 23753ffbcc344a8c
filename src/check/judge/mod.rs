//! Evaluation of the AI's answers: grades, counts, causes of faults.

pub(in crate::check) mod diagnosis;
pub(in crate::check) mod forced;
mod grade;
pub mod statistics;
pub(in crate::check) mod tally;

pub(in crate::check) use grade::{Judge, Judged, best_moves, in_time};
pub(in crate::check) use tally::{Case, Origin, Tally, Way, Worst};
pub use tally::{FaultCounts, Mistakes};
pub(in crate::check) use tally::{LayerTally, MOST_MISTAKEN, Part};
