//! Reversi on the command line and in rules strings: a family for each board.

use super::{Board, Reversi, Start};
use crate::game::{Family, Parameter, Values};

/// Reversi on one of the boards, from either start.
#[derive(Clone, Copy, Debug)]
pub struct ReversiFamily(pub Board);

impl Family for ReversiFamily {
    type Game = Reversi;

    fn name(&self) -> &'static str {
        match self.0 {
            Board::FourByFour => "reversi4",
            Board::Octagon => "reversi24",
        }
    }

    fn about(&self) -> &'static str {
        match self.0 {
            Board::FourByFour => "Reversi on a board of 4×4 cells",
            Board::Octagon => "Reversi on an octagon of 24 cells: rows of 2, 4, 6, 6, 4 and 2",
        }
    }

    fn details(&self) -> &'static str {
        match self.0 {
            Board::FourByFour => "",
            Board::Octagon => {
                "Solving it takes 9 GB of memory from the cross and 11 GB from the parallel start."
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
        let board = self.0;
        Ok(Reversi { board, start })
    }
}
