//! What searches tell about their work.

/// Hears what a search does. `()` takes no notice, at no cost.
pub trait Counters {
    /// A position is visited, finished ones included; a position counts each time it is visited.
    fn node(&mut self) {}
    /// A position gets its score because it is finished, or an estimate because one looks no
    /// further.
    fn evaluation(&mut self) {}
    /// The transposition table has an entry for a position.
    fn table_hit(&mut self) {}
    /// The entry says enough: the position is not searched.
    fn table_cutoff(&mut self) {}
    /// What is found out about a position goes into the table.
    fn table_store(&mut self) {}
    /// Another position's entry had to make room for it.
    fn table_replacement(&mut self) {}
    /// A move is so good that those after it are not searched.
    fn cutoff(&mut self) {}
}

impl Counters for () {}

impl<C: Counters> Counters for &mut C {
    fn node(&mut self) {
        (**self).node();
    }
    fn evaluation(&mut self) {
        (**self).evaluation();
    }
    fn table_hit(&mut self) {
        (**self).table_hit();
    }
    fn table_cutoff(&mut self) {
        (**self).table_cutoff();
    }
    fn table_store(&mut self) {
        (**self).table_store();
    }
    fn table_replacement(&mut self) {
        (**self).table_replacement();
    }
    fn cutoff(&mut self) {
        (**self).cutoff();
    }
}

/// How often each thing has happened; see [`Counters`].
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

impl Counters for Counts {
    fn node(&mut self) {
        self.nodes += 1;
    }
    fn evaluation(&mut self) {
        self.evaluations += 1;
    }
    fn table_hit(&mut self) {
        self.table_hits += 1;
    }
    fn table_cutoff(&mut self) {
        self.table_cutoffs += 1;
    }
    fn table_store(&mut self) {
        self.table_stores += 1;
    }
    fn table_replacement(&mut self) {
        self.table_replacements += 1;
    }
    fn cutoff(&mut self) {
        self.cutoffs += 1;
    }
}
