//! Reversi on the command line and in rules strings: one family per board.

use super::{Board, Reversi, Start};
use crate::game::{Family, Parameter, Values};

/// The rules in words, with an example of a position on the board.
macro_rules! in_words {
    ($cells:literal, $position:literal) => {
        concat!(
            "Black and White in turn place a disc of their colour on an empty cell, Black first. It \
             must enclose a straight line of the opponent's discs, in any of the eight directions, \
             between itself and another disc of its colour; all discs that it encloses change \
             colour. Who can't place a disc passes. When neither can, the game is over, and whoever \
             has more discs wins.\n\n\
             A score is the discs of the side to move less the opponent's at the end, under best \
             play: +8 is a win by eight discs. Empty cells count for nobody.\n\n\
             A position is the rows from the top, B, W or a dot for an empty cell, then whose turn \
             it is: \"",
            $position,
            "\". A move is a cell, its column a letter and its row a number from the top, such \
             as ",
            $cells,
            "; or \"pass\"."
        )
    };
}
const IN_WORDS_4: &str = in_words!("b1", "..../.WB./.BW./.... B");
const IN_WORDS_24: &str = in_words!(
    "c1 for the leftmost of the top row",
    "../..../..WB../..BW../..../.. B"
);

/// Reversi on a board, with either start.
impl Family for Board {
    type Game = Reversi;

    fn name(&self) -> &'static str {
        match self {
            Board::FourByFour => "reversi4",
            Board::Octagon => "reversi24",
        }
    }

    fn about(&self) -> &'static str {
        match self {
            Board::FourByFour => "Reversi on 4×4 squares",
            Board::Octagon => "Reversi on an octagon of 24 squares",
        }
    }

    fn rules_in_words(&self) -> &'static str {
        match self {
            Board::FourByFour => IN_WORDS_4,
            Board::Octagon => IN_WORDS_24,
        }
    }

    fn details(&self) -> &'static str {
        match self {
            Board::FourByFour => "",
            Board::Octagon => {
                "Solving it asks for 9 GB of memory from the cross, of which it takes about 6, and \
                 for 11 GB from the parallel start."
            }
        }
    }

    fn parameters(&self) -> &'static [Parameter] {
        const PARAMETERS: [Parameter; 1] = [Parameter::choice(
            "start",
            &[
                ("cross", "White and black over black and white"),
                ("parallel", "White and black over white and black"),
            ],
            "How the four discs in the middle lie at the start",
        )];
        &PARAMETERS
    }

    fn game(&self, values: &Values) -> Result<Reversi, String> {
        let start = match values.get("start") {
            Some("parallel") => Start::Parallel,
            _ => Start::Cross,
        };
        let board = *self;
        Ok(Reversi { board, start })
    }
}
