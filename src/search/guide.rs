//! Guides a search for people who learn how it works: orders moves, and records the visits.

use super::{Algorithm, End, Observer, Search, Window};
use crate::game::{Game, Notation, Side};
use crate::random::{Random, hash};

/// The order in which a search tries the moves of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Order {
    /// The game's own.
    #[default]
    Own,
    /// The highest score first, by another search to the same depth.
    Best,
    /// The lowest score first.
    Worst,
    /// The highest static evaluation first ([`Game::evaluate`]).
    Static,
    /// A random order with this seed, the same at every visit to a position.
    Random(u64),
}

/// A visit to a position by a search. Windows and values are seen from its side to move.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub(crate) struct Visit {
    /// Number of the visit that led to it, from 0; `None` at the root.
    pub parent: Option<usize>,
    /// Number of moves from the root.
    pub depth: u32,
    /// The move that led to it; `None` at the root.
    #[serde(rename = "move")]
    pub mv: Option<String>,
    /// Text of the position visited.
    pub position: String,
    /// The side to move.
    pub to_move: Side,
    /// Whether the same move, or the root, was searched before in another window.
    pub again: bool,
    /// The window at the beginning.
    pub entry: Window,
    /// The window at the end.
    pub exit: Window,
    /// The score if it is in the window of the beginning, and otherwise a bound.
    ///
    /// One of alpha or less is an upper bound, one of beta or more a lower one.
    pub value: i32,
    /// Why the visit ended.
    pub end: End,
    /// The moves that were searched, and perhaps not searched to the end.
    pub searched: Vec<String>,
    /// The moves that were never visited.
    pub skipped: Vec<String>,
}

/// Orders moves, and records the visits down to a depth.
pub(crate) struct Guide<'a, G: Game> {
    order: Order,
    /// Finds the scores of moves.
    pub scorer: Search<'a, G>,
    /// The depth to which visits are recorded; `None` to record nothing.
    depth: Option<u32>,
    /// The visits in the order in which they began.
    pub visits: Vec<Visit>,
    /// The numbers of the visits that have not ended, from the root on; [`HIDDEN`] if unrecorded.
    open: Vec<usize>,
}

const HIDDEN: usize = usize::MAX;

impl<'a, G: Notation> Guide<'a, G> {
    /// Maximum number of visits to record.
    pub const MOST: usize = 100_000;

    pub fn new(scorer: Search<'a, G>, order: Order, depth: Option<u32>) -> Self {
        Guide {
            order,
            scorer,
            depth,
            visits: Vec::new(),
            open: Vec::new(),
        }
    }

    /// Returns the rank of a move: moves are searched from the lowest to the highest.
    fn rank(&mut self, position: &G::Position, depth: u32, mv: G::Move) -> i64 {
        if let Order::Random(seed) = self.order {
            let child = self.scorer.game.play(position, mv);
            return Random::new(hash(&(seed, child))).bits() as i64;
        }
        self.scorer.depth = depth;
        let found = self.scorer.move_score(Algorithm::AlphaBeta, position, mv);
        let Ok(score) = found else {
            // The search will be stopped soon, so the order no longer matters.
            self.order = Order::Own;
            return 0;
        };
        let score = i64::from(score);
        if self.order == Order::Worst {
            score
        } else {
            -score
        }
    }

    /// Returns the visit whose moves are being searched, if it is recorded.
    fn last(&mut self) -> Option<&mut Visit> {
        self.visits.get_mut(*self.open.last()?)
    }
}

impl<G: Notation> Observer<G> for Guide<'_, G> {
    fn expand(&mut self, position: &G::Position, depth: u32, moves: &mut [G::Move]) {
        if self.order != Order::Own {
            let is_static = self.order == Order::Static;
            let depth = if is_static { 1 } else { depth };
            moves.sort_by_cached_key(|&mv| self.rank(position, depth, mv));
        }
        let game = self.scorer.game;
        if let Some(last) = self.last() {
            last.skipped = moves.iter().map(|&mv| game.format_move(mv)).collect();
        }
    }

    fn descend(&mut self) {
        if let Some(last) = self.last() {
            last.searched.push(last.skipped.remove(0));
        }
    }

    fn enter(&mut self, position: &G::Position, window: Window) {
        let (depth, number) = (self.open.len() as u32, self.visits.len());
        if Some(depth) > self.depth || number == Self::MOST {
            self.open.push(HIDDEN);
            return;
        }
        let parent = self.open.last().copied();
        let mv = parent.and_then(|parent| self.visits[parent].searched.last().cloned());
        let mut before = self.visits.iter().rev();
        let before = before.find(|before| before.depth <= depth);
        self.visits.push(Visit {
            parent,
            depth,
            again: before.is_some_and(|before| before.depth == depth && before.mv == mv),
            mv,
            position: self.scorer.game.format_position(position),
            to_move: self.scorer.game.side_to_move(position),
            entry: window,
            exit: window,
            value: 0,
            end: End::Leaf,
            searched: Vec::new(),
            skipped: Vec::new(),
        });
        self.open.push(number);
    }

    fn leave(&mut self, window: Window, found: i32, end: End) {
        let number = self.open.pop().unwrap_or(HIDDEN);
        let Some(visit) = self.visits.get_mut(number) else {
            return;
        };
        (visit.value, visit.end) = (found, end);
        if !visit.searched.is_empty() {
            visit.exit = window.above(found);
        }
    }
}
