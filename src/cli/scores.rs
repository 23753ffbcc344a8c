//! The source of the scores of a game without a table: solving in memory, or a search.

use super::{CheckArgs, Positions};
use crate::any::{AnyOracle, AnyTable};
use crate::check::Scope;
use crate::cli::args::numbers::parse_seconds;
use crate::cli::args::resources::{self, Resources};
use crate::cli::searching::SearchedGame;
use crate::cli::ui::progress::Bar;
use crate::game::{Endless, Progress, Until};
use crate::solve::Method;
use anyhow::bail;
use clap::Args;
use std::time::{Duration, Instant};

/// Maximum memory to solve a game, in bytes. Larger games are searched.
const LARGEST: u64 = 16_000_000_000;

/// How a game is searched.
#[derive(Debug, Args)]
pub(super) struct SearchingArgs {
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

/// A game on the command line, and the source of its scores.
pub(super) struct Scores<'a> {
    pub searched: SearchedGame<'a>,
    pub searching: SearchingArgs,
}

impl Scores<'_> {
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

    fn resources(&self, args: &CheckArgs) -> Resources {
        Resources {
            threads: self.searching.threads,
            memory: args.memory,
        }
    }

    /// Solves the game; returns its table in memory.
    pub fn solve(
        &self,
        args: &CheckArgs,
        deadline: Option<Instant>,
    ) -> anyhow::Result<Box<dyn AnyTable>> {
        let game = &self.searched.game;
        let options = self.resources(args).options();
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
        args: &CheckArgs,
        progress: &'p dyn Progress,
    ) -> anyhow::Result<Box<dyn AnyOracle + 'p>> {
        let memory = self.searched.family.search_memory();
        let mut options = self.resources(args).options_or(memory);
        options.memory -= options.memory / LISTS;
        let oracle = self.searched.searcher(options, progress);
        oracle.map_err(|error| self.searched.with_advice(error))
    }

    /// Checks that a searched game has no options that need a list of all positions.
    pub fn check_combination(&self, args: &CheckArgs) -> anyhow::Result<()> {
        if !self.are_searched() {
            return Ok(());
        }
        let game = self.searched.game.name();
        if self.searched.game.endless() == Endless::Draw {
            let solve = self.searched.solve_command();
            let tip = match self.is_large() {
                true => format!("make a table with `{solve}`, and check with it"),
                false => {
                    "leave out --by-search and --budget: the game is small enough to be solved"
                        .to_owned()
                }
            };
            bail!(
                "positions of {game} can repeat, so that no single one can be searched\ntip: {tip}"
            );
        }
        let searched = format!("{game} is searched, and a search can't list all positions");
        if args.canonical {
            bail!("--canonical needs a table: {searched}\ntip: sample some with --sample 300");
        }
        if args.positions == Some(Positions::Uniform) {
            bail!(
                "--positions uniform needs a table: {searched}\ntip: leave it out to sample positions from \
                 games, evenly over the layers"
            );
        }
        if self.is_large()
            && args.scope == Scope::All
            && args.sample.is_none()
            && args.positions.is_none()
        {
            bail!(
                "{game} has too many positions to ask about all of them: say how many with --sample \
                 300, or which with --positions FILE"
            );
        }
        Ok(())
    }
}

/// Divisor of a search's memory for the share of the lists of positions.
pub(super) const LISTS: u64 = 8;
