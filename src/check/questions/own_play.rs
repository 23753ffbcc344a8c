//! Mistakes that come up in the AI's own play: it makes its moves, the other side any.

use super::lines::{Answers, Lines};
use crate::check::contenders::{Player, Reply, Round};
use crate::check::error::CheckError;
use crate::check::judge::{Judge, Tally, Worst};
use crate::game::{Game, Notation, Progress, Side};

/// A search for mistakes in the AI's own play, and how much may still be done for it.
pub(in crate::check) struct OwnPlay<'s, 'a, G: Notation> {
    pub judge: Judge<'s, G>,
    pub tally: &'a Tally<G>,
    /// What the AI has answered before.
    pub known: &'s dyn Fn(&G::Position) -> Option<G::Move>,
    pub player: &'s mut dyn Player<G>,
    pub progress: &'s dyn Progress,
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

/// Replies with the numbers of their positions.
type Replies<G> = Vec<(usize, Reply<<G as Game>::Move>)>;

impl<G: Notation> OwnPlay<'_, '_, G> {
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

    /// The AI's moves where it is its turn, and whether to go on. Adds its mistakes to those that
    /// were found.
    fn answers(
        &mut self,
        lines: &Lines<'_, G>,
        mut turns: Vec<usize>,
    ) -> Result<(Answers<G>, bool), CheckError> {
        if self.progress.cancelled() {
            return Err(CheckError::Interrupted);
        }
        let mut goes_on = cut(&mut turns, self.positions);
        self.positions -= turns.len() as u64;
        let (replies, are_all) = self.replies(lines, turns)?;
        goes_on &= are_all;
        let mut moves = Vec::new();
        for (number, reply) in replies {
            let position = &lines.walk.positions[number];
            let stop = || self.progress.cancelled();
            let Some(judged) = self.judge.weigh_one(position, reply, &stop)? else {
                break;
            };
            let Ok(mv) = judged.answer else {
                continue;
            };
            moves.push((number, mv));
            if judged.is_mistake(self.tally.standard) {
                let way = || Some(lines.walk.line_to(self.tally.game(), number));
                self.found.add(position, &judged, &way);
                goes_on &= self.tally.worst.rank_of(position, &judged) != Some(0);
            }
        }
        Ok((moves, goes_on))
    }

    /// What the AI answers in some positions, of which it is asked only about those that are new to
    /// it, and only as the effort allows; and whether these are all answers.
    fn replies(
        &mut self,
        lines: &Lines<'_, G>,
        turns: Vec<usize>,
    ) -> Result<(Replies<G>, bool), CheckError> {
        let mut replies = Vec::with_capacity(turns.len());
        let mut unknown = Vec::new();
        for number in turns {
            match (self.known)(&lines.walk.positions[number]) {
                Some(mv) => replies.push((number, Ok(mv))),
                None => unknown.push(number),
            }
        }
        let are_all = cut(&mut unknown, self.questions);
        if self.faults == 0 || unknown.is_empty() {
            return Ok((replies, are_all && unknown.is_empty()));
        }
        let positions = unknown.iter().map(|&at| lines.walk.positions[at].clone());
        let positions: Vec<G::Position> = positions.collect();
        let progress = self.progress;
        let round = Round {
            positions: &positions,
            ways: &|_| None,
            faults: self.faults,
            stop: &|| progress.cancelled(),
        };
        let mut new = Vec::with_capacity(positions.len());
        // One that can't be started again has not answered.
        let is_lost = self.player.ask(&round, &mut new).is_err();
        if self.progress.cancelled() {
            return Err(CheckError::Interrupted);
        }
        self.questions -= new.len() as u64;
        let faults = new.iter().filter(|reply| reply.is_err()).count();
        self.faults = if is_lost {
            0
        } else {
            self.faults.saturating_sub(faults)
        };
        let are_all = are_all && new.len() == positions.len();
        replies.extend(unknown.into_iter().zip(new));
        Ok((replies, are_all))
    }
}

/// Leaves only so many of them; whether these are all.
fn cut(numbers: &mut Vec<usize>, most: u64) -> bool {
    let all = numbers.len();
    numbers.truncate(usize::try_from(most).unwrap_or(usize::MAX));
    numbers.len() == all
}
