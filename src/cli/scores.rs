//! The source of the scores of a game without a table: solving in memory, or a search.

use super::args::game::with_games;
use super::args::numbers::parse_seconds;
use super::args::resources::{self, Resources};
use super::program::{Program, arguments};
use super::searching::{self, SearchedGame};
use super::ui::progress::Bar;
use crate::any::{AnyOracle, AnyTable};
use crate::game::{Endless, Progress, Until};
use crate::solve::Method;
use anyhow::bail;
use clap::{ArgMatches, Args, Command};
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
        .override_usage(format!(
            "{usage} [OPTIONS] <TABLE> {required}\n       {usage} <GAME> [OPTIONS]"
        ))
        .after_help(program.examples(codes, examples));
    with_games(
        command,
        program.families,
        |_| "",
        |family, command| {
            let command = SearchingArgs::augment_args(of_game(command)).after_help(codes);
            searching::describe(family, command)
        },
    )
}

/// A game on the command line, and the source of its scores.
pub struct Scores<'a> {
    pub searched: SearchedGame<'a>,
    pub searching: SearchingArgs,
}

impl<'a> Scores<'a> {
    /// The game that a subcommand names.
    pub fn of(name: &str, matches: &ArgMatches, program: &'a Program<'a>) -> anyhow::Result<Self> {
        Ok(Scores {
            searched: SearchedGame::new(name, matches, program)?,
            searching: arguments(matches)?,
        })
    }

    /// Whether the scores come from a search.
    pub fn are_searched(&self) -> bool {
        let args = &self.searching;
        args.by_search || args.budget.is_some() || self.searched.kept.is_some() || self.is_large()
    }

    /// Whether the game is too large to be solved, or to be asked about in full.
    pub fn is_large(&self) -> bool {
        let threads = self.searching.threads.unwrap_or(1);
        let game = &self.searched.game;
        let needed = game.memory_estimate(Method::Backward, 1, threads);
        needed.is_some_and(|needed| needed > LARGEST)
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
        resources::check_memory(&**game, Method::Backward, 1, options, instead)?;
        let bar = Bar::new();
        let clock = Until::by(&bar, deadline);
        let solved = game.solve_in_memory(options, &clock);
        bar.finish();
        if solved.is_err() && clock.is_up() {
            bail!(
                "the time was up before {} was solved\ntip: allow more with --total-timeout",
                game.name()
            );
        }
        Ok(solved?)
    }

    /// A searcher for the game's positions.
    pub fn search<'p>(
        &self,
        memory: Option<u64>,
        progress: &'p dyn Progress,
    ) -> anyhow::Result<Box<dyn AnyOracle + 'p>> {
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
            true => format!("make a table with `{solve}`, and check with it"),
            false => "leave out --by-search and --budget: the game is small enough to be solved"
                .to_owned(),
        };
        bail!("positions of {game} can repeat, so that no single one can be searched\ntip: {tip}");
    }
}

/// Divisor of a search's memory for the share of the lists of positions.
pub const LISTS: u64 = 8;
