//! The game traits, on which solvers, tables and commands are built.
//!
//! A [`Game`] is a finite two-player zero-sum game of perfect information. The value that implements
//! it (`Kalah`, `TicTacToe`, …) contains only the parameters of the rules; positions are plain
//! values. In most games no position can repeat; in others, endless play is a draw
//! ([`Game::endless`]).
//!
//! # Vocabulary
//!
//! * **position** — a state of the game, including the side to move. The sides need not alternate.
//! * **score** — the exact result under best play, seen from the side to move.
//! * **outcome** — win, draw or loss: the sign of the score.
//! * **class** — positions that are equivalent by symmetry (and up to points already won, which the
//!   code calls *banked*); one of them is the class's **canonical position**.
//!
//! # How the scores of positions and classes are connected
//!
//! Tables have one score for each reachable class of unfinished positions. For an unfinished
//! position `p`,
//!
//! ```text
//! score(p) = banked(p) + score(canonical(p))        with banked(canonical(p)) = 0
//! score(p) = max over moves:  score(child)  where the same side moves again
//!                            -score(child)  where the turn passes
//! ```
//!
//! and the score of a finished position is [`Game::final_score`], banked points included. If the
//! game's [`Game::score_range`] counts plies, each move's score is also a step nearer to 0:
//! a win in one ply scores [`WON`]` - 1`.
//!
//! # Adding a game
//!
//! Implement [`Game`] and [`Notation`] (see [`crate::games::eight`] for a complete short example)
//! and a [`Family`]. The generic solvers, tables, commands and the conformance check
//! ([`crate::conformance`]) then work with it. [`Capabilities`] lists optional features:
//!
//! - a [`Ranking`], if positions can be numbered densely, makes tables smaller;
//! - an [`OwnSolver`] is a faster solver of the game's own;
//! - `drawing` describes pictures for the reports of checks.

use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::fmt;
use std::hash::Hash;
use std::str::FromStr;

mod arrays;
mod capabilities;
mod family;
mod keyed;
mod notation;
mod own_solver;
mod phrasing;
mod picture;
mod progress;
mod ranking;
mod repetition;
mod score_range;
mod searcher;
mod solve_error;
pub(crate) mod team;
mod typed;

pub use arrays::Arrays;
pub(crate) use arrays::{SIDE_COLUMN, cell_byte, cell_owner, same_side, side_of};
pub use capabilities::{
    Backward, Capabilities, Checking, Drawing, Misreading, Roots, Searching, Solving, Symmetry,
};
pub(crate) use capabilities::{OtherRules, OwnSearcher, boxed, capabilities_of};
pub(crate) use family::table_name_of;
pub use family::{Family, NoGame, OpeningTable, Parameter, ParameterKind, Takes, Values};
pub(crate) use keyed::{KeyedRules, LayeredKey, Moves, Step};
pub use notation::{Notation, NotationError};
pub(crate) use notation::{decimals_of, in_words, status};
pub use own_solver::{
    Checkpoints, Forecast, NoCheckpoints, OwnSolver, Solution, SolveOptions, SolveTimes,
};
pub use phrasing::{InWords, PiecesLeft, Points};
pub use picture::{BoardPlace, Label, Picture, Piece, Surface};
pub use progress::{CancelScope, NoProgress, Progress};
pub(crate) use progress::{PhaseShare, check_cancelled};
pub(crate) use ranking::{NumberedSlot, SlotNumbers};
pub use ranking::{Ranking, Scores, Segment, Slot, Tile};
pub(crate) use repetition::{repetition, short_cycle, shortest_through, too_long};
pub(crate) use score_range::{MOST_CODES, MOST_SCORE, code_bytes, one_move_before, one_ply_later};
pub use score_range::{ScoreRange, WON, distance, margin, points};
pub use searcher::{Bounds, EndgameError, KnownScores, SearchError, SearchSetup, Searcher};
pub(crate) use solve_error::NO_REPETITION;
pub use solve_error::{Broken, SolveError};
#[cfg(all(feature = "cli", feature = "mpi"))]
pub(crate) use team::Lost;
pub use team::Team;
#[cfg(any(all(feature = "cli", feature = "mpi"), test))]
pub(crate) use team::Transport;
pub use typed::read_position;

/// One of the two players.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The player who makes the first move in most games.
    First,
    /// The other player.
    Second,
}

impl Side {
    /// Returns the opponent.
    #[must_use]
    pub fn other(self) -> Side {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
        }
    }

    /// Returns the side to move after a number of moves in turn.
    pub(crate) fn after(moves: u32) -> Side {
        match moves % 2 {
            0 => Side::First,
            _ => Side::Second,
        }
    }

    /// Converts a score between the first player's view and this side's.
    #[must_use]
    pub fn seen(self, score: i32) -> i32 {
        match self {
            Side::First => score,
            Side::Second => -score,
        }
    }

    /// Returns 0 for the first player, 1 for the second.
    #[must_use]
    pub fn index(self) -> usize {
        self as usize
    }
}

/// The error for a text that names no value of a type, such as [`Side`].
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct UnknownName(pub(crate) String);

impl FromStr for Side {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Side, UnknownName> {
        match text {
            "first" => Ok(Side::First),
            "second" => Ok(Side::Second),
            _ => Err(UnknownName("a side is \"first\" or \"second\"".to_owned())),
        }
    }
}

/// The sign of a score.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The score is negative.
    Loss,
    /// The score is zero.
    Draw,
    /// The score is positive.
    Win,
}

impl Outcome {
    /// Returns the outcome of a score, seen from the same side.
    #[must_use]
    pub fn of(score: i32) -> Outcome {
        match score {
            0 => Outcome::Draw,
            1.. => Outcome::Win,
            _ => Outcome::Loss,
        }
    }
}

crate::text::display_as_serialized!(Side, Outcome);

/// Returns the default of [`Game::follow`], which combines the other methods.
#[inline]
pub(crate) fn follow_by_playing<G: Game>(
    game: &G,
    position: &G::Position,
    mv: G::Move,
    class: &mut G::Position,
) -> Followed {
    let after = game.play(position, mv);
    let score = game.final_score(&after);
    let counts_plies = game.score_range().counts_plies();
    if score.is_none() {
        *class = game.canonical(&after);
    }
    Followed {
        turns: game.side_to_move(&after) != game.side_to_move(position),
        is_finished: score.is_some(),
        counts_plies,
        points: score.unwrap_or_else(|| game.banked(&after)),
    }
}

/// Follows a move and appends its class to `classes`, unless the game is over there.
///
/// A copy of the class would have to wait until all of it is written, so it is written where it
/// stays.
#[inline]
pub(crate) fn follow_onto<G: Game>(
    game: &G,
    position: &G::Position,
    mv: G::Move,
    classes: &mut Vec<G::Position>,
) -> Followed {
    let index = classes.len();
    classes.push(position.clone());
    let followed = game.follow(position, mv, &mut classes[index]);
    if followed.is_finished {
        classes.truncate(index);
    }
    followed
}

/// Sorts moves by their scores, the best first, and those with equal scores as they were.
///
/// Sorting by cached keys is compiled once for the moves of all games.
pub(crate) fn sort_best_first<M>(moves: &mut [(M, i32)]) {
    moves.sort_by_cached_key(|&(_, score)| Reverse(score));
}

/// Returns the best moves, given all moves and their scores in descending order.
pub(crate) fn best_moves<M: Copy>(scores: &[(M, i32)]) -> impl Iterator<Item = M> {
    scores
        .iter()
        .take_while(|&&(_, score)| score == scores[0].1)
        .map(|&(mv, _)| mv)
}

/// The effect of a move apart from the class that it leads to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Followed {
    /// Whether the turn passes.
    pub turns: bool,
    /// Whether the position after the move is finished.
    pub is_finished: bool,
    /// Whether the game counts plies ([`ScoreRange::counts_plies`]).
    pub counts_plies: bool,
    /// Its final score or else its banked points, seen from the side to move there.
    pub points: i32,
}

impl Followed {
    /// Returns the score of the move, seen from the side that makes it.
    ///
    /// `to_come` is the score of the class that the move leads to, or 0 if the game is over.
    #[inline]
    #[must_use]
    pub fn score(self, to_come: i32) -> i32 {
        let after = self.points + to_come;
        one_move_before(if self.turns { -after } else { after }, self.counts_plies)
    }
}

/// Result of play in which positions repeat for ever.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Endless {
    /// No position can repeat within a game.
    #[default]
    Impossible,
    /// It is a draw. The game's scores must count plies ([`ScoreRange::PLIES`],
    /// [`ScoreRange::ALTERNATE_PLIES`] or [`ScoreRange::long`]).
    Draw,
}

/// Rules of a finite two-player zero-sum game with perfect information.
///
/// See the [module documentation](self) for the vocabulary
/// and for how scores are connected, and [`crate::games::eight`] for an example. Only the methods
/// without a default are required.
///
/// [`crate::conformance::check`] tests the promises that these methods make.
pub trait Game: Clone + fmt::Debug + Send + Sync + 'static {
    /// A state of the game, including the side to move.
    type Position: Clone + Eq + Hash + fmt::Debug + Send + Sync + 'static;
    /// A move. It has a meaning only together with a position.
    type Move: Copy + Eq + fmt::Debug + Send + Sync + 'static;

    /// Returns the initial position. It must not be finished.
    fn start(&self) -> Self::Position;

    /// Returns the side to move. In a finished position, the side that would be to move.
    fn side_to_move(&self, position: &Self::Position) -> Side;

    /// Puts all legal moves into `moves`, in an order that is always the same.
    ///
    /// `moves` is cleared first, and remains empty if the position is finished.
    fn moves(&self, position: &Self::Position, moves: &mut Vec<Self::Move>);

    /// Returns the position after a legal move.
    ///
    /// # Panics
    /// May panic or return an unreachable position if the move is not legal. See
    /// [`Game::try_play`].
    #[must_use]
    fn play(&self, position: &Self::Position, mv: Self::Move) -> Self::Position;

    /// Returns the score of a finished position, or `None` if the game goes on.
    ///
    /// It is seen from the side that would be to move, with banked points: -1 if that side has
    /// lost by 1. In a game that counts plies it is `-WON` if that side has lost, and 0 for a draw.
    fn final_score(&self, position: &Self::Position) -> Option<i32>;

    /// Returns the possible scores of unfinished canonical positions.
    fn score_range(&self) -> ScoreRange;

    /// Returns whether positions can repeat, and what endless play is worth.
    fn endless(&self) -> Endless {
        Endless::Impossible
    }

    /// Returns a number that identifies a canonical position; no two positions have the same.
    fn key(&self, canonical: &Self::Position) -> u128;

    /// Returns the number of low bits that keys use: a multiple of 8, at most 128.
    ///
    /// Fewer bits make tables smaller and solving faster. For example 16 if keys are less than
    /// 65,536.
    fn key_bits(&self) -> u32 {
        128
    }

    /// Returns the unfinished canonical position with this key, or `None` if there is none.
    ///
    /// Keys come from files that may be damaged, so it must accept any number.
    fn position_of_key(&self, key: u128) -> Option<Self::Position>;

    /// Returns the position's layer: a measure of progress, such as the number of discs.
    ///
    /// It is used for statistics and for work layer by layer. Moves may lead to higher or lower
    /// layers, or within one. 0 (the default) if the game has no layers.
    fn layer(&self, _canonical: &Self::Position) -> u32 {
        0
    }

    /// Returns a lower limit of the layers that can be reached from a position.
    ///
    /// It must be fast: work layer by layer uses it to skip positions. 0 (the default) is always
    /// right.
    #[inline]
    fn lowest_layer_after(&self, _canonical: &Self::Position) -> u32 {
        0
    }

    /// Returns the canonical position of a position's class.
    ///
    /// It must be the same for all symmetric images and whatever points are banked, and have no
    /// banked points itself. The default, for games without symmetries, is the position itself.
    fn canonical(&self, position: &Self::Position) -> Self::Position {
        position.clone()
    }

    /// Returns the points already won by the side to move minus those of the other side.
    ///
    /// The rest of the game can't change them. For example, in Kalah, the difference of the stores.
    /// 0 by default.
    fn banked(&self, _position: &Self::Position) -> i32 {
        0
    }

    /// Returns an estimate of an unfinished position's score, made without searching.
    ///
    /// It is seen from the side to move, includes [`Game::banked`] points, and is at most a million
    /// either way. The rest of the estimate must be the same for all positions of a class. The
    /// default is the points already won. Searches to a depth use it, and AIs that look at what
    /// each move reaches.
    fn evaluate(&self, position: &Self::Position) -> i32 {
        self.banked(position)
    }

    /// Returns whether a move is legal. Override it if the game can tell without listing all moves.
    fn is_legal(&self, position: &Self::Position, mv: Self::Move) -> bool {
        self.legal_moves(position).contains(&mv)
    }

    /// Returns the legal moves in a new vector, in the order of [`Game::moves`].
    #[inline]
    fn legal_moves(&self, position: &Self::Position) -> Vec<Self::Move> {
        let mut moves = Vec::new();
        self.moves(position, &mut moves);
        moves
    }

    /// Returns the effect of a legal move, including the class that it leads to.
    ///
    /// Puts the canonical position after the move into `class`, unless the game is over there. The
    /// default calls [`Game::play`], [`Game::final_score`], [`Game::canonical`] and
    /// [`Game::banked`]. Override it if a faster way exists, for solving games with billions of
    /// positions.
    ///
    /// # Panics
    /// May panic if the move is not legal.
    #[inline]
    fn follow(
        &self,
        position: &Self::Position,
        mv: Self::Move,
        class: &mut Self::Position,
    ) -> Followed {
        follow_by_playing(self, position, mv, class)
    }

    /// Returns the position after a move, or `None` if the move is not legal.
    fn try_play(&self, position: &Self::Position, mv: Self::Move) -> Option<Self::Position> {
        self.is_legal(position, mv).then(|| self.play(position, mv))
    }

    /// Converts a score from the side to move at `position` to `side`.
    fn seen_from(&self, side: Side, position: &Self::Position, score: i32) -> i32 {
        if self.side_to_move(position) == side {
            score
        } else {
            -score
        }
    }

    /// Returns the score of the move that leads to `child`, given the score there.
    ///
    /// It is seen from `side`, which makes the move; `score` is seen from the side to move at
    /// `child`. In a game that counts plies, the move is one.
    fn score_of_move(&self, side: Side, child: &Self::Position, score: i32) -> i32 {
        let score = self.seen_from(side, child, score);
        one_move_before(score, self.score_range().counts_plies())
    }

    /// Returns the inverse of [`Game::score_of_move`]: the score at `child`, given that of the
    /// move.
    fn score_after_move(&self, side: Side, child: &Self::Position, score: i32) -> i32 {
        let score = self.seen_from(side, child, score);
        match self.score_range().counts_plies() {
            true => one_ply_later(score),
            false => score,
        }
    }
}
