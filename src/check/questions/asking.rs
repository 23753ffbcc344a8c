//! Asking about the positions of a source, and counting what comes of it.

use super::source::Source;
use super::team::Team;
use crate::check::clock::Clock;
use crate::check::error::CheckError;
use crate::check::judge::{Judge, Origin, Tally};
use crate::check::listing::{List, ListedMistake};
use crate::check::options::Criterion;
use crate::game::Notation;

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

    /// The criterion by which a judge has to list the best moves.
    pub(super) fn lists_best(&self) -> Option<Criterion> {
        self.list.as_ref().map(|_| self.tally.criterion)
    }

    /// Asks about the positions of a source. Returns the answers if they are to be kept: moves, or
    /// none for a fault.
    pub(super) fn all(
        &mut self,
        source: &Source<'_, G>,
        judge: &Judge<'_, G>,
        keeps: bool,
    ) -> Result<Vec<Option<G::Move>>, CheckError> {
        let (tally, list) = (&mut *self.tally, &mut self.list);
        let left = self.faults.saturating_sub(tally.faults.len());
        let mut answers = Vec::new();
        self.team.ask(
            source,
            Some(judge),
            left,
            self.clock,
            &mut |index, position, judged| {
                if keeps {
                    answers.push(judged.answer.as_ref().ok().copied());
                }
                if let Some(list) = list
                    && judged.answer.is_ok()
                    && judged.is_mistake(tally.criterion)
                {
                    let mistake = ListedMistake::of(tally.game(), position, &judged, &judged.best);
                    list(&mistake).map_err(CheckError::List)?;
                }
                let (plays, is_own) = source.origin(index);
                let origin = Origin {
                    plays,
                    is_own,
                    way: &|| source.way_to(index),
                };
                tally.add(position, judged, &origin);
                Ok(())
            },
        )?;
        Ok(answers)
    }
}
