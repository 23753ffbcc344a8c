//! The algorithms, and why one ends early.

use std::fmt;

/// How to search.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Algorithm {
    /// Looks at all moves everywhere: the first player takes the highest value, the second the lowest.
    Minimax,
    /// The same, with every value seen from the side to move. Slow and obviously right: what the
    /// other searches are compared with. With a table, each class is searched once, as long as the
    /// table remembers it.
    Negamax,
    /// Leaves out moves that can't change the result any more.
    AlphaBeta,
    /// As alpha-beta, but all moves except the first are only asked whether they are better than the
    /// best so far; one that is gets searched again for how much better. Pays when the first move is
    /// mostly the best.
    NegaScout,
    /// As alpha-beta, by a row of searches that each ask whether the score is at least this or less:
    /// at first the points banked, then what the last answer leaves open. Pays when that is a good
    /// guess and a table remembers the answers.
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
