//! Repeats published search experiments number for number, and compares the numbers.
//!
//! The number of positions that a search evaluates depends on every detail: the order of the moves,
//! when a table is probed, what counts as a hit. The programs here reproduce all details of the
//! published ones, their oddities included. They only serve this comparison; to search, use
//! [`zermelo::search`]. The head of each experiment's module names its source.
//!
//! ```text
//! cargo run --release -p experiments -- compare
//! cargo run --release -p experiments -- kalah66 --methods alphabeta-tt,mtdf --depths 2..=5
//! cargo run --release -p experiments -- mancala62 --methods with-cutoffs --depths 1..=15
//! ```

mod experiment;
mod kalah66;
mod mancala62;
mod published;
mod report;
mod reversi;
mod shared;
#[cfg(test)]
mod tests;
mod tictactoe;

use anyhow::{Context, anyhow};
use clap::{Parser, Subcommand};
use experiment::{Figure, Job, OutOfMemory};
use published::Published;
use rayon::prelude::*;
use std::io::Write;
use std::ops::RangeInclusive;
use std::process::ExitCode;

/// Repeat published search experiments
///
/// Searches exactly as the published programs did, prints the tables as they were printed, and says
/// how many of the published numbers are reproduced. docs/explanation/searches-compared.md explains
/// what they show.
#[derive(Parser)]
#[command(
    max_term_width = 100,
    after_help = "Exit codes: 0 every published number is reproduced, 1 some are not, 2 an error."
)]
struct Args {
    #[command(subcommand)]
    experiment: Experiment,

    /// Print a line of JSON for each number
    ///
    /// Such as {"table":"kalah66/mtdf/hits","cell":"5,4","value":4850}, where the cell is the first
    /// player's depth and the second's.
    #[arg(long, global = true)]
    json: bool,

    /// Number of threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), global = true)]
    threads: Option<u16>,

    /// Memory for all tables of positions, in megabytes
    #[arg(long, value_name = "N", default_value_t = 4096, global = true)]
    memory: u32,
}

#[derive(Subcommand)]
enum Experiment {
    /// Programs that play Kalah(6,6) against each other
    Kalah66 {
        /// Only these methods
        #[arg(long, value_name = "METHOD,...", value_delimiter = ',', value_parser = kalah66::methods(), default_values = kalah66::methods(), hide_default_value = true)]
        methods: Vec<String>,

        /// Depths to search to
        #[arg(long, value_name = "A..=B", value_parser = parse_depths, default_value = "2..=5", allow_hyphen_values = true)]
        depths: RangeInclusive<u32>,
    },
    /// Searches of Reversi on small boards, from the start to the end
    Reversi {
        /// Only these methods
        #[arg(long, value_name = "METHOD,...", value_delimiter = ',', value_parser = reversi::methods(), default_values = reversi::methods(), hide_default_value = true)]
        methods: Vec<String>,
    },
    /// Searches of Kalah(6,2) that take the first leaf they reach
    Mancala62 {
        /// Only these methods
        #[arg(long, value_name = "METHOD,...", value_delimiter = ',', value_parser = mancala62::METHODS, default_values = mancala62::METHODS, hide_default_value = true)]
        methods: Vec<String>,

        /// Depths to search to
        #[arg(long, value_name = "A..=B", value_parser = parse_depths, default_value = "1..=12", allow_hyphen_values = true)]
        depths: RangeInclusive<u32>,
    },
    /// Alpha-beta and MTD(f) on the positions of tic-tac-toe
    Tictactoe {
        /// Only these methods
        #[arg(long, value_name = "METHOD,...", value_delimiter = ',', value_parser = tictactoe::methods(), default_values = tictactoe::methods(), hide_default_value = true)]
        methods: Vec<String>,
    },
    /// All four as they were published
    Compare,
}

/// The greatest depth: no deeper search would end in a lifetime.
const MAX_DEPTH: u32 = 99;

fn parse_depths(text: &str) -> Result<RangeInclusive<u32>, String> {
    let (from, to) = text.split_once("..=").unwrap_or((text, text));
    match (from.trim().parse(), to.trim().parse()) {
        (Ok(from), Ok(to)) if 1 <= from && from <= to && to <= MAX_DEPTH => Ok(from..=to),
        _ => Err(format!(
            "write one depth, such as 5, or the least and the greatest, such as 2..=5; depths are \
             whole numbers from 1 to {MAX_DEPTH}"
        )),
    }
}

impl Experiment {
    fn jobs(&self) -> Vec<Job> {
        match self {
            Experiment::Kalah66 { methods, depths } => kalah66::jobs(methods, depths),
            Experiment::Reversi { methods } => reversi::jobs(methods),
            Experiment::Mancala62 { methods, depths } => mancala62::jobs(methods, depths),
            Experiment::Tictactoe { methods } => tictactoe::jobs(methods),
            Experiment::Compare => ["kalah66", "reversi", "mancala62", "tictactoe"]
                .into_iter()
                .flat_map(|name| Args::parse_from(["experiments", name]).experiment.jobs())
                .collect(),
        }
    }
}

fn main() -> ExitCode {
    let args = Args::parse();
    match run(&args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            if args.json {
                println!("{}", serde_json::json!({ "error": format!("{error:#}") }));
            }
            ExitCode::from(2)
        }
    }
}

/// Runs the experiment and prints its figures; returns whether all published ones are reproduced.
fn run(args: &Args) -> anyhow::Result<bool> {
    let figures = work(&args.experiment.jobs(), args)?;
    let published = Published::read();
    let (count, differences) = published.compare(&figures);
    let mut out = std::io::stdout().lock();
    if args.json {
        for figure in &figures {
            writeln!(out, "{}", serde_json::to_string(figure)?)?;
        }
    } else {
        report::print(&figures, &published, &mut out)?;
        let verdict = match (count, differences.len()) {
            (0, _) => "Nothing to compare with.".to_owned(),
            (_, 0) => format!("All {count} published numbers are reproduced."),
            (_, wrong) => format!("{wrong} of {count} published numbers are not reproduced."),
        };
        writeln!(out, "{verdict}")?;
    }
    Ok(differences.is_empty())
}

/// Runs all jobs and returns their figures in the order of the jobs.
fn work(jobs: &[Job], args: &Args) -> anyhow::Result<Vec<Figure>> {
    let threads = args.threads.map(usize::from);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0));
    let pool = pool.build().context("can't start threads")?;
    let table_bytes = (u64::from(args.memory) << 20) / pool.current_num_threads() as u64;
    let mut order: Vec<usize> = (0..jobs.len()).collect();
    order.sort_by(|&one, &other| jobs[other].cost.total_cmp(&jobs[one].cost));
    let run = |index: usize| -> anyhow::Result<(usize, Vec<Figure>)> {
        let job = &jobs[index];
        let figures = (job.run)(table_bytes).map_err(|OutOfMemory| {
            anyhow!(
                "the table of positions of {} doesn't fit in a thread's share of {} MB; choose \
                 smaller depths, allow more with --memory, or use fewer --threads",
                job.name,
                args.memory
            )
        });
        Ok((index, figures?))
    };
    // Start the longest jobs first and hand them out one by one, so that no thread is alone with a
    // long job at the end.
    let done = || order.into_iter().par_bridge().map(run).collect();
    let mut done: Vec<_> = pool.install::<_, anyhow::Result<_>>(done)?;
    done.sort_by_key(|&(index, _)| index);
    Ok(done.into_iter().flat_map(|(_, figures)| figures).collect())
}
