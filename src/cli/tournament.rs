//! `tournament`: every AI plays every other one, and the report has their ratings.

use super::args::ai::{AiArgs, Entrant, JobsArgs};
use super::args::numbers::{parse_faults, parse_seed};
use super::args::resources;
use super::json::ReportedError;
use super::output;
use super::output::print_result;
use super::program::{Answer, Program, arguments};
use super::scores::{self, Scores};
use super::table::{TableOrGameArgs, open_any};
use super::ui::grid::{Grid, output_width};
use super::ui::progress::{self, Bar};
use crate::any::AnyOracle;
use crate::check::html;
use crate::check::tournament::{Standing, Tournament, TournamentOptions};
use crate::game::{CancelScope, Endless, NoProgress, Progress};
use crate::text::encode_part;
use anyhow::{Context, bail};
use clap::{ArgMatches, Args, Command};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Have AIs play each other: crosstable, Elo, exact regret
///
/// Every AI plays every other one, on both sides of each opening. Openings are taken from the start
/// and some random positions near it: those whose exact score is nearest to a draw. A position that
/// comes up again makes a draw; an illegal move, a crash or a timeout loses the game.
#[derive(Debug, Args)]
struct TournamentArgs {
    #[command(flatten)]
    table: TableOrGameArgs,

    #[command(flatten)]
    play: PlayArgs,
}

/// How to play.
#[derive(Debug, Args)]
struct PlayArgs {
    /// Name and command of a player; once for each
    ///
    /// `builtin:NAME` is a built-in AI, which `check-ai --help` lists. `ugi:COMMAND` starts an engine
    /// that speaks the Universal Game Interface.
    #[arg(long = "ai", value_name = "NAME=COMMAND", value_parser = Entrant::parse, help_heading = "AI")]
    entrants: Vec<Entrant>,

    #[command(flatten)]
    ais: AiArgs,

    #[command(flatten)]
    copies: JobsArgs,

    /// Openings, each played twice by each pair
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = parse_faults, help_heading = "Games")]
    openings: usize,

    /// Seed of the openings
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = parse_seed, allow_negative_numbers = true, help_heading = "Games", hide_short_help = true)]
    seed: u64,

    /// Directory to save games in, and to resume from
    ///
    /// Games that it has are not played again, also if AIs or openings are added. Name a new one
    /// when the program behind a command has changed.
    #[arg(long, value_name = "DIR", help_heading = "Games")]
    games: Option<PathBuf>,

    /// Play without exact scores: random openings, no regret
    #[arg(long, help_heading = "Games", hide_short_help = true)]
    no_scores: bool,

    /// Print the result as one line of JSON
    #[arg(long, help_heading = "Output")]
    json: bool,

    /// Write a report with every game as a page
    #[arg(long, value_name = "FILE.html", help_heading = "Output")]
    report: Option<PathBuf>,

    /// Address of the explorer that the report's links open
    #[arg(
        long,
        value_name = "URL",
        default_value = "http://localhost:8080",
        help_heading = "Output",
        hide_short_help = true
    )]
    explorer: String,

    /// Memory limit, such as 8G
    #[arg(long, value_name = "SIZE", value_parser = resources::parse_size, help_heading = "Resources", hide_short_help = true)]
    memory: Option<u64>,
}

const CODES: &str = "Exit codes: 0 all played, 1 an AI forfeited all games, 2 stopped or an error.";

/// The time limit for each search of a score, unless `--budget` says otherwise.
const BUDGET: Duration = Duration::from_secs(10);

/// Size of the cache of a table's decoded blocks, in bytes.
const CACHE: usize = 64 << 20;

/// Number of forfeits that are printed; the report has all.
const SHOWN: usize = 5;

pub fn describe(command: Command, program: &Program<'_>) -> Command {
    scores::describe(
        TournamentArgs::augment_args(command),
        program,
        "--ai <NAME=COMMAND>...",
        PlayArgs::augment_args,
        CODES,
        &["tournament TABLE --ai me=./my_ai --ai it=builtin:greedy"],
    )
}

pub fn run(matches: &ArgMatches, program: &Program<'_>) -> anyhow::Result<Answer> {
    let Some((name, matches)) = matches.subcommand() else {
        let args: TournamentArgs = arguments(matches)?;
        args.play.begin()?;
        let path = args.table.path(program)?;
        let table = open_any(&path, false, program.families)?;
        return args.play.play(&table.with_cache(CACHE), None, &path);
    };
    let args: PlayArgs = arguments(matches)?;
    args.begin()?;
    let scores = Scores::of(name, matches, program)?;
    let file = Path::new(scores.searched.game.table_name());
    if args.no_scores && scores.searched.game.endless() == Endless::Draw {
        return args.play(&scores.searched.game.without_scores(), None, file);
    }
    if !args.no_scores {
        scores.check()?;
        if !scores.are_searched() {
            return args.play(&*scores.solve(args.memory, None)?, None, file);
        }
    }
    let bar = Bar::new();
    let stop = || bar.cancelled();
    let unheard = CancelScope::new(&NoProgress, &stop);
    let oracle = scores.search(args.memory, &unheard)?;
    let budget = scores.searching.budget.unwrap_or(BUDGET);
    let played = args.play(&oracle, Some(budget), file);
    played.map_err(|error| scores.searched.with_advice(error))
}

impl PlayArgs {
    /// Checks the arguments before anything is opened or solved.
    fn begin(&self) -> anyhow::Result<()> {
        Entrant::check_names(&self.entrants)?;
        if self.entrants.len() < 2 {
            bail!("a tournament needs at least two AIs\ntip: add --ai greedy=builtin:greedy");
        }
        let ais: Vec<&str> = self.entrants.iter().map(|of| &*of.ai).collect();
        self.ais.check(&ais)?;
        progress::catch_interrupts().context("can't catch interrupts")?;
        self.report.as_deref().map_or(Ok(()), output::reportable)
    }

    /// Plays the tournament and reports its result.
    ///
    /// The explorer calls the game like the file of its table.
    fn play(
        &self,
        oracle: &AnyOracle<'_>,
        budget: Option<Duration>,
        file: &Path,
    ) -> anyhow::Result<Answer> {
        let entrants = || self.entrants.iter();
        let options = TournamentOptions {
            names: entrants().map(|of| of.name.clone()).collect(),
            commands: entrants()
                .map(|of| format!("{} {:?}", of.ai, self.ais))
                .collect(),
            openings: self.openings,
            seed: self.seed,
            jobs: self.copies.jobs,
            is_scored: !self.no_scores,
            budget,
            save: self.games.clone(),
        };
        let ais = entrants().map(|of| self.ais.contender(&of.ai, Duration::MAX));
        let ais = ais.collect::<anyhow::Result<Vec<_>>>()?;
        let bar = Bar::new();
        let played = oracle.tournament(&ais, &options, &bar);
        bar.finish();
        let mut tournament = played?;
        self.link(&mut tournament, file);
        let is_stopped = tournament.games.len() < tournament.planned;
        // An incomplete report would replace a complete one.
        let report = self.report.as_deref().filter(|_| !is_stopped);
        if let Some(path) = report {
            output::write(path, "report", &html::tournament_page(&tournament))?;
        }
        print_result(self.json, &tournament, |out| {
            Ok(print(&tournament, report, out)?)
        })?;
        if is_stopped {
            let how = match &self.games {
                Some(folder) => format!("the same command resumes from {}", folder.display()),
                None => "with --games DIR, the same command would resume".to_owned(),
            };
            // Printed in any case, because with --json there is only one object per answer.
            return Err(ReportedError(format!("interrupted; {how}")).into());
        }
        let forfeits_all = |of: &Standing| of.forfeits == of.won + of.drawn + of.lost;
        Ok(match tournament.standings.iter().any(forfeits_all) {
            true => Answer::No,
            false => Answer::Yes,
        })
    }

    /// Links each game to its turning point in the explorer.
    fn link(&self, tournament: &mut Tournament, file: &Path) {
        let id = file.file_stem().unwrap_or_default().to_string_lossy();
        let explorer = self.explorer.trim_end_matches('/');
        let explorer = format!("{explorer}/explore/{}", encode_part(&id));
        for played in &mut tournament.games {
            // Each move is encoded once as a part of the line, and once as a part of the query.
            let moves = played.moves.iter().map(|mv| encode_part(&encode_part(mv)));
            let moves = moves.collect::<Vec<_>>().join("+");
            let at = played.turning_point.unwrap_or(0);
            played.replay = format!("{explorer}?played={moves}&at={at}");
        }
    }
}

fn print(tournament: &Tournament, report: Option<&Path>, out: &mut impl Write) -> io::Result<()> {
    let title = format!("{}: {}", tournament.game, tournament.summary());
    let grid = Grid::filled(title, &tournament.columns(), tournament.rows());
    write!(out, "{}", grid.render(output_width()))?;
    let games = tournament.games.iter();
    let forfeits = games.filter_map(|played| Some((played, played.forfeit.as_ref()?)));
    for (number, (played, forfeit)) in forfeits.enumerate() {
        if number == SHOWN {
            writeln!(out, "... and more, which --report and --json list")?;
            break;
        }
        let [ai, other] =
            [forfeit.side, forfeit.side.other()].map(|side| &played.sides[side.index()].ai);
        let (opening, detail) = (played.opening + 1, &forfeit.detail);
        writeln!(
            out,
            "Forfeit: {ai} against {other}, opening {opening}: the AI {detail}"
        )?;
    }
    match report {
        Some(path) => writeln!(out, "Report: {}", path.display()),
        None => Ok(()),
    }
}
