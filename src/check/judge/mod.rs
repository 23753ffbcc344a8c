//! What answers are worth: each move weighed, all of them counted, the rules tested, a mistake
//! played out.

pub(in crate::check) mod diagnosis;
pub(in crate::check) mod refutation;
pub(in crate::check) mod rules;
pub mod statistics;
pub(in crate::check) mod tally;
mod times;
mod weigh;

pub(in crate::check) use refutation::PlayOut;
pub use refutation::{Line, WhyNot};
pub use rules::{RulesReport, RulesVerdict, Topic};
pub use tally::{Case, FaultCounts, LayerTally, Mistakes, Tally};
pub use times::Times;
pub use weigh::{Judge, Judged};
pub(in crate::check) use weigh::{Limit, best_moves, outcomes};
