//! What can be wrong with a list.

/// Why there is no list.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The name can't stand in a rules string.
    #[error(
        "{0:?} is no name for a game: write lower-case letters, digits and hyphens, such as nim-3-4-5"
    )]
    Name(String),
    /// Two positions are written alike.
    #[error("two different positions are both written {0:?}")]
    SameText(String),
    /// A position can't be written so.
    #[error(
        "a position can't be written {0:?}: it needs letters, one line of them, without spaces at its ends"
    )]
    Text(String),
    /// A position's text ends as that of another player's.
    #[error(
        "a position can't be written {0:?}: where sides are not told, \" second\" at the end says that \
         the second player is to move"
    )]
    Second(String),
    /// A move can't be called so.
    #[error(
        "a move can't be called {0:?}: it needs letters, one line of them, without spaces at its ends"
    )]
    MoveName(String),
    /// A position has no moves, but no score either.
    #[error("{0} is not finished, but has no moves")]
    Stuck(String),
    /// A position is finished and has moves.
    #[error("{0} is finished, but has moves")]
    Finished(String),
    /// The start is finished.
    #[error("the start, {0}, is finished")]
    FinishedStart(String),
    /// The second player would make the first move.
    #[error(
        "at the start, {0}, it is the second player's turn: the one who makes the first move is \
         called the first player"
    )]
    SecondStart(String),
    /// A position is not where it belongs in the list.
    #[error(
        "{0} is listed in the wrong place, or nothing leads to it: positions are listed in the order \
         of their distance from the start"
    )]
    Order(String),
    /// More than can be numbered.
    #[error("there are more than four billion positions or kinds of moves, which are too many")]
    TooMany,
    /// A position in which two moves have the same name.
    #[error("two moves are called {name} in {position}")]
    SameMove {
        /// The position.
        position: String,
        /// The name.
        name: String,
    },
    /// A score that arrays can't hold.
    #[error("{position} has the score {score}, but scores are from -32,767 to 32,767")]
    Large {
        /// The position.
        position: String,
        /// Its score.
        score: i32,
    },
    /// More different scores than a table's bytes can tell.
    #[error(
        "scores go from {} in {} to {} in {} in steps of {step}, but a table holds 256 different ones \
         at most: count in larger steps, or only who wins (1, 0 or -1)",
        lowest.0, lowest.1, highest.0, highest.1
    )]
    Range {
        /// The lowest score, and a position that has it.
        lowest: (i32, String),
        /// The highest.
        highest: (i32, String),
        /// The largest step that all are multiples of.
        step: i32,
    },
    /// A position can come up twice in one play.
    #[error(
        "a position can come up twice in one play, and only games without repetition can be \
         solved{}",
        crate::text::cycle(cycle)
    )]
    Repetition {
        /// Positions and moves in turn, from a position back to itself.
        cycle: Vec<String>,
    },
    /// The caller wanted it to stop.
    #[error("interrupted")]
    Interrupted,
}
