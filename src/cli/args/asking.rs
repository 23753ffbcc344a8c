//! Options of questions about positions.

use crate::any::AnyOracle;
use crate::game::Side;
use crate::oracle::{NoQuestion, Question, Wanted};
use anyhow::anyhow;
use std::path::PathBuf;

/// Parses a question, in which the sides may have the names of the oracle's game.
fn question(text: &str, oracle: &dyn AnyOracle) -> Result<Question, NoQuestion> {
    text.parse().or_else(|error| {
        let is_between = |letter: char| !letter.is_alphanumeric();
        let plain = |word: &str| {
            let is = |side: &Side| {
                let name = oracle.side_name(*side);
                let mut names = name.into_iter().flat_map(|name| name.split(is_between));
                names.any(|name| name.eq_ignore_ascii_case(word))
            };
            let side = [Side::First, Side::Second].into_iter().find(is);
            side.map_or_else(|| word.to_owned(), |side| side.to_string())
        };
        let words = text.split(is_between);
        let words: Vec<String> = words.map(plain).collect();
        words.join(" ").parse().map_err(|_| error)
    })
}

/// Options that name a position and the data wanted about it.
#[derive(Debug, clap::Args)]
pub struct AskingArgs {
    /// Position to ask about [default: the start]
    ///
    /// In the game's notation, which `zermelo solve GAME --help` explains.
    #[arg(
        long,
        value_name = "P",
        conflicts_with = "batch",
        allow_hyphen_values = true,
        help_heading = "Which positions"
    )]
    pub position: Option<String>,

    /// Read positions from standard input, one per line
    ///
    /// Prints one answer per line: score, outcome and best moves, separated by tabs, or with --json
    /// an object. A line that can't be answered, or has more than 1 MB, gets an error line.
    #[arg(long, help_heading = "Which positions")]
    pub batch: bool,

    /// Find the score of every move
    ///
    /// A table always shows it.
    #[arg(long, help_heading = "Output")]
    pub moves: bool,

    /// Print the answer as one line of JSON
    #[arg(long, help_heading = "Output")]
    pub json: bool,

    /// Draw the board, too
    #[arg(
        long,
        value_name = "FILE.svg",
        hide_short_help = true,
        conflicts_with = "batch",
        help_heading = "Output"
    )]
    pub svg: Option<PathBuf>,

    /// Add a line of best play
    ///
    /// For --json and for questions; without them it is always shown.
    #[arg(long, help_heading = "Output")]
    pub line: bool,
}

impl AskingArgs {
    /// The data wanted, if `words` are the question.
    ///
    /// The sides may have the names of the oracle's game.
    pub fn wanted(&self, words: &[String], oracle: &dyn AnyOracle) -> anyhow::Result<Wanted> {
        let text = words.join(" ");
        let question = match words {
            [] => None,
            _ => Some(question(&text, oracle).map_err(|error| match oracle.board(&text) {
                Ok(_) => anyhow!(
                    "\"{text}\" is a position, not a question: name it with --position \"{text}\""
                ),
                Err(_) => error.into(),
            })?),
        };
        let line = self.line || !self.json && !self.batch && question.is_none();
        Ok(Wanted {
            question,
            moves: self.moves,
            line: if line { usize::MAX } else { 0 },
            guess: None,
        })
    }
}
