//! A line that shows how a mistake is punished.

use super::tally::{Case, Tally};
use crate::check::contenders::{Player, ask_one};
use crate::check::error::CheckError;
use crate::game::{Notation, Progress, Side};
use crate::oracle::Oracle;

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
    /// The score that the side with the mistake could have got.
    pub due: i32,
    /// Its score in the end.
    pub score: i32,
}

/// Plays out the first mistakes and keeps the shortest line; of equals the first. `way` finds the
/// moves that lead to a mistake's position from the start, if it knows them.
pub(in crate::check) fn shortest_line<G: Notation>(
    oracle: &dyn Oracle<G>,
    tally: &Tally<G>,
    player: &mut dyn Player<G>,
    way: impl Fn(&Case<G>) -> Result<Option<Vec<G::Move>>, CheckError>,
    progress: &dyn Progress,
) -> Result<Option<Line<G>>, CheckError> {
    let mut best: Option<Line<G>> = None;
    for case in tally.to_refute() {
        let line = play_out(oracle, player, case, way(case)?, progress)?;
        let length = best.as_ref().map_or(usize::MAX, |best| best.moves.len());
        best = line.filter(|line| line.moves.len() < length).or(best);
    }
    Ok(best)
}

/// Plays on from a mistake: the AI as it plays, the opponent perfectly. `way` leads to the
/// mistake's position from the start.
///
/// Nothing if the AI has a fault on the way.
fn play_out<G: Notation>(
    oracle: &dyn Oracle<G>,
    player: &mut dyn Player<G>,
    case: &Case<G>,
    way: Option<Vec<G::Move>>,
    progress: &dyn Progress,
) -> Result<Option<Line<G>>, CheckError> {
    let game = oracle.game();
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
            let way = is_from_start.then_some(&moves[..]);
            let reply = ask_one(player, way, &position, &|| progress.cancelled());
            match reply.ok_or(CheckError::Interrupted)?.answer {
                Ok(mv) => mv,
                Err(_) => return Ok(None),
            }
        } else {
            oracle.move_scores(&position)?[0].0
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
