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
    /// The number of positions that were met and not asked.
    pub left_out: u64,
}

impl<G: Notation> Played<G> {
    pub fn nothing() -> Played<G> {
        Played {
            walks: Vec::new(),
            left_out: 0,
        }
    }

    /// What the AI answered in a position.
    pub fn answer(&self, position: &G::Position) -> Option<G::Move> {
        // Only the walk of the side to move knows one.
        self.walks.iter().find_map(|walk| walk.answer(position))
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
    // What the first side doesn't need is the second's.
    let mut quota = options.max_positions.unwrap_or(u64::MAX);
    for (number, &side) in sides.iter().enumerate() {
        let mut left = quota / (sides.len() - number) as u64;
        let memory = options.memory / sides.len() as u64;
        let mut lines = Lines::new(oracle.game(), side, memory);
        lines.follow(|lines, mut numbers| {
            let met = numbers.len();
            numbers.truncate(usize::try_from(left).unwrap_or(usize::MAX));
            left -= numbers.len() as u64;
            quota -= numbers.len() as u64;
            let answers = asking.all(&lines.at(&numbers), &judge)?;
            played.left_out += (met - answers.len()) as u64;
            let goes_on = answers.len() == met && !asking.has_ended();
            let answers = numbers.into_iter().zip(answers);
            let moves = answers.filter_map(|(number, answer)| Some((number, answer?)));
            Ok((moves.collect(), goes_on))
        })?;
        played.walks.push(lines.walk);
        if asking.has_ended() {
            break;
        }
    }
    Ok(played)
}
