//! What comes out of verifying a table.

/// What came out of verifying a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Every reachable class has an entry, there are no others, and every score is right.
    Proved {
        /// How many entries.
        entries: u64,
        /// How many layers have entries.
        steps: u32,
        /// How many moves were tried.
        moves: u64,
    },
    /// All entries that were looked at are the best of their moves ([`crate::table::verify_sample`]).
    Agrees {
        /// How many were looked at.
        entries: u64,
    },
    /// Something is wrong. Of several things the same is named on any number of threads: what is
    /// wrong in the lowest layer, or where the whole table is proved at once the first in its order.
    /// In tables of at most a million entries a missing class, or else an entry too many, comes
    /// before a wrong score.
    Refuted(Refutation),
}

/// What is wrong with a table. Scores are seen from the side to move.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refutation {
    /// An entry isn't the best of its moves.
    #[error(
        "the table has the score {stored} for {position}, but its best move, {best}, scores {found}"
    )]
    Wrong {
        /// The position, in the game's notation.
        position: String,
        /// What the table says.
        stored: i32,
        /// The first of the best moves.
        best: String,
        /// What it scores.
        found: i32,
    },
    /// A class that can be reached has no entry.
    #[error("the table has no score for {position}, which {from}")]
    Missing {
        /// The canonical position, in the game's notation.
        position: String,
        /// Where it comes from: "is the start", or after which move in which position.
        from: String,
    },
    /// An entry belongs to no class that can be reached.
    #[error("the table has {}{position}, which can't be reached", match stored {
        Some(score) => format!("the score {score} for "),
        None => "an entry for ".into(),
    })]
    Extra {
        /// The position, in the game's notation.
        position: String,
        /// What the table says, unless it leaves the score out.
        stored: Option<i32>,
    },
    /// An unfinished position without moves: the rules contradict themselves.
    #[error("{position} is not finished, but has no moves")]
    Stuck {
        /// The position, in the game's notation.
        position: String,
    },
    /// An entry whose score is left out has a best move with a score that it can't have.
    #[error("the best move of {position} scores {found}, which is no score of the table's")]
    Underivable {
        /// The position, in the game's notation.
        position: String,
        /// What its best move scores.
        found: i32,
    },
    /// What the table says about how many entries have which score is wrong.
    #[error(
        "the table counts {stored} entries with the score {score} in {part}, but there are {found}"
    )]
    Miscounted {
        /// Which part of it: "segment 3", "layer 5".
        part: String,
        /// The score.
        score: i32,
        /// What the table says.
        stored: u64,
        /// How many there are.
        found: u64,
    },
    /// The game numbers its positions inconsistently.
    #[error("the place of {position} in the table belongs to another position")]
    Misnumbered {
        /// The position, in the game's notation, or its place if it has none.
        position: String,
    },
}
