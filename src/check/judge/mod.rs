//! Evaluation of the AI's answers: grades, counts, tests of the rules.

pub(in crate::check) mod diagnosis;
mod grade;
pub(in crate::check) mod rules;
pub mod statistics;
pub(in crate::check) mod tally;

pub(in crate::check) use grade::{Judge, Judged, best_moves, in_time};
pub(in crate::check) use rules::RulesReport;
pub(in crate::check) use rules::TopicReport;
pub use rules::{RulesSummary, RulesVerdict};
pub(in crate::check) use tally::{Case, Origin, Tally, Way, Worst};
pub use tally::{FaultCounts, Mistakes};
pub(in crate::check) use tally::{LayerTally, Part};
