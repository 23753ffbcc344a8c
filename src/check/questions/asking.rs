//! Questions about the positions of a source, with the answers counted in a tally.

use super::source::Source;
use super::team::Team;
use crate::check::error::CheckError;
use crate::check::judge::{Judge, Judged, Origin, Tally};
use crate::check::listing::{List, ListedMistake};
use crate::check::options::Criterion;
use crate::game::{CancelScope, Notation};

/// The parts that asking about positions needs.
pub(in crate::check) struct Asking<'a, 't, 'l, G: Notation> {
    pub team: &'a mut Team<'t, G>,
    pub tally: &'a mut Tally<G>,
    /// The receiver of each mistake, if there is one.
    pub list: Option<&'a mut List<'l>>,
    /// Collects slow wins, by the numbers of their positions, instead of counting them.
    ///
    /// `None` if they are counted at once, as in games in which no position repeats.
    pub slow: Option<Vec<(u64, Judged<G::Move>)>>,
    /// The number of faults after which no more is asked.
    pub faults: usize,
    pub clock: &'a CancelScope<'a>,
}

impl<G: Notation> Asking<'_, '_, '_, G> {
    /// Whether asking has ended, for too many faults, a lost AI, time or cancellation.
    pub fn has_ended(&self) -> bool {
        self.team.is_lost || self.team.cut.is_some() || self.tally.faults.len() >= self.faults
    }

    /// The criterion for mistakes whose best moves the judge has to list.
    pub(super) fn lists_best(&self) -> Option<Criterion> {
        self.list.as_ref().map(|_| self.tally.worst.criterion)
    }

    /// Asks about the positions of a source and counts the answers.
    ///
    /// With `keeps` it returns the answers in order, `None` for a fault; else the list is empty.
    pub(super) fn all(
        &mut self,
        source: &Source<'_, G>,
        judge: &Judge<'_, G>,
        keeps: bool,
    ) -> Result<Vec<Option<G::Move>>, CheckError> {
        let (tally, list, slow) = (&mut *self.tally, &mut self.list, &mut self.slow);
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
                if let Some(slow) = slow
                    && judged.is_slow_win()
                {
                    slow.push((index, judged));
                    return;
                }
                let (plays, is_own) = source.origin(index);
                let origin = Origin {
                    plays,
                    is_own,
                    way: &|| source.way_to(index),
                };
                count(tally, list, position, judged, &origin);
            },
        )?;
        Ok(answers)
    }
}

/// Counts an answer, and passes it to the list if it is a mistake.
pub(super) fn count<G: Notation>(
    tally: &mut Tally<G>,
    list: &mut Option<&mut List<'_>>,
    position: &G::Position,
    judged: Judged<G::Move>,
    origin: &Origin<'_, G::Move>,
) {
    if let Some(list) = list
        && judged.answer.is_ok()
        && judged.is_mistake(tally.worst.criterion)
    {
        let mistake = ListedMistake::of(tally.game(), position, &judged, &judged.best);
        list(&mistake);
    }
    tally.add(position, judged, origin);
}
