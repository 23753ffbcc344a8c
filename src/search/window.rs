//! Windows: the range of scores that a search has to tell apart.

use crate::game::{Game, Side, one_move_before};
use serde::{Serialize, Serializer};

/// A value beyond every score, to which points already won can be added.
///
/// It is small enough that the sum doesn't overflow.
pub(crate) const INFINITY: i32 = i32::MAX / 4;

/// The range of scores between `alpha` and `beta`, both excluded.
///
/// A search finds scores in this range exactly. For any other score, it finds a bound on the same
/// side of the range.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Window {
    /// A score that the side to move already has.
    #[serde(serialize_with = "finite")]
    pub alpha: i32,
    /// A score that the other side won't let this side exceed; greater than `alpha`.
    #[serde(serialize_with = "finite")]
    pub beta: i32,
}

/// Writes a score, or null if it is infinite.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn finite<S: Serializer>(score: &i32, to: S) -> Result<S::Ok, S::Error> {
    let score = Some(score).filter(|score| score.abs() < INFINITY / 2);
    score.serialize(to)
}

impl Window {
    /// The window that contains every score.
    pub const FULL: Window = Window {
        alpha: -INFINITY,
        beta: INFINITY,
    };

    /// Returns the window that only asks whether the score is at least `score`.
    #[must_use]
    pub fn at_least(score: i32) -> Window {
        Window {
            alpha: score - 1,
            beta: score,
        }
    }

    /// Returns the window as the other side sees it.
    #[must_use]
    pub fn negated(self) -> Window {
        Window {
            alpha: -self.beta,
            beta: -self.alpha,
        }
    }

    /// Returns the window for scores one ply later, in a game that counts plies.
    fn one_ply_later(self) -> Window {
        // A score is in this window exactly if `one_ply_before` moves it into the other one.
        let Window { alpha, beta } = self;
        Window {
            alpha: if alpha >= 0 { alpha + 1 } else { alpha - 1 },
            beta: if beta > 0 { beta + 1 } else { beta - 1 },
        }
    }

    /// Returns the part of the window above a score already found.
    #[must_use]
    pub fn above(self, score: i32) -> Window {
        Window {
            alpha: self.alpha.max(score),
            ..self
        }
    }
}

/// Returns a child's score as its parent's side to move, `side`, sees it.
///
/// `search` receives the window and returns the score, both as the child's own side to move sees
/// them. All searches call this function: in games with extra turns, the sign changes only where
/// the side to move does, and in games that count plies a score moves a step toward 0.
///
/// # Errors
/// The errors of `search`.
pub fn child_score<G: Game, E>(
    game: &G,
    side: Side,
    child: &G::Position,
    window: Window,
    search: impl FnOnce(Window) -> Result<i32, E>,
) -> Result<i32, E> {
    let counts_plies = game.score_range().counts_plies();
    let turns = game.side_to_move(child) != side;
    let window = if counts_plies {
        window.one_ply_later()
    } else {
        window
    };
    let score = search(if turns { window.negated() } else { window })?;
    let seen = if turns { -score } else { score };
    Ok(one_move_before(seen, counts_plies))
}
