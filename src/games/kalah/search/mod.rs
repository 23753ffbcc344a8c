//! The score of one position of Kalah, without a table.
//!
//! An [endgame] is made first: the scores of all positions with few seeds, in
//! memory. Above it, MTD(f) closes in on the score with a row of null-window searches. What makes
//! them fast:
//!
//! * positions are two words, moves are additions of tabulated words, and no node allocates memory;
//! * a transposition table of fixed size keeps two bounds for each position, in one atomic word an
//!   entry, and can't mistake one position for another. What it holds is the score to come,
//!   whatever the stores hold;
//! * moves are tried in this order: what needs no search, what the table knows to be good enough
//!   (*enhanced transposition cutoffs*), the table's move, then by seeds gained, an extra turn
//!   counting as four, and from right to left;
//! * *futility*: a move is not searched if the seeds that are in the stores after it, or that who
//!   moves next can take at once, settle the question. Nothing more is sure: under standard rules a
//!   mover can get none of the seeds on the board;
//! * all threads search the same position and share the table. A position that one of them is at
//!   the others leave for later, as in Weill's ABDADA ("The ABDADA distributed minimax search
//!   algorithm", ICCA Journal 19(1), 1996).
//!
//! Every bound in the table is true by itself, so the score depends neither on the number of
//! threads nor on what the table has forgotten.

mod board;
pub mod endgame;
mod memory;
mod numbers;
mod order;
mod probe;
mod prover;
mod searcher;
mod trial;
mod witness;

pub use memory::MemoryPlan;
pub use searcher::KalahSearcher;
pub(super) use witness::{endgame_that_pays, witness};

use super::sowing::{Order, Sowings};
use super::{Kalah, Move, Position};
use crate::game::{Bounds, Game, Progress, SearchError, Searcher};
use crate::games::transpositions::bits_of;
use crate::pool::first_answer;
use board::Board;
use endgame::Endgame;
use numbers::Numbers;
use prover::{Claims, Counters, Node, Prover, Shared, Transpositions};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};

/// Counts what searches do, of one game after the other.
#[derive(Debug, Default)]
struct Tally {
    nodes: AtomicU64,
    depth: AtomicU32,
}

impl Tally {
    fn add(&self, done: Counters) {
        self.nodes.fetch_add(done.nodes, Relaxed);
        self.depth.fetch_max(done.depth, Relaxed);
    }
}

/// Solves the positions with few seeds, on the threads of the current pool.
fn make_endgame(
    game: &Kalah,
    plan: MemoryPlan,
    progress: &dyn Progress,
) -> Result<Endgame, SearchError> {
    let rules = game.parameters();
    let seeds = plan.endgame_seeds;
    let positions = memory::positions(rules.pits, seeds).unwrap_or(0);
    progress.phase("building the endgame database", "positions", positions);
    Ok(Endgame::in_form(
        plan.form,
        rules.pits,
        seeds,
        rules.empty_capture,
        progress,
    )?)
}

/// Searches positions of one game.
///
/// It panics if it is asked about a position with more seeds on the board than it is for.
pub struct KalahSearch {
    game: Kalah,
    seeds: usize,
    threads: usize,
    endgame: Arc<Endgame>,
    sowings: &'static Sowings,
    numbers: Numbers,
    table: Transpositions,
    tally: Arc<Tally>,
}

impl KalahSearch {
    /// Makes the endgame, on the threads of the current pool, and an empty transposition table. The
    /// search is for positions with at most `seeds` seeds on the board and runs on `threads`
    /// threads.
    ///
    /// # Errors
    /// If there are too many seeds to search, the system has too little memory, or the wish to stop
    /// came.
    pub fn new(
        game: &Kalah,
        seeds: usize,
        plan: MemoryPlan,
        threads: usize,
        progress: &dyn Progress,
    ) -> Result<KalahSearch, SearchError> {
        let endgame = make_endgame(game, plan, progress)?;
        KalahSearch::with_endgame(game, seeds, endgame, plan.table_bytes, threads)
    }

    /// The same with an endgame that is there already. It must be of the same rules.
    ///
    /// # Errors
    /// If there are too many seeds to search, or the system has too little memory.
    pub fn with_endgame(
        game: &Kalah,
        seeds: usize,
        endgame: impl Into<Arc<Endgame>>,
        table_bytes: u64,
        threads: usize,
    ) -> Result<KalahSearch, SearchError> {
        let endgame = endgame.into();
        let rules = game.parameters();
        let Some(numbers) = Numbers::new(rules.pits, seeds.max(endgame.seeds())) else {
            return Err(memory::too_many_seeds(
                rules.pits,
                seeds.max(endgame.seeds()),
            ));
        };
        let table = Transpositions::new(bits_of(numbers.count()), table_bytes)
            .map_err(|_| SearchError::NoMemory { bytes: table_bytes })?;
        Ok(KalahSearch {
            game: game.clone(),
            seeds,
            threads: threads.max(1),
            endgame,
            sowings: Sowings::of(rules.pits, Order::FromTheStore, rules.empty_capture),
            numbers,
            table,
            tally: Arc::default(),
        })
    }

    /// The most seeds on the board of positions that it can be asked about.
    fn seeds(&self) -> usize {
        self.seeds
    }

    fn endgame(&self) -> Arc<Endgame> {
        Arc::clone(&self.endgame)
    }

    /// The score of a position that is finished or in the endgame.
    fn at_once(&self, position: &Position) -> Option<i32> {
        self.game.final_score(position).or_else(|| {
            let (mover, opponent) = position.mover_and_opponent();
            let to_come = self.endgame.score(mover, opponent)?;
            Some(self.game.banked(position) + to_come)
        })
    }

    fn node(&self, position: &Position) -> Node {
        let seeds = position.seeds_on_board();
        assert!(
            seeds <= self.seeds,
            "a search for up to {} seeds was asked about {seeds}",
            self.seeds
        );
        let (mover, opponent) = position.mover_and_opponent();
        let board = Board::new(self.game.pits(), mover, opponent);
        Node {
            board,
            seeds: seeds as u32,
        }
    }

    fn key(&self, position: &Position) -> u64 {
        self.table
            .scrambled(self.numbers.of(self.node(position).board))
    }

    /// Asks on all threads; the first to know has the answer.
    fn ask(&self, node: Node, wanted: i32, progress: &dyn Progress) -> Option<i32> {
        // Small searches end before they look.
        if progress.cancelled() {
            return None;
        }
        let go_on = |nodes: u64| {
            progress.advance(nodes);
            !progress.cancelled()
        };
        let shared = Shared {
            pits: self.game.pits(),
            empty_capture: self.game.parameters().empty_capture,
            sowings: self.sowings,
            numbers: &self.numbers,
            table: &self.table,
            probe: self.endgame.probe(),
            claims: Claims::new(self.threads),
            known: AtomicBool::new(false),
            go_on: &go_on,
        };
        let search = || {
            let mut prover = Prover::new(&shared);
            let found = prover.bound(node, wanted, 0);
            shared.known.store(true, Relaxed);
            self.tally.add(prover.done);
            found.ok()
        };
        first_answer(self.threads, |_| search())
    }
}

impl Searcher<Kalah> for KalahSearch {
    fn bounds(&self, position: &Position) -> Bounds {
        if let Some(score) = self.at_once(position) {
            return Bounds::exactly(score);
        }
        let banked = self.game.banked(position);
        let seeds = position.seeds_on_board() as i32;
        let known = self.table.get(self.key(position));
        let (lower, upper) =
            known.map_or((0, seeds), |known| (known.lower as i32, known.upper as i32));
        Bounds {
            lower: banked + 2 * lower - seeds,
            upper: banked + 2 * upper - seeds,
        }
    }

    fn bound(
        &self,
        position: &Position,
        wanted: i32,
        progress: &dyn Progress,
    ) -> Result<Option<i32>, SearchError> {
        if let Some(score) = self.at_once(position) {
            return Ok(Some(score));
        }
        let banked = self.game.banked(position);
        let seeds = position.seeds_on_board() as i32;
        // score = banked + 2 * share - seeds, so it is `wanted` or more if the share is this or
        // more.
        let share = (wanted - banked + seeds + 1).div_euclid(2);
        let bound = match share {
            ..=0 => Some(0),
            share if share > seeds => Some(seeds),
            share => self.ask(self.node(position), share, progress),
        };
        Ok(bound.map(|bound| banked + 2 * bound - seeds))
    }

    fn likely_best(&self, position: &Position) -> Option<Move> {
        if self.at_once(position).is_some() {
            return None;
        }
        let known = self.table.get(self.key(position))?;
        let pit = self.game.pits().checked_sub(known.best as usize)?;
        (known.best > 0).then_some(Move(pit as u8))
    }

    fn nodes(&self) -> u64 {
        self.tally.nodes.load(Relaxed)
    }

    fn depth(&self) -> Option<u32> {
        Some(self.tally.depth.load(Relaxed))
    }
}
