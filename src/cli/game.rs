//! Games on the command line.

use crate::games::eight::Eight;
use crate::games::kalah::{Kalah, Rules};
use crate::games::reversi::{Board, Reversi, Start};
use crate::games::tictactoe::{Scoring, TicTacToe};
use crate::games::{AnyGame, FAMILIES};
use clap::Subcommand;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::path::PathBuf;

/// A game with its parameters.
#[derive(Clone, Debug, Subcommand)]
#[command(subcommand_value_name = "GAME", subcommand_help_heading = "Games")]
pub enum GameArgs {
    /// Kalah, the mancala game with stores, extra turns and captures
    #[command(group = clap::ArgGroup::new("size").args(["seeds", "up_to"]).required(true))]
    Kalah {
        /// Pits a side, 1 to 6
        #[arg(long, value_name = "N", default_value_t = 6, value_parser = number_of("pits", 6), allow_negative_numbers = true)]
        pits: usize,

        /// Seeds in each pit at the start
        #[arg(long, value_name = "N", value_parser = number_of("seeds", 2), allow_negative_numbers = true)]
        seeds: Option<usize>,

        /// Instead of a game from its start: all positions with at most N seeds on the board, for
        /// every game with as many pits
        #[arg(long, value_name = "N", value_parser = number_of("seeds", 20), allow_negative_numbers = true)]
        up_to: Option<usize>,

        /// A last seed in an empty own pit is captured even if the opposite pit is empty
        #[arg(long)]
        empty_capture: bool,
    },
    /// Tic-tac-toe
    #[command(name = "tictactoe", visible_alias = "ttt")]
    TicTacToe {
        /// What counts
        #[arg(long, value_name = "SCORING", default_value = "shortest", value_enum)]
        scoring: ScoringArg,
    },
    /// Reversi on a board of 4×4 cells
    Reversi4 {
        /// How the four discs in the middle lie at the start
        #[arg(long, value_name = "START", default_value = "cross", value_enum)]
        start: StartArg,
    },
    /// Reversi on an octagon of 24 cells: rows of 2, 4, 6, 6, 4 and 2
    ///
    /// Solving it takes 9 GB of memory from the cross and 11 GB from the parallel start.
    Reversi24 {
        /// How the four discs in the middle lie at the start
        #[arg(long, value_name = "START", default_value = "cross", value_enum)]
        start: StartArg,
    },
    /// Eight: name 1, 2 or 3 in turn, never what was just named; who reaches 8 wins, who exceeds it
    /// loses
    Eight,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum ScoringArg {
    /// Winning sooner scores more: 3 for a win after 5 moves, 1 after 9
    Shortest,
    /// +1, 0 or -1
    Outcome,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum StartArg {
    /// White and black over black and white
    Cross,
    /// White and black over white and black
    Parallel,
}

impl From<StartArg> for Start {
    fn from(start: StartArg) -> Start {
        match start {
            StartArg::Cross => Start::Cross,
            StartArg::Parallel => Start::Parallel,
        }
    }
}

pub(super) fn number_of(
    what: &'static str,
    example: usize,
) -> impl Fn(&str) -> Result<usize, String> + Clone + Send + Sync {
    move |text| {
        text.parse().map_err(|_| {
            format!("that is not a number of {what}: write a whole number, such as {example}")
        })
    }
}

fn reversi(board: Board, start: StartArg) -> AnyGame {
    AnyGame::Reversi(Reversi {
        board,
        start: start.into(),
    })
}

/// An unknown game is told from a mistyped subcommand, and the games are listed.
pub fn with_known_games(mut error: clap::Error) -> clap::Error {
    let asks_for_game = error.get(ContextKind::Usage).is_some_and(|usage| {
        let usage = usage.to_string();
        usage.contains("<GAME>")
    });
    if error.kind() == ErrorKind::InvalidSubcommand && asks_for_game {
        let games = format!("the games are {FAMILIES}").into();
        error.insert(
            ContextKind::Suggested,
            ContextValue::StyledStrs(vec![games]),
        );
    }
    error
}

impl GameArgs {
    pub fn game(&self) -> anyhow::Result<AnyGame> {
        Ok(match *self {
            GameArgs::Kalah {
                pits,
                seeds,
                up_to,
                empty_capture,
            } => AnyGame::Kalah(match up_to {
                Some(up_to) => Kalah::endgame(pits, up_to, empty_capture)?,
                None => Kalah::new(Rules {
                    pits,
                    seeds: seeds.unwrap_or_default(),
                    empty_capture,
                })?,
            }),
            GameArgs::TicTacToe { scoring } => AnyGame::TicTacToe(TicTacToe {
                scoring: match scoring {
                    ScoringArg::Shortest => Scoring::Shortest,
                    ScoringArg::Outcome => Scoring::Outcome,
                },
            }),
            GameArgs::Reversi4 { start } => reversi(Board::FourByFour, start),
            GameArgs::Reversi24 { start } => reversi(Board::Octagon, start),
            GameArgs::Eight => AnyGame::Eight(Eight),
        })
    }

    /// Where the game's table goes unless something else is said.
    pub fn default_table(&self) -> PathBuf {
        let name = match *self {
            GameArgs::Kalah {
                pits,
                seeds,
                up_to,
                empty_capture,
            } => {
                let variant = if empty_capture { "-empty-capture" } else { "" };
                let size = match up_to {
                    Some(up_to) => format!("up-to-{up_to}"),
                    None => seeds.unwrap_or_default().to_string(),
                };
                format!("kalah-{pits}-{size}{variant}.bin")
            }
            GameArgs::TicTacToe {
                scoring: ScoringArg::Shortest,
            } => "ttt.bin".to_owned(),
            GameArgs::TicTacToe {
                scoring: ScoringArg::Outcome,
            } => "ttt-outcome.bin".to_owned(),
            GameArgs::Reversi4 { start } => format!("reversi4-{}.bin", Start::from(start).name()),
            GameArgs::Reversi24 { start } => format!("reversi24-{}.bin", Start::from(start).name()),
            GameArgs::Eight => "eight.bin".to_owned(),
        };
        PathBuf::from("data").join(name)
    }
}
