//! `solve`: computes all scores of a game and writes its table, or estimates what that takes.

use super::args::game::{default_table, game_of, with_games, words_of};
use super::args::resources::{self, Resources};
use super::output::print_result;
use super::program::{Answer, Program, arguments};
use super::solved::{Seconds, SolveReport};
use super::ui::progress::{Bar, catch_interrupts, clock};
use super::{advice, processes, table_files};
use crate::any::{AnyFamily, AnyGame};
use crate::game::{Endless, Forecast, SolveError, SolveOptions, SolveTimes, Team};
use crate::guard::survive_cut_off_files;
use crate::solve::{Method, SolveJob, SolveJobCause, SolveJobError, SolvedTable};
use crate::table::{WriteError, WriteOptions, check_place, clear_after, directory};
use crate::text::{bytes, bytes_up, count, counted};
use anyhow::{Context, anyhow, bail};
use clap::{ArgMatches, Args, Command};
use serde::Serialize;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Solve every reachable position of a game, and write the table
///
/// Zermelo uses the fastest way that fits into --memory. A game that doesn't fit is refused with
/// the memory that it needs: before any work where that is known, otherwise when the reachable
/// positions are counted. Kalah's solver moves scores to temporary files where memory is short.
///
/// The table grows in a directory beside its final place, .NAME.partial. If a run is stopped or
/// killed, the same command resumes from the last checkpoint there; --restart discards it. --method
/// search has no checkpoints. If the table exists already, nothing is solved, and --force replaces
/// it.
#[derive(Debug, Args)]
struct SolveArgs {
    /// How to solve
    ///
    /// `backward` goes from the ends of the game to its start. `search` searches each position by
    /// alpha-beta with a transposition table, which takes longer. Both give the same table.
    #[arg(
        long,
        value_name = "METHOD",
        default_value = "backward",
        value_enum,
        global = true,
        hide_short_help = true,
        hide_possible_values = true
    )]
    method: Method,

    /// Write the table to this file
    ///
    /// The default is one in data/, or in the directory ZERMELO_TABLES if that is set, named after
    /// the game.
    #[arg(long, value_name = "FILE", global = true, help_heading = "Output")]
    out: Option<PathBuf>,

    /// Solve again, and replace the table
    #[arg(long, global = true, help_heading = "Output")]
    force: bool,

    /// Discard the checkpoints of a stopped run
    #[arg(long, global = true, help_heading = "Output", hide_short_help = true)]
    restart: bool,

    /// Directory for temporary files and checkpoints
    ///
    /// What doesn't fit in memory goes there. The default is the directory of the table.
    #[arg(
        long,
        value_name = "DIR",
        global = true,
        help_heading = "Resources",
        hide_short_help = true
    )]
    scratch: Option<PathBuf>,

    /// Estimate memory, disk and time, then exit (not for every game)
    #[arg(long, global = true, conflicts_with_all = ["force", "restart", "method"], help_heading = "Output", hide_short_help = true)]
    plan: bool,

    /// Print the result as one line of JSON
    #[arg(long, global = true, help_heading = "Output")]
    json: bool,

    #[command(flatten)]
    resources: Resources,
}

pub fn describe(command: Command, program: &Program<'_>) -> Command {
    let command = SolveArgs::augment_args(command)
        .disable_help_subcommand(true)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .after_help(program.examples(
            "",
            &[
                "solve GAME",
                "solve GAME --out scores.bin",
                "solve GAME --force --json",
            ],
        ));
    let details = |family: &dyn AnyFamily| family.details();
    with_games(command, program.game_names(), details, |_, command| command)
}

pub fn run(matches: &ArgMatches, program: &Program<'_>) -> anyhow::Result<Answer> {
    let args: SolveArgs = arguments(matches)?;
    let (name, of_game) = matches.subcommand().context("no game is given")?;
    let bar = Bar::new();
    let team = processes::team(&bar);
    let named = || {
        let game = game_of(name, of_game, program.families, program.has_library_games)?;
        let path = args.out.clone().unwrap_or_else(|| default_table(&*game));
        Ok((game, path))
    };
    let (game, path) = processes::agree(&team, named())?;
    if args.plan {
        if !team.is_first() {
            return Ok(Answer::Yes);
        }
        let options = args.resources.options();
        return print_estimate(&*game, options, args.json);
    }
    survive_cut_off_files().context("can't catch SIGBUS")?;
    let began = Instant::now();
    let words = words_of(name, of_game, program.families);
    let instead = instead(&*game, &format!("{} query {words}", program.name));
    let job = SolveJob {
        method: args.method,
        write: WriteOptions {
            force: args.force,
            restart: args.restart,
            ..WriteOptions::default()
        },
        scratch: args.scratch.as_deref(),
        ..SolveJob::new(&path, args.resources.options())
    };
    let is_there = path.is_file() && !args.force && !args.restart;
    let checked = match is_there {
        true => Ok(()),
        false => prepare(&*game, &args, &job, &team, &instead),
    };
    processes::agree(&team, checked)?;
    // The first process decides, because the others may not see a new table yet. Only it prints the
    // result.
    let there = || team.is_first().then(|| existing(&*game, &path, began));
    let report = match team.broadcast_flag(is_there)? {
        true => there(),
        // Read the result from the table, as every later query does.
        false => match game.solve_to_file(&job, &team) {
            Ok(solved) => solved.map(|solved| solved_report(&*game, &job, &solved, began)),
            Err(error) if is_there_now(&error, &job, &team)? => there(),
            Err(error) => return Err(with_advice(error, &instead)),
        },
    };
    if let Some(report) = report.transpose()? {
        bar.finish();
        print_result(args.json, &report, |out| Ok(report.print(out)?))?;
    }
    Ok(Answer::Yes)
}

/// Returns the tip for a game that needs too much memory.
fn instead(game: &dyn AnyGame, query: &str) -> String {
    if !game.has_start() || game.endless() == Endless::Draw {
        return "allow more with --memory if the machine has it, or solve a smaller game"
            .to_owned();
    }
    format!(
        "allow more with --memory if the machine has it, or let `{query}` search for the score of \
         one position, which takes little memory but may take long"
    )
}

/// Makes the default directory of the tables, unless `--out` names another place.
fn make_folder(args: &SolveArgs, path: &Path) -> anyhow::Result<()> {
    let folder = directory(path);
    // Doesn't make missing parents, because ZERMELO_TABLES may be mistyped.
    if args.out.is_none() && !folder.is_dir() {
        fs::create_dir(folder).with_context(|| {
            format!(
                "can't make the directory of the tables, {}",
                folder.display()
            )
        })?;
    }
    Ok(())
}

/// Checks the options and the memory, and makes the default directory of the tables.
fn prepare(
    game: &dyn AnyGame,
    args: &SolveArgs,
    job: &SolveJob<'_>,
    team: &Team<'_>,
    instead: &str,
) -> anyhow::Result<()> {
    let processes = team.size();
    if processes > 1 && job.method == Method::Search {
        bail!("--method search is for one process; without it several solve the game together");
    }
    if args.out.is_some() {
        check_place(job.path, args.force).map_err(SolveJobError::from)?;
    }
    let needed = resources::needed_for_file(game, job.method, processes, job.options);
    resources::check_memory(game, needed, processes, job.options, instead)?;
    catch_interrupts().context("can't catch interrupts")?;
    if team.is_first() {
        make_folder(args, job.path)?;
    }
    table_files::check_scratch(args.scratch.as_deref())
}

/// Returns whether another run has finished the table while this one waited for its directory.
fn is_there_now(
    error: &SolveJobError,
    job: &SolveJob<'_>,
    team: &Team<'_>,
) -> anyhow::Result<bool> {
    let exists = match &*error.cause {
        SolveJobCause::Solve(SolveError::Lost) => return Ok(false),
        cause => matches!(cause, SolveJobCause::Write(WriteError::Exists { .. })),
    };
    let is_there = exists && error.saved_in.is_none() && !job.write.restart;
    Ok(team.broadcast_flag(is_there)?)
}

/// Returns the result from a table that existed before.
fn existing(game: &dyn AnyGame, path: &Path, began: Instant) -> anyhow::Result<SolveReport> {
    let mut report = SolveReport::of(game, path).map_err(|error| {
        anyhow!(
            "{} exists and is not a valid table of {}: {error:#}; choose another name with \
             --out, or replace it with --force",
            path.display(),
            game.name()
        )
    })?;
    clear_after(path);
    report.seconds.total = began.elapsed().as_secs_f64();
    Ok(report)
}

/// Returns the result from the table that was just written.
fn solved_report(
    game: &dyn AnyGame,
    job: &SolveJob<'_>,
    solved: &SolvedTable,
    began: Instant,
) -> anyhow::Result<SolveReport> {
    let SolveTimes { reach, solve } = solved.times;
    let mut report = SolveReport::of(game, job.path)?;
    report.was_there = false;
    report.method = Some(job.method.to_string());
    report.threads = Some(job.options.threads);
    report.seconds = Seconds {
        total: began.elapsed().as_secs_f64(),
        reach,
        solve,
        write: solved.seconds - reach - solve,
    };
    report.peak_memory_bytes = resources::peak_memory();
    Ok(report)
}

/// Adds to an error how to resume the work, or what to do instead.
fn with_advice(error: SolveJobError, instead: &str) -> anyhow::Error {
    let is_interrupted = matches!(
        *error.cause,
        SolveJobCause::Solve(SolveError::Interrupted)
            | SolveJobCause::Write(WriteError::Interrupted { .. })
    );
    let Some(folder) = error.saved_in.clone() else {
        return match *error.cause {
            SolveJobCause::Solve(SolveError::Memory { .. }) => anyhow!("{error}\ntip: {instead}"),
            SolveJobCause::Solve(SolveError::Interrupted) => {
                anyhow!("interrupted; no table was written")
            }
            _ => error.into(),
        };
    };
    let what = match is_interrupted {
        true => "interrupted".to_owned(),
        false => advice::with_advice(&error.into()),
    };
    let (what, tip) = advice::parts(&what);
    let tip = tip.map_or_else(String::new, |tip| format!("{tip}; then "));
    anyhow!(
        "{what}; the work so far is saved in {}\ntip: {tip}the same command resumes, or starts over with --restart",
        folder.display()
    )
}

/// An estimate of `--plan`. Its JSON is a public interface.
#[derive(Serialize)]
struct Estimate {
    game: String,
    name: String,
    rules: String,
    threads: usize,
    fits: bool,
    allowed_memory_bytes: u64,
    #[serde(flatten)]
    forecast: Forecast,
}

/// Prints the estimate; the answer is whether the memory suffices.
fn print_estimate(game: &dyn AnyGame, options: SolveOptions, json: bool) -> anyhow::Result<Answer> {
    let name = game.name();
    let unknown = || format!("there is no estimate for {name}\ntip: solve it without --plan");
    let forecast = game.forecast(options).with_context(unknown)?;
    let fits = forecast.memory_bytes <= options.memory;
    let report = Estimate {
        game: game.family(),
        rules: game.rules(),
        threads: options.threads,
        fits,
        allowed_memory_bytes: options.memory,
        forecast,
        name,
    };
    print_result(json, &report, |out| {
        let Estimate { name, forecast, .. } = &report;
        let memory = bytes_up(forecast.memory_bytes);
        let memory = match fits {
            true => format!("up to {memory} of memory"),
            false => format!(
                "at least {memory} of memory, and {} may be used",
                bytes(options.memory)
            ),
        };
        Ok(writeln!(
            out,
            "{name} has about {} classes and takes {memory}; about {} of files, a table of about {}, \
             and {} with {} of a server of 2024",
            count(forecast.classes),
            bytes_up(forecast.files_bytes),
            bytes_up(forecast.table_bytes),
            clock(Duration::from_secs_f64(forecast.seconds)),
            counted(options.threads, "thread"),
        )?)
    })?;
    Ok(if fits { Answer::Yes } else { Answer::No })
}
