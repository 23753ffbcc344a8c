//! Search for mistakes in the AI's own play: its moves against every reply.

use super::lines::{Answers, Lines};
use super::source::Source;
use super::team::Team;
use super::walk::Walk;
use crate::check::error::CheckError;
use crate::check::judge::{Judge, Judged, Tally, Worst};
use crate::game::{Notation, Progress, Side, Until};

/// Search for mistakes in the AI's own play, with its remaining effort.
pub(in crate::check) struct OwnPlay<'s, 't, G: Notation> {
    pub judge: Judge<'s, G>,
    pub tally: &'s Tally<G>,
    /// Returns the AI's earlier answer in a position, if there is one.
    pub known: &'s dyn Fn(&G::Position) -> Option<G::Move>,
    pub team: &'s mut Team<'t, G>,
    pub clock: &'s Until<'s>,
    /// The number of questions that the AI may still be asked.
    pub questions: u64,
    /// The number of faults that the AI may still have.
    pub faults: usize,
    /// The number of positions that may still be examined, known answers included.
    pub positions: u64,
    /// The memory for the positions of one side, in bytes.
    pub memory: u64,
    /// The positions met so far, a walk for each side that the AI played.
    pub searched: Vec<Walk<G>>,
    /// The worst mistakes found.
    pub found: Worst<G>,
    /// Whether no position was left out.
    pub is_complete: bool,
}

impl<G: Notation> OwnPlay<'_, '_, G> {
    /// Follows the AI's own play on one side, move by move from the start.
    ///
    /// It ends with the worst mistake of the whole check, with the last position, or when the
    /// effort is used up.
    pub fn search(&mut self, side: Side) -> Result<(), CheckError> {
        let mut lines = Lines::new(self.tally.game(), side, self.memory);
        self.is_complete &= match lines.follow(|lines, turns| self.answers(lines, turns)) {
            Err(CheckError::TooMany { .. }) => false,
            followed => followed?,
        };
        self.searched.push(lines.walk);
        Ok(())
    }

    /// Returns the AI's moves on its turns, and whether to continue.
    ///
    /// It asks the AI only about positions without a known answer. It adds the mistakes to `found`.
    fn answers(
        &mut self,
        lines: &Lines<'_, G>,
        mut turns: Vec<usize>,
    ) -> Result<(Answers<G>, bool), CheckError> {
        let clock = self.clock;
        // First grade the known answers.
        let mut goes_on = cut(&mut turns, &mut self.positions);
        let (mut answers, mut unknown) = (Vec::new(), Vec::new());
        for number in turns {
            let position = &lines.walk.positions[number];
            let Some(mv) = (self.known)(position) else {
                unknown.push(number);
                continue;
            };
            let graded = self
                .judge
                .grade_one(position, Ok(mv), &|| clock.cancelled());
            let judged = graded?.ok_or(CheckError::Interrupted)?;
            goes_on &= add(self.tally, &mut self.found, lines, number, &judged);
            answers.push((number, mv));
        }
        // Then ask the AI about the other positions.
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

/// Adds an answer to the mistakes if it is one.
///
/// Returns false if it is the worst mistake of the whole check.
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

/// Shortens `numbers` to the allowance `left`, which it reduces by their number.
///
/// Returns whether nothing was cut off.
fn cut(numbers: &mut Vec<usize>, left: &mut u64) -> bool {
    let all = numbers.len();
    numbers.truncate(usize::try_from(*left).unwrap_or(usize::MAX));
    *left -= numbers.len() as u64;
    numbers.len() == all
}
