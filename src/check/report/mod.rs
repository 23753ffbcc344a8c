//! Report of a check.

mod build;
#[cfg(feature = "cli")]
pub mod html;
mod words;

pub(in crate::check) use build::{Findings, build};

use crate::check::contenders::Fault;
use crate::check::hypotheses::Diagnosis;
use crate::check::judge::statistics::{Estimate, Mean};
use crate::check::judge::{FaultCounts, LayerTally, Mistakes, Part};
use crate::check::listing::ListedMistake;
use crate::check::options::{Criterion, Scope, StoppedBy};
use crate::check::recheck::AskedAgain;
use crate::text::{count, display_as_serialized};
use serde::Serialize;

/// Result of a check in one word.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// No mistake and no fault in the positions asked.
    Perfect,
    /// At least one mistake, but no fault.
    Imperfect,
    /// At least one fault.
    Faulty,
    /// No mistake and no fault, but the check ended early or left positions unresolved.
    Unfinished,
}

display_as_serialized!(Verdict);

/// Entry for one of the worst mistakes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct MistakeReport {
    /// The mistake, as in a complete list.
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
    /// The answer that is no legal move, and why.
    #[serde(flatten)]
    pub fault: Fault,
}

/// Group of equal faults.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct FaultGroup {
    /// The first of the faults.
    #[serde(flatten)]
    pub fault: Fault,
    /// The number of faults.
    pub times: u64,
    /// The first positions that caused such faults, at most three.
    pub positions: Vec<String>,
}

impl FaultGroup {
    /// Describes how often and where the faults occurred.
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
    /// The move in the game's notation.
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
pub(crate) struct PartReport {
    /// The property that the positions share.
    #[serde(flatten)]
    pub(crate) part: Part,
    /// Counts of the answers in this layer.
    #[serde(flatten)]
    pub(in crate::check) tally: LayerTally,
    /// The average regret; `None` if no move was graded.
    pub regret: Option<Mean>,
    /// The number of decimals of points ([`Report::decimals`]).
    #[serde(skip)]
    pub decimals: Option<u32>,
}

/// Complete line that shows how a mistake is punished.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct LineReport {
    /// Whether the line begins at the start of the game rather than at the mistake.
    pub from_start: bool,
    /// Whether a fresh copy of the AI repeated all of its moves.
    pub confirmed: bool,
    /// Moves of both sides in order, from the beginning of the line.
    pub steps: Vec<Step>,
    /// The index of the step that is the mistake, from 0.
    pub mistake: usize,
    /// The side that the AI plays.
    pub side: String,
    /// The score that the AI could have had from the mistake's position on.
    pub target: i32,
    /// The final score, seen from the AI's side like `target`.
    ///
    /// If scores count plies, the plies are those from the mistake on, as in `target`.
    pub score: i32,
    /// The number of moves after which the final position came up before, if it did.
    ///
    /// The game is then drawn.
    pub repeats: Option<usize>,
    /// Whether the scores count plies.
    #[serde(skip)]
    pub counts_plies: bool,
    /// The number of decimals of points ([`InWords::decimals`](crate::game::InWords)).
    #[serde(skip)]
    pub decimals: Option<u32>,
    /// The index of the mistake among the worst ones, from 0.
    ///
    /// `None` if no listed mistake comes up in the AI's own play, but this one does.
    pub of_worst: Option<usize>,
    /// The reason why the line doesn't begin at the start, without a full stop.
    ///
    /// `None` if it does. Then all moves of the AI's side are the AI's own.
    pub why_not_from_start: Option<&'static str>,
    /// The number of questions that the AI was asked to find this line.
    pub questions: u64,
    /// The final position.
    pub end: String,
    /// The final board as an SVG element.
    #[serde(skip)]
    pub drawing: String,
}

/// Comparison with an earlier check of the same positions.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Comparison {
    /// The number of positions in which there was a mistake and is neither a mistake nor a fault.
    pub fixed: u64,
    /// The number of positions in which there is a mistake and was neither a mistake nor a fault.
    pub new: u64,
    /// The first of the new mistakes.
    pub first_new: Option<ListedMistake>,
    /// The number of faults in positions in which there was none.
    pub new_faults: u64,
}

impl Comparison {
    /// Returns whether there is a new mistake or a new fault.
    #[must_use]
    pub fn is_worse(&self) -> bool {
        self.new + self.new_faults > 0
    }
}

/// Report of a check, with all of its results.
///
/// Serialises to the JSON that `check-ai --json` prints.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Report {
    /// Result of the check in one word.
    pub verdict: Verdict,
    /// `all` or `play`.
    pub scope: Scope,
    /// `score` or `outcome`.
    pub criterion: Criterion,
    /// Whether scores count plies, so that regret is in plies instead of points.
    pub counts_plies: bool,
    /// The number of decimals of points, of whose last all scores and regrets are multiples.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decimals: Option<u32>,
    /// The number of positions asked.
    ///
    /// Questions about the rules and unresolved positions don't count.
    pub asked: u64,
    /// The number of positions whose moves could not be graded in time.
    ///
    /// They are in no other count.
    pub unresolved: u64,
    /// The oracle's time limit for a position in seconds, if there was one.
    pub budget: Option<f64>,
    /// The number of best moves.
    pub best_moves: u64,
    /// The number of moves that preserve the outcome.
    pub outcome_preserved: u64,
    /// The average regret per move against best play; `None` if no move counts.
    ///
    /// If scores count plies, only moves that preserve a win or a loss count.
    pub regret: Option<Mean>,
    /// The regret as a share of the range of the game's scores; of outcomes, if scores count plies.
    pub scaled_regret: Option<Mean>,
    /// Mistakes by their cost.
    pub mistakes: Mistakes,
    /// The total regret of all moves against their target scores.
    pub total_regret: u64,
    /// Faults by kind, including those in questions about the rules.
    pub faults: FaultCounts,
    /// The number of tolerated moves: not best, but no mistakes in this check.
    pub tolerated: u64,
    /// Up to ten of the worst mistakes, worst first; equivalent ones appear once.
    pub worst: Vec<MistakeReport>,
    /// The moves of the line in `refutation_line`; empty if there is none.
    pub refutation: Vec<String>,
    /// A complete line that shows how a mistake is punished.
    pub refutation_line: Option<LineReport>,
    /// The answers of a fresh copy of the AI that was asked again.
    pub asked_again: AskedAgain,
    /// The game's name.
    pub game: String,
    /// The game in plain words, for headings.
    #[serde(skip)]
    pub game_title: String,
    /// The game's rules and the meaning of its scores, in plain words.
    ///
    /// Empty lines separate the paragraphs; an indented paragraph is shown as it stands. Empty
    /// unless the caller fills it in.
    #[serde(skip)]
    pub game_rules: String,
    /// Whether the game has pictures of positions; if not, boards are shown as text.
    #[cfg(feature = "cli")]
    #[serde(skip)]
    pub has_pictures: bool,
    /// The AI, as the caller named it; empty unless the caller fills it in.
    pub ai: String,
    /// The positions asked, in a phrase.
    pub coverage: String,
    /// The options that select the positions
    /// ([`CheckOptions::selection`](crate::check::CheckOptions::selection)).
    pub selection: String,
    /// The number of classes that the oracle lists, if it can.
    pub classes: Option<u64>,
    /// The number of reachable positions, if it is known.
    pub positions: Option<u64>,
    /// The cause of an early end of the check, if there was one.
    pub stopped_by: Option<StoppedBy>,
    /// Estimates of the true rates with 95% confidence, if a sample was asked.
    pub estimates: Option<Estimates>,
    /// The comparison with an earlier check; `None` unless the caller fills it in.
    pub baseline: Option<Comparison>,
    /// Explanation of the AI's moves by those of players who have a known error.
    pub diagnosis: Diagnosis,
    /// The likely cause of the faults, if any, in a sentence without a full stop.
    pub likely_cause: Option<String>,
    /// The faults in groups of equal ones.
    pub(crate) fault_groups: Vec<FaultGroup>,
    /// All faults, one by one.
    pub fault_list: Vec<FaultReport>,
    /// The unit that numbers the layers: "seeds on the board".
    pub layer_name: &'static str,
    /// Counts by layer of the game.
    pub(crate) by_layer: Vec<PartReport>,
    /// Counts by the side to move.
    pub(crate) by_side: Vec<PartReport>,
    /// Counts by kind of games, if the positions come from games.
    pub(crate) by_games: Vec<PartReport>,
    /// The average time per move of one copy of the AI, in seconds.
    ///
    /// Communication is included. Only batches without a fault count; `None` if there are none.
    pub seconds_per_move: Option<f64>,
    /// The positions of all mistakes in the order asked; `None` if there are more than 100,000.
    pub mistake_positions: Option<Vec<String>>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::FaultKind;

    #[test]
    fn groups_of_faults_name_three_positions() {
        let mut group = FaultGroup {
            fault: Fault::new(FaultKind::Illegal, ""),
            times: 3,
            positions: ["a", "b", "c"].map(str::to_owned).to_vec(),
        };
        assert_eq!(group.times_and_places(), "3 times, in a, b, c");
        group.times = 10;
        assert_eq!(group.times_and_places(), "10 times, as in a, b, c");
    }
}
