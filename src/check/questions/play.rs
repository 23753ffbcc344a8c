//! Questions about every line that can arise with the AI playing one side.
//!
//! Where positions repeat, an AI can keep a win for ever without winning: play then goes round in a
//! circle of won positions, which is a draw. Somewhere in each circle is an answer that lets the
//! win take longer, because all other moves come nearer to its end. Such answers are counted last,
//! when all lines are known: as a draw if they are part of a circle that the opponent can choose.

use super::asking::{Asking, count};
use super::lines::Lines;
use super::source::{Listed, Source};
use super::walk::Walk;
use crate::check::error::CheckError;
use crate::check::judge::{Judge, Origin};
use crate::check::options::{CheckOptions, Criterion};
use crate::game::{Endless, Notation, Side};
use crate::oracle::Oracle;

/// Plays every line of one side or both: the AI's moves and every reply.
///
/// Returns the positions met, a walk for each side that the AI played.
pub(super) fn play<G: Notation>(
    oracle: &dyn Oracle<G>,
    asking: &mut Asking<'_, '_, '_, G>,
    options: &CheckOptions,
) -> Result<Vec<Walk<G>>, CheckError> {
    let game = oracle.game();
    let may_repeat = game.endless() == Endless::Draw;
    let mut judge = Judge::of_the_game(oracle)?;
    judge.lists_best = asking.lists_best().map(|criterion| match may_repeat {
        // Each slow win may turn out to be a mistake.
        true => Criterion::Score,
        false => criterion,
    });
    let mut sides = vec![Side::First, Side::Second];
    sides.retain(|&side| options.side.is_none_or(|only| only == side));
    // The search for cycles takes half.
    let memory = options.memory / (sides.len() as u64 * (1 + u64::from(may_repeat)));
    let mut walks = Vec::new();
    for side in sides {
        let mut lines = Lines::new(game, side, memory);
        let mut slow = Vec::new();
        lines.follow(|lines, numbers| {
            asking.slow = may_repeat.then(Vec::new);
            let asked = Source::Listed(Listed {
                positions: &lines.positions(&numbers),
                way: &|at| Some(lines.walk.line_to(game, numbers[at])),
                origin: &|_| (None, true),
            });
            let answers = asking.all(&asked, &judge, true)?;
            let found = asking.slow.take().into_iter().flatten();
            slow.extend(found.map(|(at, judged)| (numbers[at as usize], judged)));
            let answers = numbers.into_iter().zip(answers);
            let moves = answers.filter_map(|(number, answer)| Some((number, answer?)));
            Ok((moves.collect(), !asking.has_ended()))
        })?;
        let cycles = lines.cycles(oracle, slow.iter().map(|of| of.0))?;
        for (number, mut judged) in slow {
            judged.repeats = cycles.contains(&number);
            let origin = Origin {
                plays: None,
                is_own: true,
                way: &|| Some(lines.walk.line_to(game, number)),
            };
            let position = &lines.walk.positions[number];
            count(asking.tally, &mut asking.list, position, judged, &origin);
        }
        walks.push(lines.walk);
        if asking.has_ended() {
            break;
        }
    }
    Ok(walks)
}
