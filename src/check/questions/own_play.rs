//! Mistakes that come up in the AI's own play: it makes its moves, the other side any.

use super::lines::{Answers, Lines};
use super::source::Source;
use super::team::Team;
use crate::check::clock::Clock;
use crate::check::error::CheckError;
use crate::check::judge::{Judge, Judged, Tally, Worst};
use crate::game::{Notation, Progress, Side};

/// A search for mistakes in the AI's own play, and how much may still be done for it.
pub(in crate::check) struct OwnPlay<'s, 'a, 't, G: Notation> {
    pub judge: Judge<'s, G>,
    pub tally: &'a Tally<G>,
    /// What the AI has answered before.
    pub known: &'s dyn Fn(&G::Position) -> Option<G::Move>,
    pub team: &'s mut Team<'t, G>,
    pub clock: &'s Clock<'s>,
    /// The questions that the AI may still be asked.
    pub questions: u64,
    /// The faults that it may still have.
    pub faults: usize,
    /// The positions that may still be looked at, those included in which its answer is known.
    pub positions: u64,
    /// The bytes that the list of a side's positions may take.
    pub memory: u64,
    /// What was gone through, by the AI's side.
    pub searched: Vec<Lines<'a, G>>,
    /// The worst mistakes that come up.
    pub found: Worst<G>,
    /// Whether nothing was left out.
    pub is_complete: bool,
}

impl<G: Notation> OwnPlay<'_, '_, '_, G> {
    /// Follows the AI's own play on one side, move by move from the start, until the worst mistake
    /// of all comes up, nothing more does, or the effort is used up.
    pub fn search(&mut self, side: Side) -> Result<(), CheckError> {
        let mut lines = Lines::new(self.tally.game(), side, self.memory);
        self.is_complete &= match lines.follow(|lines, turns| self.answers(lines, turns)) {
            Err(CheckError::TooMany { .. }) => false,
            followed => followed?,
        };
        self.searched.push(lines);
        Ok(())
    }

    /// The AI's moves where it is its turn, and whether to go on. It is asked only about positions
    /// that are new to it. Adds its mistakes to those that were found.
    fn answers(
        &mut self,
        lines: &Lines<'_, G>,
        mut turns: Vec<usize>,
    ) -> Result<(Answers<G>, bool), CheckError> {
        let clock = self.clock;
        let mut goes_on = cut(&mut turns, &mut self.positions);
        let (mut answers, mut unknown) = (Vec::new(), Vec::new());
        for number in turns {
            let position = &lines.walk.positions[number];
            let Some(mv) = (self.known)(position) else {
                unknown.push(number);
                continue;
            };
            let weighed = self
                .judge
                .weigh_one(position, Ok(mv), &|| clock.cancelled());
            let judged = weighed?.ok_or(CheckError::Interrupted)?;
            goes_on &= add(self.tally, &mut self.found, lines, number, &judged);
            answers.push((number, mv));
        }
        goes_on &= cut(&mut unknown, &mut self.questions);
        let positions = lines.positions(&unknown);
        let (tally, found, mut faults) = (self.tally, &mut self.found, 0);
        let mut unasked = unknown.into_iter();
        if self.faults > 0 {
            let judge = Some(&self.judge);
            let each = &mut |_, _: &G::Position, judged: Judged<G::Move>| {
                if let Some(number) = unasked.next() {
                    goes_on &= add(tally, found, lines, number, &judged);
                    faults += usize::from(judged.answer.is_err());
                    answers.extend(judged.answer.ok().map(|mv| (number, mv)));
                }
                Ok(())
            };
            let asked = Source::of(&positions);
            self.team.ask(&asked, judge, self.faults, clock, each)?;
        }
        if clock.cancelled() {
            return Err(CheckError::Interrupted);
        }
        self.questions += unasked.len() as u64;
        self.faults -= faults;
        Ok((answers, goes_on && unasked.len() == 0))
    }
}

/// Adds an answer in a position of the lines to the mistakes if it is one; whether it isn't the worst
/// of all.
fn add<G: Notation>(
    tally: &Tally<G>,
    found: &mut Worst<G>,
    lines: &Lines<'_, G>,
    number: usize,
    judged: &Judged<G::Move>,
) -> bool {
    let position = &lines.walk.positions[number];
    if judged.answer.is_err() || !judged.is_mistake(tally.criterion) {
        return true;
    }
    let way = || Some(lines.walk.line_to(tally.game(), number));
    found.add(position, judged, &way);
    tally.worst.rank_of(position, judged) != Some(0)
}

/// Leaves only so many of them, which are no longer left; whether these are all.
fn cut(numbers: &mut Vec<usize>, left: &mut u64) -> bool {
    let all = numbers.len();
    numbers.truncate(usize::try_from(*left).unwrap_or(usize::MAX));
    *left -= numbers.len() as u64;
    numbers.len() == all
}
