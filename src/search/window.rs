//! What is asked of a position's score.

use crate::game::{Game, Side};

/// Beyond every score, and far enough from overflow that banked points can be added.
pub const INFINITY: i32 = i32::MAX / 4;

/// The scores that are to be told apart: those between `alpha` and `beta`, both excluded. Of others
/// it is enough to know on which side they lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Window {
    /// The side to move has this already.
    pub alpha: i32,
    /// The other side won't allow more; greater than `alpha`.
    pub beta: i32,
}

impl Window {
    /// Nothing is excluded.
    pub const FULL: Window = Window {
        alpha: -INFINITY,
        beta: INFINITY,
    };

    /// Only asks whether the score is `score` or more.
    #[must_use]
    pub fn at_least(score: i32) -> Window {
        Window {
            alpha: score - 1,
            beta: score,
        }
    }

    /// As the other side sees it.
    #[must_use]
    pub fn negated(self) -> Window {
        Window {
            alpha: -self.beta,
            beta: -self.alpha,
        }
    }

    /// The part above a score that one has already.
    #[must_use]
    pub fn above(self, score: i32) -> Window {
        Window {
            alpha: self.alpha.max(score),
            ..self
        }
    }
}

/// The score of a child as its parent's side to move, `side`, sees it.
///
/// `search` gets the window and returns the score as the child's own side to move sees them. All
/// searches come through here: in games with extra turns, the sign changes only where the side
/// does.
///
/// # Errors
/// Those of `search`.
pub fn child_score<G: Game, E>(
    game: &G,
    side: Side,
    child: &G::Position,
    window: Window,
    search: impl FnOnce(Window) -> Result<i32, E>,
) -> Result<i32, E> {
    if game.side_to_move(child) == side {
        search(window)
    } else {
        search(window.negated()).map(|score| -score)
    }
}
