//! Tic-tac-toe on the command line and in rules strings.

use super::{Scoring, TicTacToe};
use crate::game::{Family, Parameter, Values};

/// Tic-tac-toe with either scoring.
#[derive(Clone, Copy, Debug)]
pub struct TicTacToeFamily;

impl Family for TicTacToeFamily {
    type Game = TicTacToe;

    fn name(&self) -> &'static str {
        "tictactoe"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["ttt"]
    }

    fn about(&self) -> &'static str {
        "Tic-tac-toe on 3×3 squares"
    }

    fn rules_in_words(&self) -> &'static str {
        "The players in turn put a mark into an empty cell of a board of 3×3, X first. Whoever has \
         three marks in a row, a column or a diagonal wins. A full board without one is a draw.\n\n\
         A score is seen from the side to move, under best play. X has five marks and O has four. \
         A win scores 1, and 1 more for each mark that the winner has left: a win with X's third \
         mark scores 3, with X's fourth or O's third 2, with X's fifth or O's fourth 1. A loss \
         scores the same below 0, and a draw 0. With --scoring outcome every win scores 1.\n\n\
         A position is the nine cells row by row from the top, X, O or a dot for an empty one: \
         \"X.O......\". Whose turn it is follows from the marks. A move is a cell, its column a \
         letter and its row a number from the top: a1 is the top left cell, c3 the bottom right."
    }

    fn parameters(&self) -> &'static [Parameter] {
        const PARAMETERS: [Parameter; 1] = [Parameter::choice(
            "scoring",
            &[
                (
                    "shortest",
                    "Winning sooner scores more: 1, and 1 for each mark that the winner has left",
                ),
                ("outcome", "A win scores +1, a draw 0, a loss -1"),
            ],
            "What a win scores",
        )];
        &PARAMETERS
    }

    fn game(&self, values: &Values) -> Result<TicTacToe, String> {
        let scoring = match values.get("scoring") {
            Some("outcome") => Scoring::Outcome,
            _ => Scoring::Shortest,
        };
        Ok(TicTacToe { scoring })
    }

    fn table_name(&self, game: &TicTacToe) -> String {
        match game.scoring {
            Scoring::Shortest => "ttt.bin".to_owned(),
            Scoring::Outcome => "ttt-outcome.bin".to_owned(),
        }
    }
}
