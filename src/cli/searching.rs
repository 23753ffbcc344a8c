//! Searches on the command line: what they begin with, and what went wrong with them.

use super::program::Program;
use super::{advice, table};
use crate::any::{AnyGame, AnyOracle};
use crate::game::{EndgameError, Progress, SearchError, SearchSetup, SolveOptions};
use anyhow::anyhow;
use clap::Args;
use std::path::{Path, PathBuf};

/// Options of a search that can begin above an endgame.
#[derive(Debug, Args)]
pub struct EndgameArgs {
    /// Take the endgame from this table (of `solve kalah --up-to N`) instead of building it
    #[arg(long, value_name = "FILE")]
    pub endgame: Option<PathBuf>,
}

/// A search of a game's positions.
pub fn searcher<'p>(
    game: &dyn AnyGame,
    options: SolveOptions,
    endgame: Option<&Path>,
    program: &Program<'_>,
    progress: &'p dyn Progress,
) -> anyhow::Result<Box<dyn AnyOracle + 'p>> {
    let mut setup = SearchSetup {
        threads: options.threads,
        memory: options.memory,
        endgame: None,
    };
    if let Some(path) = endgame {
        let table = table::open_any(path, false, program.families)?;
        setup.endgame = Some(table.into_kept_scores());
    }
    Ok(game.search(&setup, progress)?)
}

/// What was wrong with an endgame, with what to do about it on the command line; other errors as they
/// are.
pub fn with_advice(
    error: anyhow::Error,
    game: &dyn AnyGame,
    endgame: Option<&Path>,
    program: &Program<'_>,
) -> anyhow::Error {
    let Some(SearchError::Endgame(problem)) = advice::of_search(&error) else {
        return error;
    };
    let file = endgame.unwrap_or(Path::new("the table")).display();
    let make = format!("`{} solve {}`", program.name, game.endgame_arguments());
    let advice = match problem {
        EndgameError::OtherRules { .. } => format!("; the right endgame is made with {make}"),
        EndgameError::OtherGame { .. } | EndgameError::FromStart { .. } => {
            format!("; an endgame is made with {make}")
        }
        _ => String::new(),
    };
    anyhow!("{file} can't serve as endgame: {problem}{advice}")
}
