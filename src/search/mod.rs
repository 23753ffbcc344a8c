//! Searching: the score of one position.

mod alphabeta;
mod negamax;
mod transposition;

pub use alphabeta::AlphaBeta;
pub use negamax::negamax;
pub use transposition::{Bounds, TranspositionTable};

/// Beyond every score, and far enough from overflow that banked points can be added.
pub const INFINITY: i32 = i32::MAX / 4;

/// What a search did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Positions visited, finished ones included; a position counts each time it is visited.
    pub positions: u64,
    /// Finished positions among them.
    pub finished: u64,
    /// Positions that a transposition table had an entry for.
    pub table_hits: u64,
    /// Positions that were not searched because a table entry said enough.
    pub table_cutoffs: u64,
    /// Positions some of whose moves were not searched because another one was good enough.
    pub cutoffs: u64,
}

impl std::ops::AddAssign for Counters {
    fn add_assign(&mut self, other: Counters) {
        self.positions += other.positions;
        self.finished += other.finished;
        self.table_hits += other.table_hits;
        self.table_cutoffs += other.table_cutoffs;
        self.cutoffs += other.cutoffs;
    }
}

/// The search was told to stop before it knew the score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the search was stopped")]
pub struct Stopped;
