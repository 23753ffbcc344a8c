//! The judge, which decides whether an entry has the best score of its moves.
//!
//! If all entries pass, their scores are right, for three reasons:
//!
//! - A finished position has the score that the rules give it.
//! - An unfinished position has the best of its moves' scores.
//! - No position occurs twice in a game, so every sequence of entries ends with a finished
//!   position.
//!
//! In a game with endless play, the third reason doesn't hold, but its scores count plies:
//!
//! - An entry that says "win in `d` plies" has a move to a loss in `d - 1`, and none to an earlier
//!   one. An entry that says "loss in `d` plies" has only moves to wins, the longest in `d - 1`.
//!   Distances fall with each move, so by induction over the distance these entries are right: no
//!   win can rest on itself.
//! - An entry that says "draw" has a move to a draw and none to a loss. So neither side can force a
//!   win: whoever is to move can stay among the draws, for ever if need be.
//!
//! Both follow from the same comparison with the best move, because every ply moves a score one step
//! toward 0.
//!
//! A proof also has to show that no class is missing and that there are no further entries. For the
//! former, the judge looks up the entry after every move.
//!
//! Every verdict on a score is given here, by [`stored`] or [`omitted`]. The other code of a proof
//! finds the moves of each entry and the scores after them, in files, memory or another run's
//! checkpoint. It has to be trusted to follow every move of every entry, and to bring the scores
//! that probes of the table return. It doesn't decide whether a score is right.

use super::verdict::{Refutation, VerifyError};
use crate::game::{Notation, ScoreRange};
use crate::table::read::ReadError;
use crate::table::table::best_move;
use std::cmp::Ordering::{Equal, Greater, Less};

/// The reason why an entry fails or can't be judged.
#[derive(Debug)]
pub enum Stop {
    Refuted(Box<Refutation>),
    Error(VerifyError),
}

impl<E: Into<VerifyError>> From<E> for Stop {
    fn from(error: E) -> Stop {
        Stop::Error(error.into())
    }
}

impl From<Refutation> for Stop {
    fn from(refutation: Refutation) -> Stop {
        Stop::Refuted(Box::new(refutation))
    }
}

/// The verdict on a score, by the moves that were followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ruling {
    Right,
    /// Moves that a later pass follows decide.
    Undecided,
    Wrong,
}

/// Judges a stored score by the best of the moves that a pass has followed.
///
/// `is_attained` says that a move of an earlier pass has the score, `is_last` that no moves remain
/// for later passes.
#[inline]
pub fn stored(stored: i32, best: Option<i32>, is_attained: bool, is_last: bool) -> Ruling {
    match best.cmp(&Some(stored)) {
        Greater => Ruling::Wrong,
        Equal => Ruling::Right,
        Less if is_attained => Ruling::Right,
        Less if is_last => Ruling::Wrong,
        Less => Ruling::Undecided,
    }
}

/// Judges whether the best of the moves followed so far can be a score that the table omits.
///
/// `scores` are those that the entry may have. `is_last` says that no moves remain.
#[inline]
pub fn omitted(scores: ScoreRange, best: Option<i32>, is_last: bool) -> Ruling {
    match best {
        Some(best) if scores.code(best).is_some() => Ruling::Right,
        // Later moves may be better.
        Some(best) if !is_last && best <= scores.highest => Ruling::Undecided,
        None if !is_last => Ruling::Undecided,
        Some(_) | None => Ruling::Wrong,
    }
}

/// Returns whether a stored score is that of the best move, after all moves were followed.
#[inline]
pub fn is_best(score: i32, best: Option<i32>) -> bool {
    stored(score, best, false, true) == Ruling::Right
}

/// Judges an entry.
///
/// `probe` returns the score of another class, or `None` if it has no entry.
pub fn entry<G: Notation>(
    game: &G,
    position: &G::Position,
    stored: i32,
    mut probe: impl FnMut(&G::Position) -> Result<Option<i32>, ReadError>,
) -> Result<(), Stop> {
    let score = |class: &G::Position, mv| match probe(class)? {
        None => Err(Stop::from(missing(game, position, mv))),
        score => Ok(score),
    };
    let best = best_move(game, position, score)?;
    if is_best(stored, best.map(|(best, _)| best)) {
        return Ok(());
    }
    match best {
        Some((found, mv)) => Err(Stop::from(Refutation::Wrong {
            position: game.format_position(position),
            stored,
            best: game.format_move(mv),
            found,
        })),
        None => {
            let position = game.format_position(position);
            Err(Refutation::Stuck { position }.into())
        }
    }
}

/// Returns the refutation that a move leads to a class without an entry.
pub fn missing<G: Notation>(game: &G, position: &G::Position, mv: G::Move) -> Refutation {
    let child = game.canonical(&game.play(position, mv));
    Refutation::Missing {
        position: game.format_position(&child),
        from: format!(
            "follows {} by the move {}",
            game.format_position(position),
            game.format_move(mv)
        ),
    }
}

/// Returns the refutation that the start has no entry.
pub fn start_is_missing<G: Notation>(game: &G) -> Refutation {
    Refutation::Missing {
        position: game.format_position(&game.canonical(&game.start())),
        from: "is the start".into(),
    }
}
