//! Searching: the score of one position.
//!
//! There are five algorithms. All find the same score; they differ in the positions they visit:
//!
//! - [minimax](Algorithm::Minimax) searches every line of play to its end, and sees every value
//!   from the first player's side;
//! - [negamax](Algorithm::Negamax) does the same, but sees every value from the side to move;
//! - [alpha-beta](Algorithm::AlphaBeta) skips moves that can no longer change the result;
//! - [NegaScout](Algorithm::NegaScout) first asks of every move but the first whether it is better,
//!   and searches for its score only if it is;
//! - [MTD(f)](Algorithm::Mtdf) closes in on the score by a series of yes-or-no questions.
//!
//! [`compare`](crate::oracle::compare()) runs several of them on one position and reports the cost of each.
//!
//! Each runs with or without a [`TranspositionTable`], to the ends of the game or to a depth at
//! which the rest is estimated. All are *fail-soft*: a result outside of the [`Window`] is as tight
//! a bound as the search has found.
//!
//! ```
//! use zermelo::game::{Game, Notation};
//! use zermelo::games::tictactoe::TicTacToe;
//! use zermelo::search::{Algorithm, Search, TranspositionTable};
//!
//! let game = TicTacToe::default();
//! let position = game.parse_position("X.O......")?;
//!
//! let mut search = Search::new(&game);
//! assert_eq!(search.score(Algorithm::AlphaBeta, &position), Ok(2));
//! let without = search.counts().nodes;
//!
//! let table = TranspositionTable::new(1 << 16);
//! let mut search = Search::new(&game).with_table(&table);
//! assert_eq!(search.score(Algorithm::AlphaBeta, &position), Ok(2));
//! assert!(search.counts().nodes < without);
//!
//! // Only two moves ahead, with nothing to tell one position there from another: no more than a draw in sight.
//! let mut search = Search::new(&game).to_depth(2, TicTacToe::evaluate);
//! assert_eq!(search.score(Algorithm::Mtdf, &position), Ok(0));
//! # Ok::<(), zermelo::game::NotationError>(())
//! ```

mod algorithm;
mod guide;
mod memory;
mod negamax;
mod searcher;
mod transposition;
mod window;

pub use crate::game::Bounds;
pub use algorithm::{Algorithm, Counts, Stopped};
pub(crate) use algorithm::{End, Observer};
pub(crate) use guide::Guide;
pub(crate) use guide::{Order, Visit};
pub(crate) use memory::SlotTable;
pub use searcher::searcher;
pub(crate) use searcher::{GenericSearcher, check_searchable};
pub use transposition::TranspositionTable;
pub(crate) use window::INFINITY;
pub use window::Window;
pub(crate) use window::child_score;

use crate::game::{Game, Side, sort_best_first};
use algorithm::mtdf;
use memory::Memory;

/// Number of positions visited between two checks for cancellation.
const STOP_INTERVAL: u32 = 1 << 12;

/// Stack of a search in bytes.
///
/// A search recurses once per move of a game.
pub(crate) const STACK: usize = 256 << 20;

/// Returns the depth in moves that a search can reach on a stack of this size.
///
/// `stack` is in bytes.
pub(crate) fn deepest_on<G: Game>(stack: usize) -> u32 {
    let position = size_of::<G::Position>();
    // Stack frames are larger without optimization.
    let a_move = if cfg!(debug_assertions) {
        4096 + 16 * position
    } else {
        1024 + 8 * position
    };
    (stack / a_move) as u32
}

/// A search of a game.
///
/// Its results depend neither on the table's contents nor on other users of the table; only the
/// effort does.
pub struct Search<'a, G: Game, O = ()> {
    pub(crate) game: &'a G,
    pub(crate) observer: O,
    /// Search depth in moves.
    pub(crate) depth: u32,
    /// Estimates the score of an unfinished position; `None` when searching to the end.
    pub(crate) evaluate: Option<fn(&G, &G::Position) -> i32>,
    counts: Counts,
    table: Option<Memory<'a, G>>,
    stop: Option<Stop<'a>>,
    /// Positions to visit before the next check for cancellation.
    until_stop: u32,
    /// Positions already reported to `stop`.
    told: u64,
    /// Maximum depth in moves, so that the search doesn't overflow its thread's stack.
    deepest: u32,
    /// Whether the search was stopped because it reached `deepest`.
    pub(crate) went_too_deep: bool,
    /// The best move of the last position searched.
    chosen: Option<G::Move>,
    /// Unused move lists, retained so that their memory is reused.
    spare: Vec<Vec<G::Move>>,
}

/// Receives the nodes since the last call; returns whether to stop.
type Stop<'a> = &'a (dyn Fn(u64) -> bool + Sync);

impl<'a, G: Game> Search<'a, G> {
    /// Returns a search to the ends of the game, without a table.
    #[must_use]
    pub fn new(game: &'a G) -> Self {
        Search::observed(game, ())
    }
}

impl<'a, G: Game, O: Observer<G>> Search<'a, G, O> {
    /// Returns a search to the ends of the game, without a table, that an observer follows.
    #[must_use]
    pub(crate) fn observed(game: &'a G, observer: O) -> Self {
        Search {
            game,
            observer,
            depth: u32::MAX,
            evaluate: None,
            counts: Counts::default(),
            table: None,
            stop: None,
            until_stop: STOP_INTERVAL,
            told: 0,
            deepest: u32::MAX,
            went_too_deep: false,
            chosen: None,
            spare: Vec::new(),
        }
    }

    /// Remembers bounds in this table.
    ///
    /// Any number of searches of the same game may share it, provided that all use the same
    /// estimate, or none.
    #[must_use]
    pub fn with_table(mut self, table: &'a TranspositionTable) -> Self {
        self.table = Some(Memory::Keyed(table));
        self
    }

    /// Remembers bounds in this table, but only when searching to the ends of the game.
    #[must_use]
    pub(crate) fn with_slots(mut self, table: &'a SlotTable<G::Position>) -> Self {
        self.table = Some(Memory::BySlot(table));
        self
    }

    /// Stops the search when `stop` returns true.
    ///
    /// `stop` is called every few thousand positions with the number visited since the last call.
    #[must_use]
    pub fn stop_when(mut self, stop: &'a (dyn Fn(u64) -> bool + Sync)) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Stops the search when it reaches this depth in moves, at least 1.
    #[must_use]
    pub(crate) fn no_deeper_than(mut self, deepest: u32) -> Self {
        self.deepest = deepest.max(1);
        self.until_stop = self.until_stop.min(self.deepest);
        self
    }

    /// Searches `depth` moves ahead and estimates the scores reached by `evaluate`.
    ///
    /// The depth counts the moves of both sides. `evaluate` must do what [`Game::evaluate`]
    /// promises, which is the usual choice.
    #[must_use]
    pub fn to_depth(mut self, depth: u32, evaluate: fn(&G, &G::Position) -> i32) -> Self {
        (self.depth, self.evaluate) = (depth, Some(evaluate));
        self
    }

    /// Returns the counts so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Returns the number of positions visited since `stop` was last called.
    pub(crate) fn untold(&self) -> u64 {
        self.counts.nodes - self.told
    }

    /// Returns the position's score, seen from its side to move.
    ///
    /// # Errors
    /// If the search was stopped.
    pub fn score(&mut self, algorithm: Algorithm, position: &G::Position) -> Result<i32, Stopped> {
        let window = self.every_score(position);
        self.in_window(algorithm, position, window)
    }

    /// Returns the position's score, or a bound if the score is outside of the window.
    ///
    /// A result inside the window is the score, one of alpha or less an upper bound, and one of
    /// beta or more a lower bound. All are seen from the side to move.
    ///
    /// Minimax and negamax ignore the window: their result is always the score.
    ///
    /// # Errors
    /// If the search was stopped.
    pub fn in_window(
        &mut self,
        algorithm: Algorithm,
        position: &G::Position,
        window: Window,
    ) -> Result<i32, Stopped> {
        self.chosen = None;
        self.dispatch(algorithm, position, self.depth, window)
    }

    /// Returns the best move of the position last passed to [`Search::score`].
    ///
    /// Among equal moves, it is the first in the game's order. `None` if the position is finished
    /// or its score came from the table.
    #[must_use]
    pub fn chosen(&self) -> Option<G::Move> {
        self.chosen
    }

    /// Returns the legal moves with their scores for the side to move, best first.
    ///
    /// Equal moves are in the game's order. With a depth, the move itself counts as the first move
    /// searched, and is made even if the depth is 0.
    ///
    /// # Errors
    /// If the search was stopped.
    pub fn play_scores(
        &mut self,
        algorithm: Algorithm,
        position: &G::Position,
    ) -> Result<Vec<(G::Move, i32)>, Stopped> {
        let mut scores = Vec::new();
        for mv in self.game.legal_moves(position) {
            scores.push((mv, self.move_score(algorithm, position, mv)?));
        }
        sort_best_first(&mut scores);
        Ok(scores)
    }

    /// Returns a move's score for the side that makes it. The move counts as the first one searched.
    fn move_score(
        &mut self,
        algorithm: Algorithm,
        position: &G::Position,
        mv: G::Move,
    ) -> Result<i32, Stopped> {
        let (side, child) = (
            self.game.side_to_move(position),
            self.game.play(position, mv),
        );
        let depth = self.depth.saturating_sub(1);
        child_score(self.game, side, &child, Window::FULL, |_| {
            let window = self.every_score(&child);
            self.dispatch(algorithm, &child, depth, window)
        })
    }

    fn dispatch(
        &mut self,
        algorithm: Algorithm,
        position: &G::Position,
        depth: u32,
        window: Window,
    ) -> Result<i32, Stopped> {
        match algorithm {
            Algorithm::Minimax => {
                let value = self.minimax(position, depth)?;
                Ok(self.game.seen_from(Side::First, position, value))
            }
            Algorithm::Negamax => self.negamax(algorithm, position, depth, Window::FULL),
            Algorithm::Mtdf => {
                // Bounds outside of the window are of no interest.
                let bounds = Bounds {
                    lower: window.alpha,
                    upper: window.beta,
                };
                mtdf(self.game.banked(position), bounds, |window| {
                    self.negamax(Algorithm::AlphaBeta, position, depth, window)
                })
            }
            _ => self.negamax(algorithm, position, depth, window),
        }
    }

    /// Returns a window that determines every possible score of the position.
    fn every_score(&self, position: &G::Position) -> Window {
        if self.evaluate.is_some() || self.game.final_score(position).is_some() {
            return Window::FULL;
        }
        // No score is higher than the highest, so a lower bound of `highest` is the score.
        let Bounds { lower, upper } = Bounds::of_range(self.game, position);
        Window {
            alpha: lower - 1,
            beta: upper,
        }
    }

    /// Counts the position; returns its score if it is finished or at the search depth.
    fn visit(
        &mut self,
        position: &G::Position,
        depth: u32,
        window: Window,
    ) -> Result<Option<i32>, Stopped> {
        self.observer.enter(position, window);
        self.counts.nodes += 1;
        self.until_stop -= 1;
        if self.until_stop == 0 {
            let moves = self.depth - depth;
            self.went_too_deep = moves >= self.deepest;
            // A visit is at most one move deeper than the one before.
            self.until_stop = STOP_INTERVAL.min(self.deepest.saturating_sub(moves)).max(1);
            let visited = self.untold();
            self.told = self.counts.nodes;
            if self.went_too_deep || self.stop.is_some_and(|stop| stop(visited)) {
                return Err(Stopped);
            }
        }
        let mut score = self.game.final_score(position);
        if let Some(evaluate) = self.evaluate
            && depth == 0
        {
            score = score.or_else(|| Some(evaluate(self.game, position)));
        }
        if let Some(score) = score {
            self.observer.leave(window, score, End::Leaf);
            self.counts.evaluations += 1;
        }
        Ok(score)
    }

    /// Searches the children until a score reaches beta; returns the best, and why it stopped.
    ///
    /// `each` receives the child and the best score so far, and returns the child's score, seen
    /// from the parent.
    fn best_of_moves(
        &mut self,
        position: &G::Position,
        depth: u32,
        window: Window,
        mut each: impl FnMut(&mut Self, &G::Position, i32) -> Result<i32, Stopped>,
    ) -> Result<(i32, End), Stopped> {
        let mut moves = self.spare.pop().unwrap_or_default();
        self.game.moves(position, &mut moves);
        self.observer.expand(position, depth, &mut moves);
        debug_assert!(!moves.is_empty(), "an unfinished position has a move");
        let (mut best, mut end) = (-INFINITY, End::Searched);
        for (index, &mv) in moves.iter().enumerate() {
            self.observer.descend();
            let child = self.game.play(position, mv);
            let score = each(self, &child, best)?;
            if score > best {
                best = score;
                // A move that isn't better than alpha has only a bound, so it can't be the best
                // move.
                if best > window.alpha {
                    self.choose(depth, mv);
                }
            }
            if best >= window.beta {
                if index + 1 < moves.len() {
                    self.counts.cutoffs += 1;
                    end = End::Cut;
                }
                break;
            }
        }
        self.spare.push(moves);
        Ok((best, end))
    }

    /// Records the best move if it is a move of the root.
    fn choose(&mut self, depth: u32, mv: G::Move) {
        if depth == self.depth {
            self.chosen = Some(mv);
        }
    }
}
