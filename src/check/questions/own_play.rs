//! Search for mistakes in the AI's own play: its known answers against every reply.

use super::lines::Lines;
use crate::check::error::CheckError;
use crate::check::judge::{Judge, Tally, Worst};
use crate::game::{Notation, Side, Until};

/// The number of positions to examine for each side, at most.
const MOST: usize = 500_000;

/// Returns the worst mistakes that the AI reaches by its known answers from the start.
///
/// The search ends with the worst mistake of the whole check, or when positions take `memory` bytes.
/// The second value says whether no position was left out.
///
/// # Errors
/// If the oracle fails, or the caller cancels.
pub(in crate::check) fn own_mistakes<G: Notation>(
    judge: &Judge<'_, G>,
    tally: &Tally<G>,
    known: &dyn Fn(&G::Position) -> Option<G::Move>,
    memory: u64,
    clock: &Until<'_>,
) -> Result<(Worst<G>, bool), CheckError> {
    let game = tally.game();
    let mut found = Worst::new(game.clone(), tally.criterion);
    let mut is_complete = true;
    for side in [Side::First, Side::Second] {
        let mut lines = Lines::new(game, side, memory / 2);
        let followed = lines.follow(|lines, turns| {
            let mut answers = Vec::new();
            for number in turns {
                let position = &lines.walk.positions[number];
                let Some(mv) = known(position) else {
                    is_complete = false;
                    continue;
                };
                let graded = judge.grade_one(position, Ok(mv), clock)?;
                let judged = graded.ok_or(CheckError::Interrupted)?;
                if judged.is_mistake(tally.criterion) {
                    let way = || Some(lines.walk.line_to(game, number));
                    found.add(position, &judged, &way);
                    if tally.worst.rank_of(position, &judged) == Some(0) {
                        return Ok((answers, false));
                    }
                }
                answers.push((number, mv));
            }
            Ok((answers, lines.walk.positions.len() < MOST))
        });
        is_complete &= match followed {
            Err(CheckError::TooMany { .. }) => false,
            followed => followed?,
        };
    }
    Ok((found, is_complete))
}
