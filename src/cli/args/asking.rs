//! What is asked about positions.

use crate::oracle::{Question, Wanted};

/// Which position, and what about it.
#[derive(Debug, clap::Args)]
pub struct AskingArgs {
    /// The position to ask about, in the game's notation [default: the start of the game]
    #[arg(
        long,
        value_name = "P",
        conflicts_with = "batch",
        allow_hyphen_values = true
    )]
    pub position: Option<String>,

    /// Read positions from standard input, one per line, and print one answer per line: score,
    /// outcome and best moves, separated by tabs, or with --json an object; a bad line, or one of
    /// more than 1 MB, gets an error line
    #[arg(long)]
    pub batch: bool,

    /// Find the score of every move (with a table it is always shown)
    #[arg(long)]
    pub moves: bool,

    /// Print the answer as one line of JSON
    #[arg(long)]
    pub json: bool,

    /// With --json or a question: add a line of best play to the end of the game (without them it
    /// is always shown)
    #[arg(long)]
    pub line: bool,
}

impl AskingArgs {
    /// What is to be found out, if these words are the question.
    pub fn wanted(&self, words: &[String]) -> anyhow::Result<Wanted> {
        let question: Option<Question> = match words {
            [] => None,
            words => Some(words.join(" ").parse()?),
        };
        let line = self.line || !self.json && !self.batch && question.is_none();
        Ok(Wanted {
            question,
            moves: self.moves,
            line: if line { usize::MAX } else { 0 },
        })
    }
}
