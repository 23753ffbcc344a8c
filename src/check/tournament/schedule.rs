//! Options of a tournament, and the schedule of its games.

use std::path::PathBuf;
use std::time::Duration;

/// Options of a tournament.
#[derive(Clone, Debug)]
pub struct TournamentOptions {
    /// The name of each AI, all different.
    pub names: Vec<String>,
    /// For each AI, what identifies it in saved games: its command, with limits.
    pub commands: Vec<String>,
    /// The number of openings, at least 1.
    pub openings: usize,
    /// Seed of the openings.
    pub seed: u64,
    /// The number of games played in parallel, at least 1.
    pub jobs: usize,
    /// Whether to find exact scores; without them openings are random and moves have no regret.
    pub is_scored: bool,
    /// The oracle's time limit for each position; `None` means no limit.
    pub budget: Option<Duration>,
    /// Directory of finished games, which are not played again.
    pub save: Option<PathBuf>,
}

/// A game to be played: the indices of its opening and of the AIs on the first and second side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pairing {
    pub opening: usize,
    pub ais: [usize; 2],
}

/// Returns all games: with each opening, each pair of AIs plays both sides.
pub(super) fn schedule(openings: usize, ais: usize) -> Vec<Pairing> {
    let pairs = (0..ais).flat_map(|one| (one + 1..ais).map(move |other| [one, other]));
    let sides = pairs.flat_map(|[one, other]| [[one, other], [other, one]]);
    let sides: Vec<_> = sides.collect();
    let of = |opening| sides.iter().map(move |&ais| Pairing { opening, ais });
    (0..openings).flat_map(of).collect()
}
