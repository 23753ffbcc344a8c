//! `check-ai`: any AI's moves, held against exact scores.

use super::args::game::{family_of, game_of, with_games};
use super::args::numbers::{
    parse_count, parse_faults, parse_milliseconds, parse_seconds, parse_seed,
};
use super::args::resources;
use super::searching::EndgameArgs;
use super::stdout::results;
use super::ui::numbers;
use super::ui::progress::{self, Bar};
use super::{Answer, Program, advice, arguments, folder, table};
use crate::any::{AnyAi, AnyGame, AnyOracle, AnyTable, family_list, game_of_rules};
use crate::check::builtin::UnknownBuiltin;
use crate::check::{
    CheckError, CheckOptions, Clock, External, ListedMistake, Protocol, Report, Scope, Standard,
    StartError, StoppedBy, Verdict,
};
use crate::game::Side;
use anyhow::{Context, anyhow, bail};
use clap::{ArgMatches, Args, Command};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

mod files;
mod page;
mod positions;
mod scores;
mod text;

use positions::Positions;
use scores::{LISTS, Scores, SearchingArgs, Unheard};

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
struct CheckAiArgs {
    /// The table to check against: a file, or the name of one in data/, such as kalah-6-2
    #[arg(value_name = "TABLE", conflicts_with = "table")]
    place: Option<PathBuf>,

    /// The same, named
    #[arg(long, value_name = "TABLE")]
    table: Option<PathBuf>,

    #[command(flatten)]
    check: CheckArgs,

    /// Read the table piece by piece instead of mapping it into memory
    #[arg(long)]
    no_mmap: bool,
}

/// How to check.
#[derive(Debug, Args)]
struct CheckArgs {
    /// The command that starts the AI, or builtin:NAME for one that is built in: perfect,
    /// random[:SEED], first, greedy, minimax:DEPTH, negamax:DEPTH, alphabeta:DEPTH,
    /// negascout:DEPTH, mtdf:DEPTH, and for Kalah minimax-simplified:DEPTH
    #[arg(long, value_name = "COMMAND")]
    ai: String,

    /// How to speak with it: one position per line in, one move per line out, or the Universal Game
    /// Interface
    #[arg(long, value_name = "PROTOCOL", default_value = "line", value_enum)]
    protocol: ProtocolArg,

    /// With --protocol ugi: the time for a move that the AI is told, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 100, value_parser = parse_milliseconds, allow_negative_numbers = true)]
    movetime: u64,

    /// How long a move may take, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = parse_seconds)]
    timeout: Duration,

    /// How long the whole check may take, in seconds, solving the game included; what was answered
    /// until then is reported
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    total_timeout: Option<Duration>,

    /// How many copies of the AI are asked side by side; the report is the same
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

    /// Ask about N positions at random, drawn as --positions says
    #[arg(long, value_name = "N", conflicts_with = "canonical", value_parser = parse_count, allow_negative_numbers = true)]
    sample: Option<u64>,

    /// How positions are drawn: `uniform` over the classes of a table; from plays, even over the
    /// layers, none twice: `random` ones, or of the AI against itself (`self`), against random moves
    /// (`versus-random`), or against perfect moves (`versus-perfect`), or a quarter from each of
    /// these (`mixture`); or the positions of a file, one a line [default: uniform, or mixture of a
    /// search]
    #[arg(long, value_name = "HOW|FILE", value_parser = |text: &str| Ok::<_, String>(Positions::from(text)))]
    positions: Option<Positions>,

    /// With --sample: another seed draws other positions
    #[arg(long, value_name = "S", default_value_t = 1, requires = "sample", value_parser = parse_seed, allow_negative_numbers = true)]
    seed: u64,

    /// With --sample: evenly over the layers of the game (seeds on the board, discs, ...)
    #[arg(long, requires = "sample")]
    by_layer: bool,

    /// With --scope play: ask about at most N positions, those with the fewest moves before them
    /// first
    #[arg(long, value_name = "N", value_parser = parse_count, allow_negative_numbers = true)]
    max_positions: Option<u64>,

    /// Stop asking after N faults
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = parse_faults)]
    max_faults: usize,

    /// Print the report as one line of JSON
    #[arg(long)]
    json: bool,

    /// Also write the report as a page with boards and charts
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,

    /// With --report: let each mistake lead to its position in the explorer, which `serve` shows at
    /// this address, such as http://127.0.0.1:8080
    #[cfg(feature = "serve")]
    #[arg(long, value_name = "URL", requires = "report", value_parser = page::explorer_address)]
    explorer: Option<String>,

    /// Also write every mistake, not only the worst ones: an object a line, or CSV if the name ends
    /// in .csv
    #[arg(long, value_name = "FILE")]
    mistakes: Option<PathBuf>,

    /// The most memory to use, such as 8G or 500M [default: nine tenths of what is available]
    #[arg(long, value_name = "SIZE", value_parser = resources::parse_size)]
    memory: Option<u64>,
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

pub fn describe(command: Command, program: &Program<'_>) -> Command {
    let name = &program.name;
    let command = CheckAiArgs::augment_args(command)
        .max_term_width(100)
        .args_conflicts_with_subcommands(true)
        .subcommand_negates_reqs(true)
        .disable_help_subcommand(true)
        .subcommand_help_heading("Games, solved or searched")
        .override_usage(format!(
            "{name} check-ai [OPTIONS] <TABLE> --ai <COMMAND>\n       {name} check-ai <GAME> [OPTIONS]"
        ))
        .after_help(program.examples(
            CODES,
            &[
                "check-ai tictactoe --ai \"python3 my_ai.py\"",
                "check-ai data/ttt.bin --ai builtin:perfect --scope play",
                "check-ai data/kalah-6-2.bin --ai ./my_ai --sample 100000 --report report.html",
                "check-ai kalah --seeds 4 --ai ./my_ai --sample 300",
            ],
            &[
                "check-ai GAME --ai \"python3 my_ai.py\"",
                "check-ai TABLE --ai builtin:perfect --scope play",
            ],
        ));
    with_games(
        command,
        program.families,
        |_| "",
        |family, command| {
            let command = CheckArgs::augment_args(command);
            let command = SearchingArgs::augment_args(command).after_help(CODES);
            if family.takes_endgames() {
                EndgameArgs::augment_args(command)
            } else {
                command
            }
        },
    )
}

const CODES: &str = "Exit codes: 0 perfect, 1 imperfect, 2 faulty, unfinished or an error.";

pub fn run(matches: &ArgMatches, program: &Program<'_>) -> anyhow::Result<Answer> {
    if let Some((name, matches)) = matches.subcommand() {
        return check_game(name, matches, program);
    }
    let args: CheckAiArgs = arguments(matches)?;
    let deadline = args.check.begin()?;
    let Some(path) = args.place.as_ref().or(args.table.as_ref()) else {
        let (game, table) = super::args::game::example(program.families);
        bail!(
            "nothing to check against: name a table, such as {table}, or a game to be solved first, such as {game}"
        );
    };
    let word = path.to_string_lossy();
    if args.place.is_some() && folder::found(path).is_none() && !folder::is_table_name(&word) {
        bail!(
            "{word} is neither a table nor a game; the games are {}",
            family_list(program.families)
        );
    }
    let path = folder::find(path);
    let table = table::open_any(&path, args.no_mmap, program.families)?;
    let game = game_of_rules(table.file().rules(), program.families)?;
    let subject = Subject {
        game: &*game,
        path: Some(&path),
    };
    args.check
        .check_with_table(table, &subject, deadline, program)
}

/// Checks with the scores of a game that the command line names.
fn check_game(name: &str, matches: &ArgMatches, program: &Program<'_>) -> anyhow::Result<Answer> {
    let args: CheckArgs = arguments(matches)?;
    let deadline = args.begin()?;
    let game = game_of(name, matches, program.families, program.has_library_games)?;
    let family = family_of(name, program.families);
    let endgame = if family.takes_endgames() {
        arguments(matches)?
    } else {
        EndgameArgs { endgame: None }
    };
    let scores = Scores {
        family,
        game: &*game,
        searching: arguments(matches)?,
        endgame,
    };
    scores.check_combination(&args)?;
    let subject = Subject {
        game: &*game,
        path: None,
    };
    if !scores.are_searched() {
        let table = scores.solve(&args, deadline)?;
        return args.check_with_table(table, &subject, deadline, program);
    }
    let bar = Bar::new();
    let clock = Clock::new(&bar, deadline);
    let unheard = Unheard(&clock);
    let oracle = scores.search(&args, program, &unheard)?;
    let mut options = args.options(false)?.with_deadline(deadline);
    options.memory /= LISTS;
    options.budget = scores.searching.budget;
    let report = args
        .ask(&*oracle, &options, &subject, program, &bar)
        .map_err(|error| scores.with_advice(error, program))?;
    args.report(&report, &subject, program)
}

/// What is checked against.
struct Subject<'a> {
    game: &'a dyn AnyGame,
    /// The table's file, if it comes from one.
    path: Option<&'a Path>,
}

impl CheckArgs {
    /// What can be refused before anything is opened or solved; when all has to be done.
    fn begin(&self) -> anyhow::Result<Option<Instant>> {
        let deadline = self.total_timeout.map(|time| Instant::now() + time);
        self.check_combination()?;
        self.check_positions()?;
        progress::catch_interrupts().context("can't catch interrupts")?;
        // This program starts nothing but AIs.
        #[cfg(target_os = "linux")]
        crate::check::adopt_orphans();
        if let Some(path) = &self.report {
            // Before hours of asking rather than after.
            files::check_report(path)?;
        }
        if let Some(path) = &self.mistakes {
            files::check_list(path)?;
        }
        if let (Some(report), Some(mistakes)) = (&self.report, &self.mistakes)
            && files::are_the_same(report, mistakes)
        {
            bail!(
                "--report and --mistakes name the same file, {}; name two",
                mistakes.display()
            );
        }
        Ok(deadline)
    }

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

    /// How to check; `lists` says whether the scores come with a list of all positions.
    fn options(&self, lists: bool) -> anyhow::Result<CheckOptions> {
        let memory = self.memory.unwrap_or_else(resources::available_share);
        let scope = match self.scope {
            ScopeArg::All => Scope::All,
            ScopeArg::Play => Scope::Play,
        };
        let coverage = self.coverage(lists)?;
        let side = match self.side {
            SideArg::First => Some(Side::First),
            SideArg::Second => Some(Side::Second),
            SideArg::Both => None,
        };
        let standard = match self.standard {
            StandardArg::Score => Standard::Score,
            StandardArg::Outcome => Standard::Outcome,
        };
        Ok(CheckOptions::default()
            .with_scope(scope)
            .with_coverage(coverage)
            .with_side(side)
            .with_max_positions(self.max_positions)
            .with_standard(standard)
            .with_jobs(self.jobs)
            .with_max_faults(self.max_faults)
            .with_memory(memory))
    }

    /// Whom to ask.
    fn contender(&self) -> anyhow::Result<AnyAi> {
        if let Some(name) = self.ai.strip_prefix("builtin:") {
            return Ok(AnyAi::Builtin(name.to_owned()));
        }
        let protocol = match self.protocol {
            ProtocolArg::Line => Protocol::Line,
            ProtocolArg::Ugi => Protocol::Ugi {
                movetime: Duration::from_millis(self.movetime),
            },
        };
        // Also where nothing but the answer ends the wait, as in the beginning.
        let timeout = self.total_timeout.unwrap_or(self.timeout);
        let program = External::new(&self.ai, protocol, timeout.min(self.timeout));
        let program = program.map_err(|error| match error {
            StartError::Command { .. } => anyhow!("--ai {error}"),
            error => error.into(),
        })?;
        Ok(AnyAi::Program(program))
    }

    fn check_with_table(
        &self,
        table: Box<dyn AnyTable>,
        subject: &Subject<'_>,
        deadline: Option<Instant>,
        program: &Program<'_>,
    ) -> anyhow::Result<Answer> {
        let mut options = self.options(true)?.with_deadline(deadline);
        // More doesn't make a sample faster: what its probes need is seldom needed again.
        let cache = (options.memory / 4).min(DECODED);
        options.memory -= cache;
        let table = table.with_cache(cache as usize);
        let report = self.ask(&*table, &options, subject, program, &Bar::new())?;
        self.report(&report, subject, program)
    }

    /// Where the explorer is, if the page is to have links to it.
    fn explorer(&self) -> Option<&str> {
        #[cfg(feature = "serve")]
        return self.explorer.as_deref();
        #[cfg(not(feature = "serve"))]
        None
    }

    /// Prints and writes the report.
    fn report(
        &self,
        report: &Report,
        subject: &Subject<'_>,
        program: &Program<'_>,
    ) -> anyhow::Result<Answer> {
        if let Some(path) = &self.report {
            files::write_report(path, &page::of(report, self.explorer(), subject.game))?;
        }
        let mut out = results();
        if self.json {
            writeln!(out, "{}", serde_json::to_string(report)?)?;
        } else {
            let is_interrupted = report.stopped_by == Some(StoppedBy::Interrupt);
            let more = text::More {
                page: self.report.as_deref(),
                // What was interrupted has no list.
                mistakes: self.mistakes.as_deref().filter(|_| !is_interrupted),
                help: &format!("{} check-ai {} --help", program.name, subject.game.family()),
            };
            text::print(report, &more, &mut out)?;
        }
        Ok(match report.verdict {
            _ if report.stopped_by == Some(StoppedBy::Interrupt) => Answer::Failed,
            Verdict::Perfect => Answer::Yes,
            Verdict::Imperfect => Answer::No,
            Verdict::Faulty | Verdict::Unfinished => Answer::Failed,
        })
    }

    fn ask(
        &self,
        oracle: &dyn AnyOracle,
        options: &CheckOptions,
        subject: &Subject<'_>,
        program: &Program<'_>,
        bar: &Bar,
    ) -> anyhow::Result<Report> {
        let contender = self.contender()?;
        let mut file = match &self.mistakes {
            Some(path) => Some(files::MistakesFile::create(path)?),
            None => None,
        };
        let result = match &mut file {
            Some(file) => {
                let mut list = |mistake: &ListedMistake| file.add(mistake);
                oracle.check(&contender, options, Some(&mut list), bar)
            }
            None => oracle.check(&contender, options, None, bar),
        };
        bar.finish();
        let mut report = result.map_err(|error| self.advise(error, subject, program))?;
        // What was interrupted has no list.
        if report.stopped_by != Some(StoppedBy::Interrupt) {
            file.map_or(Ok(()), files::MistakesFile::finish)?;
        }
        report.ai.clone_from(&self.ai);
        report.game_rules = subject.game.rules_in_words().to_owned();
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
    fn advise(
        &self,
        error: CheckError,
        subject: &Subject<'_>,
        program: &Program<'_>,
    ) -> anyhow::Error {
        let game = subject.game.name();
        match &error {
            CheckError::TooMany { positions, allowed } => anyhow!(
                "the list of up to {} positions of {game} doesn't fit into the {} of memory that it may use; {}",
                numbers::count(*positions),
                numbers::bytes(*allowed),
                self.ask_less()
            ),
            CheckError::Start(StartError::Builtin(UnknownBuiltin(name))) => {
                let mut others = String::new();
                for family in program.families {
                    for (own, usage) in family.own_builtins() {
                        let family = capitalized(family.name());
                        if name.split(':').next() == Some(own) {
                            return anyhow!(
                                "{} plays {family}, but the scores are of {game}",
                                self.ai
                            );
                        }
                        others.push_str(&format!(", and for {family} {usage}"));
                    }
                }
                anyhow!("{error}{others}")
            }
            CheckError::Start(start) => {
                let advice = advice::for_starting(start).unwrap_or_default();
                anyhow!("{error}{advice}")
            }
            CheckError::Unreachable { .. } => anyhow!(
                "{}: {error}; `{} verify` will say more",
                subject.path.unwrap_or("the table".as_ref()).display(),
                program.name
            ),
            CheckError::Listed { .. } | CheckError::NothingListed => {
                let file = match &self.positions {
                    Some(Positions::File(path)) => path.display().to_string(),
                    _ => "the positions".to_owned(),
                };
                anyhow!("{file}: {error}")
            }
            CheckError::NoStart(_) if self.scope == ScopeArg::All => anyhow!(
                "{game} has no start that plays could begin from; name positions of your own with \
                 --positions FILE"
            ),
            CheckError::TooFew { .. } => anyhow!("{error}; ask for fewer with --sample"),
            CheckError::OutOfTime => anyhow!("{error}; allow more with --total-timeout"),
            CheckError::List(cause) => anyhow!(
                "the mistakes can't be written to {}: {cause}",
                self.mistakes
                    .as_deref()
                    .unwrap_or("a file".as_ref())
                    .display()
            ),
            _ => error.into(),
        }
    }
}

/// A family's name in a sentence.
fn capitalized(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}
