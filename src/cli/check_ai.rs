//! `check-ai`: not there yet.

use super::Answer;
use anyhow::bail;
use std::path::PathBuf;

/// Check any AI against a table (comes next)
#[derive(Debug, clap::Args)]
pub struct CheckAiArgs {
    /// The table to check against
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,

    /// The command that starts the AI
    #[arg(long, value_name = "COMMAND")]
    ai: Option<String>,
}

pub fn run(_args: &CheckAiArgs) -> anyhow::Result<Answer> {
    bail!(
        "check-ai comes with the next version; until then `zermelo query --table FILE --batch --json` \
         gives the score of every move of any position to check an AI's moves by"
    )
}
