//! Which question is put, and how.

use crate::game::Side;
use serde::Serialize;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Which question is put.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Scope {
    /// Is its move best in the positions that are asked?
    #[default]
    All,
    /// Does it keep the game's value in every line that can arise?
    Play,
}

impl Scope {
    /// Its name in JSON and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Scope::All => "all",
            Scope::Play => "play",
        }
    }
}

/// Why not everything was asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum StoppedBy {
    /// There were too many faults.
    Faults,
    /// The time was up.
    Time,
    /// Whoever started it wanted it to stop.
    Interrupt,
}

/// What counts as a mistake.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Criterion {
    /// Any loss of score.
    #[default]
    Score,
    /// Only what turns a win into a draw or loss, or a draw into a loss.
    Outcome,
}

impl Criterion {
    /// Its name in JSON and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Criterion::Score => "score",
            Criterion::Outcome => "outcome",
        }
    }
}

/// Playouts of a game in which positions come up.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Playouts {
    /// The AI against itself.
    #[serde(rename = "self")]
    OwnPlay,
    /// Any moves on both sides.
    Random,
}

impl Playouts {
    /// All of them.
    pub const ALL: [Playouts; 2] = [Playouts::OwnPlay, Playouts::Random];

    /// Its name in JSON and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Playouts::OwnPlay => "self",
            Playouts::Random => "random",
        }
    }
}

/// A position that somebody lists.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedPosition {
    /// The line that it stands in, counted from 1.
    pub line: u64,
    /// The position, in the game's notation.
    pub text: String,
}

/// For [`Scope::All`]: which positions are asked.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Coverage {
    /// Every reachable position; in endgame tables, which have no start, every canonical one.
    #[default]
    Every,
    /// Every canonical position. Needs an oracle that can list them.
    Canonical,
    /// Classes at random, with replacement, and of each a position at random that is the same but
    /// for symmetry. Needs an oracle that can list its classes.
    Sample {
        /// The number of positions.
        count: u64,
        /// Where the random numbers start; the same seed draws the same positions.
        seed: u64,
    },
    /// Positions that come up in plays, no class twice, evenly over the layers of the game. Can be
    /// asked with any oracle.
    Playouts {
        /// The number of positions.
        count: u64,
        /// Where the random numbers start.
        seed: u64,
        /// The plays; nothing: half of the positions from each of them.
        plays: Option<Playouts>,
    },
    /// These, in their order.
    Listed(Arc<[ListedPosition]>),
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
    /// The question.
    pub scope: Scope,
    /// For [`Scope::All`]: which positions are asked.
    pub coverage: Coverage,
    /// For [`Scope::Play`]: which side the AI plays; nothing: both, one after the other.
    pub side: Option<Side>,
    /// What counts as a mistake.
    pub criterion: Criterion,
    /// The number of AIs that are asked side by side, at least 1.
    pub jobs: usize,
    /// The number of faults that ends the check, at least 1.
    pub max_faults: usize,
    /// The bytes that lists of positions may take.
    pub memory: u64,
    /// When to stop asking. What was answered until then is reported.
    pub deadline: Option<Instant>,
    /// How long the oracle may take to weigh one move. What it can't settle in this time is counted
    /// and stays out of all rates. Nothing: as long as it needs.
    pub budget: Option<Duration>,
}

impl Default for CheckOptions {
    fn default() -> Self {
        CheckOptions {
            scope: Scope::default(),
            coverage: Coverage::default(),
            side: None,
            criterion: Criterion::default(),
            jobs: 1,
            max_faults: 10,
            memory: 1 << 30,
            deadline: None,
            budget: None,
        }
    }
}
