//! What came of a check.

mod build;
mod covered;
#[cfg(feature = "cli")]
pub mod html;
mod rows;
mod words;

pub(in crate::check) use build::build;
pub(in crate::check) use covered::Findings;
pub use rows::{Estimates, FaultGroup, FaultReport, MistakeReport, PartReport, Step};
pub use words::Figure;

use crate::check::again::AskedAgain;
use crate::check::judge::statistics::Mean;
use crate::check::judge::{FaultCounts, Mistakes, RulesSummary};
use crate::check::options::StoppedBy;
use serde::Serialize;

/// The answer to the question that was put.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// No mistake and no fault in what was asked.
    Perfect,
    /// At least one mistake, but no fault.
    Imperfect,
    /// At least one fault.
    Faulty,
    /// No mistake and no fault, but not everything was asked and settled: the time was up.
    Unfinished,
}

impl Verdict {
    /// Its name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Perfect => "perfect",
            Verdict::Imperfect => "imperfect",
            Verdict::Faulty => "faulty",
            Verdict::Unfinished => "unfinished",
        }
    }
}

/// A complete line that shows how a mistake is punished.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct LineReport {
    /// Whether it begins at the start of the game; else it begins at the mistake.
    pub from_start: bool,
    /// Whether a fresh copy of the AI made all of its moves again.
    pub confirmed: bool,
    /// The moves.
    pub steps: Vec<Step>,
    /// Which step is the mistake, counted from 0.
    pub mistake: usize,
    /// The side that the AI plays.
    pub side: String,
    /// The score that it could have got from the mistake's position on.
    pub target: i32,
    /// The score in the end.
    pub score: i32,
    /// Which of the worst mistakes it shows, counted from 0; nothing if none of them comes up in
    /// the AI's own play but this one does.
    pub of_worst: Option<usize>,
    /// Why it doesn't begin at the start of the game, as a sentence without its full stop; nothing
    /// if it does. Then all moves of the AI's side are the AI's own.
    pub why_not_from_start: Option<&'static str>,
    /// The number of questions that the AI was asked to find this line.
    pub questions: u64,
    /// The position in the end.
    pub end: String,
    /// The board in the end as an SVG element.
    #[serde(skip)]
    pub drawing: String,
}

/// All that came of a check. Serialises to the JSON that `check-ai --json` prints.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The answer.
    pub verdict: Verdict,
    /// `all` or `play`.
    pub scope: &'static str,
    /// `score` or `outcome`.
    pub criterion: &'static str,
    /// Positions asked, those about the rules not counted, and those that were not settled.
    pub asked: u64,
    /// Positions whose moves could not be weighed in the time that there was for it. They are in
    /// no other count.
    pub unresolved: u64,
    /// The seconds that there were for a position, if they were limited.
    pub budget: Option<f64>,
    /// Moves that no other move beats.
    pub best_moves: u64,
    /// Moves that keep the outcome.
    pub outcome_preserved: u64,
    /// The mean of what a move loses of the score under best play; nothing if no move was weighed.
    pub regret: Option<Mean>,
    /// Mistakes by what they cost.
    pub mistakes: Mistakes,
    /// Points lost by all moves together.
    pub total_regret: u64,
    /// Faults by kind, those in questions about the rules included.
    pub faults: FaultCounts,
    /// Moves that are not best and yet no mistakes, by the criterion and the scope.
    pub tolerated: u64,
    /// The worst mistakes, at most ten, worst first; those that are the same but for symmetry are
    /// there once.
    pub worst: Vec<MistakeReport>,
    /// The moves of a complete line that shows how a mistake is punished; empty if there is none.
    pub refutation: Vec<String>,
    /// The same line with all that goes with it.
    pub refutation_line: Option<LineReport>,
    /// Whether a fresh copy of the AI answers alike.
    pub asked_again: AskedAgain,
    /// The game's name.
    pub game: String,
    /// The game in plain words, for headings.
    #[serde(skip)]
    pub game_title: String,
    /// The game's rules and what its scores mean, in plain words: paragraphs with empty lines
    /// between them, those that are indented as they stand. Empty where nobody has put them in.
    #[serde(skip)]
    pub game_rules: String,
    /// Whether the game has pictures of positions; if not, its boards are drawn as text.
    #[cfg(feature = "cli")]
    #[serde(skip)]
    pub has_pictures: bool,
    /// The AI, as it was named to the checker.
    pub ai: String,
    /// What was asked, in a sentence.
    pub coverage: String,
    /// The number of classes that the oracle lists, where it can.
    pub classes: Option<u64>,
    /// The number of reachable positions, where that is known.
    pub positions: Option<u64>,
    /// What ended the check early, if anything did.
    pub stopped_by: Option<StoppedBy>,
    /// Where a sample was asked: estimates of the true rates, with 95% confidence.
    pub estimates: Option<Estimates>,
    /// Does it know the rules?
    pub rules: RulesSummary,
    /// The likely cause of the faults in a sentence without its full stop, if they have a pattern.
    pub likely_cause: Option<String>,
    /// The faults, equal ones together.
    pub fault_groups: Vec<FaultGroup>,
    /// The faults.
    pub fault_list: Vec<FaultReport>,
    /// What layers count: "seeds on the board".
    pub layer_name: &'static str,
    /// By layer of the game.
    #[serde(rename = "by_layer")]
    pub by_layer: Vec<PartReport>,
    /// By the side to move, those that were asked.
    pub by_side: Vec<PartReport>,
    /// By the plays that the positions come from, if they come from games.
    pub by_games: Vec<PartReport>,
    /// How long one copy of the AI took for a move on average, in seconds, the way to it and back
    /// included; nothing where no batch went without a fault.
    pub seconds_per_move: Option<f64>,
}

impl Report {
    /// The share of moves than which none is better, of those asked; 0 if nothing was asked.
    #[must_use]
    pub fn best_rate(&self) -> f64 {
        self.best_moves as f64 / self.asked.max(1) as f64
    }

    /// The share of moves that keep the outcome, of those asked; 0 if nothing was asked.
    #[must_use]
    pub fn preserved_rate(&self) -> f64 {
        self.outcome_preserved as f64 / self.asked.max(1) as f64
    }
}
