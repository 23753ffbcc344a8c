//! Dots and Boxes' search: alpha-beta with null windows over positions in which nothing can be taken.
//!
//! Between two such positions, a player draws a line, and the opponent takes what can be taken
//! ([`super::chains`]). The table has bounds of the score to come by class.

use super::board::Lines;
use super::chains::{Taken, Worth};
use super::{Dots, Position};
use crate::game::{Bounds, Game, Notation, Progress, SearchError, SearchSetup, Searcher};
use crate::games::cells::ones;
use crate::games::transpositions::{self, KnownBounds};
use crate::pool::first_answer;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Bounds, as boxes that the side to move gets of those to come, and the line that was best.
type Transpositions = transpositions::Transpositions<6, 6, 5>;

/// Positions visited between two checks for cancellation.
const STOP_INTERVAL: u64 = 1 << 10;

/// A searcher of positions of one board.
///
/// All questions share one transposition table, on any number of threads.
pub struct DotsSearcher {
    game: Dots,
    threads: usize,
    table: Transpositions,
    nodes: AtomicU64,
}

impl DotsSearcher {
    /// Returns a searcher within the limits of `setup`.
    ///
    /// # Errors
    /// If the memory isn't enough, the system can't provide it, or the setup has an endgame.
    pub fn new(game: &Dots, setup: &SearchSetup) -> Result<DotsSearcher, SearchError> {
        let key_bits = game.board.ends.len() as u32;
        setup.refuse_endgame(|| game.name())?;
        let table = Transpositions::for_search(key_bits, setup)?;
        Ok(DotsSearcher {
            game: game.clone(),
            threads: setup.threads.max(1),
            table,
            nodes: AtomicU64::new(0),
        })
    }
}

/// One thread's search.
struct Prover<'a> {
    game: &'a Dots,
    table: &'a Transpositions,
    /// The thread's number, which varies the order of moves.
    turn: usize,
    nodes: u64,
    /// Receives the positions visited since the last call; returns whether to continue.
    go_on: &'a dyn Fn(u64) -> bool,
}

/// A line to draw, and what follows.
#[derive(Clone, Copy)]
struct Reply {
    line: u32,
    order: i32,
    taken: Taken,
    key: Lines,
}

/// Returns the bounds of a score, given those of the boxes that the side to move gets of `open`.
fn bounds(known: KnownBounds, open: i32) -> Bounds {
    let [lower, upper] = [known.lower, known.upper].map(|share| 2 * share as i32 - open);
    Bounds { lower, upper }
}

impl Prover<'_> {
    /// Returns a bound of the score to come: a lower one if at least `wanted`, else an upper one.
    ///
    /// `lines` is a canonical set in which nothing can be taken. `None` if the search was stopped.
    fn bound_of_class(&mut self, lines: Lines, wanted: i32) -> Option<i32> {
        let board = &*self.game.board;
        let open = board.open_boxes(lines);
        if wanted <= -open || wanted > open {
            return Some(if wanted > open { open } else { -open });
        }
        self.nodes += 1;
        if self.nodes.is_multiple_of(STOP_INTERVAL) && !(self.go_on)(STOP_INTERVAL) {
            return None;
        }
        let key = self.table.scrambled(lines);
        let known = self.table.get(key);
        if let Some(known) = known {
            let Bounds { lower, upper } = bounds(known, open);
            if lower >= wanted || upper < wanted {
                return Some(if lower >= wanted { lower } else { upper });
            }
        }
        let before = self.nodes;
        let mut replies = self.replies(lines);
        if let Some(known) = known
            && let Some(reply) = replies.iter_mut().find(|reply| reply.line == known.best)
        {
            reply.order = i32::MIN;
        }
        let mut best = self
            .decide_by_table(&mut replies, wanted)
            .unwrap_or((-open, 0));
        replies.sort_unstable_by_key(|reply| reply.order);
        for reply in replies {
            // The opponent's score after the line must be at most `-wanted`.
            let score = -self.bound(&reply.taken, reply.key, 1 - wanted)?;
            best = best.max((score, reply.line));
            if score >= wanted {
                break;
            }
        }
        let share = ((best.0 + open) / 2) as u32;
        let (lower, upper) = match best.0 >= wanted {
            true => (share, open as u32),
            false => (0, share),
        };
        let learnt = KnownBounds {
            lower,
            upper,
            best: best.1,
        };
        self.table.learn(key, learnt, self.nodes - before + 1);
        Some(best.0)
    }

    /// Drops, by enhanced transposition cutoffs, the replies that the table decides.
    ///
    /// Returns the best of them with a bound of its score. If that is at least `wanted`, drops all.
    fn decide_by_table(&self, replies: &mut Vec<Reply>, wanted: i32) -> Option<(i32, u32)> {
        let mut best = None;
        replies.retain(|reply| {
            let Some(known) = self.table.get(self.table.scrambled(reply.key)) else {
                return true;
            };
            let open = self.game.board.open_boxes(reply.key);
            let rest = bounds(known, open);
            let scores = reply.taken.bounds(rest).reversed();
            let settled = match (scores.lower >= wanted, scores.upper < wanted) {
                (true, _) => scores.lower,
                (_, true) => scores.upper,
                _ => return true,
            };
            best = best.max(Some((settled, reply.line)));
            false
        });
        if best.is_some_and(|(score, _)| score >= wanted) {
            replies.clear();
        }
        best
    }

    /// Returns the bound of the score of the side that takes boxes first.
    ///
    /// `key` is the class in which nothing is left to take.
    fn bound(&mut self, taken: &Taken, key: Lines, wanted: i32) -> Option<i32> {
        let after = taken.boxes + self.bound_of_class(key, wanted - taken.boxes)?;
        let Some(cost) = taken.leaving.filter(|_| after < wanted) else {
            return Some(after);
        };
        // Leaving boxes to the opponent may be better.
        let most = taken.boxes - cost - wanted;
        let rest = self.bound_of_class(key, most + 1)?;
        Some(after.max(taken.boxes - cost - rest))
    }

    /// Returns the lines worth drawing, without those that lead to the same class.
    fn replies(&self, lines: Lines) -> Vec<Reply> {
        let board = &*self.game.board;
        let mut replies: Vec<Reply> = Vec::with_capacity(32);
        for line in ones(board.worth_drawing(lines).lines) {
            let taken = board.take(lines | 1 << line);
            let key = board.canonical(taken.lines);
            if !replies
                .iter()
                .any(|other| other.key == key && other.taken.is_like(&taken))
            {
                let (order, line) = (self.order(&taken, line), line as u32);
                replies.push(Reply {
                    line,
                    order,
                    taken,
                    key,
                });
            }
        }
        replies
    }

    /// Returns the priority of a reply, lowest first.
    ///
    /// Fewer replies to it need less search; giving away boxes is rarely best; and lines near the
    /// middle decide more. The weights were tuned on boards of up to 3×4 boxes.
    fn order(&self, taken: &Taken, line: usize) -> i32 {
        let board = &*self.game.board;
        let Worth { lines, chains } = board.worth_drawing(taken.lines);
        let safe = lines.count_ones() - chains;
        let (from, to) = board.ends[line];
        let across = (from.column() + to.column()).abs_diff(board.columns as u32);
        let down = (from.row() + to.row()).abs_diff(board.rows as u32);
        let replies = 10 * safe + 15 * chains;
        let varied =
            (line as u32).wrapping_mul(2 * self.turn as u32 + 1) % 8 * self.turn.min(1) as u32;
        replies as i32 + 40 * taken.boxes + (4 * (across + down) + varied) as i32
    }
}

impl Searcher<Dots> for DotsSearcher {
    fn bounds(&self, position: &Position) -> Bounds {
        let open = self.game.board.open_boxes(position.lines);
        let banked = self.game.banked(position);
        Bounds {
            lower: banked - open,
            upper: banked + open,
        }
    }

    fn bound(
        &self,
        position: &Position,
        wanted: i32,
        progress: &dyn Progress,
    ) -> Result<Option<i32>, SearchError> {
        // A small search ends before its first check for cancellation, so check here.
        if progress.cancelled() {
            return Ok(None);
        }
        let banked = self.game.banked(position);
        let is_known = AtomicBool::new(false);
        let found = first_answer(self.threads, |turn| {
            let go_on = |nodes: u64| {
                progress.advance(nodes);
                !is_known.load(Relaxed) && !progress.cancelled()
            };
            let mut prover = Prover {
                game: &self.game,
                table: &self.table,
                turn,
                nodes: 0,
                go_on: &go_on,
            };
            let taken = self.game.board.take(position.lines);
            let key = self.game.board.canonical(taken.lines);
            let found = prover.bound(&taken, key, wanted - banked);
            is_known.fetch_or(found.is_some(), Relaxed);
            self.nodes.fetch_add(prover.nodes, Relaxed);
            found
        });
        Ok(found.map(|score| score + banked))
    }

    fn nodes(&self) -> u64 {
        self.nodes.load(Relaxed)
    }

    fn threads(&self) -> usize {
        self.threads
    }
}
