//! The command `search`: compares the effort of several searches of a position.

use super::{print, tree};
use crate::any::{AnyFamily, AnyGame};
use crate::cli::advice::{ENDLESS, with_tip};
use crate::cli::args::game::{game_of, with_games};
use crate::cli::args::numbers::{parse_depth, parse_depths, parse_seconds};
use crate::cli::args::resources::{available_share, parse_size};
use crate::cli::json::ReportedError;
use crate::cli::output;
use crate::cli::output::results;
use crate::cli::program::{Answer, Program, arguments};
use crate::cli::ui::progress::{self, Bar};
use crate::game::{Progress, SolveError};
use crate::oracle::{CompareError, Compared, Comparison, Run, RunResult, SearchMethod};
use crate::search::{Algorithm, Order};
use crate::text::{bytes, bytes_up};
use anyhow::{Context, anyhow, bail};
use clap::{ArgMatches, Args, Command};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

/// Search a position in several ways and compare the effort
///
/// Runs minimax, negamax, alpha-beta, NegaScout and MTD(f), each with and without a transposition
/// table, and shows the value that each finds and the nodes that it visits. All values must be
/// equal; anything else is an error. Without --depth, the searches deepen for a second.
/// docs/explanation/searches-compared.md explains the algorithms.
#[derive(Debug, Args)]
struct SearchArgs {
    /// Position to search [default: the start]
    ///
    /// In the game's notation.
    #[arg(
        long,
        value_name = "P",
        allow_hyphen_values = true,
        help_heading = "Which positions"
    )]
    position: Option<String>,

    /// Search to this depth instead of deepening
    ///
    /// A position at the depth is worth its static evaluation: an estimate in Connect Four, Reversi
    /// and Dots and Boxes, elsewhere the points already won, or 0 in games without points.
    #[arg(long, value_name = "D", value_parser = parse_depth, allow_hyphen_values = true)]
    depth: Option<u32>,

    /// Search to each of these depths, such as 1..=8
    #[arg(long, value_name = "A..=B", value_parser = parse_depths, allow_hyphen_values = true, conflicts_with = "depth")]
    depths: Option<RangeInclusive<u32>>,

    /// Only these methods, in this order
    #[arg(long, value_name = "METHOD,...", value_delimiter = ',')]
    methods: Option<Vec<SearchMethod>>,

    /// Seconds per search
    ///
    /// A search that takes longer is shown as unfinished, and not tried at greater depths.
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, allow_negative_numbers = true, help_heading = "Resources")]
    limit: Option<Duration>,

    /// Order of moves: own, best, worst, static or random:SEED
    ///
    /// own is the game's order. best and worst sort by the scores that a search to the same depth
    /// finds, static by the static evaluation. `seconds` includes that work, and `nodes` doesn't.
    #[arg(long, value_name = "ORDER", default_value = "own", value_parser = parse_order, hide_default_value = true)]
    order: Order,

    /// Print the result as one line of JSON
    #[arg(long, help_heading = "Output")]
    json: bool,

    /// Write the search tree of one method, to .json or .svg
    ///
    /// Each visit to a position has its window at the beginning and at the end, the value or bound
    /// found, and why it ended: leaf, cut, table or searched. Moves never visited are grey. The
    /// method is alphabeta unless --methods names another.
    #[arg(
        long,
        value_name = "FILE",
        help_heading = "Output",
        conflicts_with = "depths"
    )]
    tree: Option<PathBuf>,

    /// Number of moves from the root that the tree shows
    #[arg(long, value_name = "D", value_parser = parse_depth, allow_hyphen_values = true, default_value_t = tree::USUAL_DEPTH, requires = "tree", help_heading = "Output", hide_short_help = true)]
    tree_depth: u32,

    /// Draw the nodes of --depths as a chart, too
    #[arg(
        long,
        value_name = "FILE.svg",
        requires = "depths",
        help_heading = "Output"
    )]
    plot: Option<PathBuf>,

    /// Memory limit [default: 100M]
    ///
    /// Nearly all of it is for the transposition table of a method.
    #[arg(long, value_name = "SIZE", value_parser = parse_size, help_heading = "Resources")]
    memory: Option<u64>,
}

const METHODS: &str = "\
Methods:
  without a table: minimax, negamax, alphabeta, negascout, mtdf
  with a transposition table of its own, empty at first: minimax-tt, negamax-tt, alphabeta-tt,
  negascout-tt, mtdf-tt

What is counted:
  nodes          positions visited, including the root; each visit counts
  evaluations    nodes that are finished or at the depth limit
  cutoffs        nodes whose remaining moves were not searched
  table hits     positions found in the table
  table stores   entries written to the table";

const CODES: &str =
    "Exit codes: 0 searched, 2 an error, interrupted, or no search finished within --limit.";

/// The default memory. It is fixed so that tables, and therefore counts, are equal on all machines.
const MEMORY: u64 = 100_000_000;
/// The memory that the program takes besides the table, in bytes.
const PROGRAM: u64 = 24_000_000;
/// The least useful size of a table, in bytes.
const LEAST_TABLE: u64 = 1_000_000;

/// The orders of moves in lists.
#[cfg(feature = "serve")]
pub(crate) const ORDERS: [&str; 5] = ["own", "best", "worst", "static", "random:1"];

/// Reads an order of moves.
///
/// # Errors
/// If there is no such order.
pub(crate) fn parse_order(text: &str) -> Result<Order, String> {
    let seed = text
        .strip_prefix("random:")
        .and_then(|seed| seed.parse().ok());
    Ok(match (text, seed) {
        ("own", _) => Order::Own,
        ("best", _) => Order::Best,
        ("worst", _) => Order::Worst,
        ("static", _) => Order::Static,
        (_, Some(seed)) => Order::Random(seed),
        _ => {
            return Err(
                "the orders are own, best, worst, static and random:SEED, such as random:1".into(),
            );
        }
    })
}

pub fn describe(command: Command, program: &Program<'_>) -> Command {
    let name = &program.name;
    let about = "Search a position in several ways and compare the effort";
    let options = Command::new("search").disable_help_flag(true);
    let mut options = SearchArgs::augment_args(options).help_template("{options}");
    let options = options.render_help().to_string();
    let command = command
        .about(about)
        .long_about(format!(
            "{about}\n\nRuns minimax, negamax, alpha-beta, NegaScout and MTD(f), each with and \
             without a transposition table, and shows the value that each finds and the nodes that \
             it visits. All values must be equal; anything else is an error.\n\n`{name} search \
             GAME --help` lists the options."
        ))
        .max_term_width(100)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .after_help(program.examples(
            &format!("Options after the game:\n{}\n\n{CODES}", options.trim_end()),
            &[
                "search GAME --limit 10",
                "search GAME --depths 1..=6 --plot nodes.svg",
            ],
        ));
    let details = |_: &dyn AnyFamily| "";
    with_games(command, program.game_names(), details, |_, command| {
        let long = format!("{METHODS}\n\n{CODES}");
        SearchArgs::augment_args(command)
            .after_help(CODES)
            .after_long_help(long)
    })
}

impl SearchArgs {
    fn comparison(&self) -> anyhow::Result<Comparison> {
        let mut methods: Vec<SearchMethod> = Vec::new();
        let usual = || match self.tree {
            Some(_) => vec![SearchMethod {
                algorithm: Algorithm::AlphaBeta,
                has_table: false,
            }],
            None => SearchMethod::all(),
        };
        for method in self.methods.clone().unwrap_or_else(usual) {
            if methods.contains(&method) {
                bail!("--methods has {method} twice");
            }
            methods.push(method);
        }
        if self.tree.is_some() && methods.len() > 1 {
            bail!("--tree shows one search: name one of --methods");
        }
        let depths = match (self.depth, &self.depths) {
            (Some(depth), _) => vec![depth],
            (None, Some(depths)) => depths.clone().collect(),
            (None, None) => Vec::new(),
        };
        let has_tables = methods.iter().any(|method| method.has_table);
        let memory = self.memory.unwrap_or_else(|| MEMORY.min(available_share()));
        let table_bytes = memory.saturating_sub(PROGRAM);
        if has_tables && table_bytes < LEAST_TABLE {
            bail!(
                "{} is too little for a table: allow {} or more with --memory, or name only --methods without -tt",
                bytes(memory),
                bytes_up(PROGRAM + LEAST_TABLE)
            );
        }
        Ok(Comparison {
            methods,
            limit: self.limit,
            table_bytes,
            order: self.order,
            tree_depth: self.tree.as_ref().map(|_| self.tree_depth),
            lines: depths.len() > 1,
            depths,
        })
    }

    /// Runs the searches, and returns what was compared with its results.
    ///
    /// Without a depth or a time limit, they deepen if the end of the game is far.
    fn compared(
        &self,
        game: &dyn AnyGame,
        comparison: Comparison,
        progress: &dyn Progress,
    ) -> Result<(Comparison, Compared), CompareError> {
        let run = |comparison: &Comparison| {
            game.compare_searches(self.position.as_deref(), comparison, progress)
        };
        if comparison.depths.is_empty() && comparison.limit.is_none() && self.tree.is_none() {
            let last = comparison.methods.last().copied();
            let trial = run(&Comparison {
                methods: last.into_iter().collect(),
                limit: Some(TRIAL),
                ..comparison.clone()
            })?;
            if trial.runs[0].outcome == RunResult::OverLimit {
                progress.note("the end of the game is far away: --depth or --depths search deeper");
                return deepen(comparison, run);
            }
        }
        let compared = run(&comparison)?;
        Ok((comparison, compared))
    }
}

/// Searches to depth 1, 2 and so on until [`DEEPENING`] has passed.
///
/// Returns the comparison with these depths, and its results.
fn deepen(
    mut comparison: Comparison,
    run: impl Fn(&Comparison) -> Result<Compared, CompareError>,
) -> Result<(Comparison, Compared), CompareError> {
    let mut runs: Vec<Run> = Vec::new();
    loop {
        let depth = comparison.depths.len() as u32 + 1;
        let mut compared = run(&Comparison {
            depths: vec![depth],
            lines: true,
            ..comparison.clone()
        })?;
        comparison.depths.push(depth);
        runs.append(&mut compared.runs);
        let time: Duration = runs.iter().map(|run| run.time).sum();
        if compared.is_interrupted || time > DEEPENING {
            return Ok((comparison, Compared { runs, ..compared }));
        }
    }
}

/// Time for the last method to reach the end of the game, or else all methods deepen.
const TRIAL: Duration = Duration::from_millis(200);

/// Total time after which the methods stop deepening.
///
/// The search to the last depth may take several times as long.
const DEEPENING: Duration = Duration::from_millis(200);

pub fn run(matches: &ArgMatches, program: &Program<'_>) -> anyhow::Result<Answer> {
    let (name, matches) = matches.subcommand().expect("a game is required");
    let args: SearchArgs = arguments(matches)?;
    let comparison = args.comparison()?;
    args.plot.as_deref().map_or(Ok(()), output::drawable)?;
    args.tree.as_deref().map_or(Ok(()), tree::check)?;
    let game = game_of(name, matches, program.families, program.has_library_games)?;
    progress::catch_interrupts().context("can't catch interrupts")?;
    let bar = Bar::new();
    let compared = args.compared(&*game, comparison, &bar);
    bar.finish();
    let (comparison, compared) = compared.map_err(with_advice)?;
    let runs = &compared.runs;
    let finished = runs.iter().filter(|run| run.is_finished()).count();
    let failure = compared.is_interrupted.then(|| {
        let all = runs.len();
        format!("interrupted; {finished} of {all} searches are finished")
    });
    let report = print::Report {
        game: &*game,
        comparison: &comparison,
        compared: &compared,
        failure: match &failure {
            None if finished == 0 => Some("no search is finished"),
            failure => failure.as_deref(),
        },
    };
    if let Some(path) = &args.plot {
        match print::chart(&report) {
            Some(svg) => output::write(path, "picture", &svg)?,
            None => bar.note("no search is finished, so there is nothing to draw"),
        }
    }
    if let (Some(path), [run]) = (&args.tree, &runs[..]) {
        report.write_tree(path, run)?;
    }
    let mut out = results();
    match args.json {
        false => report.text(&mut out)?,
        true => report.json(&mut out)?,
    }
    match failure {
        Some(failure) if args.json => return Err(ReportedError(failure).into()),
        Some(failure) => bail!(failure),
        None => {}
    }
    Ok(if finished > 0 {
        Answer::Yes
    } else {
        Answer::Failed
    })
}

/// Adds advice about command-line options to an error.
fn with_advice(error: CompareError) -> anyhow::Error {
    match error {
        CompareError::Ask(error) => error.into(),
        CompareError::Solve(SolveError::NoMemory { .. }) => {
            anyhow!("{error}; allow less with --memory")
        }
        CompareError::Solve(ref cause) => {
            let tip = cause.is_repetition().then_some(ENDLESS);
            anyhow!(with_tip(
                format!("{error}, or limit the depth with --depth"),
                tip
            ))
        }
        CompareError::KeyBits { .. } => {
            anyhow!("{error}; leave out --depth, or name only --methods without -tt")
        }
        CompareError::Disagreement { .. } => error.into(),
    }
}
