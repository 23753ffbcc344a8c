//! Searches on the command line: their setup and the tips for their errors.

use super::advice;
use super::args::game::{family_of, game_of, words_of};
use super::program::{Program, arguments};
use super::table::open_any;
use crate::any::{AnyFamily, AnyGame, AnyOracle};
use crate::game::{EndgameError, Progress, SearchError, SearchSetup, SolveError, SolveOptions};
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

/// Adds the search options that only some families have.
pub fn describe(family: &dyn AnyFamily, command: Command) -> Command {
    if family.takes_endgames() {
        EndgameArgs::augment_args(command)
    } else {
        command
    }
}

/// A game named on the command line, to be searched.
pub struct SearchedGame<'a> {
    pub game: Box<dyn AnyGame>,
    pub family: &'a dyn AnyFamily,
    /// Table of the endgame; `None` if it is to be built in memory.
    pub endgame: Option<PathBuf>,
    /// The words that name the game.
    words: String,
    pub program: &'a Program<'a>,
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
            words: words_of(name, matches, program.families),
            program,
        })
    }

    /// A searcher for the game's positions.
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

    /// The command that makes the game's table.
    pub fn solve_command(&self) -> String {
        format!("{} solve {}", self.program.name, self.words)
    }

    /// Adds the game, or the file of an endgame, to the tip for an error.
    ///
    /// Returns other errors unchanged.
    pub fn with_advice(&self, error: anyhow::Error) -> anyhow::Error {
        let problem = match advice::of_search(&error) {
            Some(SearchError::Endgame(problem)) => problem,
            Some(SearchError::Solve(SolveError::OnlyBySolving { .. })) => {
                let solve = self.solve_command();
                return anyhow!("{error}\ntip: `{solve}` makes its table, which answers");
            }
            _ => return error,
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
