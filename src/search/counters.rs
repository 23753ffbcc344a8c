//! What searches count.

/// How often each thing has happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Positions visited.
    pub nodes: u64,
    /// Positions that are finished, or where one looked no further.
    pub evaluations: u64,
    /// Positions that the table had an entry for.
    pub table_hits: u64,
    /// Positions not searched because of the table's entry.
    pub table_cutoffs: u64,
    /// How often something was put into the table.
    pub table_stores: u64,
    /// How often another position's entry had to make room in the table: none as long as all fit.
    pub table_replacements: u64,
    /// Positions some of whose moves were not searched.
    pub cutoffs: u64,
}
