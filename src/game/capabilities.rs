//! Optional features of a game: faster solving and search, checks and pictures.
//!
//! A game needs none of them. Each feature is a trait whose methods all have defaults;
//! [`super::Notation::capabilities`] returns the game's implementations.

use super::{
    Arrays, Game, KeyedRules, OwnSolver, Picture, Ranking, SearchError, SearchSetup, Searcher, Side,
};
use std::sync::Arc;

/// The optional features that a game implements.
///
/// Set the fields that your game implements and take the others from `..Capabilities::default()`:
/// later versions may add fields.
pub struct Capabilities<'a, G: Game> {
    /// The game's symmetries, for samples, augmented labels and conformance checks.
    pub symmetry: &'a dyn Symmetry<G>,
    /// Roots, a dense numbering, and a solver of the game's own.
    pub solving: &'a dyn Solving<G>,
    /// A search of the game's own.
    pub searching: &'a dyn Searching<G>,
    /// Help for checking AIs.
    pub checking: &'a dyn Checking<G>,
    /// Conversion of positions to rows of numbers.
    pub arrays: &'a dyn Arrays<G>,
    /// Pictures of positions.
    pub drawing: &'a dyn Drawing<G>,
}

/// The capabilities of a game that implements these features itself.
macro_rules! capabilities_of {
    ($game:ident: $($own:ident),*) => {
        Capabilities {
            $($own: $game,)*
            ..Capabilities::default()
        }
    };
}
pub(crate) use capabilities_of;

/// Implements every feature by its defaults.
struct Nothing;

impl<G: Game> Symmetry<G> for Nothing {}
impl<G: Game> Solving<G> for Nothing {}
impl<G: Game> Searching<G> for Nothing {}
impl<G: Game> Checking<G> for Nothing {}
impl<G: Game> Arrays<G> for Nothing {}
impl<G: Game> Drawing<G> for Nothing {}

impl<G: Game> Default for Capabilities<'_, G> {
    fn default() -> Self {
        Capabilities {
            symmetry: &Nothing,
            solving: &Nothing,
            searching: &Nothing,
            checking: &Nothing,
            arrays: &Nothing,
            drawing: &Nothing,
        }
    }
}

/// The group of a game's symmetries, which preserve scores.
///
/// The conformance check compares [`Game::canonical`] with it.
pub trait Symmetry<G: Game>: Sync {
    /// Returns the order of the group. Symmetry 0 is the identity.
    ///
    /// Any two symmetries must differ in some reachable position.
    fn order(&self) -> usize {
        1
    }

    /// Returns the image of a position under a symmetry, `0..self.order()`.
    fn apply(&self, symmetry: usize, position: &G::Position) -> G::Position {
        debug_assert_eq!(symmetry, 0);
        position.clone()
    }
}

/// The positions from which those of a table are reached.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Roots {
    /// From the start of the game.
    Start,
    /// None: every position with a slot in the [`Ranking`] counts as reachable.
    ///
    /// Endgame tables serve many starts; the game's start is then only an example.
    Everywhere,
    /// From the start, but only positions near it that a search asks about.
    ///
    /// The scores of an opening book come from searches, so the rules alone don't prove them.
    Opening,
}

/// Optional methods for solvers and tables.
///
/// The command line and [`crate::any`] use these methods only if the game's family is passed as
/// [`crate::any::Typed`], except [`Solving::roots`] and [`Solving::expected_classes`], which always
/// work. Without `Typed`, a [`Solving::ranking`] is an error, and the others are ignored.
pub trait Solving<G: Game>: Sync {
    /// Returns the positions from which those of this game's table are reached.
    fn roots(&self) -> Roots {
        Roots::Start
    }

    /// Returns the estimated number of reachable unfinished classes.
    ///
    /// Used to estimate memory. A large game without a [`Ranking`] should implement it.
    fn expected_classes(&self) -> Option<u64> {
        None
    }

    /// Generates the moves of many classes, faster than one call per move.
    fn keyed(&self) -> Option<Box<dyn KeyedRules + '_>> {
        None
    }

    /// Returns the moves backward, if the game lists them.
    fn backward(&self) -> Option<&dyn Backward<G>> {
        None
    }

    /// Returns the dense numbering of canonical positions, if the game has one.
    fn ranking(&self) -> Option<Arc<dyn Ranking<G::Position>>> {
        None
    }

    /// Returns the game's own retrograde solver, if it has one. It requires a [`Ranking`].
    fn own_solver(&self) -> Option<Box<dyn OwnSolver>> {
        None
    }
}

/// Moves backward.
///
/// In a game in which play may repeat, they save the solver storing which moves lead to each class.
/// The turn must pass with each move, and the game's scores be [`ScoreRange::ALTERNATE_PLIES`].
///
/// [`ScoreRange::ALTERNATE_PLIES`]: super::ScoreRange::ALTERNATE_PLIES
pub trait Backward<G: Game>: Sync {
    /// Adds each unfinished position from which a move leads to this one.
    ///
    /// It may add positions that can't be reached from the start. Each must have such a move.
    fn add_parents(&self, position: &G::Position, parents: &mut Vec<G::Position>);
}

/// A game's own searcher if it has one, or why it can't be made.
pub(crate) type OwnSearcher<G> = Option<Result<Box<dyn Searcher<G>>, SearchError>>;

/// Optional methods for the search of single positions.
///
/// The command line and [`crate::any`] use them only for a family in [`crate::any::Typed`].
pub trait Searching<G: Game>: Sync {
    /// Returns a searcher that uses at most the setup's threads and memory.
    ///
    /// Must return at once: whatever takes time or much memory waits for the first question. `None`
    /// (the default) selects the generic search.
    ///
    /// # Errors
    /// If the setup's endgame can't be used.
    fn searcher(&self, _setup: &SearchSetup) -> Option<Result<Box<dyn Searcher<G>>, SearchError>> {
        None
    }

    /// Returns an independent searcher for cross-checking the scores of [`Solving::own_solver`].
    ///
    /// It must share no arithmetic with that solver, and may be slower than
    /// [`Searching::searcher`], which is the default. Many threads call it at once.
    ///
    /// # Errors
    /// If the setup's endgame can't be used.
    fn witness(&self, setup: &SearchSetup) -> Option<Result<Box<dyn Searcher<G>>, SearchError>> {
        self.searcher(setup)
    }

    /// Returns the endgame whose scores [`Searching::witness`] should start from, if any.
    ///
    /// `questions` is the number of positions to cross-check, `memory` is in bytes. The caller
    /// solves the returned game by search and passes its scores.
    fn witness_endgame(&self, _questions: u64, _memory: u64) -> Option<G> {
        None
    }
}

/// Optional methods for checking AIs.
pub trait Checking<G: Game>: Sync {
    /// Returns plausible misunderstandings of the rules.
    ///
    /// The checker computes the moves of a player with each of them, and compares an AI's.
    fn misreadings(&self) -> Vec<Box<dyn Misreading<G>>> {
        Vec::new()
    }

    /// Returns a position's value as beginners judge it, seen from the side to move.
    ///
    /// The default is the points won. The checker compares an AI with searches that use it instead of
    /// [`Game::evaluate`].
    fn material(&self, game: &G, position: &G::Position) -> i32 {
        game.banked(position)
    }

    /// Returns the object of "it counts only" for [`Checking::material`].
    ///
    /// `None` stands for [`crate::game::Notation::banked_name`].
    fn material_name(&self) -> Option<&'static str> {
        None
    }

    /// Returns numbers that may tell where an AI makes its mistakes, each with its name.
    ///
    /// A name is the end of a phrase such as "with at least 7 seeds in one pit". All positions have
    /// the same names. The layer and the number of moves are compared in any game.
    fn numbers(&self, _position: &G::Position) -> Vec<(&'static str, u32)> {
        Vec::new()
    }
}

/// The rules as a player reads them who misunderstands one.
///
/// Positions, moves and the side to move are the game's own; the other defaults are its own, too.
/// Plain, slow rules are enough.
pub trait Misreading<G: Game>: Send + Sync {
    /// Returns the end of a sentence that begins "It plays as if", without a full stop.
    fn sentence(&self) -> String;

    /// Returns the legal moves. There must be one unless the position is finished.
    fn moves(&self, game: &G, position: &G::Position) -> Vec<G::Move> {
        game.legal_moves(position)
    }

    /// Returns the position after a move.
    fn play(&self, game: &G, position: &G::Position, mv: G::Move) -> G::Position {
        game.play(position, mv)
    }

    /// Returns the score of a finished position, seen from the side that would be to move.
    fn final_score(&self, game: &G, position: &G::Position) -> Option<i32> {
        game.final_score(position)
    }

    /// Returns the best moves if they are known without a search. Then nothing else is asked.
    fn best_moves(&self, _game: &G, _position: &G::Position) -> Option<Vec<G::Move>> {
        None
    }

    /// Returns whether positions with one [`Game::canonical`] have one score to come here, too.
    ///
    /// Searches are faster then.
    fn is_symmetric(&self) -> bool {
        false
    }
}

/// Misread rules that are another game with the same positions and moves.
pub(crate) struct OtherRules<G> {
    pub sentence: String,
    pub game: G,
    pub is_symmetric: bool,
}

impl<G: Game> Misreading<G> for OtherRules<G> {
    fn sentence(&self) -> String {
        self.sentence.clone()
    }

    fn moves(&self, _: &G, position: &G::Position) -> Vec<G::Move> {
        self.game.legal_moves(position)
    }

    fn play(&self, _: &G, position: &G::Position, mv: G::Move) -> G::Position {
        self.game.play(position, mv)
    }

    fn final_score(&self, _: &G, position: &G::Position) -> Option<i32> {
        self.game.final_score(position)
    }

    fn is_symmetric(&self) -> bool {
        self.is_symmetric
    }
}

/// Boxes misreadings of one type.
pub(crate) fn boxed<G: Game, M: Misreading<G> + 'static>(
    all: impl IntoIterator<Item = M>,
) -> Vec<Box<dyn Misreading<G>>> {
    let all = all.into_iter();
    all.map(|one| Box::new(one) as Box<_>).collect()
}

/// Optional methods for pictures of positions. All games share the code that paints them.
pub trait Drawing<G: Game>: Sync {
    /// Returns the pieces on the board and where they are.
    ///
    /// `None` (the default) if the game has no picture: then its board is drawn as text.
    fn picture(&self, _position: &G::Position) -> Option<Picture> {
        None
    }

    /// Names of the places where a move is marked, in the order in which a hand would touch them:
    /// its origin, then its target.
    ///
    /// `None` (the default) stands for the place that has the move's name.
    fn places_of_move(&self, _position: &G::Position, _mv: G::Move) -> Option<Vec<String>> {
        None
    }

    /// Returns how many of a move's first places have no order, such as the squares of a piece that
    /// is put on several. The default is 1.
    fn unordered_places(&self) -> usize {
        1
    }

    /// Names of the places that decide a finished position, such as those of a winning line.
    fn deciding_places(&self, _position: &G::Position) -> Vec<String> {
        Vec::new()
    }

    /// Returns a remark on a finished position, without a full stop: who gets what remains.
    fn remark(&self, _position: &G::Position) -> Option<String> {
        None
    }

    /// Returns a player's name besides "first" or "second", for example by their pieces: "X".
    fn side_name(&self, _side: Side) -> Option<&'static str> {
        None
    }
}
