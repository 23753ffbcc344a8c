//! The parts of a report.

use crate::check::contenders::Fault;
use crate::check::judge::statistics::{Estimate, Mean};
use crate::check::judge::{LayerTally, Part};
use crate::check::listing::ListedMistake;
use crate::text::count;
use serde::Serialize;

/// Entry for one of the worst mistakes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct MistakeReport {
    /// The mistake.
    #[serde(flatten)]
    pub mistake: ListedMistake,
    /// The number of equivalent mistakes among the positions asked, this one included.
    pub equivalent: u64,
    /// The board as text.
    #[serde(skip)]
    pub board: String,
    /// The board as an SVG element, with the moves marked.
    #[serde(skip)]
    pub drawing: String,
}

/// Entry for a fault.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct FaultReport {
    /// The position that caused it.
    pub position: String,
    /// The fault.
    #[serde(flatten)]
    pub fault: Fault,
}

/// Group of equal faults.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct FaultGroup {
    /// The first of the faults.
    #[serde(flatten)]
    pub fault: Fault,
    /// The number of faults.
    pub times: u64,
    /// The first positions that caused such faults, at most three.
    pub positions: Vec<String>,
}

impl FaultGroup {
    /// Says how often and where the faults occurred.
    ///
    /// Examples: "in X........", "4 times, as in X........, XO......., XOX......".
    #[must_use]
    pub fn times_and_places(&self) -> String {
        let places = self.positions.join(", ");
        match self.times {
            1 => format!("in {places}"),
            times if times > self.positions.len() as u64 => {
                format!("{} times, as in {places}", count(times))
            }
            times => format!("{times} times, in {places}"),
        }
    }
}

/// Move of a line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct Step {
    /// The side that moves.
    pub side: String,
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// The position before the move.
    pub position: String,
    /// The board before the move as an SVG element, with the move marked.
    #[serde(skip)]
    pub drawing: String,
}

/// Estimates of true rates from a sample.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct Estimates {
    /// The rate of best moves.
    pub best_moves: Estimate,
    /// The rate of moves that preserve the outcome.
    pub outcome_preserved: Estimate,
    /// The statistical methods, in words.
    pub method: &'static str,
    /// The population that the rates describe: "over all classes".
    #[serde(skip)]
    pub over: &'static str,
}

/// Counts of a part of the positions asked.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct PartReport {
    /// The property that the positions share.
    #[serde(flatten)]
    pub part: Part,
    /// The counts.
    #[serde(flatten)]
    pub tally: LayerTally,
    /// The average regret; `None` if no move was graded.
    pub regret: Option<Mean>,
}
