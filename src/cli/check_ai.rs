//! `check-ai`: any AI's moves, held against a table.

use super::output::{self, Bar};
use super::resources;
use super::{Answer, query};
use crate::check::builtin::{Builtin, OwnBuiltin};
use crate::check::{
    CheckError, CheckOptions, Contender, Coverage, External, InProcess, Protocol, Report, Scope,
    Standard, StartError, Verdict, check, html,
};
use crate::game::{Notation, Side};
use crate::table::{Table, TableFile, directory};
use crate::with_game;
use anyhow::{Context, anyhow, bail};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

mod builtins;
mod text;

use builtins::{Builtins, OWN};

/// Check any AI's moves against a table: perfect, imperfect or faulty
///
/// Starts the AI, asks for its move in every position that can come up (--scope all), or in every
/// line of play that can arise (--scope play), and weighs each answer with the exact scores of the
/// table. With the default protocol the AI reads a position a line from its standard input and
/// writes a move a line to its standard output.
///
/// Memory: about 0.1 KB for each position where all are listed (--scope all without --sample or
/// --canonical, --scope play); for decoded pieces of the table a quarter of --memory, 256 MB at
/// most; and the table itself, which the system maps and gives back as it likes. What doesn't fit
/// is refused before starting.
#[derive(Debug, clap::Args)]
#[command(
    max_term_width = 100,
    after_help = "\
Exit codes: 0 perfect, 1 imperfect, 2 faulty or an error.

Examples:
  zermelo check-ai --table data/ttt.bin --ai \"python3 my_ai.py\"
  zermelo check-ai --table data/ttt.bin --ai builtin:perfect --scope play
  zermelo check-ai --table data/kalah-6-2.bin --ai ./my_ai --sample 100000 --report report.html"
)]
pub struct CheckAiArgs {
    /// The table to check against
    #[arg(long, value_name = "FILE")]
    table: PathBuf,

    /// The command that starts the AI, or builtin:NAME for one that is built in: perfect,
    /// random[:SEED], first, greedy, negamax:DEPTH, alphabeta:DEPTH, negascout:DEPTH, mtdf:DEPTH,
    /// and for Kalah minimax-simplified:DEPTH
    #[arg(long, value_name = "COMMAND")]
    ai: String,

    /// How to speak with it: a position a line in and a move a line out, or the Universal Game
    /// Interface
    #[arg(long, value_name = "PROTOCOL", default_value = "line", value_enum)]
    protocol: ProtocolArg,

    /// With --protocol ugi: the milliseconds for a move that the AI is told
    #[arg(long, value_name = "MS", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    movetime: u64,

    /// The seconds that a move may take
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = parse_seconds)]
    timeout: Duration,

    /// How many of the AI are asked side by side; the report is the same
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = resources::parse_threads)]
    jobs: usize,

    /// `all`: is its move best in every position? `play`: does it keep the game's value in every
    /// line that can arise with the AI playing one side?
    #[arg(long, value_name = "SCOPE", default_value = "all", value_enum)]
    scope: ScopeArg,

    /// With --scope play: the side that the AI plays
    #[arg(long, value_name = "SIDE", default_value = "both", value_enum)]
    side: SideArg,

    /// What counts as a mistake: any loss of score, or only what turns a win into a draw or a loss,
    /// or a draw into a loss
    #[arg(long, value_name = "STANDARD", default_value = "score", value_enum)]
    standard: StandardArg,

    /// Ask only about one position of each class, stores left out
    #[arg(long, alias = "representatives")]
    canonical: bool,

    /// Ask about N positions at random, uniformly over the classes (at least 1)
    #[arg(long, value_name = "N", conflicts_with = "canonical", value_parser = clap::value_parser!(u64).range(1..))]
    sample: Option<u64>,

    /// With --sample: draw other positions
    #[arg(long, value_name = "S", default_value_t = 1, requires = "sample")]
    seed: u64,

    /// With --sample: evenly over the layers of the game (seeds on the board, stones set, ...)
    #[arg(long, requires = "sample")]
    by_layer: bool,

    /// With --scope play: ask about so many positions at most, those with the fewest moves before
    /// them first
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_positions: Option<u64>,

    /// After so many faults no more is asked
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = parse_faults)]
    max_faults: usize,

    /// Print the report as one line of JSON
    #[arg(long)]
    json: bool,

    /// Write the report as a page with boards and charts, too
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,

    /// The most memory to use, such as 8G or 500M [default: nine tenths of what is available]
    #[arg(long, value_name = "SIZE", value_parser = resources::parse_size)]
    memory: Option<u64>,

    /// Read the table piece by piece instead of mapping it into memory
    #[arg(long)]
    no_mmap: bool,
}

/// At most so many bytes of the table are kept decoded.
const DECODED: u64 = 256 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum ProtocolArg {
    Line,
    Ugi,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum ScopeArg {
    All,
    Play,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum SideArg {
    First,
    Second,
    Both,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum StandardArg {
    Score,
    Outcome,
}

fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().filter(|&seconds| seconds > 0.0);
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        // Far enough in the future not to overflow clocks.
        .filter(|&time| time <= Duration::from_secs(1 << 30))
        .ok_or_else(|| "that is not a time: write seconds, such as 10 or 0.5".into())
}

fn parse_faults(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(faults @ 1..=10_000) => Ok(faults),
        _ => Err("write a whole number from 1 to 10000, such as 10".into()),
    }
}

pub fn run(args: &CheckAiArgs) -> anyhow::Result<Answer> {
    args.check_combination()?;
    output::catch_interrupts().context("can't prepare for interrupts")?;
    if let Some(path) = &args.report {
        // Before hours of asking rather than after.
        writable(path)
            .with_context(|| format!("no report can be written to {}", path.display()))?;
    }
    let file = query::open(&args.table, args.no_mmap)?;
    let game = query::game_of(&file, &args.table)?;
    let report = with_game!(game, game => args.check(file, &game))?;
    args.print(&report)
}

/// How reports begin.
const PAGE: &str = "<!DOCTYPE html>";

/// An error unless a report can be written there; another report may be replaced.
fn writable(path: &Path) -> anyhow::Result<()> {
    let directory = directory(path);
    if path.is_dir() {
        bail!("that is a directory");
    }
    if !directory.is_dir() {
        bail!("there is no such directory");
    }
    // A slip of the pen must not cost a table or an AI.
    if path.exists() {
        let mut beginning = Vec::new();
        if path.is_file() {
            let length = PAGE.len() as u64;
            File::open(path)?.take(length).read_to_end(&mut beginning)?;
        }
        if beginning != PAGE.as_bytes() {
            bail!("there is something that is no report; name another file, or remove it");
        }
    }
    tempfile::tempfile_in(directory)?;
    Ok(())
}

impl CheckAiArgs {
    fn check_combination(&self) -> anyhow::Result<()> {
        if self.scope == ScopeArg::Play && (self.sample.is_some() || self.canonical) {
            bail!(
                "--sample and --canonical choose from all positions, so they don't go with --scope play, which \
                 follows lines of play; use --max-positions to ask about fewer"
            );
        }
        if self.protocol == ProtocolArg::Ugi && self.ai.starts_with("builtin:") {
            bail!(
                "--protocol goes with AIs that are programs, and {} is built in",
                self.ai
            );
        }
        if self.scope == ScopeArg::All && self.max_positions.is_some() {
            bail!(
                "--max-positions goes with --scope play; use --sample to ask about a part of all positions"
            );
        }
        if self.scope == ScopeArg::All && self.side != SideArg::Both {
            bail!(
                "--side goes with --scope play; --scope all asks about all positions of both sides"
            );
        }
        Ok(())
    }

    fn options(&self) -> CheckOptions {
        let memory = self.memory.unwrap_or_else(resources::available_share);
        let scope = match self.scope {
            ScopeArg::All => Scope::All,
            ScopeArg::Play => Scope::Play,
        };
        let coverage = match self.sample {
            Some(count) => Coverage::Sample {
                count,
                seed: self.seed,
                by_layer: self.by_layer,
            },
            None if self.canonical => Coverage::Canonical,
            None => Coverage::Every,
        };
        let side = match self.side {
            SideArg::First => Some(Side::First),
            SideArg::Second => Some(Side::Second),
            SideArg::Both => None,
        };
        let standard = match self.standard {
            StandardArg::Score => Standard::Score,
            StandardArg::Outcome => Standard::Outcome,
        };
        CheckOptions::default()
            .with_scope(scope)
            .with_coverage(coverage)
            .with_side(side)
            .with_max_positions(self.max_positions)
            .with_standard(standard)
            .with_jobs(self.jobs)
            .with_max_faults(self.max_faults)
            .with_memory(memory)
    }

    fn table_and_options<G: Notation>(
        &self,
        file: TableFile,
        game: &G,
    ) -> anyhow::Result<(Table<G>, CheckOptions)> {
        let mut options = self.options();
        // More doesn't make a sample faster: what its probes need is seldom needed again.
        let cache = (options.memory / 4).min(DECODED);
        options.memory -= cache;
        let table = Table::new(file, game.clone())?.with_cache(cache as usize);
        Ok((table, options))
    }

    fn check<G: Builtins>(&self, file: TableFile, game: &G) -> anyhow::Result<Report> {
        let (table, options) = self.table_and_options(file, game)?;
        match self.ai.strip_prefix("builtin:") {
            Some(name) => match OwnBuiltin::find(&G::builtins(), name) {
                Some(own) => {
                    let make = own.map_err(anyhow::Error::msg)?;
                    self.ask(&table, &InProcess(make), &options)
                }
                None => {
                    let builtin = self.builtin(name, game)?;
                    self.ask(&table, &InProcess(|| builtin.make(&table)), &options)
                }
            },
            None => {
                let protocol = match self.protocol {
                    ProtocolArg::Line => Protocol::Line,
                    ProtocolArg::Ugi => Protocol::Ugi {
                        movetime: Duration::from_millis(self.movetime),
                    },
                };
                let external = External::new(&self.ai, protocol, self.timeout);
                let external = external.map_err(|error| self.advise(error.into()))?;
                self.ask(&table, &external, &options)
            }
        }
    }

    /// One of the AIs for all games.
    fn builtin<G: Notation>(&self, name: &str, game: &G) -> anyhow::Result<Builtin> {
        for (own, _, family) in OWN {
            if name.split(':').next() == Some(own) {
                let game = game.name();
                bail!("{} plays {family}, but the table is of {game}", self.ai);
            }
        }
        name.parse().map_err(|unknown| {
            let own = OWN.map(|(_, usage, family)| format!("for {family} {usage}"));
            anyhow!("{unknown}, and {}", own.join(", "))
        })
    }

    fn print(&self, report: &Report) -> anyhow::Result<Answer> {
        if let Some(path) = &self.report {
            write_report(path, &html::page(report))?;
        }
        let mut out = anstream::stdout().lock();
        let printed = if self.json {
            writeln!(out, "{}", serde_json::to_string(report)?)
        } else {
            text::print(report, self.report.as_deref(), &mut out)
        };
        match printed {
            // A reader that has seen enough of the report still wants the right exit code.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
            printed => printed?,
        }
        Ok(match report.verdict {
            Verdict::Perfect => Answer::Yes,
            Verdict::Imperfect => Answer::No,
            Verdict::Faulty => Answer::Failed,
        })
    }

    fn ask<'a, G: Notation>(
        &self,
        table: &'a Table<G>,
        contender: &'a dyn Contender<'a, G>,
        options: &CheckOptions,
    ) -> anyhow::Result<Report> {
        let bar = Bar::new();
        let result = check(table, contender, options, &bar);
        bar.finish();
        let mut report = match result {
            Err(CheckError::TooMany { positions, allowed }) => bail!(
                "the list of up to {} positions of {} doesn't fit into the {} of memory that it may use; {}",
                output::count(positions),
                table.game().name(),
                output::bytes(allowed),
                self.ask_less()
            ),
            result => result.map_err(|error| self.advise(error))?,
        };
        report.ai.clone_from(&self.ai);
        Ok(report)
    }

    /// What to do about too many positions.
    fn ask_less(&self) -> &'static str {
        match (self.scope, self.sample) {
            (ScopeArg::Play, _) => "ask about fewer with --max-positions",
            (ScopeArg::All, None) => {
                "ask about a part of them with --sample 100000, or about one of each class with --canonical"
            }
            (ScopeArg::All, Some(_)) => {
                "a sample of this game is drawn from all positions, so allow more with --memory, or ask about one of each class with --canonical"
            }
        }
    }

    /// What went wrong, and what to do about it with this command.
    fn advise(&self, error: CheckError) -> anyhow::Error {
        match &error {
            CheckError::Start(StartError::Command { .. }) => anyhow!("--ai {error}"),
            CheckError::Unreachable { .. } => anyhow!(
                "{}: {error}; `zermelo verify` will say more",
                self.table.display()
            ),
            _ => error.into(),
        }
    }
}

/// Replaces the file as a whole, so that there is always a complete one.
fn write_report(path: &Path, page: &str) -> anyhow::Result<()> {
    let problem = || format!("can't write the report to {}", path.display());
    let mut file = tempfile::NamedTempFile::new_in(directory(path)).with_context(problem)?;
    file.write_all(page.as_bytes()).with_context(problem)?;
    #[cfg(unix)]
    {
        // Temporary files are for their owner alone; reports are to be shown around.
        use std::os::unix::fs::PermissionsExt;
        let permissions = std::fs::Permissions::from_mode(0o644);
        file.as_file()
            .set_permissions(permissions)
            .with_context(problem)?;
    }
    file.persist(path).with_context(problem)?;
    Ok(())
}
