//! The search algorithms, the counters of a search, and the error of one that was stopped.

/// A search algorithm.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Algorithm {
    /// Searches every move: the first player maximizes, the second minimizes.
    Minimax,
    /// Minimax with every value seen from the side to move.
    ///
    /// Slow and obviously correct, so the other searches are compared with it. With a table, it
    /// searches each class once, as long as the table remembers that class.
    Negamax,
    /// Skips moves that can no longer change the result.
    AlphaBeta,
    /// Alpha-beta with a null-window search for every move except the first.
    ///
    /// A move that turns out to be better than the best so far is searched again for its score.
    /// Pays off when the first move is usually the best.
    NegaScout,
    /// Alpha-beta in a series of null-window searches that close in on the score.
    ///
    /// Each asks whether the score is at least some value. The first value is the points already
    /// won, the next ones follow from the bounds found. Pays off when that is a good guess and a
    /// table remembers the answers.
    Mtdf,
}

impl Algorithm {
    /// All algorithms, simplest first.
    pub const ALL: [Algorithm; 5] = [
        Algorithm::Minimax,
        Algorithm::Negamax,
        Algorithm::AlphaBeta,
        Algorithm::NegaScout,
        Algorithm::Mtdf,
    ];
}

crate::text::display_as_serialized!(Algorithm);

/// The error of a search that was stopped before it knew the score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the search was stopped")]
pub struct Stopped;

/// Counts of positions and table accesses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Positions visited.
    pub nodes: u64,
    /// Positions that were finished or at the search depth.
    pub evaluations: u64,
    /// Positions with an entry in the table.
    pub table_hits: u64,
    /// Positions not searched because their entry was sufficient.
    pub table_cutoffs: u64,
    /// Writes to the table.
    pub table_stores: u64,
    /// Writes that replaced another position's entry: 0 as long as all positions fit.
    pub table_replacements: u64,
    /// Positions some of whose moves were not searched.
    pub cutoffs: u64,
}
