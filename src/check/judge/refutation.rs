//! A line that shows how a mistake is punished.

use super::tally::Case;
use crate::check::CheckError;
use crate::check::contenders::{Player, Round, ask_one};
use crate::game::{Notation, Progress, Side};
use crate::table::Table;

/// Moves from some position to the end of the game.
#[derive(Clone, Debug)]
pub struct Line<G: Notation> {
    /// Where it begins: at the start of the game if a way from there is known.
    pub from: G::Position,
    /// The moves.
    pub moves: Vec<G::Move>,
    /// Which of the moves is the mistake, counted from 0.
    pub mistake: usize,
    /// Whose mistake it is.
    pub side: Side,
    /// The score that who made the mistake could have got, seen from there.
    pub due: i32,
    /// The score in the end, seen from the same side.
    pub score: i32,
}

/// Plays on from a mistake: the AI as it plays, the opponent as the table does. `way` leads to the
/// mistake's position from the start.
///
/// Nothing if the AI has a fault on the way.
pub(in crate::check) fn play_out<G: Notation>(
    table: &Table<G>,
    player: &mut dyn Player<G>,
    case: &Case<G>,
    way: Option<Vec<G::Move>>,
    progress: &dyn Progress,
) -> Result<Option<Line<G>>, CheckError> {
    let game = table.game();
    let Ok(mv) = case.judged.answer else {
        return Ok(None);
    };
    let is_from_start = way.is_some();
    let mut moves = way.unwrap_or_default();
    let mistake = moves.len();
    let side = game.side_to_move(&case.position);
    moves.push(mv);
    let mut position = game.play(&case.position, mv);
    let score = loop {
        if let Some(score) = game.final_score(&position) {
            break game.seen_from(side, &position, score);
        }
        let mv = if game.side_to_move(&position) == side {
            let round = Round {
                faults: 1,
                stop: &|| progress.cancelled(),
            };
            let way = is_from_start.then_some(&moves[..]);
            match ask_one(player, way, &position, &round)?.answer {
                Ok(mv) => mv,
                Err(_) => return Ok(None),
            }
        } else {
            table.play_scores(&position)?[0].0
        };
        moves.push(mv);
        position = game.play(&position, mv);
    };
    Ok(Some(Line {
        from: if is_from_start {
            game.start()
        } else {
            case.position.clone()
        },
        moves,
        mistake,
        side,
        due: case.judged.due,
        score,
    }))
}
