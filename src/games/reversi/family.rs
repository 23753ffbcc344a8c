//! Reversi on the command line and in rules strings: one family per board.

use super::{Board, Reversi, Start};
use crate::game::{Family, NoGame, Parameter, Values};

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
            Board::FourByFour => include_str!("reversi4.txt"),
            Board::Octagon => include_str!("reversi24.txt"),
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

    fn game(&self, values: &Values) -> Result<Reversi, NoGame> {
        let start = match values.get("start") {
            Some("parallel") => Start::Parallel,
            _ => Start::Cross,
        };
        let board = *self;
        Ok(Reversi { board, start })
    }
}
