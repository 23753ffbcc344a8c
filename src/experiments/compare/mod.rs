//! The command `compare`: reproduces published experiments and checks the numbers.

mod tables;

use crate::cli::args::numbers::{parse_depth, parse_depths};
use crate::cli::args::resources::Resources;
use crate::cli::program::{Answer, Program, arguments};
use crate::cli::stdout::results;
use crate::cli::ui::progress::{self, Bar};
use crate::experiments::published::{
    Allowance, EXPERIMENTS, Experiment, ExperimentError, Figure, Job, Published, Selection,
    experiment_named,
};
use crate::game::Progress;
use crate::pool::{STACK, in_pool};
use crate::text::bytes;
use anyhow::{Context, anyhow, bail};
use clap::{ArgMatches, Args, Command};
use rayon::prelude::*;
use std::convert::Infallible;
use std::io::Write;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Reproduce published experiments that compare searches
///
/// Searches exactly as the published programs did, prints the tables as they were printed, and says
/// how many of the published numbers are reproduced. docs/explanation/searches-compared.md explains
/// what they show.
#[derive(Debug, Args)]
#[command(
    max_term_width = 100,
    after_help = "\
Exit codes: 0 every published number is reproduced, 1 some are not, 2 an error.",
    after_long_help = "\
Methods:
  kalah66    minimax, minimax-simplified, minimax-vs-simplified, simplified-vs-minimax, negamax,
             negamax-tt, alphabeta, alphabeta-tt, negascout, negascout-tt, mtdf
  reversi    negamax, negamax-tt, alphabeta, alphabeta-tt, negascout, negascout-tt, mtdf
  mancala62  with-cutoffs, without-cutoffs
  tictactoe  alphabeta, mtdf

Exit codes: 0 every published number is reproduced, 1 some are not, 2 an error.

Examples:
  zermelo compare all
  zermelo compare kalah66 --methods alphabeta-tt,mtdf --depths 2..=5
  zermelo compare mancala62 --depths 1..=15 --without-cutoffs-to 12"
)]
struct CompareArgs {
    /// Experiment to repeat
    #[arg(value_name = "EXPERIMENT", value_parser = experiment_names())]
    experiment: String,

    /// Only these methods
    #[arg(long, value_name = "METHOD,...", value_delimiter = ',', value_parser = parse_method)]
    methods: Option<Vec<String>>,

    /// Depths to search to, such as 2..=5
    ///
    /// For kalah66 and mancala62. The default is what was published: 2..=5 for kalah66, 1..=12 for
    /// mancala62.
    #[arg(long, value_name = "A..=B", value_parser = parse_depths, allow_hyphen_values = true)]
    depths: Option<RangeInclusive<u32>>,

    /// Greatest depth for mancala62 without cutoffs [default: 12]
    #[arg(long, value_name = "D", value_parser = parse_depth, allow_hyphen_values = true, hide_short_help = true)]
    without_cutoffs_to: Option<u32>,

    /// Print a line of JSON for each number
    ///
    /// Such as {"table":"kalah66/mtdf/hits","cell":"5,4","value":4850}, where the cell is the first
    /// player's depth and the second's.
    #[arg(long, help_heading = "Output")]
    json: bool,

    #[command(flatten)]
    resources: Resources,
}

const ALL: &str = "all";
/// The memory that the program takes besides the tables of positions, in bytes.
const PROGRAM: u64 = 24 << 20;
/// The default greatest depth without cutoffs.
const WITHOUT_CUTOFFS_TO: u32 = 12;

fn experiment_names() -> Vec<&'static str> {
    let names = EXPERIMENTS.iter().map(|known| known.name);
    names.chain([ALL]).collect()
}

/// Accepts any text, because the valid methods depend on the experiment.
fn parse_method(text: &str) -> Result<String, Infallible> {
    Ok(text.trim().to_owned())
}

/// Returns the selected experiments, each with its selected part.
fn selected(args: &CompareArgs) -> anyhow::Result<Vec<(Experiment, Selection)>> {
    let Some(experiment) = experiment_named(&args.experiment) else {
        for (option, given) in [
            ("--methods", args.methods.is_some()),
            ("--depths", args.depths.is_some()),
            ("--without-cutoffs-to", args.without_cutoffs_to.is_some()),
        ] {
            if given {
                bail!(
                    "{option} works only with a single experiment, such as kalah66; `compare all` repeats all published searches"
                );
            }
        }
        return Ok(EXPERIMENTS
            .into_iter()
            .map(|experiment| {
                let selection = selection(&experiment, args);
                (experiment, selection)
            })
            .collect());
    };
    let known = (experiment.methods)();
    for method in args.methods.iter().flatten() {
        if !known.contains(&method.as_str()) {
            bail!(
                "{} has no method \"{method}\"; its methods are {}",
                experiment.name,
                known.join(", ")
            );
        }
    }
    if args.depths.is_some() && experiment.depths.is_none() {
        bail!(
            "{} has no depths because its searches go to the end of the game: leave out --depths",
            experiment.name
        );
    }
    if args.without_cutoffs_to.is_some() && !known.contains(&"without-cutoffs") {
        bail!("--without-cutoffs-to works only with mancala62: leave it out");
    }
    let selection = selection(&experiment, args);
    Ok(vec![(experiment, selection)])
}

fn selection(experiment: &Experiment, args: &CompareArgs) -> Selection {
    let published = experiment.depths.clone().unwrap_or(1..=1);
    Selection {
        methods: args.methods.clone(),
        depths: args.depths.clone().unwrap_or(published),
        without_cutoffs_to: args.without_cutoffs_to.unwrap_or(WITHOUT_CUTOFFS_TO),
    }
}

pub fn describe(command: Command, _: &Program<'_>) -> Command {
    CompareArgs::augment_args(command)
}

pub fn run(matches: &ArgMatches, _: &Program<'_>) -> anyhow::Result<Answer> {
    let args: CompareArgs = arguments(matches)?;
    let selected = selected(&args)?;
    let jobs: Vec<Job> = selected
        .iter()
        .flat_map(|(experiment, selection)| (experiment.jobs)(selection))
        .collect();
    if jobs.is_empty() {
        bail!(
            "there is nothing to do: without cutoffs, mancala62 is searched to depth {} at most; use --without-cutoffs-to to go deeper",
            args.without_cutoffs_to.unwrap_or(WITHOUT_CUTOFFS_TO)
        );
    }
    progress::catch_interrupts().context("can't catch interrupts")?;
    let (figures, failure) = work(&jobs, &args.resources)?;
    let published = Published::new();
    let (count, differences) = published.compare(&figures);
    let mut out = results();
    if args.json {
        for figure in &figures {
            writeln!(out, "{}", serde_json::to_string(figure)?)?;
        }
    } else {
        tables::print(&figures, &published, &mut out)?;
        if failure.is_none() {
            let (style, text) = tables::verdict(count, differences.len());
            writeln!(out, "{style}{text}{style:#}")?;
        }
    }
    if let Some(error) = failure {
        return Err(error);
    }
    Ok(if differences.is_empty() {
        Answer::Yes
    } else {
        Answer::No
    })
}

/// Runs all jobs and returns their figures in the order of the jobs.
///
/// If a job fails, returns the figures of the finished jobs and the error.
fn work(
    jobs: &[Job],
    resources: &Resources,
) -> anyhow::Result<(Vec<Figure>, Option<anyhow::Error>)> {
    let options = resources.options();
    let bar = Bar::new();
    bar.phase("Searching", "cells", jobs.len() as u64);
    let for_tables = options.memory.saturating_sub(PROGRAM) / options.threads as u64;
    let allowance = Allowance::new(&bar, for_tables);
    let mut order: Vec<usize> = (0..jobs.len()).collect();
    order.sort_by(|&one, &other| jobs[other].cost().total_cmp(&jobs[one].cost()));
    let out_of_memory = AtomicBool::new(false);
    let mut results: Vec<_> = in_pool(options.threads, STACK, || {
        // Start the longest jobs first and hand them out one by one, so that no thread is alone
        // with a long job at the end.
        order
            .into_iter()
            .par_bridge()
            .filter(|_| !out_of_memory.load(Relaxed))
            .map(|index| {
                let result = jobs[index].run(&allowance);
                let is_out = matches!(result, Err(ExperimentError::OutOfMemory { .. }));
                out_of_memory.fetch_or(is_out, Relaxed);
                bar.advance(1);
                (index, result)
            })
            .collect()
    });
    bar.finish();
    results.sort_by_key(|&(index, _)| index);
    let mut figures = Vec::new();
    let mut done = 0;
    let mut failure = None;
    for (index, result) in results {
        match result {
            Ok(found) => {
                figures.extend(found);
                done += 1;
            }
            Err(error) => {
                failure.get_or_insert((index, error));
            }
        }
    }
    let failure = failure.map(|(index, error)| match error {
        ExperimentError::Stopped => {
            anyhow!("interrupted; {done} of {} cells are done", jobs.len())
        }
        ExperimentError::OutOfMemory { .. } => anyhow!(
            "the table of positions of {} doesn't fit in a thread's share of {}; choose smaller depths, allow more with --memory, or use fewer --threads",
            jobs[index].name(),
            bytes(options.memory)
        ),
    });
    Ok((figures, failure))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths_are_ranges_or_single() {
        assert_eq!(parse_depths("2..=5"), Ok(2..=5));
        assert_eq!(parse_depths("4"), Ok(4..=4));
        for (wrong, words) in [
            ("", "whole number"),
            ("0..=3", "from 1 to 99"),
            ("2..5", "2..=5"),
            ("2..", "2..=5"),
            ("5..=2", "2..=5"),
            ("2..=100", "from 1 to 99"),
            ("deep", "whole number"),
        ] {
            let error = parse_depths(wrong).unwrap_err();
            assert!(error.contains(words), "{wrong}: {error}");
        }
    }

    #[test]
    fn the_help_lists_all_methods() {
        use clap::Args;
        let command = CompareArgs::augment_args(clap::Command::new("compare"));
        let help = command.get_after_long_help().unwrap().to_string();
        for experiment in EXPERIMENTS {
            let part = help.split(experiment.name).nth(1).unwrap();
            let words: Vec<&str> = part.split([',', ' ', '\n']).collect();
            for method in (experiment.methods)() {
                assert!(words.contains(&method), "{} {method}", experiment.name);
            }
        }
    }
}
