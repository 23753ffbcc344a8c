//! Searches on the command line: what they begin with, and what went wrong with them.

use super::advice;
use super::args::game::{family_of, game_of};
use super::program::{Program, arguments};
use super::table::open_any;
use crate::any::{AnyFamily, AnyGame, AnyOracle};
use crate::game::{EndgameError, Progress, SearchError, SearchSetup, SolveOptions};
use anyhow::anyhow;
use clap::{ArgMatches, Args, Command};
use std::path::{Path, PathBuf};

/// Options of a search that can begin above an endgame.
#[derive(Debug, Args)]
struct EndgameArgs {
    /// Table of `solve kalah --up-to N` for the endgame
    ///
    /// Without it the search builds an endgame database in memory.
    #[arg(long, value_name = "FILE", help_heading = "Resources")]
    endgame: Option<PathBuf>,
}

/// Adds the options of searches that only some families have.
pub fn describe(family: &dyn AnyFamily, command: Command) -> Command {
    if family.takes_endgames() {
        EndgameArgs::augment_args(command)
    } else {
        command
    }
}

/// A game on the command line that can be searched.
pub struct SearchedGame<'a> {
    pub game: Box<dyn AnyGame>,
    pub family: &'a dyn AnyFamily,
    /// The table with its endgame, if that is not to be built.
    pub endgame: Option<PathBuf>,
    program: &'a Program<'a>,
}

impl<'a> SearchedGame<'a> {
    pub fn new(name: &str, matches: &ArgMatches, program: &'a Program<'a>) -> anyhow::Result<Self> {
        let family = family_of(name, program.families);
        let endgame = if family.takes_endgames() {
            arguments::<EndgameArgs>(matches)?.endgame
        } else {
            None
        };
        Ok(SearchedGame {
            game: game_of(name, matches, program.families, program.has_library_games)?,
            family,
            endgame,
            program,
        })
    }

    /// A search of its positions.
    pub fn searcher<'p>(
        &self,
        options: SolveOptions,
        progress: &'p dyn Progress,
    ) -> anyhow::Result<Box<dyn AnyOracle + 'p>> {
        let mut setup = SearchSetup {
            threads: options.threads,
            memory: options.memory,
            endgame: None,
        };
        if let Some(path) = &self.endgame {
            let table = open_any(path, false, self.program.families)?;
            setup.endgame = Some(table.into_kept_scores());
        }
        Ok(self.game.search(&setup, progress)?)
    }

    /// What was wrong with an endgame, with what to do about it on the command line; other errors as
    /// they are.
    pub fn with_advice(&self, error: anyhow::Error) -> anyhow::Error {
        let Some(SearchError::Endgame(problem)) = advice::of_search(&error) else {
            return error;
        };
        let file = self.endgame.as_deref().unwrap_or(Path::new("the table"));
        let arguments = self.game.endgame_arguments();
        let make = format!("`{} solve {arguments}`", self.program.name);
        let advice = match problem {
            EndgameError::OtherRules { .. } => format!("\ntip: {make} makes the right endgame"),
            EndgameError::OtherGame { .. } | EndgameError::FromStart { .. } => {
                format!("\ntip: {make} makes an endgame")
            }
            _ => String::new(),
        };
        let file = file.display();
        anyhow!("{file} can't serve as endgame: {problem}{advice}")
    }
}
