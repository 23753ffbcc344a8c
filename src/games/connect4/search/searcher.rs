//! Connect Four's search as a [`Searcher`].

use super::prover::{Node, Prover, Transpositions};
use super::shape::wins;
use crate::game::{
    Bounds, EndgameError, Game, Notation, Progress, SearchError, SearchSetup, Searcher,
};
use crate::games::connect4::{Connect4, Position};
use crate::pool::first_answer;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// What a single thread searches in less time than it takes to start others.
const NODES_ALONE: u64 = 1 << 17;

/// A win that comes so many stones later than the soonest possible one, or sooner, is looked for
/// first: it takes few nodes.
const SOON: i32 = 5;

/// Searches positions of one game. All questions share one transposition table, on any number of
/// threads.
pub struct Connect4Searcher {
    game: Connect4,
    threads: usize,
    table: Transpositions,
    nodes: AtomicU64,
}

impl Connect4Searcher {
    /// A searcher that may use so much. The system gives the memory as it is used.
    ///
    /// # Errors
    /// If that is not enough for any search, the system doesn't give it, or the setup has an
    /// endgame, for which there is no use.
    pub fn new(game: &Connect4, setup: &SearchSetup) -> Result<Connect4Searcher, SearchError> {
        if setup.endgame.is_some() {
            let game = game.name();
            return Err(EndgameError::NotTaken { game }.into());
        }
        let key_bits = game.board.columns * game.board.stride();
        let (bytes, least) = (setup.memory, Transpositions::least_bytes(key_bits));
        if bytes < least {
            return Err(SearchError::Memory {
                layer: 0,
                layer_name: game.layer_name(),
                least,
                allowed: bytes,
            });
        }
        let table =
            Transpositions::new(key_bits, bytes).map_err(|_| SearchError::NoMemory { bytes })?;
        Ok(Connect4Searcher {
            game: game.clone(),
            threads: setup.threads.max(1),
            table,
            nodes: AtomicU64::new(0),
        })
    }

    /// Forgets what it has learnt from the questions so far, to measure the next one by itself.
    pub fn forget(&mut self) {
        self.table.clear();
    }

    /// The score of a position that is finished, or in which the mover wins at once.
    fn at_once(&self, position: &Position) -> Option<i32> {
        let (game, board) = (&self.game, &self.game.board);
        game.final_score(position).or_else(|| {
            let (own, other) = position.own_and_other();
            let landing = ((own | other) + board.bottom) & board.full;
            let wins = wins(own, board.stride(), board.line);
            (landing & wins != 0).then(|| board.winners_score(position.stones() + 1))
        })
    }

    /// Asks in the board's shape.
    fn ask(&self, position: &Position, wanted: i32, progress: &dyn Progress) -> Option<i32> {
        let board = &self.game.board;
        // As many columns as fit into 64 bits.
        match (board.stride(), board.line) {
            (7, 4) => self.ask_on::<7, 4, 9>(position, wanted, progress),
            (8, 4) => self.ask_on::<8, 4, 8>(position, wanted, progress),
            (6, 4) => self.ask_on::<6, 4, 10>(position, wanted, progress),
            (5, 4) => self.ask_on::<5, 4, 12>(position, wanted, progress),
            _ => self.ask_on::<0, 0, 32>(position, wanted, progress),
        }
    }

    /// Asks on one thread, and if that takes long on all; the first to know has the answer.
    fn ask_on<const STRIDE: u32, const LINE: u32, const COLUMNS: usize>(
        &self,
        position: &Position,
        wanted: i32,
        progress: &dyn Progress,
    ) -> Option<i32> {
        // Small searches end before they look.
        if progress.cancelled() {
            return None;
        }
        let is_known = AtomicBool::new(false);
        let search = |turn: usize, most: u64| {
            let visited = Cell::new(0);
            let go_on = |nodes: u64| {
                progress.advance(nodes);
                visited.set(visited.get() + nodes);
                visited.get() < most && !is_known.load(Relaxed) && !progress.cancelled()
            };
            let (board, table) = (&self.game.board, &self.table);
            let mut prover = Prover::<STRIDE, LINE, COLUMNS>::new(board, table, turn, &go_on);
            let (own, other) = position.own_and_other();
            let all = own | other;
            let node = Node {
                own,
                all,
                own_wins: prover.wins(own, all),
                other_wins: prover.wins(other, all),
            };
            let found = prover.bound(node, position.stones(), wanted);
            if found.is_some() {
                is_known.store(true, Relaxed);
            }
            self.nodes.fetch_add(prover.nodes, Relaxed);
            found
        };
        // What is learnt here is in the table.
        if self.threads > 1
            && let Some(found) = search(0, NODES_ALONE)
        {
            return Some(found);
        }
        first_answer(self.threads, |turn| search(turn, u64::MAX))
    }

    /// The next question about a score: whether it is this high. `asked` counts from 0.
    fn next_question(bounds: Bounds, soon: i32, asked: u32) -> i32 {
        let Bounds { lower, upper } = bounds;
        if asked == 0 && soon > lower && soon <= upper {
            return soon;
        }
        if asked == 1 && -soon >= lower && -soon < upper {
            return 1 - soon;
        }
        // Bisection, but farther from 0: it takes few nodes to look only for early wins.
        let middle = lower + (upper - lower).div_euclid(2);
        let farther = if middle <= 0 {
            middle.min(lower / 2)
        } else {
            middle.max(upper / 2)
        };
        farther.clamp(lower, upper - 1) + 1
    }
}

impl Searcher<Connect4> for Connect4Searcher {
    fn bounds(&self, position: &Position) -> Bounds {
        if let Some(score) = self.at_once(position) {
            return Bounds::exactly(score);
        }
        // Who doesn't win with the next stone may with the one after the opponent's.
        let stones = position.stones();
        Bounds {
            lower: -self.game.board.winners_score(stones + 2).max(0),
            upper: self.game.board.winners_score(stones + 3).max(0),
        }
    }

    fn bound(
        &self,
        position: &Position,
        wanted: i32,
        progress: &dyn Progress,
    ) -> Result<Option<i32>, SearchError> {
        let Bounds { lower, upper } = self.bounds(position);
        if wanted <= lower || upper < wanted || lower == upper {
            return Ok(Some(if wanted <= lower { lower } else { upper }));
        }
        Ok(self.ask(position, wanted, progress))
    }

    fn score(
        &self,
        position: &Position,
        _guess: i32,
        progress: &dyn Progress,
        each: &mut dyn FnMut(Bounds),
    ) -> Result<Bounds, SearchError> {
        let mut bounds = self.bounds(position);
        let soon = bounds.upper - SOON;
        let soon = if soon > 0 { soon } else { i32::MAX - 1 };
        let mut asked = 0;
        while bounds.lower < bounds.upper {
            let wanted = Self::next_question(bounds, soon, asked);
            asked += 1;
            let Some(found) = self.ask(position, wanted, progress) else {
                break;
            };
            if found >= wanted {
                bounds.lower = bounds.lower.max(found);
            } else {
                bounds.upper = bounds.upper.min(found);
            }
            each(bounds);
        }
        Ok(bounds)
    }

    fn nodes(&self) -> u64 {
        self.nodes.load(Relaxed)
    }

    fn threads(&self) -> usize {
        self.threads
    }
}
