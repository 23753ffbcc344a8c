//! Every line that can arise with the AI playing one side.

use super::asking::Asking;
use super::lines::Lines;
use super::source::Source;
use super::walk::Walk;
use crate::check::error::CheckError;
use crate::check::judge::Judge;
use crate::check::options::CheckOptions;
use crate::game::{Notation, Side};
use crate::oracle::Oracle;

/// The positions that were met.
pub(super) struct Played<G: Notation> {
    /// One walk for each side that the AI played.
    walks: Vec<Walk<G>>,
    /// For each question its walk and its number there.
    asked: Vec<(u8, u32)>,
    /// The number of positions that were met and not asked.
    pub left_out: u64,
}

impl<G: Notation> Played<G> {
    pub fn nothing() -> Played<G> {
        Played {
            walks: Vec::new(),
            asked: Vec::new(),
            left_out: 0,
        }
    }

    /// The moves that lead to the position of a question.
    pub fn line_to(&self, game: &G, index: u64) -> Option<Vec<G::Move>> {
        let &(walk, number) = self.asked.get(index as usize)?;
        Some(self.walks[usize::from(walk)].line_to(game, number as usize))
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
    let mut judge = Judge::of_the_game(oracle)?;
    judge.lists_best = asking.lists_best();
    let mut sides = vec![Side::First, Side::Second];
    sides.retain(|&side| options.side.is_none_or(|only| only == side));
    let mut played = Played::nothing();
    let mut quota = options.max_positions.unwrap_or(u64::MAX);
    for (number, &side) in sides.iter().enumerate() {
        let share = quota / (sides.len() - number) as u64;
        let memory = options.memory / sides.len() as u64;
        let mut lines = Lines::new(oracle.game(), side, memory);
        let asked = follow(&mut lines, &judge, asking, share, &mut played)?;
        // What the first side doesn't need is the second's.
        quota -= asked;
        played.walks.push(lines.walk);
        if asking.has_ended() {
            break;
        }
    }
    Ok(played)
}

/// Follows all lines of a side, asking at most `quota` questions; their number.
fn follow<G: Notation>(
    lines: &mut Lines<'_, G>,
    judge: &Judge<'_, G>,
    asking: &mut Asking<'_, '_, '_, G>,
    quota: u64,
    played: &mut Played<G>,
) -> Result<u64, CheckError> {
    let mut left = quota;
    while !lines.have_ended() {
        let mut numbers = lines.take_turns();
        let met = numbers.len();
        numbers.truncate(usize::try_from(left).unwrap_or(usize::MAX));
        left -= numbers.len() as u64;
        let before = played.asked.len() as u64;
        let answers = asking.all(&lines.at(&numbers), judge, before)?;
        played.left_out += (met - answers.len()) as u64;
        let is_over = answers.len() < met || asking.has_ended();
        let walk = played.walks.len() as u8;
        let answered = numbers.into_iter().zip(answers);
        let mut moves = Vec::new();
        for (number, answer) in answered {
            played.asked.push((walk, number as u32));
            moves.extend(answer.map(|mv| (number, mv)));
        }
        lines.keep_answers(&moves);
        if is_over {
            break;
        }
        lines.go_on(moves)?;
    }
    Ok(quota - left)
}
