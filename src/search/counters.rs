//! Counters of a search.

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
