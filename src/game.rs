//! What a game *is*: the trait that rules, solvers, tables and commands all meet at.
//!
//! A [`Game`] is a finite two-player game of perfect information in which the score that one
//! player gains the other loses, and in which no position can come up twice in one play. Its
//! value object (`Kalah`, `TicTacToe`, …) holds the parameters of the rules and nothing else;
//! positions are plain values.
//!
//! # Vocabulary
//!
//! * **position** — a state of the game, the side to move included. The sides need not alternate.
//! * **score** — the exact result under best play, seen from the side to move.
//! * **outcome** — win, draw or loss: the sign of the score.
//! * **class** — positions that are the same up to symmetry (and up to points already *banked*);
//!   one of them is the class's **canonical position**.
//!
//! # How scores of positions and classes hang together
//!
//! Tables hold one score for each reachable class of positions that are not finished. For a
//! position `p` that is not finished,
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
//! Implement [`Game`] (see [`crate::games::eight`] for a complete one that fits on two screens),
//! add it to [`crate::games::AnyGame`], and the generic solvers, the table, the commands and the
//! conformance suite (`tests/conformance.rs`) serve it. A game whose positions can be numbered
//! densely may offer a [`Ranking`]; one that can be solved faster by a method of its own may offer
//! a [`Sweep`].

use std::fmt;
use std::hash::Hash;
use std::sync::Arc;

pub(crate) mod drawing;
mod journal;
mod progress;
mod ranking;
mod sweep;

pub use drawing::Marks;
pub use journal::{Journal, NoJournal};
pub use progress::{NoProgress, Progress};
pub use ranking::{Ranking, Segment, Slot, Tile};
pub use sweep::{Scores, Solution, SolveError, SolveOptions, SolveTimes, Sweep};

/// One of the two players.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
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

    /// 0 for the first player, 1 for the second.
    #[must_use]
    pub fn index(self) -> usize {
        self as usize
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

/// From where the positions of a table are reached.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Roots {
    /// From the start of the game.
    Start,
    /// From nowhere: every position that has a slot in the game's [`Ranking`] counts as reachable.
    /// For endgame tables, which serve many starts; the game's start is just an example then.
    Everywhere,
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
    /// The outcome that a score stands for, seen from the same side as the score.
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

/// The best of moves that come with their scores, best first.
pub(crate) fn best_moves<M: Copy>(scores: &[(M, i32)]) -> impl Iterator<Item = M> {
    scores
        .iter()
        .take_while(|&&(_, score)| score == scores[0].1)
        .map(|&(mv, _)| mv)
}

/// The scores that a game's unfinished canonical positions can have: `lowest`, `lowest + step`, …
/// `highest`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScoreRange {
    /// The lowest score.
    pub lowest: i32,
    /// The highest score; `highest - lowest` is a multiple of `step`, and where scores are kept as
    /// byte codes at most `255 * step`.
    pub highest: i32,
    /// The distance between neighbouring scores, at least 1.
    pub step: i32,
}

impl ScoreRange {
    /// How many different scores there are.
    #[must_use]
    pub fn codes(&self) -> usize {
        ((self.highest - self.lowest) / self.step) as usize + 1
    }

    /// The score that a byte code stands for: `lowest + step * code`.
    #[must_use]
    pub fn score(&self, code: u8) -> i32 {
        self.lowest + self.step * i32::from(code)
    }

    /// The byte code of a score, or nothing if the score is not in the range.
    #[must_use]
    pub fn code(&self, score: i32) -> Option<u8> {
        let above = score.checked_sub(self.lowest)?;
        if above < 0 || score > self.highest || above % self.step != 0 {
            return None;
        }
        u8::try_from(above / self.step).ok()
    }
}

/// A piece of notation that could not be read: what it was, what is wrong with it, and a right
/// example.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{problem}: \"{input}\" (a right example: {example})")]
pub struct NotationError {
    /// What was given.
    pub input: String,
    /// What is wrong with it.
    pub problem: String,
    /// Something that would be right.
    pub example: String,
}

/// A finite two-player zero-sum game of perfect information without repetition.
///
/// See the [module documentation](self) for the vocabulary and for how scores hang together.
pub trait Game: Clone + fmt::Debug + Send + Sync + 'static {
    /// A state of the game, side to move included.
    type Position: Clone + Eq + Hash + fmt::Debug + Send + Sync + 'static;
    /// A move, meaningful only together with a position.
    type Move: Copy + Eq + fmt::Debug + Send + Sync + 'static;

    /// The family of the game, as the command line and JSON name it: `kalah`, `tictactoe`, `eight`.
    fn family(&self) -> &'static str;

    /// The game with its parameters, short: `kalah(6,2)`.
    fn name(&self) -> String;

    /// The full rules string that a table carries; [`crate::games::AnyGame::from_rules`] reads it
    /// back.
    fn rules(&self) -> String;

    /// The position that the game starts from. It is never finished.
    fn start(&self) -> Self::Position;

    /// From where the positions of a table of this game are reached.
    fn roots(&self) -> Roots {
        Roots::Start
    }

    /// Whose turn it is. For a finished position: whose turn it would be.
    fn side_to_move(&self, position: &Self::Position) -> Side;

    /// A score of a position that its side to move sees, as `side` sees it.
    fn seen_from(&self, side: Side, position: &Self::Position, score: i32) -> i32 {
        if self.side_to_move(position) == side {
            score
        } else {
            -score
        }
    }

    /// Puts the legal moves into `moves`, which is cleared first, in the game's fixed order; none
    /// if the position is finished.
    fn moves(&self, position: &Self::Position, moves: &mut Vec<Self::Move>);

    /// Every move that is legal in some position: what the conformance suite tries.
    fn all_moves(&self) -> Vec<Self::Move>;

    /// Whether the rules allow this move, found without listing all moves.
    fn is_legal(&self, position: &Self::Position, mv: Self::Move) -> bool;

    /// The position after a legal move.
    ///
    /// # Panics
    /// May panic, or return a position that can't arise, if the move is not legal; see
    /// [`Game::try_play`].
    #[must_use]
    fn play(&self, position: &Self::Position, mv: Self::Move) -> Self::Position;

    /// The position after a move, or nothing if the move is not legal.
    fn try_play(&self, position: &Self::Position, mv: Self::Move) -> Option<Self::Position> {
        self.is_legal(position, mv).then(|| self.play(position, mv))
    }

    /// If the position is finished: its score, seen from the side to move, banked points included.
    fn final_score(&self, position: &Self::Position) -> Option<i32>;

    /// The scores that unfinished canonical positions can have.
    fn score_range(&self) -> ScoreRange;

    /// The order of the symmetry group; symmetry 0 is the identity.
    fn symmetries(&self) -> usize {
        1
    }

    /// The position's image under one of the symmetries, `0..self.symmetries()`; a symmetry keeps
    /// the score.
    fn apply_symmetry(&self, symmetry: usize, position: &Self::Position) -> Self::Position {
        debug_assert_eq!(symmetry, 0);
        position.clone()
    }

    /// The move that corresponds to `mv` in the position's image under one of the symmetries.
    fn apply_symmetry_to_move(&self, symmetry: usize, mv: Self::Move) -> Self::Move {
        debug_assert_eq!(symmetry, 0);
        mv
    }

    /// Points that the side to move already has more than the other side, and that the rest of the
    /// game can't change.
    fn banked(&self, _position: &Self::Position) -> i32 {
        0
    }

    /// Whether the position's score is that of the whole game; if not, of what is still to come,
    /// points made before left out.
    fn is_whole(&self, _position: &Self::Position) -> bool {
        true
    }

    /// The position that stands for all of its class: the same one for every symmetric image and
    /// for any banked points; itself banks 0.
    fn canonical(&self, position: &Self::Position) -> Self::Position;

    /// A number that names a canonical position; no two have the same.
    fn key(&self, canonical: &Self::Position) -> u128;

    /// How many of a key's low bits can be set, a multiple of 8 and at most 128.
    fn key_bits(&self) -> u32;

    /// The canonical position that a key names, or nothing if no canonical position has this key.
    fn position_of_key(&self, key: u128) -> Option<Self::Position>;

    /// A position in the game's notation.
    fn format_position(&self, position: &Self::Position) -> String;

    /// Reads a position in the game's notation; one that is finished is read, too.
    ///
    /// # Errors
    /// If the text is not a position of this game.
    fn parse_position(&self, text: &str) -> Result<Self::Position, NotationError>;

    /// A move in the game's notation.
    fn format_move(&self, mv: Self::Move) -> String;

    /// Reads a move in the game's notation; whether it is legal is another question.
    ///
    /// # Errors
    /// If the text is not a move of this game.
    fn parse_move(&self, text: &str) -> Result<Self::Move, NotationError>;

    /// What a move names, for sentences such as "first player wins by 6, with pit 5 alone".
    fn move_noun(&self) -> &'static str {
        "move"
    }

    /// A drawing of the position for people, several lines, no line end at its end.
    fn board(&self, position: &Self::Position) -> String;

    /// How far the game has come, for statistics (seeds on the board, stones set, …): what it
    /// counts and how much.
    fn layer(&self, canonical: &Self::Position) -> u32;

    /// What [`Game::layer`] counts, in the plural: "seeds on the board".
    fn layer_name(&self) -> &'static str;

    /// About how many classes of unfinished positions can be reached: for planning memory, where no
    /// [`Ranking`] tells it and there are very many.
    fn expected_classes(&self) -> Option<u64> {
        None
    }

    /// The dense numbering of canonical positions, if the game has one.
    fn ranking(&self) -> Option<Arc<dyn Ranking<Self::Position>>> {
        None
    }

    /// The game's own fast backward solver, if it has one; only for a game that has a [`Ranking`],
    /// too.
    fn sweep(&self) -> Option<Box<dyn Sweep>> {
        None
    }

    /// The classes that lie one move before: puts into `into`, which is cleared first, canonical
    /// positions, each with a move that leads from it to a position of the class of `canonical`.
    /// Whether they are reachable is another question.
    ///
    /// False if the game doesn't offer this. It can only if its symmetries leave moves as they are:
    /// then the moves of a way back to the start, played from the start, lead to a position of the
    /// class.
    fn predecessors(
        &self,
        _canonical: &Self::Position,
        into: &mut Vec<(Self::Position, Self::Move)>,
    ) -> bool {
        into.clear();
        false
    }

    /// At most how many reachable positions of this layer are one class.
    fn positions_a_class(&self, _layer: u32) -> u64 {
        self.symmetries() as u64
    }

    /// The rules that one can get wrong and that show in single moves, each by a name such as
    /// "capture". At most 32.
    fn rule_topics(&self) -> &'static [&'static str] {
        &[]
    }

    /// Which of the [`Game::rule_topics`] a legal move has to do with: one bit each, the first
    /// topic's the lowest.
    fn topics_of_move(&self, _position: &Self::Position, _mv: Self::Move) -> u32 {
        0
    }

    /// What a legal move leads to in the eyes of a player who doesn't know the rule of one of the
    /// [`Game::rule_topics`], which is counted from 0. Nothing where the game can't say. The
    /// position need not be one that can come up.
    fn play_unaware(
        &self,
        _position: &Self::Position,
        _mv: Self::Move,
        _topic: usize,
    ) -> Option<Self::Position> {
        None
    }

    /// A drawing of the position as an SVG element, without line ends and with nothing taken from
    /// elsewhere; `currentColor` is the colour of lines and letters.
    fn drawing(&self, position: &Self::Position, marks: &Marks<Self::Move>) -> String {
        drawing::of_text(
            &self.board(position),
            marks.describe(|mv| self.format_move(mv)),
        )
    }

    /// The legal moves in a vector of their own.
    fn legal_moves(&self, position: &Self::Position) -> Vec<Self::Move> {
        let mut moves = Vec::new();
        self.moves(position, &mut moves);
        moves
    }
}
