//! Every line that can arise with the AI playing one side.

use super::Source;
use super::asking::Asking;
use super::walk::Walk;
use crate::check::error::CheckError;
use crate::check::judge::{Judge, Judged};
use crate::check::options::CheckOptions;
use crate::game::{Notation, Progress, Side};
use crate::oracle::Oracle;
use std::ops::Range;

/// The positions that were met.
pub(super) struct Played<G: Notation> {
    /// One walk for each side that the AI played.
    walks: Vec<Walk<G>>,
    /// For each question its walk and its number there.
    asked: Vec<(u8, u32)>,
    /// The number of positions that were met and not asked.
    pub left_out: u64,
}

impl<G: Notation> Default for Played<G> {
    fn default() -> Self {
        Played {
            walks: Vec::new(),
            asked: Vec::new(),
            left_out: 0,
        }
    }
}

impl<G: Notation> Played<G> {
    /// The moves that lead to the position of a question.
    pub fn line_to(&self, game: &G, index: u64) -> Vec<G::Move> {
        let (walk, number) = self.asked[index as usize];
        self.walks[usize::from(walk)].line_to(game, number as usize)
    }

    /// What the AI answered in a position.
    pub fn answer(&self, game: &G, position: &G::Position) -> Option<G::Move> {
        // Only the walk of the side to move knows one.
        self.walks
            .iter()
            .find_map(|walk| walk.answer(game, position))
    }
}

/// Plays the side or sides; in the AI's turn its move, in the opponent's all of them, move by move
/// from the start.
pub(super) fn play<G: Notation>(
    oracle: &dyn Oracle<G>,
    asking: &mut Asking<'_, '_, '_, G>,
    options: &CheckOptions,
) -> Result<Played<G>, CheckError> {
    let judge = Judge::of_the_game(oracle)?.listing_best(asking.lists_best());
    let both = [Side::First, Side::Second];
    let sides: Vec<Side> = both
        .into_iter()
        .filter(|&side| options.side.is_none_or(|only| only == side))
        .collect();
    let mut played = Played::default();
    asking.clock.phase("asking", "positions", 0);
    let mut quota = options.max_positions.unwrap_or(u64::MAX);
    for (number, &side) in sides.iter().enumerate() {
        let rest = (sides.len() - number) as u64;
        let share = quota / rest;
        let mut lines = Lines {
            game: oracle.game(),
            judge: &judge,
            side,
            walk: Walk::new(oracle.game(), options.memory / sides.len() as u64),
            quota: share,
        };
        lines.follow(asking, &mut played)?;
        // What the first side doesn't need is the second's.
        quota = quota - share + lines.quota;
        played.walks.push(lines.walk);
        if asking.has_ended() {
            break;
        }
    }
    Ok(played)
}

/// Some positions of the lines, by their numbers in the walk.
struct OnLines<'l, 'a, G: Notation> {
    lines: &'l Lines<'a, G>,
    numbers: &'l [usize],
}

impl<G: Notation> Source<G> for OnLines<'_, '_, G> {
    fn units(&self) -> u64 {
        self.numbers.len() as u64
    }

    fn positions(&self, units: Range<u64>, into: &mut Vec<G::Position>) -> Result<(), CheckError> {
        let numbers = &self.numbers[units.start as usize..units.end as usize];
        into.extend(
            numbers
                .iter()
                .map(|&number| self.lines.position(number).clone()),
        );
        Ok(())
    }

    fn way_to(&self, unit: u64) -> Option<Vec<G::Move>> {
        let Lines { game, walk, .. } = self.lines;
        Some(walk.line_to(game, self.numbers[unit as usize]))
    }
}

/// The lines with the AI playing one side.
struct Lines<'a, G: Notation> {
    game: &'a G,
    judge: &'a Judge<'a, G>,
    side: Side,
    walk: Walk<G>,
    /// The number of positions that may still be asked.
    quota: u64,
}

impl<G: Notation> Lines<'_, G> {
    /// Follows all lines side by side, a move at a time.
    fn follow(
        &mut self,
        asking: &mut Asking<'_, '_, '_, G>,
        played: &mut Played<G>,
    ) -> Result<(), CheckError> {
        let mut level = vec![0];
        while !level.is_empty() {
            let (mut own, others): (Vec<usize>, Vec<usize>) = level
                .into_iter()
                .partition(|&number| self.game.side_to_move(self.position(number)) == self.side);
            let met = own.len();
            let allowed = usize::try_from(self.quota).unwrap_or(usize::MAX).min(met);
            own.truncate(allowed);
            self.quota -= allowed as u64;
            played.left_out += (met - allowed) as u64;
            let answers = self.ask(&own, asking, played)?;
            for (&number, answer) in own.iter().zip(&answers) {
                if let Some(mv) = *answer {
                    self.walk.keep_answer(self.game, number, mv);
                }
            }
            if asking.has_ended() {
                played.left_out += (allowed - answers.len()) as u64;
            }
            if allowed < met || asking.has_ended() {
                break;
            }
            level = self.next_level(&own, &answers, &others)?;
        }
        Ok(())
    }

    fn position(&self, number: usize) -> &G::Position {
        &self.walk.positions[number]
    }

    /// Asks about positions of the walk; the moves that were answered, none for a fault.
    fn ask(
        &self,
        numbers: &[usize],
        asking: &mut Asking<'_, '_, '_, G>,
        played: &mut Played<G>,
    ) -> Result<Vec<Option<G::Move>>, CheckError> {
        let first = played.asked.len() as u64;
        let mut answers = Vec::with_capacity(numbers.len());
        let mut also = |_, _: &G::Position, judged: &Judged<G::Move>| {
            answers.push(judged.answer.as_ref().ok().copied());
        };
        let source = OnLines {
            lines: self,
            numbers,
        };
        asking.some(&source, self.judge, first, &mut also)?;
        let walk = played.walks.len() as u8;
        let asked = numbers.iter().map(|&number| (walk, number as u32));
        played.asked.extend(asked.take(answers.len()));
        Ok(answers)
    }

    /// The new positions after the AI's answers in its own positions, and after every move in the
    /// others.
    fn next_level(
        &mut self,
        own: &[usize],
        answers: &[Option<G::Move>],
        others: &[usize],
    ) -> Result<Vec<usize>, CheckError> {
        let answered = own.iter().zip(answers);
        let mut steps: Vec<(usize, G::Move)> = answered
            .filter_map(|(&number, answer)| answer.map(|mv| (number, mv)))
            .collect();
        let mut moves = Vec::new();
        for &number in others {
            self.game.moves(self.position(number), &mut moves);
            steps.extend(moves.iter().map(|&mv| (number, mv)));
        }
        let mut next = Vec::new();
        for (parent, mv) in steps {
            let child = self.game.play(self.position(parent), mv);
            if self.game.final_score(&child).is_none() {
                next.extend(self.walk.add(parent, child)?);
            }
        }
        Ok(next)
    }
}
