//! Options of a check: the question, the positions, and the limits.

use crate::game::{Game, Misreading, Notation, Side};
use crate::text::display_as_serialized;
use serde::Serialize;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Question that a check answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Is the AI's move best in each position asked?
    #[default]
    All,
    /// Does the AI preserve the game's value in every line that can arise?
    Play,
}

display_as_serialized!(Scope, Criterion, Playouts);

/// Reason why a check ended before it had asked everything.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum StoppedBy {
    /// The AI had too many faults.
    Faults,
    /// The deadline passed.
    Time,
    /// The caller cancelled.
    Interrupt,
}

/// Criterion for a mistake.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Criterion {
    /// Any loss of score, also by a slower win or a quicker loss in games that count plies.
    Score,
    /// Only a loss of outcome, from a win to a draw or loss or from a draw to a loss.
    Outcome,
}

/// Kind of games from which positions are taken.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Playouts {
    /// The AI against itself.
    #[serde(rename = "self")]
    OwnPlay,
    /// Random moves on both sides.
    Random,
}

impl Playouts {
    /// All kinds of games.
    pub const ALL: [Playouts; 2] = [Playouts::OwnPlay, Playouts::Random];
}

/// Position from the caller's list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedPosition {
    /// The number of its line, counted from 1.
    pub line: u64,
    /// The position, in the game's notation.
    pub text: String,
}

/// Positions that are asked under [`Scope::All`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Coverage {
    /// Every reachable position. In endgame tables, which have no start, every canonical position.
    #[default]
    Every,
    /// Every canonical position. Needs an oracle that can list its positions.
    Canonical,
    /// Classes sampled at random with replacement, and a random member of each.
    ///
    /// Needs an oracle that can list its classes.
    Sample {
        /// The number of positions.
        count: u64,
        /// Seed of the random numbers; the same seed gives the same sample.
        seed: u64,
    },
    /// Positions from games, at most one per class, spread evenly over the layers.
    ///
    /// Works with any oracle.
    Playouts {
        /// The number of positions.
        count: u64,
        /// Seed of the random numbers.
        seed: u64,
        /// The kind of games; `None` takes half of the positions from each kind.
        kind: Option<Playouts>,
    },
    /// The caller's positions, in their order.
    Listed(Arc<[ListedPosition]>),
    /// The same, as a sample of all positions, and nothing else is asked.
    ///
    /// For oracles that know only the scores of these positions' moves.
    Suite(Arc<[ListedPosition]>),
}

/// How to check.
///
/// ```
/// use zermelo::check::{CheckOptions, Scope};
///
/// let options = CheckOptions { scope: Scope::Play, jobs: 4, ..CheckOptions::default() };
/// assert_eq!((options.jobs, options.max_faults), (4, 10));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckOptions {
    /// The question to answer.
    pub scope: Scope,
    /// The positions that are asked under [`Scope::All`].
    pub coverage: Coverage,
    /// The side that the AI plays under [`Scope::Play`]; `None` means both in turn.
    pub side: Option<Side>,
    /// Criterion for a mistake; `None` means [`Criterion::Outcome`] in games that count plies, and
    /// [`Criterion::Score`] in others.
    pub criterion: Option<Criterion>,
    /// The number of copies of the AI that run in parallel; 0 counts as 1.
    pub jobs: usize,
    /// The number of faults after which the check ends; 0 counts as 1.
    pub max_faults: usize,
    /// The memory for lists of positions, in bytes.
    pub memory: u64,
    /// The time at which to stop asking; the report covers the answers up to then.
    pub deadline: Option<Instant>,
    /// The oracle's time limit for grading one move; `None` means no limit.
    ///
    /// A move that can't be graded in time counts as unresolved and is left out of all rates.
    pub budget: Option<Duration>,
    /// Misunderstandings of the rules to compare besides the game's own.
    pub misreadings: Vec<SolvedMisreading>,
}

/// A misunderstanding of the rules of a game that is solved by them already.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SolvedMisreading {
    /// The end of a sentence that begins "It plays as if", without a full stop.
    pub sentence: String,
    /// The best moves in each position, all in the game's notation.
    pub best_moves: HashMap<String, Vec<String>>,
}

impl<G: Notation> Misreading<G> for SolvedMisreading {
    fn sentence(&self) -> String {
        self.sentence.clone()
    }

    fn best_moves(&self, game: &G, position: &G::Position) -> Option<Vec<G::Move>> {
        let best = self.best_moves.get(&game.format_position(position));
        let best = best.into_iter().flatten();
        Some(best.filter_map(|mv| game.parse_move(mv).ok()).collect())
    }
}

impl CheckOptions {
    /// Describes exactly which positions are asked.
    ///
    /// Two checks of a game whose descriptions are equal ask about the same positions, except for
    /// those that depend on the AI's own play.
    #[must_use]
    pub fn selection(&self) -> String {
        let side = self.side.map_or("both".to_owned(), |side| side.to_string());
        match (self.scope, &self.coverage) {
            (Scope::Play, _) => format!("lines of play, side {side}"),
            (Scope::All, Coverage::Every) => "every position".to_owned(),
            (Scope::All, Coverage::Canonical) => "every canonical position".to_owned(),
            (Scope::All, Coverage::Sample { count, seed }) => {
                format!("{count} positions, uniform, seed {seed}")
            }
            (Scope::All, Coverage::Playouts { count, seed, kind }) => {
                let kind = kind.map_or("mixture".to_owned(), |kind| kind.to_string());
                format!("{count} positions, {kind}, seed {seed}")
            }
            (Scope::All, Coverage::Listed(listed) | Coverage::Suite(listed)) => {
                let lines: String = listed.iter().map(|one| one.text.clone() + "\n").collect();
                let sum = crc32fast::hash(lines.as_bytes());
                format!("{} listed positions, checksum {sum:08x}", listed.len())
            }
        }
    }

    /// Returns the criterion for a mistake at a game.
    pub(super) fn criterion_at(&self, game: &impl Game) -> Criterion {
        self.criterion
            .unwrap_or(match game.score_range().counts_plies() {
                true => Criterion::Outcome,
                false => Criterion::Score,
            })
    }
}

impl Default for CheckOptions {
    fn default() -> Self {
        CheckOptions {
            scope: Scope::default(),
            coverage: Coverage::default(),
            side: None,
            criterion: None,
            jobs: 1,
            max_faults: 10,
            memory: 1 << 30,
            deadline: None,
            budget: None,
            misreadings: Vec::new(),
        }
    }
}
