//! `solve`: computes all scores of a game and writes its table.

use super::answer::who_wins_how;
use super::args::game::{default_table, game_of, with_games};
use super::args::resources::{self, Resources};
use super::ui::numbers::{bytes, count, threads};
use super::ui::progress::{Bar, catch_interrupts};
use super::ui::style;
use super::{Answer, Program, advice, arguments};
use crate::any::{AnyFamily, AnyGame, SolveJob, SolveJobCause, SolveJobError, SolvedTable};
use crate::game::{Outcome, SolveError, SolveOptions};
use crate::oracle::{self, Wanted};
use crate::solve::Method;
use crate::table::{Access, TableFile, WriteError, WriteOptions};
use anyhow::{Context, anyhow};
use clap::{ArgMatches, Args, Command};
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Compute the exact score of every reachable position of a game and write the table
///
/// Memory: some tens of megabytes for small games; `solve GAME --help` says more of large ones. The
/// program keeps to --memory: it takes the quickest way that fits, and refuses what doesn't fit,
/// naming what it would need: at once where that is known, otherwise when the reachable positions
/// are counted.
///
/// The table grows in a folder beside its place, .NAME.partial, and moves there when it is
/// complete. An existing file is never replaced without --force. If a long run is stopped or
/// killed, the same command goes on from what is in that folder; --restart discards it.
#[derive(Debug, Args)]
struct SolveArgs {
    /// How to compute the scores; both methods give the same table
    #[arg(
        long,
        value_name = "METHOD",
        default_value = "backward",
        value_enum,
        global = true
    )]
    method: MethodArg,

    /// The file to write [default: one in data/, named after the game]
    #[arg(long, value_name = "FILE", global = true)]
    out: Option<PathBuf>,

    /// Replace an existing file
    #[arg(long, global = true)]
    force: bool,

    /// Discard what a stopped run has left, and start anew
    #[arg(long, global = true)]
    restart: bool,

    /// Print the result as one line of JSON
    #[arg(long, global = true)]
    json: bool,

    #[command(flatten)]
    resources: Resources,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum MethodArg {
    /// From the ends of the game backwards
    Backward,
    /// Each position by alpha-beta search with a transposition table (for small games)
    Search,
}

#[derive(Serialize)]
struct Report<'a> {
    game: String,
    name: String,
    rules: String,
    score: Option<i32>,
    outcome: Option<&'static str>,
    best_moves: Option<Vec<&'a str>>,
    positions: u64,
    method: String,
    threads: usize,
    table: TableReport<'a>,
    seconds: Seconds,
    peak_memory_bytes: Option<u64>,
}

#[derive(Serialize)]
struct TableReport<'a> {
    path: std::borrow::Cow<'a, str>,
    bytes: u64,
    bits_per_position: f64,
}

#[derive(Serialize)]
struct Seconds {
    total: f64,
    reach: f64,
    solve: f64,
    write: f64,
}

pub fn describe(command: Command, program: &Program<'_>) -> Command {
    let command = SolveArgs::augment_args(command)
        .max_term_width(100)
        .disable_help_subcommand(true)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand_help_heading("Games")
        .after_help(program.examples(
            "",
            &[
                "solve kalah --seeds 2",
                "solve kalah --pits 4 --seeds 3 --empty-capture --out small.bin",
                "solve tictactoe --method search --force --json",
            ],
            &["solve GAME", "solve GAME --force --json"],
        ));
    let details = |family: &dyn AnyFamily| family.details();
    with_games(command, program.families, details, |_, command| command)
}

pub fn run(matches: &ArgMatches, program: &Program<'_>) -> anyhow::Result<Answer> {
    let args: SolveArgs = arguments(matches)?;
    let (name, of_game) = matches.subcommand().context("no game is named")?;
    let game = game_of(name, of_game, program.families, program.has_library_games)?;
    let path = args.out.clone().unwrap_or_else(|| default_table(&*game));
    let done = solve(&*game, &args, &path)?;
    let mut out = anstream::stdout().lock();
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&done.report())?)?;
    } else {
        done.print(&mut out)?;
    }
    Ok(Answer::Yes)
}

/// A game that is solved, and what its table says of its start.
struct Done<'a> {
    game: &'a dyn AnyGame,
    path: &'a Path,
    method: Method,
    options: SolveOptions,
    solved: SolvedTable,
    value: Option<oracle::Answer>,
    move_noun: &'static str,
    seconds: f64,
    peak: Option<u64>,
}

fn solve<'a>(game: &'a dyn AnyGame, args: &SolveArgs, path: &'a Path) -> anyhow::Result<Done<'a>> {
    let began = Instant::now();
    let options = args.resources.options();
    let method = match args.method {
        MethodArg::Backward => Method::Backward,
        MethodArg::Search => Method::Search,
    };
    if let Some(needed) = game.memory_estimate(method, options.threads) {
        resources::check_memory(
            &format!("solving {}", game.name()),
            needed,
            options.memory,
            "allow more with --memory if the machine has it, or solve a smaller game",
        )?;
    }
    catch_interrupts().context("can't catch interrupts")?;
    let bar = Bar::new();
    let job = SolveJob {
        path,
        method,
        options,
        write: WriteOptions {
            force: args.force,
            restart: args.restart,
            ..WriteOptions::default()
        },
    };
    let solved = game.solve_to_file(&job, &bar).map_err(with_advice)?;
    bar.finish();
    // The result is read back from the table, as every later answer will be.
    let table = game.open(TableFile::open(path, Access::Mmap)?)?;
    let value = if game.has_start() {
        Some(table.ask(None, Wanted::default())?)
    } else {
        None
    };
    Ok(Done {
        game,
        path,
        method,
        options,
        solved,
        value,
        move_noun: table.move_noun(),
        seconds: began.elapsed().as_secs_f64(),
        peak: resources::peak_memory(),
    })
}

impl Done<'_> {
    fn bits_per_position(&self) -> f64 {
        let written = self.solved.written;
        8.0 * written.bytes as f64 / written.entries as f64
    }

    fn seconds(&self) -> Seconds {
        let times = self.solved.times;
        Seconds {
            total: self.seconds,
            reach: times.reach,
            solve: times.solve,
            write: self.solved.seconds - times.reach - times.solve,
        }
    }

    fn report(&self) -> Report<'_> {
        let score = |value: &oracle::Answer| value.first_player_bounds().score();
        let outcome = |value: &oracle::Answer| {
            let outcome = value.first_player_bounds().outcome();
            outcome.map(|outcome| match outcome {
                Outcome::Win => "first-player-win",
                Outcome::Draw => "draw",
                Outcome::Loss => "second-player-win",
            })
        };
        Report {
            game: self.game.family(),
            name: self.game.name(),
            rules: self.game.rules(),
            score: self.value.as_ref().and_then(score),
            outcome: self.value.as_ref().and_then(outcome),
            best_moves: self
                .value
                .as_ref()
                .map(|value| value.best_moves().collect()),
            positions: self.solved.written.entries,
            method: self.method.to_string(),
            threads: self.options.threads,
            table: TableReport {
                path: self.path.to_string_lossy(),
                bytes: self.solved.written.bytes,
                bits_per_position: self.bits_per_position(),
            },
            seconds: self.seconds(),
            peak_memory_bytes: self.peak,
        }
    }

    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let strong = style::STRONG;
        let headline = match &self.value {
            Some(value) => who_wins_how(value, self.move_noun),
            None => "every position, for games from any start".to_owned(),
        };
        // The article belongs to sentences.
        let headline = headline.strip_prefix("the ").unwrap_or(&headline);
        writeln!(out, "{strong}{}: {headline}.{strong:#}", self.game.name())?;
        let seconds = self.seconds();
        writeln!(
            out,
            "{} {}positions solved in {:.1} s ({} method, {}: {:.1} s to find them, {:.1} s to solve them, {:.1} s to write the table).",
            count(self.solved.written.entries),
            if self.value.is_some() {
                "reachable "
            } else {
                ""
            },
            seconds.total,
            self.method,
            threads(self.options.threads),
            seconds.reach,
            seconds.solve,
            seconds.write,
        )?;
        let peak = self.peak.map_or_else(String::new, |peak| {
            format!(" Peak memory: {}.", bytes(peak))
        });
        writeln!(
            out,
            "Table: {}, {} ({:.2} bits a position).{peak}",
            self.path.display(),
            bytes(self.solved.written.bytes),
            self.bits_per_position(),
        )
    }
}

fn of(cause: SolveJobCause) -> anyhow::Error {
    match cause {
        SolveJobCause::Solve(error) => error.into(),
        SolveJobCause::Write(error) => error.into(),
        SolveJobCause::Read(error) => error.into(),
    }
}

/// Says where the work can go on, if it can.
fn with_advice(error: SolveJobError) -> anyhow::Error {
    let interrupted = matches!(
        *error.cause,
        SolveJobCause::Solve(SolveError::Interrupted)
            | SolveJobCause::Write(WriteError::Interrupted { .. })
    );
    let Some(folder) = error.kept_in else {
        return of(*error.cause);
    };
    let (what, who) = match interrupted {
        true => ("interrupted".to_owned(), "the same command"),
        false => (advice::with_advice(&of(*error.cause)), "a later run"),
    };
    anyhow!(
        "{what}; what is done so far is kept in {}: {who} goes on from there, or starts anew with --restart",
        folder.display()
    )
}
