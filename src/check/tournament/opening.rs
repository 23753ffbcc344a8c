//! Options of a tournament, its openings, and the schedule of its games.
//!
//! Openings are positions near the start from which neither side should win.

use crate::check::error::CheckError;
use crate::check::judge::in_time;
use crate::game::{Notation, Progress};
use crate::oracle::Oracle;
use crate::random::Random;
use rustc_hash::FxHashSet;
use serde::Serialize;
use std::path::PathBuf;
use std::time::Duration;

/// Opening of a tournament.
#[derive(Clone, Debug, Serialize)]
pub struct Opening {
    /// The moves from the start.
    pub moves: Vec<String>,
    /// The position after them.
    pub position: String,
    /// Its exact score, seen from the first player, if known.
    pub score: Option<i32>,
}

/// Opening with its positions, from the start to the one in which the AIs take over.
pub(super) struct OpeningLine<G: Notation> {
    pub moves: Vec<G::Move>,
    pub positions: Vec<G::Position>,
    score: Option<i32>,
}

impl<G: Notation> OpeningLine<G> {
    /// Returns the position in which the AIs take over.
    fn end(&self) -> &G::Position {
        &self.positions[self.moves.len()]
    }

    pub fn report(&self, game: &G) -> Opening {
        let side = game.side_to_move(self.end());
        Opening {
            moves: self.moves.iter().map(|&mv| game.format_move(mv)).collect(),
            position: game.format_position(self.end()),
            score: self.score.map(|score| side.seen(score)),
        }
    }
}

/// The number of candidates for each opening: with a table, which answers at once, and by search.
const CANDIDATES: [usize; 2] = [64, 8];

/// The number of lines in a row without a new position after which there are no more candidates.
const STALE: usize = 200;

/// The number of unresolved candidates after which no more scores are looked for.
const UNRESOLVED: usize = 3;

/// The share of a random game that is an opening, at most: one part in this number.
const OPENING_PART: usize = 3;

/// The longest random game that openings are taken from, in moves.
const LONGEST_GAME: usize = 200;

/// Chooses openings by a seed: the start and beginnings of random games, nearest to a draw first.
///
/// There are fewer than wanted if the game has too few positions.
pub(super) fn choose<G: Notation>(
    oracle: &dyn Oracle<G>,
    options: &TournamentOptions,
    progress: &dyn Progress,
) -> Result<Vec<OpeningLine<G>>, CheckError> {
    let (game, mut random) = (oracle.game(), Random::new(options.seed));
    let candidates = CANDIDATES[usize::from(oracle.inventory().is_none())];
    let most = candidates * options.openings;
    progress.phase("choosing openings", "candidates", most as u64);
    let (mut found, mut known): (Vec<OpeningLine<G>>, _) = (Vec::new(), FxHashSet::default());
    let (mut stale, mut draws, mut unresolved) = (0, 0, 0);
    while found.len() < most && stale < STALE && draws < options.openings {
        let mut line = match known.is_empty() {
            true => random_line(game, &mut random, 0),
            false => random_line(game, &mut random, LONGEST_GAME),
        };
        stale += 1;
        if !known.insert(game.key(&game.canonical(line.end()))) {
            continue;
        }
        stale = 0;
        if options.is_scored && unresolved < UNRESOLVED {
            let score = |oracle: &dyn Oracle<G>| oracle.score(line.end());
            line.score = in_time(oracle, options.budget, progress, score)?;
            unresolved += usize::from(line.score.is_none());
        }
        draws += usize::from(line.score == Some(0));
        found.push(line);
        progress.advance(1);
    }
    // The order of equals remains, so the start comes first if it is a draw.
    found.sort_by_key(|line| line.score.map_or(i32::MAX, i32::abs));
    found.truncate(options.openings);
    Ok(found)
}

/// Returns the beginning of a random game of at most `longest` moves.
fn random_line<G: Notation>(game: &G, random: &mut Random, longest: usize) -> OpeningLine<G> {
    let (mut moves, mut positions) = (Vec::new(), vec![game.start()]);
    let mut seen: FxHashSet<G::Position> = FxHashSet::default();
    while moves.len() < longest
        && let Some(position) = positions.last()
        && game.final_score(position).is_none()
        && seen.insert(position.clone())
    {
        let legal = game.legal_moves(position);
        let mv = legal[random.index(legal.len())];
        positions.push(game.play(position, mv));
        moves.push(mv);
    }
    let length = random.index(moves.len() / OPENING_PART + 1);
    moves.truncate(length);
    positions.truncate(length + 1);
    OpeningLine {
        moves,
        positions,
        score: None,
    }
}

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
