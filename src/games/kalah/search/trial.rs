//! A quick look before a large endgame is made: most positions of games with few pits, and those
//! near the end of any, need so few nodes that the endgame would take far longer than the search.

use super::endgame::Form;
use super::{KalahSearch, MemoryPlan, memory};
use crate::game::{NoProgress, Progress, SearchError, Until};
use crate::games::kalah::Kalah;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// An endgame of fewer positions is made in less time than it takes to find out whether it pays.
const WORTH_A_LOOK: u64 = 8 << 20;
/// A look has an endgame of its own, with one position for so many of the one that is to be saved,
/// and visits no more than one node for so many of them. Together that takes about a fortieth of the
/// time that making the endgame does.
const POSITIONS_A_POSITION: u64 = 64;
const POSITIONS_A_NODE: u64 = 4000;
const TABLE_BYTES: u64 = 4 << 20;

/// What a look may spend before an endgame is made.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// Positions of its own endgame.
    positions: u64,
    /// Nodes.
    pub nodes: u64,
}

impl Look {
    /// Before an endgame of so many seeds; none if that is made at once.
    pub fn before(pits: usize, endgame_seeds: usize) -> Option<Look> {
        let positions = memory::positions(pits, endgame_seeds).unwrap_or(u64::MAX);
        (positions >= WORTH_A_LOOK).then_some(Look {
            positions: positions / POSITIONS_A_POSITION,
            nodes: positions / POSITIONS_A_NODE,
        })
    }

    /// The search for it, of positions with at most so many seeds on the board, made on the threads
    /// of the current pool.
    pub fn search(
        self,
        game: &Kalah,
        seeds: usize,
        threads: usize,
        progress: &dyn Progress,
    ) -> Result<KalahSearch, SearchError> {
        let pits = game.pits();
        let count = memory::positions(pits, seeds).unwrap_or(u64::MAX);
        let plan = MemoryPlan {
            endgame_seeds: memory::largest_endgame(pits, seeds, self.positions),
            form: Form::Bytes,
            table_bytes: TABLE_BYTES.max(memory::least_table(count)),
        };
        // What it does first is not worth telling.
        let is_stopped = || progress.cancelled();
        let quiet = Until::new(&NoProgress, &is_stopped);
        KalahSearch::new(game, seeds, plan, threads, &quiet)
    }
}

/// Stops a search after so many nodes.
pub struct Patience<'a> {
    progress: &'a dyn Progress,
    nodes: AtomicU64,
}

impl Patience<'_> {
    pub fn new(progress: &dyn Progress, nodes: u64) -> Patience<'_> {
        let nodes = AtomicU64::new(nodes);
        Patience { progress, nodes }
    }
}

impl Progress for Patience<'_> {
    fn phase(&self, _name: &str, _unit: &str, _total: u64) {}

    fn advance(&self, nodes: u64) {
        let left = self.nodes.load(Relaxed);
        // Threads that come at the same time may count too little, which does no harm.
        self.nodes.store(left.saturating_sub(nodes), Relaxed);
        self.progress.advance(nodes);
    }

    fn cancelled(&self) -> bool {
        self.nodes.load(Relaxed) == 0 || self.progress.cancelled()
    }
}
