//! What asking needs.

use super::Source;
use super::team::Team;
use crate::check::clock::Clock;
use crate::check::error::CheckError;
use crate::check::judge::{Judge, Judged, Tally};
use crate::check::listing::{List, ListedMistake};
use crate::check::options::Standard;
use crate::game::{Game, Notation, Progress};

/// Sees each answer, with the number of its question.
pub(super) type Also<'a, G> =
    dyn FnMut(u64, &<G as Game>::Position, &Judged<<G as Game>::Move>) + Send + 'a;

/// What asking needs.
pub(in crate::check) struct Asking<'a, 't, 'l, G: Notation> {
    pub team: &'a mut Team<'t, G>,
    pub tally: &'a mut Tally<G>,
    /// Receives each mistake.
    pub list: Option<&'a mut List<'l>>,
    /// No more is asked after this number of faults.
    pub faults: usize,
    pub clock: &'a Clock<'a>,
}

impl<G: Notation> Asking<'_, '_, '_, G> {
    /// Whether too much has gone wrong to ask any more, or the time is up.
    pub fn has_ended(&self) -> bool {
        self.team.is_lost || self.team.cut.is_some() || self.tally.faults.len() >= self.faults
    }

    /// The standard by which a judge has to list the best moves.
    pub(super) fn lists_best(&self) -> Option<Standard> {
        self.list.as_ref().map(|_| self.tally.standard())
    }

    /// Asks about all positions of a source, and only about these; `also` sees each answer.
    pub(super) fn all(
        &mut self,
        source: &dyn Source<G>,
        judge: &Judge<'_, G>,
        also: &mut Also<'_, G>,
    ) -> Result<(), CheckError> {
        let total = source.units() * source.positions_a_unit();
        self.clock.phase("asking", "positions", total);
        self.some(source, judge, 0, also)
    }

    /// The same as a part of all; `before` questions have been asked already.
    pub(super) fn some(
        &mut self,
        source: &dyn Source<G>,
        judge: &Judge<'_, G>,
        before: u64,
        also: &mut Also<'_, G>,
    ) -> Result<(), CheckError> {
        let (tally, list) = (&mut *self.tally, &mut self.list);
        let left = self.faults.saturating_sub(tally.faults.len());
        let mut each = |index, position: &G::Position, judged: Judged<G::Move>| {
            also(index, position, &judged);
            if let Some(list) = list
                && judged.answer.is_ok()
                && judged.is_mistake(tally.standard())
            {
                let mistake = ListedMistake::of(tally.game(), position, &judged);
                list(&mistake).map_err(CheckError::List)?;
            }
            tally.add(before + index, position, judged);
            Ok(())
        };
        self.team.ask(source, judge, left, self.clock, &mut each)
    }
}
