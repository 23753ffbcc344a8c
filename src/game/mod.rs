//! The game traits, on which solvers, tables and commands are built.
//!
//! A [`Game`] is a finite two-player zero-sum game of perfect information in which no position can
//! repeat within a game. The value that implements it (`Kalah`, `TicTacToe`, …) contains only the
//! parameters of the rules; positions are plain values.
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
//! and the score of a finished position is [`Game::final_score`], banked points included.
//!
//! # Adding a game
//!
//! Implement [`Game`] and [`Notation`] (see [`crate::games::eight`] for a complete short example)
//! and a [`Family`]. The generic solvers, tables, commands and the conformance check
//! ([`crate::conformance`]) then work with it. [`Capabilities`] lists optional features:
//!
//! - a [`Ranking`], if positions can be numbered densely, makes tables smaller;
//! - a [`Sweep`] is a faster solver of the game's own;
//! - `drawing` gives pictures in the reports of checks.

use std::fmt;
use std::hash::Hash;
use std::str::FromStr;

mod arrays;
mod broken;
mod capabilities;
#[cfg(feature = "cli")]
pub(crate) mod drawing;
mod family;
mod journal;
mod keyed;
mod notation;
mod notation_error;
mod progress;
mod ranking;
mod repetition;
mod scores;
mod searcher;
mod solve_error;
mod sweep;
pub(crate) mod team;
pub(crate) mod transport;

pub use arrays::{Arrays, SIDE_COLUMN};
pub(crate) use arrays::{cell_byte, cell_owner, same_side, side_of};
pub use broken::Broken;
#[cfg(feature = "cli")]
pub use capabilities::Drawing;
pub use capabilities::{Capabilities, Checking, Roots, Searching, Solving, Symmetry};
#[cfg(feature = "cli")]
pub use drawing::{Label, Marks, Picture, Piece, Place, Surface, draw};
pub use family::{Family, Parameter, ParameterKind, Values, values_of_words};
pub use journal::{Journal, NoJournal};
pub use keyed::{KeyedRules, Moves, Step};
pub use notation::Notation;
pub use notation_error::NotationError;
pub(crate) use progress::Weighted;
pub use progress::{NoProgress, Progress, Until};
pub(crate) use ranking::{NumberedSlot, SlotNumbers};
pub use ranking::{Ranking, Segment, Slot, Tile};
pub(crate) use repetition::{endless, repetition, short_cycle, shortest_through};
pub use scores::Scores;
pub use searcher::{Bounds, EndgameError, KeptScores, SearchError, SearchSetup, Searcher};
pub use solve_error::SolveError;
pub use sweep::{Forecast, Solution, SolveOptions, SolveTimes, Sweep};
pub use team::Team;
pub use transport::{Alone, Lost, Transport};

/// One of the two players.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The player who makes the first move of the game.
    First,
    /// The other player.
    Second,
}

impl Side {
    /// The opponent.
    #[must_use]
    pub fn other(self) -> Side {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
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

    /// 0 for the first player, 1 for the second.
    #[must_use]
    pub fn index(self) -> usize {
        self as usize
    }
}

/// The error for a text that is neither `first` nor `second`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a side is \"first\" or \"second\"")]
pub struct NoSide;

impl FromStr for Side {
    type Err = NoSide;

    fn from_str(text: &str) -> Result<Side, NoSide> {
        match text {
            "first" => Ok(Side::First),
            "second" => Ok(Side::Second),
            _ => Err(NoSide),
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::First => "first",
            Side::Second => "second",
        })
    }
}

/// The sign of a score.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Outcome {
    /// The score is negative.
    Loss,
    /// The score is zero.
    Draw,
    /// The score is positive.
    Win,
}

impl Outcome {
    /// The outcome of a score, seen from the same side.
    #[must_use]
    pub fn of(score: i32) -> Outcome {
        match score {
            0 => Outcome::Draw,
            1.. => Outcome::Win,
            _ => Outcome::Loss,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Outcome::Loss => "loss",
            Outcome::Draw => "draw",
            Outcome::Win => "win",
        })
    }
}

/// The default of [`Game::follow`], which combines the other methods.
#[inline]
pub(crate) fn follow_by_playing<G: Game>(
    game: &G,
    position: &G::Position,
    mv: G::Move,
    class: &mut G::Position,
) -> Followed {
    let after = game.play(position, mv);
    let score = game.final_score(&after);
    if score.is_none() {
        *class = game.canonical(&after);
    }
    Followed {
        turns: game.side_to_move(&after) != game.side_to_move(position),
        is_finished: score.is_some(),
        points: score.unwrap_or_else(|| game.banked(&after)),
    }
}

/// The best moves, given all moves and their scores in descending order.
pub(crate) fn best_moves<M: Copy>(scores: &[(M, i32)]) -> impl Iterator<Item = M> {
    scores
        .iter()
        .take_while(|&&(_, score)| score == scores[0].1)
        .map(|&(mv, _)| mv)
}

/// The scores that a game's unfinished canonical positions can have.
///
/// They are `lowest`, `lowest + step`, … `highest`.
// Tables have it in the order of these fields.
#[derive(bincode::Encode, bincode::Decode, Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScoreRange {
    /// Lowest score.
    pub lowest: i32,
    /// Distance between neighbouring scores, at least 1.
    pub step: i32,
    /// Highest score. `highest - lowest` is a multiple of `step`, and at most `255 * step` where
    /// scores are stored as byte codes.
    pub highest: i32,
}

impl Default for ScoreRange {
    /// The range that contains only the score 0.
    fn default() -> ScoreRange {
        ScoreRange {
            lowest: 0,
            highest: 0,
            step: 1,
        }
    }
}

impl ScoreRange {
    /// Whether the step is positive and leads from `lowest` to `highest`.
    pub(crate) fn is_sound(&self) -> bool {
        let width = self.highest.checked_sub(self.lowest);
        self.step >= 1 && width.is_some_and(|width| width >= 0 && width % self.step == 0)
    }

    /// Number of different scores.
    #[must_use]
    pub fn codes(&self) -> usize {
        ((self.highest - self.lowest) / self.step) as usize + 1
    }

    /// The score that a byte code stands for: `lowest + step * code`.
    #[must_use]
    pub fn score(&self, code: u8) -> i32 {
        self.lowest + self.step * i32::from(code)
    }

    /// The byte code of a score, or `None` if the score is not in the range.
    #[must_use]
    pub fn code(&self, score: i32) -> Option<u8> {
        let above = score.checked_sub(self.lowest)?;
        if above < 0 || score > self.highest || above % self.step != 0 {
            return None;
        }
        u8::try_from(above / self.step).ok()
    }
}

/// The effect of a move apart from the class that it leads to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Followed {
    /// Whether the turn passes.
    pub turns: bool,
    /// Whether the position after the move is finished.
    pub is_finished: bool,
    /// Its final score or else its banked points, seen from the side to move there.
    pub points: i32,
}

impl Followed {
    /// Score of the move, seen from the side that makes it.
    ///
    /// `to_come` is the score of the class that the move leads to, or 0 if the game is over.
    #[inline]
    #[must_use]
    pub fn score(self, to_come: i32) -> i32 {
        self.seen_before(self.points + to_come)
    }

    /// Converts a score from the side to move after the move to the side that makes it.
    #[inline]
    #[must_use]
    pub fn seen_before(self, score: i32) -> i32 {
        if self.turns { -score } else { score }
    }
}

/// Rules of a finite two-player zero-sum game with perfect information.
///
/// No position can repeat within a game.
///
/// See the [module documentation](self) for the vocabulary and for how scores are connected, and
/// [`crate::games::eight`] for an example. Only the methods without a default are required.
pub trait Game: Clone + fmt::Debug + Send + Sync + 'static {
    /// A state of the game, side to move included.
    type Position: Clone + Eq + Hash + fmt::Debug + Send + Sync + 'static;
    /// A move, meaningful only together with a position.
    type Move: Copy + Eq + fmt::Debug + Send + Sync + 'static;

    /// The position that the game starts from. It is never finished.
    fn start(&self) -> Self::Position;

    /// Whose turn it is. For a finished position: whose turn it would be.
    fn side_to_move(&self, position: &Self::Position) -> Side;

    /// Puts the legal moves into `moves`, which is cleared first, in the game's fixed order; none
    /// if the position is finished.
    fn moves(&self, position: &Self::Position, moves: &mut Vec<Self::Move>);

    /// The position after a legal move.
    ///
    /// # Panics
    /// May panic, or return a position that can't arise, if the move is not legal; see
    /// [`Game::try_play`].
    #[must_use]
    fn play(&self, position: &Self::Position, mv: Self::Move) -> Self::Position;

    /// If the position is finished: its score, seen from the side to move, banked points included.
    fn final_score(&self, position: &Self::Position) -> Option<i32>;

    /// The scores that unfinished canonical positions can have.
    fn score_range(&self) -> ScoreRange;

    /// A number that names a canonical position; no two have the same.
    fn key(&self, canonical: &Self::Position) -> u128;

    /// How many of a key's low bits can be set, a multiple of 8 and at most 128. Fewer make tables
    /// smaller and solving quicker.
    fn key_bits(&self) -> u32 {
        128
    }

    /// The unfinished canonical position that a key names, or nothing if none has this key.
    fn position_of_key(&self, key: u128) -> Option<Self::Position>;

    /// How far the game has come (seeds on the board, discs, …), for statistics and for work
    /// that goes layer by layer. Without layers, 0.
    fn layer(&self, _canonical: &Self::Position) -> u32 {
        0
    }

    /// A layer such that no move leads to one below it: quick to tell, so that work which goes layer
    /// by layer can pass over a position. 0 says nothing.
    #[inline]
    fn lowest_layer_after(&self, _canonical: &Self::Position) -> u32 {
        0
    }

    /// The position that stands for all of its class: the same one for every symmetric image and
    /// for any banked points; itself banks 0. Without symmetries, the position itself.
    fn canonical(&self, position: &Self::Position) -> Self::Position {
        position.clone()
    }

    /// Points that the side to move already has more than the other side, and that the rest of the
    /// game can't change.
    fn banked(&self, _position: &Self::Position) -> i32 {
        0
    }

    /// Whether the rules allow this move; a game may know without listing all moves.
    fn is_legal(&self, position: &Self::Position, mv: Self::Move) -> bool {
        self.legal_moves(position).contains(&mv)
    }

    /// The legal moves in a vector of their own.
    #[inline]
    fn legal_moves(&self, position: &Self::Position) -> Vec<Self::Move> {
        let mut moves = Vec::new();
        self.moves(position, &mut moves);
        moves
    }

    /// What a legal move leads to: what [`Game::play`] and what is asked of the position after it
    /// say, all at once. Unless that is finished, its canonical position is put into `class`. A
    /// game that is gone through by the billion may know a shorter way.
    ///
    /// # Panics
    /// As [`Game::play`].
    #[inline]
    fn follow(
        &self,
        position: &Self::Position,
        mv: Self::Move,
        class: &mut Self::Position,
    ) -> Followed {
        follow_by_playing(self, position, mv, class)
    }

    /// The position after a move, or nothing if the move is not legal.
    fn try_play(&self, position: &Self::Position, mv: Self::Move) -> Option<Self::Position> {
        self.is_legal(position, mv).then(|| self.play(position, mv))
    }

    /// A score of a position that its side to move sees, as `side` sees it.
    fn seen_from(&self, side: Side, position: &Self::Position, score: i32) -> i32 {
        if self.side_to_move(position) == side {
            score
        } else {
            -score
        }
    }
}
