//! What solvers return.

use crate::game::{Solution, SolveTimes};

/// A solved game.
pub struct Solved {
    /// The score of every reachable class.
    pub solution: Solution,
    /// Where the time went.
    pub times: SolveTimes,
}
