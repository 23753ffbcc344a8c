//! The parts of a report.

use crate::check::contenders::Fault;
use crate::check::judge::statistics::{Estimate, Mean};
use crate::check::judge::{LayerTally, Part};
use crate::check::listing::ListedMistake;
use crate::text::count;
use serde::Serialize;

/// One of the worst mistakes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct MistakeReport {
    /// The mistake.
    #[serde(flatten)]
    pub mistake: ListedMistake,
    /// The number of mistakes asked about that are the same but for symmetry, this one included.
    pub equivalent: u64,
    /// The board as text.
    #[serde(skip)]
    pub board: String,
    /// The board as an SVG element, with the moves marked.
    #[serde(skip)]
    pub drawing: String,
}

/// One fault.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct FaultReport {
    /// The position that caused it.
    pub position: String,
    /// What went wrong.
    #[serde(flatten)]
    pub fault: Fault,
}

/// Faults that are equal.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct FaultGroup {
    /// What went wrong, for the first time.
    #[serde(flatten)]
    pub fault: Fault,
    /// How many they are.
    pub times: u64,
    /// The first positions that caused them, at most three.
    pub positions: Vec<String>,
}

impl FaultGroup {
    /// How often, and where: "in X........", "4 times, as in X........, XO......., XOX......".
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

/// One move of a line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct Step {
    /// Whose move it is.
    pub side: String,
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// The position before it.
    pub position: String,
    /// The board before it as an SVG element, with the move marked.
    #[serde(skip)]
    pub drawing: String,
}

/// Estimates of the true rates, from a sample.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct Estimates {
    /// Of moves than which none is better.
    pub best_moves: Estimate,
    /// Of moves that keep the outcome.
    pub outcome_preserved: Estimate,
    /// How they were made.
    pub method: &'static str,
    /// What they are rates of: "over all classes".
    #[serde(skip)]
    pub over: &'static str,
}

/// The counts of a part of what was asked.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct PartReport {
    /// What the positions have in common.
    #[serde(flatten)]
    pub part: Part,
    /// What was counted.
    #[serde(flatten)]
    pub tally: LayerTally,
    /// The mean of what a move loses; nothing if there is none that was weighed.
    pub regret: Option<Mean>,
}
