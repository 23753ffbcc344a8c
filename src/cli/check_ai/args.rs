//! The arguments of `check-ai`, and what they ask for.

use super::sources::Positions;
use crate::any::AnyAi;
use crate::check::{CheckOptions, Criterion, External, Protocol, Scope, StartError};
use crate::cli::args::numbers::{
    parse_count, parse_faults, parse_milliseconds, parse_seconds, parse_seed,
};
use crate::cli::args::resources;
use anyhow::{anyhow, bail};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Check every move of an AI against exact scores: perfect, imperfect or faulty
///
/// Starts the AI, asks for its move in every position that can come up (--scope all), or in every
/// line of play that can arise (--scope play), and weighs each answer with exact scores: of a table,
/// of a small game that it solves in memory first, or of a search. With the default protocol the AI reads
/// one position per line from its standard input and writes one move per line to its standard
/// output.
///
/// Memory: about 0.1 KB for each position where all are listed (--scope all without --sample or
/// --canonical, --scope play); for decoded pieces of the table a quarter of --memory, 256 MB at
/// most; and the table itself, which the system maps and gives back as it likes. What doesn't fit
/// is refused before starting.
#[derive(Debug, Args)]
pub(super) struct CheckAiArgs {
    /// The table to check against: a file, or the name of one in data/, such as kalah-6-2
    #[arg(value_name = "TABLE", conflicts_with = "table")]
    pub(super) place: Option<String>,

    /// The same, named
    #[arg(long, value_name = "TABLE")]
    pub(super) table: Option<PathBuf>,

    #[command(flatten)]
    pub(super) check: CheckArgs,

    /// Read the table piece by piece instead of mapping it into memory
    #[arg(long)]
    pub(super) no_mmap: bool,
}

/// How to check.
#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    /// The command that starts the AI, or builtin:NAME for one that is built in: perfect,
    /// random[:SEED], first, greedy, minimax:DEPTH, negamax:DEPTH, alphabeta:DEPTH,
    /// negascout:DEPTH or mtdf:DEPTH
    #[arg(long, value_name = "COMMAND")]
    pub(super) ai: String,

    /// How to speak with it: one position per line in, one move per line out, or the Universal Game
    /// Interface
    #[arg(long, value_name = "PROTOCOL", default_value = "line", value_enum)]
    pub(super) protocol: ProtocolArg,

    /// With --protocol ugi: the time for a move that the AI is told, in milliseconds
    /// [default: 100]
    #[arg(long, value_name = "MS", value_parser = parse_milliseconds, allow_negative_numbers = true)]
    pub(super) movetime: Option<u64>,

    /// How long a move may take, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = parse_seconds, allow_negative_numbers = true)]
    pub(super) timeout: Duration,

    /// How much longer the first answer after a start of the AI may take, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = parse_seconds, allow_negative_numbers = true)]
    pub(super) startup: Duration,

    /// How long the whole check may take, in seconds, solving the game included; what was answered
    /// until then is reported
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, allow_negative_numbers = true)]
    pub(super) total_timeout: Option<Duration>,

    /// How many copies of the AI are asked side by side; the report is the same
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = resources::parse_threads)]
    pub(super) jobs: usize,

    /// `all`: is its move best in every position? `play`: does it keep the game's value in every
    /// line that can arise with the AI playing one side?
    #[arg(long, value_name = "SCOPE", default_value = "all", value_parser = one_of(["all", "play"], [Scope::All, Scope::Play]))]
    pub(super) scope: Scope,

    /// With --scope play: the side that the AI plays
    #[arg(long, value_name = "SIDE", default_value = "both", value_parser = ["first", "second", "both"])]
    pub(super) side: String,

    /// What counts as a mistake: any loss of score, or only what turns a win into a draw or a loss,
    /// or a draw into a loss
    #[arg(long, value_name = "STANDARD", default_value = "score", value_parser = one_of(["score", "outcome"], [Criterion::Score, Criterion::Outcome]))]
    pub(super) criterion: Criterion,

    /// Ask only about one position of each class, stores left out
    #[arg(long, alias = "representatives")]
    pub(super) canonical: bool,

    /// Ask about N positions at random, drawn as --positions says
    #[arg(long, value_name = "N", conflicts_with = "canonical", value_parser = parse_count, allow_negative_numbers = true)]
    pub(super) sample: Option<u64>,

    /// How positions are drawn: `uniform` over the classes of a table; from games, even over the
    /// layers, none twice: `random` ones, of the AI against itself (`self`), or half from each
    /// (`mixture`); or the positions of a file, one a line [default: uniform, or mixture of a search]
    #[arg(long, value_name = "HOW|FILE", value_parser = |text: &str| Ok::<_, String>(Positions::from(text)))]
    pub(super) positions: Option<Positions>,

    /// With --sample: another seed draws other positions
    #[arg(long, value_name = "S", default_value_t = 1, requires = "sample", value_parser = parse_seed, allow_negative_numbers = true)]
    pub(super) seed: u64,

    /// Stop asking after N faults
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = parse_faults)]
    pub(super) max_faults: usize,

    /// Print the report as one line of JSON
    #[arg(long)]
    pub(super) json: bool,

    /// Also write the report as a page with boards and charts
    #[arg(long, value_name = "FILE.html")]
    pub(super) report: Option<PathBuf>,

    /// Also write every mistake, not only the worst ones: an object a line, or CSV if the name ends
    /// in .csv
    #[arg(long, value_name = "FILE")]
    pub(super) mistakes: Option<PathBuf>,

    /// The most memory to use, such as 8G or 500M [default: nine tenths of what is available]
    #[arg(long, value_name = "SIZE", value_parser = resources::parse_size)]
    pub(super) memory: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum ProtocolArg {
    Line,
    Ugi,
}

/// Reads one of two names as what it stands for.
fn one_of<T: Copy + Send + Sync + 'static>(
    names: [&'static str; 2],
    values: [T; 2],
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(names).map(move |name| values[usize::from(name == names[1])])
}

impl CheckArgs {
    pub(super) fn check_combination(&self) -> anyhow::Result<()> {
        if self.scope == Scope::Play && (self.sample.is_some() || self.canonical) {
            bail!(
                "--sample and --canonical choose from all positions, so they don't go with --scope play, which \
                 follows lines of play; limit its time with --total-timeout"
            );
        }
        if self.protocol == ProtocolArg::Ugi && self.ai.starts_with("builtin:") {
            bail!(
                "--protocol goes with AIs that are programs, and {} is built in",
                self.ai
            );
        }
        if self.protocol == ProtocolArg::Line && self.movetime.is_some() {
            bail!(
                "--movetime goes with --protocol ugi; the line protocol tells the AI no time: \
                 --timeout limits how long a move may take"
            );
        }
        if self.scope == Scope::All && self.side != "both" {
            bail!(
                "--side goes with --scope play; --scope all asks about all positions of both sides"
            );
        }
        Ok(())
    }

    /// How to check until then; `lists` says whether the scores come with a list of all positions.
    pub(super) fn options(
        &self,
        lists: bool,
        deadline: Option<Instant>,
    ) -> anyhow::Result<CheckOptions> {
        let memory = self.memory.unwrap_or_else(resources::available_share);
        Ok(CheckOptions {
            scope: self.scope,
            coverage: self.coverage(lists)?,
            // Both is none in particular.
            side: self.side.parse().ok(),
            criterion: self.criterion,
            jobs: self.jobs,
            max_faults: self.max_faults,
            memory,
            deadline,
            ..CheckOptions::default()
        })
    }

    /// Whom to ask.
    pub(super) fn contender(&self) -> anyhow::Result<AnyAi> {
        if let Some(name) = self.ai.strip_prefix("builtin:") {
            return Ok(AnyAi::Builtin(name.to_owned()));
        }
        let protocol = match self.protocol {
            ProtocolArg::Line => Protocol::Line,
            ProtocolArg::Ugi => Protocol::Ugi {
                movetime: Duration::from_millis(self.movetime.unwrap_or(100)),
            },
        };
        // Also where nothing but the answer ends the wait, as in the beginning.
        let most = self.total_timeout.unwrap_or(Duration::MAX);
        let program = External::new(&self.ai, protocol, most.min(self.timeout));
        let program = program.map_err(|error| match error {
            StartError::Command { .. } => anyhow!("--ai {error}"),
            error => error.into(),
        })?;
        Ok(AnyAi::Program(program.with_startup(most.min(self.startup))))
    }

    /// What to do about too many positions.
    pub(super) fn ask_less(&self) -> &'static str {
        match self.scope {
            Scope::Play => "allow more with --memory",
            Scope::All => {
                "ask about a part of them with --sample 100000, or about one of each class with --canonical"
            }
        }
    }
}
