//! Searches on the command line: their setup and the tips for their errors.

use super::advice;
use super::args::game::{family_of, game_of, words_of};
use super::program::{Program, arguments};
use super::table::open_book;
use crate::any::{AnyFamily, AnyGame, AnyOracle};
use crate::game::{
    EndgameError, Progress, SearchError, SearchSetup, SolveError, SolveOptions, Takes,
};
use crate::work::SavedSearch;
use anyhow::anyhow;
use clap::{ArgMatches, Args, Command};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The value of `--opening` for a search without any.
const NO_OPENING: &str = "none";

/// Options of a search that can begin above an endgame.
#[derive(Debug, Default, Args)]
struct EndgameArgs {
    /// Table of `solve kalah --up-to N` for the endgame
    ///
    /// Without it the search builds an endgame database in memory.
    #[arg(long, value_name = "FILE", help_heading = "Resources")]
    endgame: Option<PathBuf>,

    /// Directory to save the search in, and to resume it from
    ///
    /// The search is saved every minute, after each proven bound, and when it is interrupted.
    /// `search.log` in the directory lists the bounds.
    #[arg(
        long,
        value_name = "DIR",
        help_heading = "Resources",
        hide_short_help = true
    )]
    save: Option<PathBuf>,
}

/// Options of a search that can use an opening book.
#[derive(Debug, Default, Args)]
struct OpeningArgs {
    /// Opening book for the search, or "none"
    ///
    /// The usual board has one built in. `tools/opening-book` makes others.
    #[arg(
        long,
        value_name = "FILE",
        help_heading = "Resources",
        hide_short_help = true
    )]
    opening: Option<PathBuf>,
}

/// Adds the search options that only some families have.
pub fn describe(family: &dyn AnyFamily, command: Command) -> Command {
    match family.takes() {
        Takes::Nothing => command,
        Takes::Endgames => EndgameArgs::augment_args(command),
        Takes::Openings => OpeningArgs::augment_args(command),
    }
}

/// A game named on the command line, to be searched.
pub struct SearchedGame<'a> {
    pub game: Box<dyn AnyGame>,
    pub family: &'a dyn AnyFamily,
    /// Table of known scores: an endgame, which is otherwise built in memory, or an opening book.
    pub kept: Option<PathBuf>,
    /// Whether to use the opening book that the program has.
    own_opening: bool,
    /// Directory to save the search in.
    save: Option<PathBuf>,
    /// The words that name the game.
    words: String,
    pub program: &'a Program<'a>,
}

impl<'a> SearchedGame<'a> {
    pub fn new(name: &str, matches: &ArgMatches, program: &'a Program<'a>) -> anyhow::Result<Self> {
        let family = family_of(name, program.families);
        let (mut kept, mut save) = (None, None);
        match family.takes() {
            Takes::Nothing => {}
            Takes::Endgames => {
                let args = arguments::<EndgameArgs>(matches)?;
                (kept, save) = (args.endgame, args.save);
            }
            Takes::Openings => kept = arguments::<OpeningArgs>(matches)?.opening,
        }
        let own_opening = kept.as_deref() != Some(Path::new(NO_OPENING));
        let kept = kept.filter(|_| own_opening);
        Ok(SearchedGame {
            game: game_of(name, matches, program.families, program.has_library_games)?,
            family,
            kept,
            own_opening,
            save,
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
        let mut setup = SearchSetup::new(options.threads, options.memory);
        setup.own_opening = self.own_opening;
        if let Some(path) = &self.kept {
            let table = open_book(path, false, self.program.families)?;
            setup.kept = Some(table.into_kept_scores());
        }
        if let Some(path) = &self.save {
            setup.saved = Some(Arc::new(SavedSearch::open(path)?));
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
        let file = self.kept.as_deref().unwrap_or(Path::new("the table"));
        if self.family.takes() == Takes::Openings {
            return anyhow!(
                "{} can't serve as opening book: {problem}\ntip: `tools/opening-book` makes one",
                file.display()
            );
        }
        let advice = match problem {
            EndgameError::Unsuitable {
                make: Some(make), ..
            } => format!(
                "\ntip: `{} solve {make}` makes the right endgame",
                self.program.name
            ),
            _ => String::new(),
        };
        let file = file.display();
        anyhow!("{file} can't serve as endgame: {problem}{advice}")
    }
}
