//! The source of the scores of a game without a table: solving in memory, or a search.

use super::advice;
use super::args::game::{family_of, game_of, with_games, words_of};
use super::args::numbers::parse_seconds;
use super::args::resources::{self, Resources, can_be_solved};
use super::program::{Program, arguments};
use super::table::{open_book, prefer_tables};
use super::ui::progress::Bar;
use crate::any::{AnyFamily, AnyGame, AnyOracle, AnyTable};
use crate::game::{
    CancelScope, EndgameError, Endless, Progress, SearchError, SearchSetup, SolveError,
    SolveOptions, Takes,
};
use crate::solve::Method;
use crate::work::SavedSearch;
use anyhow::{anyhow, bail};
use clap::{ArgMatches, Args, Command};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Maximum memory to solve a game, in bytes. Larger games are searched.
const LARGEST: u64 = 16_000_000_000;

/// How a game is searched.
#[derive(Debug, Args)]
pub struct SearchingArgs {
    /// Search each position instead of solving the game first
    ///
    /// Games that would take more than 16 GB to solve are always searched.
    #[arg(long, help_heading = "Resources", hide_short_help = true)]
    by_search: bool,

    /// Number of threads that solve or search [default: one per core]
    #[arg(long, value_name = "N", value_parser = resources::parse_threads, allow_negative_numbers = true, help_heading = "Resources", hide_short_help = true)]
    threads: Option<usize>,

    /// Seconds per position that a search may take
    ///
    /// A position that is not resolved by then is counted, and omitted from all rates.
    #[arg(long, value_name = "S", value_parser = parse_seconds, allow_negative_numbers = true, help_heading = "Which positions", hide_short_help = true)]
    pub budget: Option<Duration>,
}

/// Completes a command that takes its scores from a table, or from a game solved or searched.
///
/// `required` ends the usage with a table, and `of_game` adds the options for a game.
pub fn describe(
    command: Command,
    program: &Program<'_>,
    required: &str,
    of_game: fn(Command) -> Command,
    codes: &'static str,
    examples: &[&str],
) -> Command {
    let usage = format!("{} {}", program.name, command.get_name());
    let command = command
        .max_term_width(100)
        .args_conflicts_with_subcommands(true)
        .subcommand_negates_reqs(true)
        .disable_help_subcommand(true)
        .subcommand_help_heading("Games, solved or searched")
        .after_help(program.examples(codes, examples));
    prefer_tables(with_games(
        command,
        program.game_names(),
        |_| "",
        |family, command| {
            let command = SearchingArgs::augment_args(of_game(command)).after_help(codes);
            search_options(family, command)
        },
    ))
    .override_usage(format!(
        "{usage} [OPTIONS] <TABLE> {required}\n       {usage} <GAME> [OPTIONS] {required}"
    ))
}

/// A game on the command line, and the source of its scores.
pub struct Scores<'a> {
    pub searched: SearchedGame<'a>,
    pub searching: SearchingArgs,
}

impl<'a> Scores<'a> {
    /// Returns the game that a subcommand names.
    pub fn of(name: &str, matches: &ArgMatches, program: &'a Program<'a>) -> anyhow::Result<Self> {
        Ok(Scores {
            searched: SearchedGame::new(name, matches, program)?,
            searching: arguments(matches)?,
        })
    }

    /// Returns whether the scores come from a search.
    pub fn are_searched(&self) -> bool {
        let args = &self.searching;
        args.by_search
            || args.budget.is_some()
            || self.searched.known_scores.is_some()
            || self.is_large()
    }

    /// Returns whether the game is too large to be solved, or to be asked about in full.
    pub fn is_large(&self) -> bool {
        is_large(&*self.searched.game, self.searching.threads.unwrap_or(1))
    }

    fn resources(&self, memory: Option<u64>) -> Resources {
        Resources {
            threads: self.searching.threads,
            memory,
        }
    }

    /// Solves the game; returns its table in memory.
    pub fn solve(
        &self,
        memory: Option<u64>,
        deadline: Option<Instant>,
    ) -> anyhow::Result<Box<dyn AnyTable>> {
        let game = &self.searched.game;
        let options = self.resources(memory).options();
        let instead = match game.endless() {
            Endless::Impossible => {
                "allow more with --memory if the machine has it, search with --by-search, or check \
                 with a smaller game"
            }
            Endless::Draw => "allow more with --memory if the machine has it",
        };
        let needed = game.memory_estimate(Method::Backward, 1, options.threads);
        resources::check_memory(&**game, needed, 1, options, instead)?;
        let bar = Bar::new();
        let clock = CancelScope::with_deadline(&bar, deadline);
        let solved = game.solve_in_memory(options, &clock);
        bar.finish();
        if solved.is_err() && clock.is_past_deadline() {
            bail!(
                "the time was up before {} was solved\ntip: allow more with --total-timeout",
                game.name()
            );
        }
        Ok(solved?)
    }

    /// Returns a searcher for the game's positions.
    pub fn search<'p>(
        &self,
        memory: Option<u64>,
        progress: &'p dyn Progress,
    ) -> anyhow::Result<AnyOracle<'p>> {
        let usual = self.searched.family.search_memory();
        let mut options = self.resources(memory).options_or(usual);
        options.memory -= options.memory / LISTS;
        let oracle = self.searched.searcher(options, progress);
        oracle.map_err(|error| self.searched.with_advice(error))
    }

    /// Checks that a game that is searched can be.
    pub fn check(&self) -> anyhow::Result<()> {
        if !self.are_searched() || self.searched.game.endless() == Endless::Impossible {
            return Ok(());
        }
        let (game, solve) = (self.searched.game.name(), self.searched.solve_command());
        let tip = match self.is_large() {
            true if !can_be_solved(&*self.searched.game) => "choose a smaller board".to_owned(),
            true => format!("make a table with `{solve}`, and check with it"),
            false => "leave out --by-search and --budget: the game is small enough to be solved"
                .to_owned(),
        };
        bail!("positions of {game} can repeat, so that no single one can be searched\ntip: {tip}");
    }
}

/// Returns whether a game is too large to be solved with a number of threads.
pub fn is_large(game: &dyn AnyGame, threads: usize) -> bool {
    let needed = game.memory_estimate(Method::Backward, 1, threads);
    needed.is_some_and(|needed| needed > LARGEST)
}

/// Divisor of a search's memory for the share of the lists of positions.
pub const LISTS: u64 = 8;

/// The value of `--opening` for a search without any.
const NO_OPENING: &str = "none";

/// Options of a search that can begin above an endgame.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Resources")]
struct EndgameArgs {
    /// Table of `solve kalah --up-to N` for the endgame
    ///
    /// Without it the search builds an endgame database in memory.
    #[arg(long, value_name = "FILE")]
    endgame: Option<PathBuf>,

    /// Directory to save the search in, and to resume it from
    ///
    /// The search is saved every minute, after each proven bound, and when it is interrupted.
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    save: Option<PathBuf>,
}

/// Options of a search that can use an opening book.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Resources")]
struct OpeningArgs {
    /// Opening book for the search, or "none"
    ///
    /// The usual board has one built in. `tools/opening-book` makes others.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    opening: Option<PathBuf>,
}

/// Adds the search options that only some families have.
pub fn search_options(family: &dyn AnyFamily, command: Command) -> Command {
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
    pub known_scores: Option<PathBuf>,
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
        let (mut known_scores, mut save) = (None, None);
        match family.takes() {
            Takes::Nothing => {}
            Takes::Endgames => {
                let args = arguments::<EndgameArgs>(matches)?;
                (known_scores, save) = (args.endgame, args.save);
            }
            Takes::Openings => known_scores = arguments::<OpeningArgs>(matches)?.opening,
        }
        let own_opening = known_scores.as_deref() != Some(Path::new(NO_OPENING));
        let known_scores = known_scores.filter(|_| own_opening);
        Ok(SearchedGame {
            game: game_of(name, matches, program.families, program.has_library_games)?,
            family,
            known_scores,
            own_opening,
            save,
            words: words_of(name, matches, program.families),
            program,
        })
    }

    /// Returns a searcher for the game's positions.
    pub fn searcher<'p>(
        &self,
        options: SolveOptions,
        progress: &'p dyn Progress,
    ) -> anyhow::Result<AnyOracle<'p>> {
        let mut setup = SearchSetup::new(options.threads, options.memory);
        setup.own_opening = self.own_opening;
        if let Some(path) = &self.known_scores {
            let table = open_book(path, false, self.program.families)?;
            setup.known = Some(table.into_known_scores());
        }
        if let Some(path) = &self.save {
            setup.saved = Some(Arc::new(SavedSearch::open(path)?));
        }
        Ok(self.game.search(&setup, progress)?)
    }

    /// Returns the command that makes the game's table.
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
                let tip = match can_be_solved(&*self.game) {
                    true => format!("`{}` makes its table, which answers", self.solve_command()),
                    false => "choose a smaller board".to_owned(),
                };
                return anyhow!("{error}\ntip: {tip}");
            }
            _ => return error,
        };
        let file = self
            .known_scores
            .as_deref()
            .unwrap_or(Path::new("the table"));
        if self.family.takes() == Takes::Openings {
            return anyhow!(
                "{} can't serve as opening book: {problem}\ntip: `tools/opening-book` makes one",
                file.display()
            );
        }
        let tip = match problem {
            EndgameError::Unsuitable { make, .. } => make.as_ref(),
            _ => None,
        };
        let name = &self.program.name;
        let tip = tip.map(|make| format!("`{name} solve {make}` makes the right endgame"));
        let error = format!("{} can't serve as endgame: {problem}", file.display());
        anyhow!(advice::with_tip(error, tip))
    }
}
