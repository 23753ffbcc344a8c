//! Connect Four's search as a [`Searcher`], and opening books: the scores of positions with few stones.

use super::prover::{Node, Prover, Transpositions};
use crate::game::{
    Bounds, EndgameError, Game, KnownScores, Notation, Progress, SearchError, SearchSetup, Searcher,
};
use crate::games::connect4::{Connect4, Position};
use crate::pool::first_answer;
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// A table of [`Connect4::opening`].
pub struct Opening {
    game: Connect4,
    scores: Arc<dyn KnownScores>,
}

impl Opening {
    /// Returns the setup's opening book if there is one; an error if it is of another game.
    pub fn of(setup: &SearchSetup, game: &Connect4) -> Result<Option<Opening>, EndgameError> {
        let Some(scores) = setup.known.clone() else {
            return Ok(None);
        };
        // Equal games have equal rules strings, so compare these.
        let mut openings = (1..game.board.cells()).filter_map(|up_to| game.opening(up_to).ok());
        match openings.find(|game| game.rules() == scores.rules()) {
            Some(game) => Ok(Some(Opening { game, scores })),
            None => Err(EndgameError::Unsuitable {
                problem: format!("it is a table of {}", scores.name()),
                make: None,
            }),
        }
    }

    /// Returns the score of a position, unless it has more stones than the book.
    pub fn score(&self, game: &Connect4, position: &Position) -> Result<Option<i32>, SearchError> {
        let range = game.score_range();
        self.score_within(game, position, [range.lowest, range.highest])
    }

    /// Returns the score if it lies within the window, otherwise a bound, by alpha-beta.
    fn score_within(
        &self,
        game: &Connect4,
        position: &Position,
        [mut alpha, beta]: [i32; 2],
    ) -> Result<Option<i32>, SearchError> {
        if let Some(score) = game.at_once(position) {
            return Ok(Some(score));
        }
        if self.game.has_in_book(position) {
            let key = game.key(&game.canonical(position));
            let score = self.scores.score_of_key(key).map_err(EndgameError::Read);
            return Ok(score?);
        }
        if self
            .game
            .up_to()
            .is_none_or(|up_to| position.stones() > up_to)
        {
            return Ok(None);
        }
        let mut best = i32::MIN;
        for mv in game.legal_moves(position) {
            let child = game.play(position, mv);
            let Some(score) = self.score_within(game, &child, [-beta, -alpha])? else {
                return Ok(None);
            };
            best = best.max(-score);
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        Ok(Some(best))
    }
}

/// Nodes that one thread searches in less time than it takes to start others.
const NODES_ALONE: u64 = 1 << 17;

/// Stones between the earliest possible win and the win asked about first.
///
/// An early win takes few nodes to prove or to rule out.
const SOON: i32 = 5;

/// A searcher of positions of one game.
///
/// All questions share one transposition table, on any number of threads.
pub struct Connect4Searcher {
    game: Connect4,
    threads: usize,
    opening: Option<Opening>,
    table: Transpositions,
    nodes: AtomicU64,
}

impl Connect4Searcher {
    /// Returns a searcher within the limits of `setup`.
    ///
    /// The system provides the memory as it is used.
    ///
    /// # Errors
    /// If the memory isn't enough for any search, the system can't provide it, or the setup has
    /// scores other than an opening book of this game.
    pub fn new(game: &Connect4, setup: &SearchSetup) -> Result<Connect4Searcher, SearchError> {
        let key_bits = game.board.columns * game.board.stride();
        let table = Transpositions::for_search(key_bits, setup)?;
        Ok(Connect4Searcher {
            game: game.clone(),
            threads: setup.threads.max(1),
            opening: Opening::of(setup, game)?,
            table,
            nodes: AtomicU64::new(0),
        })
    }

    /// Clears the table, so that the next question can be measured by itself.
    pub fn forget(&mut self) {
        self.table.clear();
    }

    /// Returns the bounds before any search.
    fn known(&self, position: &Position) -> Result<Bounds, SearchError> {
        let score = match &self.opening {
            Some(opening) => opening.score(&self.game, position)?,
            None => self.game.at_once(position),
        };
        Ok(score.map_or_else(|| self.by_rules(position), Bounds::exactly))
    }

    /// Returns the bounds of a position in which nobody wins with the next stone.
    fn by_rules(&self, position: &Position) -> Bounds {
        // The side to move can't win with the next stone, but may with its second.
        let stones = position.stones();
        Bounds {
            lower: -self.game.board.winners_score(stones + 2).max(0),
            upper: self.game.board.winners_score(stones + 3).max(0),
        }
    }

    /// Runs a search that is compiled for the board's shape.
    fn ask(&self, position: &Position, wanted: i32, progress: &dyn Progress) -> Option<i32> {
        let board = &self.game.board;
        match (board.stride(), board.line) {
            (7, 4) if board.columns <= 8 => self.ask_on::<7, 4, 8>(position, wanted, progress),
            (8, 4) => self.ask_on::<8, 4, 8>(position, wanted, progress),
            (6, 4) if board.columns <= 8 => self.ask_on::<6, 4, 8>(position, wanted, progress),
            (5, 4) if board.columns <= 8 => self.ask_on::<5, 4, 8>(position, wanted, progress),
            _ => self.ask_on::<0, 0, 32>(position, wanted, progress),
        }
    }

    /// Searches on one thread first, then on all threads; the first answer counts.
    fn ask_on<const STRIDE: u32, const LINE: u32, const COLUMNS: usize>(
        &self,
        position: &Position,
        wanted: i32,
        progress: &dyn Progress,
    ) -> Option<i32> {
        // A small search ends before its first check for cancellation, so check here.
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
            let [own, other] = position.own_and_other();
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
        // The table retains what this search has learnt.
        if self.threads > 1
            && let Some(found) = search(0, NODES_ALONE)
        {
            return Some(found);
        }
        first_answer(self.threads, |turn| search(turn, u64::MAX))
    }

    /// Returns the score to ask about next; `asked` counts the questions from 0.
    fn next_question(bounds: Bounds, soon: i32, asked: u32) -> i32 {
        let Bounds { lower, upper } = bounds;
        if asked == 0 && soon > lower && soon <= upper {
            return soon;
        }
        if asked == 1 && -soon >= lower && -soon < upper {
            return 1 - soon;
        }
        // Bisect, but farther from 0: questions about early wins only take few nodes.
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
        // Asked for the score, the search reports that the opening book can't be read.
        let known = self.known(position);
        known.unwrap_or_else(|_| self.by_rules(position))
    }

    fn bound(
        &self,
        position: &Position,
        wanted: i32,
        progress: &dyn Progress,
    ) -> Result<Option<i32>, SearchError> {
        let Bounds { lower, upper } = self.known(position)?;
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
        let mut bounds = self.known(position)?;
        let soon = bounds.upper - SOON;
        let soon = if soon > 0 { soon } else { i32::MAX - 1 };
        let mut asked = 0;
        while bounds.lower < bounds.upper {
            let wanted = Self::next_question(bounds, soon, asked);
            asked += 1;
            let Some(found) = self.ask(position, wanted, progress) else {
                break;
            };
            bounds.narrow(wanted, found);
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
