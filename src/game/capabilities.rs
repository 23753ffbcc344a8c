//! What a game can offer beyond its rules, to be solved, searched, checked and drawn better.
//!
//! Nobody needs any of this to add a game. Each capability is a trait whose methods have defaults,
//! and code that can use one asks the game for it: [`Game::capabilities`].

use super::{Arrays, Game, KeyedRules, Ranking, SearchError, SearchSetup, Searcher, Sweep};
#[cfg(feature = "cli")]
use super::{Picture, Side};
use std::sync::Arc;

/// What a game offers. Nothing, unless it says so: name what there is, and take the rest from
/// `..Capabilities::default()`, for there will be more.
pub struct Capabilities<'a, G: Game> {
    /// Its symmetries, for tests.
    pub symmetry: &'a dyn Symmetry<G>,
    /// How to solve it faster.
    pub solving: &'a dyn Solving<G>,
    /// How to search it faster.
    pub searching: &'a dyn Searching<G>,
    /// What helps to check AIs.
    pub checking: &'a dyn Checking<G>,
    /// Positions as rows of numbers.
    pub arrays: &'a dyn Arrays<G>,
    /// Pictures of positions.
    #[cfg(feature = "cli")]
    pub drawing: &'a dyn Drawing<G>,
}

/// Offers nothing: every method is the default.
struct Nothing;

impl<G: Game> Symmetry<G> for Nothing {}
impl<G: Game> Solving<G> for Nothing {}
impl<G: Game> Searching<G> for Nothing {}
impl<G: Game> Checking<G> for Nothing {}
impl<G: Game> Arrays<G> for Nothing {}
#[cfg(feature = "cli")]
impl<G: Game> Drawing<G> for Nothing {}

impl<G: Game> Default for Capabilities<'_, G> {
    fn default() -> Self {
        Capabilities {
            symmetry: &Nothing,
            solving: &Nothing,
            searching: &Nothing,
            checking: &Nothing,
            arrays: &Nothing,
            #[cfg(feature = "cli")]
            drawing: &Nothing,
        }
    }
}

/// The group of a game's symmetries, spelt out so that the conformance suite can hold
/// [`Game::canonical`] against it. A symmetry keeps the score.
pub trait Symmetry<G: Game>: Sync {
    /// The order of the group; symmetry 0 is the identity.
    fn order(&self) -> usize {
        1
    }

    /// The position's image under one of the symmetries, `0..self.order()`.
    fn apply(&self, symmetry: usize, position: &G::Position) -> G::Position {
        debug_assert_eq!(symmetry, 0);
        position.clone()
    }

    /// The move that corresponds to `mv` in the position's image under one of the symmetries.
    fn apply_to_move(&self, _symmetry: usize, mv: G::Move) -> G::Move {
        mv
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

/// What solvers and tables can use.
pub trait Solving<G: Game>: Sync {
    /// From where the positions of a table of this game are reached.
    fn roots(&self) -> Roots {
        Roots::Start
    }

    /// About how many classes of unfinished positions can be reached: for planning memory, where no
    /// [`Ranking`] tells it and there are very many.
    fn expected_classes(&self) -> Option<u64> {
        None
    }

    /// A quicker way to the moves of many classes than by the rules one by one.
    fn keyed(&self) -> Option<Box<dyn KeyedRules + '_>> {
        None
    }

    /// The dense numbering of canonical positions, if the game has one.
    fn ranking(&self) -> Option<Arc<dyn Ranking<G::Position>>> {
        None
    }

    /// The game's own fast backward solver, if it has one; only for a game that has a [`Ranking`],
    /// too.
    fn sweep(&self) -> Option<Box<dyn Sweep>> {
        None
    }
}

/// The game's own search of one position, if it has one.
pub trait Searching<G: Game>: Sync {
    /// A searcher that may use so much. It is made at once: what takes time or much memory waits
    /// for the first question. None if the generic search is the best there is.
    ///
    /// # Errors
    /// If the setup's endgame can't serve.
    fn searcher(&self, _setup: &SearchSetup) -> Option<Result<Box<dyn Searcher<G>>, SearchError>> {
        None
    }

    /// A searcher to hold the scores of the game's [`Solving::sweep`] against, and so one that
    /// shares no arithmetic with it. Many threads ask it at once, and it may be slower than
    /// [`Searching::searcher`], which it is unless the game says otherwise.
    ///
    /// # Errors
    /// If the setup's endgame can't serve.
    fn witness(&self, setup: &SearchSetup) -> Option<Result<Box<dyn Searcher<G>>, SearchError>> {
        self.searcher(setup)
    }

    /// The endgame, if there is one, that a [`Searching::witness`] should begin above if it is
    /// asked so many questions and there are so many bytes of memory. Whoever asks it has that game
    /// solved by search and gives it the scores.
    fn witness_endgame(&self, _questions: u64, _memory: u64) -> Option<G> {
        None
    }
}

/// What helps to ask AIs the right questions.
pub trait Checking<G: Game>: Sync {
    /// At most how many reachable positions of this layer are one class; without an answer, as many
    /// as there are symmetries.
    fn positions_a_class(&self, _layer: u32) -> Option<u64> {
        None
    }

    /// The rules that one can get wrong and that show in single moves, each by a name such as
    /// "capture".
    fn rule_topics(&self) -> &'static [&'static str] {
        &[]
    }

    /// What a legal move leads to in the eyes of a player who doesn't know the rule of one of the
    /// [`Checking::rule_topics`], which is counted from 0. The position need not be one that can
    /// come up.
    fn play_unaware(
        &self,
        _position: &G::Position,
        _mv: G::Move,
        _topic: usize,
    ) -> Option<G::Position> {
        None
    }

    /// Ways to misread positions, or to write moves, that players of just this game may fall into,
    /// each as the end of a sentence that begins with "it": "counts cells from 1 to 9".
    fn misreadings(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether an answer, which need not be a move, would be right from a player who does what one
    /// of the [`Checking::misreadings`] says. It is counted from 0.
    fn is_right_if_misread(
        &self,
        _position: &G::Position,
        _answer: &str,
        _misreading: usize,
    ) -> bool {
        false
    }
}

/// Pictures of positions: what lies where. Painting it, with marks, is the same for all games.
#[cfg(feature = "cli")]
pub trait Drawing<G: Game>: Sync {
    /// What the board looks like, or nothing if the game has no picture: then its board is drawn as
    /// text.
    fn picture(&self, _position: &G::Position) -> Option<Picture> {
        None
    }

    /// The names of the places where a legal move is marked, such as the cells that a piece goes
    /// from and to. Unless the game says otherwise, it is the place that has the move's name.
    fn places_of_move(&self, _position: &G::Position, _mv: G::Move) -> Option<Vec<String>> {
        None
    }

    /// What a player is called besides first or second, by their pieces for example: "X".
    fn side_name(&self, _side: Side) -> Option<&'static str> {
        None
    }
}
