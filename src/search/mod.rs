//! Searching: the score of one position.
//!
//! Five algorithms that all give the same score and differ in what they look at on the way:
//!
//! * [minimax](Algorithm::Minimax) looks at every line of play to its end, and sees every value from
//!   the first player's side;
//! * [negamax](Algorithm::Negamax) does the same, and sees every value from the side to move;
//! * [alpha-beta](Algorithm::AlphaBeta) leaves out moves that can't change the result any more;
//! * [NegaScout](Algorithm::NegaScout) only asks of every move but the first whether it is better, and
//!   looks closer if it is;
//! * [MTD(f)](Algorithm::Mtdf) closes in on the score with a row of yes-or-no questions.
//!
//! [`compare()`] runs several of them on one position and says what each has cost.
//!
//! Each runs with or without a [`TranspositionTable`], to the ends of the game or to a depth,
//! beyond which the rest is estimated. All are *fail-soft*: what they return says as much as is
//! known, even outside the [`Window`] asked for.
//!
//! ```
//! use zermelo::game::Notation;
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
//! let mut search = Search::new(&game).to_depth(2, |_, _| 0);
//! assert_eq!(search.score(Algorithm::Mtdf, &position), Ok(0));
//! # Ok::<(), zermelo::game::NotationError>(())
//! ```

mod algorithm;
mod by_slot;
mod compare;
mod counters;
mod memory;
mod minimax;
mod mtdf;
mod negamax;
#[cfg(test)]
pub(crate) mod road;
mod searcher;
mod transposition;
mod window;

pub use crate::game::Bounds;
pub use algorithm::{Algorithm, Stopped};
pub(crate) use by_slot::SlotTable;
pub use compare::{
    CompareError, Compared, Comparison, Method, Outcome, Run, UnknownMethod, compare,
};
pub use counters::Counts;
pub(crate) use mtdf::mtdf;
pub use searcher::{GenericSearcher, searcher};
pub use transposition::{NoMemory, TranspositionTable};
pub use window::{INFINITY, Window, child_score};

use crate::game::{Game, Side};
use memory::{Entry, Known, Memory, Place};

/// How many positions are visited between two looks at whether to stop.
const STOP_INTERVAL: u32 = 1 << 12;

/// How many moves deep a search can go on a stack of so many bytes.
pub(crate) fn deepest_on<G: Game>(stack: usize) -> u32 {
    let position = size_of::<G::Position>();
    // Without optimisation it leaves more there.
    let a_move = if cfg!(debug_assertions) {
        4096 + 16 * position
    } else {
        1024 + 8 * position
    };
    (stack / a_move) as u32
}

/// A search of a game.
///
/// What it finds depends neither on what the table holds nor on who else uses it; only the effort
/// does.
pub struct Search<'a, G: Game> {
    game: &'a G,
    /// How many moves it looks ahead.
    depth: u32,
    /// What is taken for the rest of the game beyond; nothing if it looks to the end.
    to_come: Option<fn(&G, &G::Position) -> i32>,
    counts: Counts,
    table: Option<Memory<'a, G>>,
    stop: Option<Stop<'a>>,
    /// Positions to visit before the next look at whether to stop.
    until_stop: u32,
    /// Positions that `stop` has heard of.
    told: u64,
    /// How many moves deep it goes at most, so that it doesn't leave its thread's stack.
    deepest: u32,
    /// Whether it was stopped because it went as deep.
    went_too_deep: bool,
    /// The best move of the position that was asked about last.
    chosen: Option<G::Move>,
    /// Move lists that are not in use, kept for their memory.
    spare: Vec<Vec<G::Move>>,
}

/// Hears how many positions were visited since it was asked last; says whether to stop.
type Stop<'a> = &'a (dyn Fn(u64) -> bool + Sync);

impl<'a, G: Game> Search<'a, G> {
    /// A search to the ends of the game, without a table.
    #[must_use]
    pub fn new(game: &'a G) -> Self {
        Search {
            game,
            depth: u32::MAX,
            to_come: None,
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

    /// Remembers bounds in this table, which any number of searches of the same game, with the same
    /// estimate if they have one, may share.
    #[must_use]
    pub fn with_table(mut self, table: &'a TranspositionTable) -> Self {
        self.table = Some(Memory::Keyed(table));
        self
    }

    /// Remembers bounds in this table. Only a search to the ends of the game does.
    #[must_use]
    pub(crate) fn with_slots(mut self, table: &'a SlotTable<G::Position>) -> Self {
        self.table = Some(Memory::BySlot(table));
        self
    }

    /// Stops when this says so; it is asked every few thousand positions, and told how many there were
    /// since the last time.
    #[must_use]
    pub fn stop_when(mut self, stop: &'a (dyn Fn(u64) -> bool + Sync)) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Stops when it has gone this number of moves deep, at least 1.
    #[must_use]
    pub(crate) fn no_deeper_than(mut self, deepest: u32) -> Self {
        self.deepest = deepest.max(1);
        self.until_stop = self.until_stop.min(self.deepest);
        self
    }

    /// Looks so many moves ahead, whoever makes them, and takes `to_come` for what the rest of the
    /// game brings.
    ///
    /// `to_come` estimates the score of a position that is not finished, without the points already
    /// banked and seen from its side to move; no more than a million either way. It must be the
    /// same for all positions of a class if a table is used. With an estimate of 0, the points
    /// banked are all that counts.
    #[must_use]
    pub fn to_depth(mut self, depth: u32, to_come: fn(&G, &G::Position) -> i32) -> Self {
        (self.depth, self.to_come) = (depth, Some(to_come));
        self
    }

    /// Whether it was stopped because it went as deep as it may.
    pub(crate) fn went_too_deep(&self) -> bool {
        self.went_too_deep
    }

    /// What has been done so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Positions visited since `stop` was asked last.
    pub(crate) fn untold(&self) -> u64 {
        self.counts.nodes - self.told
    }

    /// The position's score, seen from its side to move.
    ///
    /// # Errors
    /// If the search was told to stop.
    pub fn score(&mut self, algorithm: Algorithm, position: &G::Position) -> Result<i32, Stopped> {
        let window = self.every_score(position);
        self.in_window(algorithm, position, window)
    }

    /// What a window can tell about the position's score, which is seen from its side to move: a
    /// result inside the window is the score, one of alpha or less is an upper bound of it, one of
    /// beta or more a lower bound.
    ///
    /// Minimax and negamax take no notice of windows: their result is the score.
    ///
    /// # Errors
    /// If the search was told to stop.
    pub fn in_window(
        &mut self,
        algorithm: Algorithm,
        position: &G::Position,
        window: Window,
    ) -> Result<i32, Stopped> {
        self.chosen = None;
        self.dispatch(algorithm, position, self.depth, window)
    }

    /// The best move of the position that [`Search::score`] was asked about last: among equals the
    /// first in the game's order. None if the position is finished, or was looked up in the table.
    #[must_use]
    pub fn chosen(&self) -> Option<G::Move> {
        self.chosen
    }

    /// The legal moves and what each scores for the side to move, best first; among equals in the
    /// game's order.
    ///
    /// With a depth, the move itself is the first of those that are looked ahead (and is made even
    /// if there are none).
    ///
    /// # Errors
    /// If the search was told to stop.
    pub fn play_scores(
        &mut self,
        algorithm: Algorithm,
        position: &G::Position,
    ) -> Result<Vec<(G::Move, i32)>, Stopped> {
        let mut scores = Vec::new();
        for mv in self.game.legal_moves(position) {
            scores.push((mv, self.move_score(algorithm, position, mv, None)?));
        }
        scores.sort_by_key(|&(_, score)| std::cmp::Reverse(score));
        Ok(scores)
    }

    /// The best move and its score: the first of [`Search::play_scores`], for less work. None if
    /// the position is finished.
    ///
    /// # Errors
    /// If the search was told to stop.
    pub fn best_move(
        &mut self,
        algorithm: Algorithm,
        position: &G::Position,
    ) -> Result<Option<(G::Move, i32)>, Stopped> {
        let beta = self.every_score(position).beta;
        let mut best: Option<(G::Move, i32)> = None;
        for mv in self.game.legal_moves(position) {
            let alpha = best.map_or(-INFINITY, |(_, score)| score);
            if alpha >= beta {
                break;
            }
            let window = Some(Window { alpha, beta });
            let score = self.move_score(algorithm, position, mv, window)?;
            if score > alpha {
                best = Some((mv, score));
            }
        }
        Ok(best)
    }

    /// What a move scores for the side that makes it: what a window tells of it, or exactly.
    fn move_score(
        &mut self,
        algorithm: Algorithm,
        position: &G::Position,
        mv: G::Move,
        window: Option<Window>,
    ) -> Result<i32, Stopped> {
        let side = self.game.side_to_move(position);
        let child = self.game.play(position, mv);
        let depth = self.depth.saturating_sub(1);
        let seen = window.unwrap_or(Window::FULL);
        child_score(self.game, side, &child, seen, |seen| {
            let window = window.map_or_else(|| self.every_score(&child), |_| seen);
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
            Algorithm::Mtdf => {
                // What lies beyond the window is of no interest.
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

    /// A window that leaves no doubt about any score that the position can have.
    fn every_score(&self, position: &G::Position) -> Window {
        if self.to_come.is_some() || self.game.final_score(position).is_some() {
            return Window::FULL;
        }
        // Nothing is higher than the highest score, so a lower bound of it will do.
        let range = self.game.score_range();
        let banked = self.game.banked(position);
        Window {
            alpha: banked + range.lowest - 1,
            beta: banked + range.highest,
        }
    }

    /// Counts the position; its score if it is finished or as far as one looks.
    fn visit(&mut self, position: &G::Position, depth: u32) -> Result<Option<i32>, Stopped> {
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
        if let Some(to_come) = self.to_come
            && depth == 0
            && score.is_none()
        {
            score = Some(self.game.banked(position) + to_come(self.game, position));
        }
        if score.is_some() {
            self.counts.evaluations += 1;
        }
        Ok(score)
    }

    /// What the table knows; narrows the window to it.
    fn recall(&mut self, position: &G::Position, depth: u32, window: &mut Window) -> Known {
        let Some((table, entry)) = self.entry(position, depth) else {
            return Known::TooLittle(None);
        };
        if let Some(bounds) = table.get(entry.place) {
            self.counts.table_hits += 1;
            let lower = bounds.lower + entry.banked;
            let upper = bounds.upper + entry.banked;
            if lower >= window.beta || lower == upper {
                self.counts.table_cutoffs += 1;
                return Known::Enough(lower);
            }
            if upper <= window.alpha {
                self.counts.table_cutoffs += 1;
                return Known::Enough(upper);
            }
            window.alpha = window.alpha.max(lower);
            window.beta = window.beta.min(upper);
        }
        Known::TooLittle(Some(entry))
    }

    /// Puts what a search in this window has found into the table.
    fn remember(&mut self, entry: Option<Entry>, window: Window, found: i32) {
        if let (Some(table), Some(Entry { place, banked })) = (&self.table, entry) {
            let to_come = found - banked;
            let lower = if found > window.alpha {
                to_come
            } else {
                -INFINITY
            };
            let upper = if found < window.beta {
                to_come
            } else {
                INFINITY
            };
            self.counts.table_stores += 1;
            if table.tighten(place, Bounds { lower, upper }) {
                self.counts.table_replacements += 1;
            }
        }
    }

    #[inline]
    fn entry(&self, position: &G::Position, depth: u32) -> Option<(&Memory<'_, G>, Entry)> {
        let table = self.table.as_ref()?;
        let canonical = self.game.canonical(position);
        let place = match table {
            Memory::BySlot(_) if self.to_come.is_some() => return None,
            Memory::BySlot(table) => {
                let slot = table.numbers().of(&canonical);
                Place::Slot(slot.expect("every reachable class has a slot"))
            }
            Memory::Keyed(_) => {
                let mut key = self.game.key(&canonical);
                if self.to_come.is_some() {
                    // How far one looks decides what one finds.
                    let bits = self.game.key_bits();
                    if bits + u32::BITS > u128::BITS {
                        return None;
                    }
                    key |= u128::from(depth) << bits;
                }
                Place::Key(key)
            }
        };
        let banked = self.game.banked(position);
        Some((table, Entry { place, banked }))
    }

    /// Goes through the children of an unfinished position until one says that there is nothing
    /// more to know.
    ///
    /// `each` gets the child and the best score so far, and returns the child's score, seen from
    /// the parent.
    fn best_of_moves(
        &mut self,
        position: &G::Position,
        depth: u32,
        window: Window,
        mut each: impl FnMut(&mut Self, &G::Position, i32) -> Result<i32, Stopped>,
    ) -> Result<i32, Stopped> {
        let mut moves = self.spare.pop().unwrap_or_default();
        self.game.moves(position, &mut moves);
        debug_assert!(!moves.is_empty(), "an unfinished position has a move");
        let mut best = -INFINITY;
        for (index, &mv) in moves.iter().enumerate() {
            let child = self.game.play(position, mv);
            let score = each(self, &child, best)?;
            if score > best {
                best = score;
                // Of a move that is no better than alpha only a bound is known.
                if best > window.alpha {
                    self.choose(depth, mv);
                }
            }
            if best >= window.beta {
                if index + 1 < moves.len() {
                    self.counts.cutoffs += 1;
                }
                break;
            }
        }
        self.spare.push(moves);
        Ok(best)
    }

    /// Takes note of a best move if it is one of the position that was asked about.
    fn choose(&mut self, depth: u32, mv: G::Move) {
        if depth == self.depth {
            self.chosen = Some(mv);
        }
    }
}
