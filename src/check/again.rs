//! Whether the AI answers alike when it is asked again: its worst mistakes, and the line that is
//! said to happen.

use super::clock::Clock;
use super::contenders::{Contender, Round};
use super::error::CheckError;
use super::judge::{Line, Tally};
use super::questions::Plan;
use crate::game::{Notation, Progress};
use serde::Serialize;

/// Faults after which nothing more is asked again.
const FAULTS: usize = 3;

/// What came of asking again.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct AskedAgain {
    /// The number of positions: those of the AI's moves in the line, and of the worst mistakes.
    pub asked: u64,
    /// Of these, the number that were answered otherwise.
    pub changed: u64,
    /// One of them, with the first answer and the other one: a move, or the kind of a fault.
    pub example: Option<[String; 3]>,
    /// Whether all of the AI's moves in the line came again.
    #[serde(skip)]
    pub(super) is_line_confirmed: bool,
}

/// Asks a fresh copy of the AI for its moves in the line, from the first to the last as in a game,
/// and in the worst mistakes.
pub(super) fn ask_again<'a, G: Notation>(
    contender: &'a dyn Contender<'a, G>,
    game: &'a G,
    plan: &Plan<'_, G>,
    tally: &Tally<G>,
    line: Option<&Line<G>>,
    clock: &Clock<'_>,
) -> Result<AskedAgain, CheckError> {
    let (mut positions, mut ways, mut moves) = (Vec::new(), Vec::new(), Vec::new());
    if let Some(line) = line {
        let mut position = line.from.clone();
        for (number, &mv) in line.moves.iter().enumerate() {
            let after = game.play(&position, mv);
            if game.side_to_move(&position) == line.side {
                positions.push(position);
                ways.push(
                    (line.why_not_from_start.is_none()).then(|| line.moves[..number].to_vec()),
                );
                moves.push(mv);
            }
            position = after;
        }
    }
    let of_line = positions.len();
    for case in &tally.worst {
        if let Ok(mv) = case.judged.answer
            && !positions.contains(&case.position)
        {
            positions.push(case.position.clone());
            ways.push(plan.way_to(case.index));
            moves.push(mv);
        }
    }
    let mut again = AskedAgain::default();
    if positions.is_empty() {
        return Ok(again);
    }
    let mut replies = Vec::new();
    let round = Round {
        positions: &positions,
        ways: &|at| ways[at].clone(),
        faults: FAULTS,
        stop: &|| clock.cancelled(),
    };
    // A copy that can't be started has not answered alike.
    if let Ok(mut copy) = contender.player(game) {
        let _ = copy.ask(&round, &mut replies);
    }
    if clock.cancelled() {
        return Err(CheckError::Interrupted);
    }
    again.is_line_confirmed = replies.len() >= of_line;
    for (number, ((position, &first), reply)) in
        positions.iter().zip(&moves).zip(replies).enumerate()
    {
        again.asked += 1;
        if reply.answer.as_ref().ok() == Some(&first) {
            continue;
        }
        again.changed += 1;
        again.is_line_confirmed &= number >= of_line;
        again.example.get_or_insert_with(|| {
            let other = match reply.answer {
                Ok(mv) => game.format_move(mv),
                Err(fault) => fault.kind.to_string(),
            };
            [
                game.format_position(position),
                game.format_move(first),
                other,
            ]
        });
    }
    Ok(again)
}
