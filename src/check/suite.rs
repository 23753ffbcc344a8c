//! Suites: frozen sets of positions with the exact score of every legal move, and scorecards of AIs.
//!
//! A suite is part of the program, so no table is needed. `tools/suite` made it from tables and
//! searches. [`Coverage::Suite`](super::Coverage::Suite) checks an AI at one game of it, and a
//! [`Scorecard`] sums up the reports.

use super::judge::statistics::{Estimate, Mean, wilson};
use super::report::Report;
use crate::text::{count, hex};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The JSON of the only suite so far.
// A static, because a constant may be copied to where it is used.
pub static SUITE: &str = include_str!("../../data/suite-1.json");

/// Positions of several games.
#[derive(Debug, Deserialize)]
pub struct Suite {
    /// The version, which is its name.
    pub suite: String,
    /// The games, in the order of scorecards.
    pub games: Vec<SuiteGame>,
}

/// The positions of one game.
#[derive(Debug, Deserialize)]
pub struct SuiteGame {
    /// The name of the game's table.
    pub game: String,
    /// The game's rules string.
    pub rules: String,
    /// The positions of all splits.
    pub positions: Vec<ScoredMoves>,
}

/// A position with the score of every legal move.
#[derive(Debug, Deserialize)]
pub struct ScoredMoves {
    /// The position in the game's notation.
    pub position: String,
    /// The part of the suite: `train`, `validation` or `test`.
    pub split: String,
    /// The scores of the moves, seen from the side to move.
    pub moves: BTreeMap<String, i32>,
}

/// The names of the parts of a suite.
pub const SPLITS: [&str; 3] = ["train", "validation", "test"];

impl Suite {
    /// Returns the suite of a version.
    ///
    /// # Errors
    /// If there is none.
    pub fn of(version: &str) -> Result<&'static Suite, String> {
        static READ: LazyLock<Suite> =
            LazyLock::new(|| serde_json::from_str(SUITE).expect("a test reads it"));
        let suite = &*READ;
        match suite.suite == version {
            true => Ok(suite),
            false => Err(format!(
                "there is no suite \"{version}\", only suite {}",
                suite.suite
            )),
        }
    }
}

/// An AI's results at the games of a suite.
#[derive(Clone, Debug, Serialize)]
pub struct Scorecard {
    /// The version of the suite.
    pub suite: String,
    /// The SHA-256 of the suite's JSON.
    pub sha256: String,
    /// The part of the suite, one of [`SPLITS`].
    pub split: String,
    /// The AI, as the caller named it.
    pub ai: String,
    /// Whether the check ended early.
    pub is_cut: bool,
    /// The results at each game.
    pub games: Vec<Row>,
    /// The results at all games together.
    pub all: Row,
}

/// Results at one game, or at all. Rates and regret have 95% confidence intervals.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The game's name, or `all`.
    pub game: String,
    /// The number of positions asked.
    pub asked: u64,
    /// The rate of best moves. A fault is no best move.
    pub best_moves: Option<Estimate>,
    /// The rate of moves that preserve the outcome. A fault doesn't.
    pub outcome_preserved: Option<Estimate>,
    /// The average regret of legal answers as a share of the range of the game's scores.
    ///
    /// In games that count plies, scores are 1, 0 and -1.
    pub regret: Option<Mean>,
    /// The number of faults.
    pub faults: u64,
    #[serde(skip)]
    counts: [u64; 2],
}

impl Row {
    /// Names of the columns of a scorecard.
    pub const COLUMNS: [&str; 5] = [
        "positions",
        "best moves",
        "outcome preserved",
        "regret",
        "faults",
    ];

    /// Returns the results of a check at a game.
    #[must_use]
    pub fn of(game: &str, report: &Report) -> Row {
        let counts = [report.best_moves, report.outcome_preserved];
        let faults = report.faults.total();
        Row::new(game, report.asked, counts, faults, report.scaled_regret)
    }

    /// Returns the results of `asked` answers.
    ///
    /// `counts` are the numbers of best moves and of moves that preserve the outcome.
    #[must_use]
    pub fn new(game: &str, asked: u64, counts: [u64; 2], faults: u64, regret: Option<Mean>) -> Row {
        let [best_moves, outcome_preserved] =
            counts.map(|hits| (asked > 0).then(|| wilson(hits, asked)));
        Row {
            game: game.to_owned(),
            asked,
            best_moves,
            outcome_preserved,
            regret,
            faults,
            counts,
        }
    }

    /// Returns the sum of the rows.
    ///
    /// The interval of the regret is that of a stratified sample: the games' share of positions is fixed.
    fn total(rows: &[Row]) -> Row {
        let sum = |of: fn(&Row) -> u64| rows.iter().map(of).sum();
        let counts = [sum(|row| row.counts[0]), sum(|row| row.counts[1])];
        let graded = |row: &Row| row.asked.saturating_sub(row.faults) as f64;
        let all: f64 = rows.iter().map(graded).sum();
        let weighted = |of: &dyn Fn(&Mean) -> f64| -> f64 {
            let known = rows
                .iter()
                .filter_map(|row| Some((graded(row), row.regret?)));
            known.map(|(weight, mean)| of(&mean) * weight / all).sum()
        };
        let mean = weighted(&|mean| mean.mean);
        let squares = rows.iter().filter_map(|row| {
            let regret = row.regret?;
            Some(((regret.high? - regret.mean) * graded(row) / all).powi(2))
        });
        let half = squares.sum::<f64>().sqrt();
        let regret = Mean {
            mean,
            low: Some((mean - half).max(0.0)),
            high: Some(mean + half),
        };
        let (asked, faults) = (sum(|row| row.asked), sum(|row| row.faults));
        Row::new("all", asked, counts, faults, (all > 0.0).then_some(regret))
    }

    /// Returns whether all answers are best moves.
    #[must_use]
    pub fn is_perfect(&self) -> bool {
        self.counts[0] == self.asked
    }

    /// Returns the texts of the columns.
    #[must_use]
    pub fn cells(&self) -> [String; 5] {
        let percent = |rate: f64, low: Option<f64>, high: Option<f64>| {
            let interval = low
                .zip(high)
                .map(|(low, high)| format!(" ({:.1}–{:.1})", 100.0 * low, 100.0 * high));
            format!("{:.1}%{}", 100.0 * rate, interval.unwrap_or_default())
        };
        let rate = |of: Option<Estimate>| {
            of.map_or_else(String::new, |of| {
                percent(of.rate, Some(of.low), Some(of.high))
            })
        };
        let regret = self.regret.map(|of| percent(of.mean, of.low, of.high));
        [
            count(self.asked),
            rate(self.best_moves),
            rate(self.outcome_preserved),
            regret.unwrap_or_default(),
            count(self.faults),
        ]
    }
}

impl Scorecard {
    /// Sums up the results at games.
    #[must_use]
    pub fn new(suite: &str, split: &str, ai: &str, games: Vec<Row>, is_cut: bool) -> Scorecard {
        Scorecard {
            suite: suite.to_owned(),
            sha256: hex(Sha256::digest(SUITE)),
            split: split.to_owned(),
            ai: ai.to_owned(),
            is_cut,
            all: Row::total(&games),
            games,
        }
    }

    /// The meaning of the columns.
    pub const LEGEND: &str = "Percentages with 95% confidence intervals. A fault is neither a best \
        move nor preserves the outcome. Regret is the loss per legal answer, as a share of the range \
        of the game's scores, or of outcomes in games that count plies.";

    /// Returns a heading.
    #[must_use]
    pub fn title(&self) -> String {
        let part = if self.is_cut { ", unfinished" } else { "" };
        format!(
            "{} at suite {}, {} split{part}",
            self.ai, self.suite, self.split
        )
    }

    /// Returns all rows, the total last.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.games.iter().chain([&self.all])
    }
}
