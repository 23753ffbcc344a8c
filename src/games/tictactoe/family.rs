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
        include_str!("tictactoe.txt")
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
