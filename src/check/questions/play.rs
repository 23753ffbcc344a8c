//! Questions about every line that can arise with the AI playing one side.

use super::asking::Asking;
use super::lines::Lines;
use super::source::{Listed, Source};
use super::walk::Walk;
use crate::check::error::CheckError;
use crate::check::judge::Judge;
use crate::check::options::CheckOptions;
use crate::game::{Notation, Side};
use crate::oracle::Oracle;

/// Plays every line of one side or both: the AI's moves and every reply.
///
/// Returns the positions met, a walk for each side that the AI played.
pub(super) fn play<G: Notation>(
    oracle: &dyn Oracle<G>,
    asking: &mut Asking<'_, '_, '_, G>,
    options: &CheckOptions,
) -> Result<Vec<Walk<G>>, CheckError> {
    let mut judge = Judge::of_the_game(oracle)?;
    judge.lists_best = asking.lists_best();
    let mut sides = vec![Side::First, Side::Second];
    sides.retain(|&side| options.side.is_none_or(|only| only == side));
    let memory = options.memory / sides.len() as u64;
    let mut walks = Vec::new();
    for side in sides {
        let mut lines = Lines::new(oracle.game(), side, memory);
        lines.follow(|lines, numbers| {
            let game = oracle.game();
            let asked = Source::Listed(Listed {
                positions: &lines.positions(&numbers),
                way: &|at| Some(lines.walk.line_to(game, numbers[at])),
                origin: &|_| (None, true),
            });
            let answers = asking.all(&asked, &judge, true)?;
            let answers = numbers.into_iter().zip(answers);
            let moves = answers.filter_map(|(number, answer)| Some((number, answer?)));
            Ok((moves.collect(), !asking.has_ended()))
        })?;
        walks.push(lines.walk);
        if asking.has_ended() {
            break;
        }
    }
    Ok(walks)
}
