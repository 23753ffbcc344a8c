//! Second questions to a fresh copy of the AI, to test if its answers are stable.
//!
//! They cover the worst mistakes and the line that the report shows.

use super::contenders::{Contender, ask_one};
use super::error::CheckError;
use super::judge::Tally;
use super::refute::Refutation;
use crate::game::{CancelScope, Game, Notation};
use crate::pool::share;
use serde::Serialize;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The number of faults after which no more positions are asked again.
const MOST_FAULTS: usize = 3;

/// Result of asking positions again.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct AskedAgain {
    /// The number of positions: the AI's moves in the line, and the worst mistakes.
    pub asked: u64,
    /// The number of them with a different answer.
    pub changed: u64,
    /// An example of a changed answer: the position, the first answer and the second.
    ///
    /// An answer is a move or a kind of fault.
    pub example: Option<[String; 3]>,
    /// Whether the AI repeated all of its moves in the line.
    #[serde(skip)]
    pub(super) is_line_confirmed: bool,
}

/// Asks fresh copies of the AI again for its moves in the line and the mistakes.
///
/// A program has one copy. The line comes first, from its first move to its last as in a game.
pub(super) fn recheck<'a, G: Notation>(
    contender: &'a dyn Contender<'a, G>,
    game: &'a G,
    tally: &Tally<G>,
    line: Option<&Refutation<G>>,
    jobs: usize,
    clock: &CancelScope<'_>,
) -> Result<AskedAgain, CheckError> {
    // Collect the first answers: those in the line, then the worst mistakes that are not in it.
    let mut answers = line.map_or_else(Vec::new, |line| answers_in_line(game, line));
    let of_line = answers.len();
    for case in &tally.worst.cases {
        if let Ok(mv) = case.judged.answer
            && !answers.iter().any(|(known, ..)| *known == case.position)
        {
            answers.push((case.position.clone(), case.way.clone(), mv));
        }
    }
    let mut again = AskedAgain::default();
    if answers.is_empty() {
        return Ok(again);
    }
    contender.begin_again();
    // Copies that can't be started leave the line unconfirmed.
    let copies = contender.command().map_or(jobs, |_| 1);
    let copies = (0..copies.clamp(1, answers.len())).map(|_| contender.player(game));
    let Ok(mut copies) = copies.collect::<Result<Vec<_>, _>>() else {
        return Ok(again);
    };
    let found = AtomicUsize::new(0);
    let replies = share(&mut copies, answers.len(), |copy, number| {
        let (position, way, _) = &answers[number];
        let reply = ask_one(&mut **copy, way.as_deref(), position, clock);
        let is_fault = !matches!(reply, Some(Ok(_)));
        let faults = found.fetch_add(usize::from(is_fault), Relaxed) + usize::from(is_fault);
        (reply, faults < MOST_FAULTS)
    });
    let (mut faults, mut confirmed) = (0, 0);
    for (number, ((position, _, first), reply)) in answers.into_iter().zip(replies).enumerate() {
        if faults == MOST_FAULTS {
            break;
        }
        let reply = reply.ok_or(CheckError::Interrupted)?;
        again.asked += 1;
        faults += usize::from(reply.is_err());
        if reply.as_ref().ok() == Some(&first) {
            confirmed += usize::from(number < of_line);
            continue;
        }
        again.changed += 1;
        again.example.get_or_insert_with(|| {
            let other = match reply {
                Ok(mv) => game.format_move(mv),
                Err(fault) => fault.kind.to_string(),
            };
            let position = game.format_position(&position);
            [position, game.format_move(first), other]
        });
    }
    again.is_line_confirmed = confirmed == of_line;
    Ok(again)
}

/// Position, the moves from the start to it (if known), and the AI's answer.
type Answer<G> = (
    <G as Game>::Position,
    Option<Vec<<G as Game>::Move>>,
    <G as Game>::Move,
);

/// Returns the AI's moves in a line, with the positions in which it made them.
fn answers_in_line<G: Notation>(game: &G, line: &Refutation<G>) -> Vec<Answer<G>> {
    let is_from_start = line.why_not_from_start.is_none();
    let mut answers = Vec::new();
    let mut position = line.from.clone();
    for (number, &mv) in line.moves.iter().enumerate() {
        let after = game.play(&position, mv);
        if game.side_to_move(&position) == line.side {
            let way = is_from_start.then(|| line.moves[..number].to_vec());
            answers.push((position, way, mv));
        }
        position = after;
    }
    answers
}
