//! A line that shows how a mistake is punished.

use super::tally::Case;
use crate::check::contenders::{Player, ask_one};
use crate::check::error::CheckError;
use crate::game::{Notation, Progress, Side};
use crate::oracle::Oracle;

/// Moves from some position to the end of the game. Those of the side that makes the mistake are
/// the AI's own, the opponent's after the mistake are best ones.
#[derive(Clone, Debug)]
pub struct Line<G: Notation> {
    /// Where it begins.
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
    /// Which of the worst mistakes it is, counted from 0, if it is one of them.
    pub worst: Option<usize>,
    /// Why it begins at the mistake rather than at the start of the game; nothing if it doesn't.
    pub why_not_from_start: Option<WhyNot>,
    /// The number of questions that the AI was asked for this line.
    pub questions: u64,
}

/// Why a line doesn't begin at the start of the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum WhyNot {
    /// The game has no start that all positions follow from.
    NoStart,
    /// No mistake comes up when the AI makes its own moves from the start on.
    NeverComesUp,
    /// None was found before the search for one was given up.
    NotFound,
    /// Those that come up could not be played to their end, because of faults.
    Faults,
}

/// Plays on from a mistake: the AI as it plays, the opponent perfectly. `way` leads to the
/// mistake's position from the start, if the line is to begin there. `known` is what the AI has
/// answered before; it is asked elsewhere, and the number of questions goes up.
///
/// Nothing if the AI has a fault on the way.
pub(in crate::check) fn play_out<G: Notation>(
    oracle: &dyn Oracle<G>,
    player: &mut dyn Player<G>,
    case: &Case<G>,
    way: Option<Vec<G::Move>>,
    known: &dyn Fn(&G::Position) -> Option<G::Move>,
    questions: &mut u64,
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
        let mv = if game.side_to_move(&position) != side {
            oracle.move_scores(&position)?[0].0
        } else if let Some(mv) = known(&position) {
            mv
        } else {
            *questions += 1;
            let way = is_from_start.then_some(&moves[..]);
            let reply = ask_one(player, way, &position, &|| progress.cancelled());
            match reply.ok_or(CheckError::Interrupted)?.answer {
                Ok(mv) => mv,
                Err(_) => return Ok(None),
            }
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
        worst: None,
        why_not_from_start: None,
        questions: 0,
    }))
}
