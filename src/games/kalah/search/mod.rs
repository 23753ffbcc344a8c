//! The score of one position of Kalah, without a table.
//!
//! First the search makes an [endgame]: the scores of all positions with few seeds, in memory.
//! Above it, MTD(f) closes in on the score by a series of null-window searches. They are fast for
//! these reasons:
//!
//! - Positions are two words, moves are additions of tabulated words, and no node allocates memory.
//! - A transposition table of fixed size stores two bounds for each position, in one atomic word
//!   per entry, and can't mistake one position for another. It stores the score to come, which is
//!   independent of the stores.
//! - Moves that need no search are tried first, then those that the table proves sufficient
//!   (*enhanced transposition cutoffs*), then the table's move. The others are ordered by seeds
//!   gained, where an extra turn counts as four, and from right to left.
//! - *Futility*: a move is not searched if the seeds already in the stores, and those that the next
//!   side to move can take at once, settle the question. Nothing more is certain: under standard
//!   rules, the side to move may get none of the seeds on the board.
//! - All threads search the same position and share the table. They postpone a position that
//!   another thread is searching, as in Weill's ABDADA ("The ABDADA distributed minimax search
//!   algorithm", ICCA Journal 19(1), 1996).
//!
//! Every bound in the table is true by itself, so the score depends neither on the number of
//! threads nor on entries that the table has replaced.

mod board;
mod cross_check;
pub mod endgame;
mod memory;
mod prover;
mod searcher;

pub(super) use cross_check::{cross_checker, endgame_that_pays};
pub use memory::MemoryPlan;
pub(crate) use searcher::KalahSearcher;

use super::sowing::{Order, Sowings};
use super::{Kalah, Move, Position};
use crate::game::{Bounds, Game, Notation, Progress, SearchError, Searcher};
use crate::games::transpositions::bits_of;
use crate::pool::first_answer;
use crate::work::{DiskError, SavedSearch};
use board::{Board, Numbers};
use endgame::{Endgame, GivenEndgame};
use prover::{Claims, Counters, Node, Prover, Shared, SharedState, Transpositions};

use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

/// Counters of all searches of one searcher.
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

/// Reads the endgame's scores, or solves it on the threads of the current pool.
fn make_endgame(
    game: &Kalah,
    plan: MemoryPlan,
    given: Option<&GivenEndgame>,
    progress: &dyn Progress,
) -> Result<Endgame, SearchError> {
    let rules = game.parameters();
    let (pits, seeds) = (rules.pits, plan.endgame_seeds);
    let (phase, positions) = match given {
        Some(_) => ("reading the endgame database", None),
        None => (
            "building the endgame database",
            memory::positions(pits, seeds),
        ),
    };
    progress.phase(phase, "positions", positions.unwrap_or(0));
    let copy = |mover: usize, opponent: usize, codes: &mut [u8]| match given {
        Some(given) => given.copy(mover, opponent, codes),
        None => Ok(false),
    };
    Endgame::from_scores(plan.form, pits, seeds, rules.empty_capture, progress, &copy)
}

/// A search of positions of one game, up to a number of seeds on the board.
///
/// # Panics
/// The methods panic if a position has more seeds on the board.
pub struct KalahSearch {
    game: Kalah,
    /// The most seeds on the board of the positions to search.
    seeds: usize,
    threads: usize,
    state: SharedState,
    /// The most nodes to visit per question.
    most_nodes: u64,
    tally: Arc<Tally>,
    /// File in which the search is saved, if it is, and its heading.
    saved: Option<(Arc<SavedSearch>, String)>,
}

impl KalahSearch {
    /// Makes the endgame and an empty transposition table.
    ///
    /// The search is for positions with up to `seeds` seeds on the board, and runs on `threads`
    /// threads.
    ///
    /// # Errors
    /// If there are too many seeds to search, the system has too little memory, or the search was
    /// cancelled.
    pub fn new(
        game: &Kalah,
        seeds: usize,
        plan: MemoryPlan,
        threads: usize,
        progress: &dyn Progress,
    ) -> Result<KalahSearch, SearchError> {
        let endgame = make_endgame(game, plan, None, progress)?;
        KalahSearch::with_endgame(game, seeds, endgame, plan.table_bytes, threads)
    }

    /// Returns a search with an existing endgame, which must be of the same rules.
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
        let most = seeds.max(endgame.seeds as usize);
        let numbers = Numbers::new(rules.pits, most)
            .ok_or_else(|| memory::too_many_seeds(rules.pits, most))?;
        let table = Transpositions::new(bits_of(numbers.count()), table_bytes)?;
        Ok(KalahSearch {
            game: game.clone(),
            seeds,
            threads: threads.max(1),
            state: SharedState {
                pits: rules.pits,
                empty_capture: rules.empty_capture,
                sowings: Sowings::of(rules.pits, Order::FromTheStore, rules.empty_capture),
                numbers,
                table,
                endgame,
            },
            most_nodes: u64::MAX,
            tally: Arc::default(),
            saved: None,
        })
    }

    /// Resumes from a saved search, and saves this one from now on.
    fn resume(&mut self, saved: Arc<SavedSearch>) -> Result<(), DiskError> {
        // The heading says which positions the transposition table is for.
        let (rules, seeds) = (self.game.rules(), self.seeds);
        let heading = format!("\"{rules}\" with up to {seeds} seeds on the board");
        saved.resume(&heading, &mut |input| self.state.table.resume(input))?;
        self.saved = Some((saved, heading));
        Ok(())
    }

    /// Saves the search if that is wanted and it is time, or if `now`.
    fn save(&self, now: bool) -> Result<(), DiskError> {
        let Some((saved, heading)) = &self.saved else {
            return Ok(());
        };
        let write = &mut |out: &mut dyn Write| self.state.table.save(out);
        saved.save(heading, now, write)
    }

    /// Returns whether this is a trial search, with a limited number of nodes.
    fn is_small(&self) -> bool {
        self.most_nodes < u64::MAX
    }

    /// Returns the score of a position that is finished or in the endgame.
    fn at_once(&self, position: &Position) -> Option<i32> {
        self.game.final_score(position).or_else(|| {
            let (mover, opponent) = position.mover_and_opponent();
            let to_come = self.state.endgame.score(mover, opponent)?;
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
        self.state.key(self.node(position).board)
    }

    /// Searches on all threads; the first answer counts.
    fn ask(
        &self,
        node: Node,
        wanted: i32,
        progress: &dyn Progress,
    ) -> Result<Option<i32>, DiskError> {
        // A small search ends before its first check for cancellation, so check here.
        if progress.cancelled() {
            return Ok(None);
        }
        let visited = AtomicU64::new(0);
        let failed = OnceLock::new();
        let go_on = |nodes: u64| {
            progress.advance(nodes);
            let before = visited.fetch_add(nodes, Relaxed);
            if let Err(error) = self.save(false) {
                let _ = failed.set(error);
            }
            let goes_on = before + nodes < self.most_nodes && failed.get().is_none();
            goes_on && !progress.cancelled()
        };
        let shared = Shared {
            state: &self.state,
            claims: Claims::new(self.threads),
            known: AtomicBool::new(false),
            go_on: &go_on,
        };
        let search = || {
            let mut prover = Prover::new(&shared);
            let found = prover.bound(node, wanted, 0);
            shared.known.store(true, Relaxed);
            self.tally.add(prover.done);
            found
        };
        let found = first_answer(self.threads, |_| search());
        if let Some(error) = failed.into_inner() {
            return Err(error);
        }
        self.save(true)?;
        Ok(found)
    }
}

impl Searcher<Kalah> for KalahSearch {
    fn bounds(&self, position: &Position) -> Bounds {
        if let Some(score) = self.at_once(position) {
            return Bounds::exactly(score);
        }
        let banked = self.game.banked(position);
        let seeds = position.seeds_on_board() as i32;
        let known = self.state.table.get(self.key(position));
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
        // score = banked + 2 * share - seeds, so the score is at least `wanted` if the share is at
        // least this.
        let share = (wanted - banked + seeds + 1).div_euclid(2);
        let bound = match share {
            ..=0 => Some(0),
            share if share > seeds => Some(seeds),
            share => self.ask(self.node(position), share, progress)?,
        };
        Ok(bound.map(|bound| banked + 2 * bound - seeds))
    }

    fn likely_best(&self, position: &Position) -> Option<Move> {
        if self.at_once(position).is_some() {
            return None;
        }
        let known = self.state.table.get(self.key(position))?;
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
