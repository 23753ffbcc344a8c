//! What asking needs.

use super::Source;
use super::team::Team;
use crate::check::error::CheckError;
use crate::check::judge::{Judge, Tally};
use crate::game::{Notation, Progress};

/// What asking needs.
pub(in crate::check) struct Asking<'a, 't, G: Notation> {
    pub team: &'a mut Team<'t, G>,
    pub tally: &'a mut Tally<G>,
    /// No more is asked after this number of faults.
    pub faults: usize,
    pub progress: &'a dyn Progress,
}

impl<G: Notation> Asking<'_, '_, G> {
    /// Whether too much has gone wrong to ask any more.
    pub fn has_ended(&self) -> bool {
        self.team.is_lost || self.tally.faults.len() >= self.faults
    }

    /// Asks about all positions of a source, and only about these.
    pub(super) fn all(
        &mut self,
        source: &dyn Source<G>,
        judge: &Judge<'_, G>,
    ) -> Result<(), CheckError> {
        let total = source.units() * source.positions_a_unit();
        self.progress.phase("asking", "positions", total);
        let tally = &mut *self.tally;
        let mut each = |index, position: &G::Position, judged| {
            tally.add(index, position, judged);
        };
        self.team
            .ask(source, judge, self.faults, self.progress, &mut each)
    }
}
