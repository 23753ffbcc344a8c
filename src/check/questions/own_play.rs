//! Mistakes that come up in the AI's own play: it makes its moves, the other side any.

use super::lines::Lines;
use crate::check::contenders::{Player, Reply, Round};
use crate::check::error::CheckError;
use crate::check::judge::{Case, Judge, Judged, Tally};
use crate::game::{Game, Notation, Progress, Side};

/// How good a mistake is to be shown: one of the worst, by its number; one that changes the
/// outcome; one that costs only score.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::check) enum Rank {
    Worst(usize),
    OfOutcome,
    OfScore,
}

/// A mistake with the moves that lead to it from the start, the AI's its own.
pub(in crate::check) type Candidate<G> = (Rank, Case<G>, Vec<<G as Game>::Move>);

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
    /// The first mistake of each rank on each side.
    pub found: Vec<Candidate<G>>,
    /// Whether nothing was left out.
    pub is_complete: bool,
}

/// Replies with the numbers of their positions.
type Replies<G> = Vec<(usize, Reply<<G as Game>::Move>)>;

impl<G: Notation> OwnPlay<'_, '_, G> {
    /// Follows the AI's own play on one side, move by move from the start, until the worst mistake
    /// of all comes up, nothing more does, or the effort is used up.
    pub fn search(&mut self, side: Side) -> Result<(), CheckError> {
        let game = self.tally.game();
        let mut lines = Lines::new(game, side, self.memory);
        let mut found: Vec<(Rank, usize, Case<G>)> = Vec::new();
        let mut goes_on = true;
        while !lines.have_ended() && goes_on {
            if self.progress.cancelled() {
                return Err(CheckError::Interrupted);
            }
            let mut turns = lines.take_turns();
            goes_on &= cut(&mut turns, self.positions);
            self.positions -= turns.len() as u64;
            let (replies, are_all) = self.replies(&lines, turns)?;
            goes_on &= are_all;
            let mut moves = Vec::new();
            for (number, reply) in replies {
                let position = &lines.walk.positions[number];
                let stop = || self.progress.cancelled();
                let Some(judged) = self.judge.weigh_one(position, reply, &stop)? else {
                    break;
                };
                moves.extend(judged.answer.as_ref().map(|&mv| (number, mv)));
                let rank = self.rank(position, &judged);
                if let Some(rank) = rank.filter(|rank| found.iter().all(|of| of.0 != *rank)) {
                    found.push((rank, number, Case::new(0, position, judged)));
                }
            }
            lines.keep_answers(&moves);
            if found.iter().any(|of| of.0 == Rank::Worst(0)) {
                break;
            }
            match lines.go_on(moves) {
                Err(CheckError::TooMany { .. }) => goes_on = false,
                went => went?,
            }
        }
        self.is_complete &= goes_on;
        let found = found
            .into_iter()
            .map(|(rank, number, case)| (rank, case, lines.walk.line_to(game, number)));
        self.found.extend(found);
        self.searched.push(lines);
        Ok(())
    }

    /// How good what was answered in a position is to be shown, if it is a mistake.
    fn rank(&self, position: &G::Position, judged: &Judged<G::Move>) -> Option<Rank> {
        if judged.answer.is_err() || !judged.is_mistake(self.tally.standard()) {
            return None;
        }
        let worst = self.tally.rank_of(position, judged).map(Rank::Worst);
        let of_outcome = judged.outcome_lost().map(|_| Rank::OfOutcome);
        Some(worst.or(of_outcome).unwrap_or(Rank::OfScore))
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
                Some(mv) => replies.push((number, Reply::of(mv))),
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
        let faults = new.iter().filter(|reply| reply.answer.is_err()).count();
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
