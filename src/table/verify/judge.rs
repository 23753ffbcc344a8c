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
//! All other code of the proof only supplies positions and scores, from files, other processes or
//! an earlier run. It doesn't decide if they are right.

use super::error::VerifyError;
use super::verdict::Refutation;
use crate::game::Notation;
use crate::table::best::best_move;
use crate::table::read::ReadError;

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
    match best_move(game, position, score)? {
        Some((found, _)) if found == stored => Ok(()),
        Some((found, mv)) => Err(Stop::from(Refutation::Wrong {
            position: game.format_position(position),
            stored,
            best: game.format_move(mv),
            found,
        })),
        None => Err(stuck(game, position).into()),
    }
}

/// Returns the refutation that an unfinished position has no moves.
pub fn stuck<G: Notation>(game: &G, position: &G::Position) -> Refutation {
    let position = game.format_position(position);
    Refutation::Stuck { position }
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
