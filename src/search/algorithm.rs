//! The algorithms, and why one ends early.

use std::fmt;

/// How to search.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Algorithm {
    /// [`crate::search::Search::minimax`]
    Minimax,
    /// [`crate::search::Search::negamax`]
    Negamax,
    /// [`crate::search::Search::alpha_beta`]
    AlphaBeta,
    /// [`crate::search::Search::negascout`]
    NegaScout,
    /// [`crate::search::Search::mtdf`], with the points banked as its first guess.
    Mtdf,
}

impl Algorithm {
    /// All of them, the plainest first.
    pub const ALL: [Algorithm; 5] = [
        Algorithm::Minimax,
        Algorithm::Negamax,
        Algorithm::AlphaBeta,
        Algorithm::NegaScout,
        Algorithm::Mtdf,
    ];

    /// Its name on the command line: `minimax`, `negamax`, `alphabeta`, `negascout` or `mtdf`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Minimax => "minimax",
            Algorithm::Negamax => "negamax",
            Algorithm::AlphaBeta => "alphabeta",
            Algorithm::NegaScout => "negascout",
            Algorithm::Mtdf => "mtdf",
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The search was told to stop before it knew the score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the search was stopped")]
pub struct Stopped;
