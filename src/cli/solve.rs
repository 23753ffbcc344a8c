//! `solve`: computes all scores of a game and writes its table.

use super::answer::who_wins_how;
use super::args::game::{default_table, game_of, with_games, words_of};
use super::args::resources::{self, Resources};
use super::program::{Answer, Program, arguments};
use super::stdout::results;
use super::ui::numbers::{bytes, count, threads};
use super::ui::progress::{Bar, catch_interrupts};
use super::ui::style;
use super::{advice, folder, plan, processes};
use crate::any::{
    AnyFamily, AnyGame, AnyTable, SolveJob, SolveJobCause, SolveJobError, SolvedTable,
};
use crate::cluster::Team;
use crate::game::{Outcome, Progress, SolveError, SolveOptions, SolveTimes};
use crate::guard::survive_cut_off_files;
use crate::oracle::{self, Wanted};
use crate::solve::Method;
use crate::table::{Access, TableFile, WriteError, WriteOptions, clear_after, directory};
use anyhow::{Context, anyhow, bail};
use clap::{ArgMatches, Args, Command};
use serde::Serialize;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Compute the exact score of every reachable position of a game and write the table
///
/// Memory: some tens of megabytes for small games; `solve GAME --help` says more of large ones. The
/// program keeps to --memory: it takes the quickest way that fits, and refuses what doesn't fit,
/// naming what it would need: at once where that is known, otherwise when the reachable positions
/// are counted. Kalah's solver keeps in files what there is no memory for, in the folder where the
/// table grows or in --scratch, if there is room on the disk.
///
/// The table grows in a folder beside its place, .NAME.partial, and moves there when it is
/// complete. If the game's table is there already, that is said and the table answers; an existing
/// file is never replaced without --force. If a long run is stopped or killed, the same command
/// goes on from what is in that folder, if something is kept there (by Kalah's solver, and by
/// several processes under mpirun); --restart discards it.
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

    /// The file to write [default: one in data/, or in the folder ZERMELO_TABLES if that is set,
    /// named after the game]
    #[arg(long, value_name = "FILE", global = true)]
    out: Option<PathBuf>,

    /// Solve the game even if there is a table already, and replace the file
    #[arg(long, global = true)]
    force: bool,

    /// Discard what a stopped run has left, and start anew
    #[arg(long, global = true)]
    restart: bool,

    /// Folder for what there is no memory for [default: the table's]
    #[arg(long, value_name = "DIR", global = true)]
    scratch: Option<PathBuf>,

    /// Say what solving will take in memory, files and time on this machine, by a model and a
    /// small game, and solve nothing else
    #[arg(long, global = true, conflicts_with_all = ["force", "restart", "method"])]
    plan: bool,

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
    /// Each position by alpha-beta search with a transposition table; takes longer
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
    /// Classes of positions.
    positions: u64,
    /// The table was there already, and nothing was solved.
    was_there: bool,
    /// None if nothing was solved, and so the next.
    method: Option<String>,
    threads: Option<usize>,
    table: TableReport<'a>,
    seconds: Seconds,
    peak_memory_bytes: Option<u64>,
    /// Only if several processes were started together.
    #[serde(skip_serializing_if = "Option::is_none")]
    processes: Option<&'a [ProcessReport]>,
}

#[derive(Serialize)]
struct ProcessReport {
    peak_memory_bytes: Option<u64>,
    /// To other processes.
    sent_bytes: Option<u64>,
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
    let bar = Bar::new();
    let team = processes::team(&bar);
    let named = || {
        let game = game_of(name, of_game, program.families, program.has_library_games)?;
        let path = match &args.out {
            Some(path) => named(path, &*game)?,
            None => default_table(&*game),
        };
        Ok((game, path))
    };
    let (game, path) = processes::agree(team.as_ref(), named())?;
    if args.plan {
        if team.as_ref().is_some_and(|team| !team.is_first()) {
            return Ok(Answer::Yes);
        }
        let plan = plan::Plan {
            game: &*game,
            options: args.resources.options(),
            families: program.families,
        };
        return plan.print(args.json, &bar);
    }
    survive_cut_off_files().context("can't catch SIGBUS")?;
    let words = words_of(name, of_game, program.families);
    let command = format!("{} query {words}", program.name);
    let is_there = path.is_file() && !args.force && !args.restart;
    // The first of several processes answers for all.
    let done = match &team {
        Some(team) => by_several(&*game, &args, &path, is_there, &command, team)?,
        None if is_there => Some(there(&*game, &args, &path)?),
        None => Some(solve(&*game, &args, &path, &command, &bar)?),
    };
    bar.finish();
    let Some(done) = done else {
        return Ok(Answer::Yes);
    };
    let mut out = results();
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&done.report())?)?;
    } else {
        done.print(&mut out)?;
    }
    Ok(Answer::Yes)
}

/// The file of this name, which must be able to become a table.
fn named(path: &Path, game: &dyn AnyGame) -> anyhow::Result<PathBuf> {
    if path.is_dir() {
        bail!(
            "--out {} is a folder: name the file, too, such as --out {}",
            path.display(),
            path.join(game.table_name()).display()
        );
    }
    let folder = directory(path);
    if !folder.is_dir() {
        bail!(
            "--out {}: there is no folder {}; make it first, or choose another place",
            path.display(),
            folder.display()
        );
    }
    Ok(path.to_owned())
}

/// A game that is solved, and what its table says of its start.
struct Done<'a> {
    game: &'a dyn AnyGame,
    path: &'a Path,
    method: Method,
    options: SolveOptions,
    /// None if the table was there already.
    times: Option<SolvedTable>,
    classes: u64,
    bytes: u64,
    value: Option<oracle::Answer>,
    move_noun: &'static str,
    seconds: f64,
    peak: Option<u64>,
    /// What each process took, if there were several.
    processes: Option<Vec<ProcessReport>>,
}

/// What a table says that was there already.
fn there<'a>(game: &'a dyn AnyGame, args: &SolveArgs, path: &'a Path) -> anyhow::Result<Done<'a>> {
    let began = Instant::now();
    let file = TableFile::open(path, Access::Mmap);
    let is_of_game = file.as_ref().is_ok_and(|file| file.rules() == game.rules());
    let found = if is_of_game {
        file.and_then(|file| game.open(file))
            .map_err(anyhow::Error::from)
    } else {
        let what = match file {
            Ok(file) => format!("a table of {:?}", file.rules()),
            Err(error) => format!("no sound table ({error})"),
        };
        Err(anyhow!(
            "{} is there already, and is {what}",
            path.display()
        ))
    };
    if found.is_ok() {
        clear_after(path);
    }
    let done = found.and_then(|table| Done::of(game, args, path, &*table));
    let mut done = done.map_err(|error| {
        // What to do is said here, with the command's own options.
        let error = format!("{error:#}").replace("; solve the game again to replace it", "");
        anyhow!("{error}; choose another name with --out, or replace it with --force")
    })?;
    done.seconds = began.elapsed().as_secs_f64();
    Ok(done)
}

/// What to do instead if there is too little memory.
fn instead(game: &dyn AnyGame, query: &str) -> String {
    if game.has_start() {
        format!(
            "allow more with --memory if the machine has it, or let `{query}` search for the score \
             of one position, which takes little memory but may take long"
        )
    } else {
        "allow more with --memory if the machine has it, or solve a smaller game".to_owned()
    }
}

/// Makes the folder that tables go to by default.
fn make_folder(args: &SolveArgs, path: &Path) -> anyhow::Result<()> {
    if args.out.is_none() {
        let folder = directory(path);
        // Not those above it, which a slip of the pen may have named.
        if !folder.is_dir() {
            fs::create_dir(folder).with_context(|| {
                format!("can't make the folder of the tables, {}", folder.display())
            })?;
        }
    }
    Ok(())
}

fn solve<'a>(
    game: &'a dyn AnyGame,
    args: &SolveArgs,
    path: &'a Path,
    query: &str,
    bar: &Bar,
) -> anyhow::Result<Done<'a>> {
    let began = Instant::now();
    let options = args.resources.options();
    let method = args.method();
    let instead = instead(game, query);
    if let Some(needed) = game.memory_estimate(method, options.threads) {
        resources::check_memory(
            &format!("solving {}", game.name()),
            needed,
            options.memory,
            &instead,
        )?;
    }
    catch_interrupts().context("can't catch interrupts")?;
    make_folder(args, path)?;
    folder::check_scratch(args.scratch.as_deref())?;
    if args.scratch.is_some() && !game.can_use_files() {
        bar.note(&format!(
            "--scratch: nothing goes there, for {} is solved in memory",
            game.name()
        ));
    }
    let job = args.job(path, options);
    let solved = game.solve_to_file(&job, bar);
    bar.finish();
    let solved = match solved {
        // Another run has finished it while this one waited for its folder.
        Err(error) if !args.restart && is_there(&error) => return there(game, args, path),
        solved => solved.map_err(|error| with_advice(error, &instead))?,
    };
    // The result is read back from the table, as every later answer will be.
    let table = game.open(TableFile::open(path, Access::Mmap)?)?;
    let mut done = Done::of(game, args, path, &*table)?;
    done.times = Some(solved);
    done.seconds = began.elapsed().as_secs_f64();
    done.peak = resources::peak_memory();
    Ok(done)
}

/// What the first of several processes says of a table that they solve together, or that was there
/// already; nothing in the others.
fn by_several<'a>(
    game: &'a dyn AnyGame,
    args: &SolveArgs,
    path: &'a Path,
    is_there: bool,
    query: &str,
    team: &Team<'_>,
) -> anyhow::Result<Option<Done<'a>>> {
    let began = Instant::now();
    let options = args.resources.options();
    let instead = instead(game, query);
    let checked = || {
        if is_there {
            return Ok(());
        }
        if args.method() == Method::Search {
            bail!("--method search is for one process; without it several solve the game together");
        }
        if let Some(needed) = game.shared_memory_estimate(team.size(), options.threads) {
            let what = format!("solving its part of {}", game.name());
            resources::check_memory(&what, needed, options.memory, &instead)?;
        }
        catch_interrupts().context("can't catch interrupts")?;
        if team.is_first() {
            make_folder(args, path)?;
        }
        folder::check_scratch(args.scratch.as_deref())
    };
    processes::agree(Some(team), checked())?;
    // The first one's view counts: a table that the others don't see yet is there.
    if team.say(if is_there { "there" } else { "" })?[0] == "there" {
        return team.is_first().then(|| there(game, args, path)).transpose();
    }
    let solved = game.solve_to_file_shared(&args.job(path, options), team);
    let solved = match solved {
        Ok(solved) => solved,
        Err(error) => {
            let is_lost = matches!(*error.cause, SolveJobCause::Solve(SolveError::Lost));
            let is_there = team.is_first() && !args.restart && self::is_there(&error);
            // Another run has finished it while this one waited for its folder.
            let says = if is_there { "there" } else { "" };
            if !is_lost && team.say_at_the_end(says)?[0] == "there" {
                return team.is_first().then(|| there(game, args, path)).transpose();
            }
            return Err(with_advice(error, &instead));
        }
    };
    let peak = resources::peak_memory();
    let took = format!("{} {}", peak.unwrap_or(0), team.sent());
    let took = team.say_at_the_end(&took)?;
    let Some(solved) = solved else {
        return Ok(None);
    };
    let table = game.open(TableFile::open(path, Access::Mmap)?)?;
    let mut done = Done::of(game, args, path, &*table)?;
    done.times = Some(solved);
    done.seconds = began.elapsed().as_secs_f64();
    done.peak = peak;
    let reports = took.iter().map(|took| {
        let mut numbers = took.split(' ').map(|number| number.parse().ok());
        ProcessReport {
            peak_memory_bytes: numbers.next().flatten().filter(|&peak| peak > 0),
            sent_bytes: numbers.next().flatten(),
        }
    });
    done.processes = Some(reports.collect());
    Ok(Some(done))
}

impl SolveArgs {
    fn job<'a>(&'a self, path: &'a Path, options: SolveOptions) -> SolveJob<'a> {
        SolveJob {
            path,
            method: self.method(),
            options,
            write: WriteOptions {
                force: self.force,
                restart: self.restart,
                ..WriteOptions::default()
            },
            scratch: self.scratch.as_deref(),
        }
    }

    fn method(&self) -> Method {
        match self.method {
            MethodArg::Backward => Method::Backward,
            MethodArg::Search => Method::Search,
        }
    }
}

impl<'a> Done<'a> {
    /// What a table says.
    fn of(
        game: &'a dyn AnyGame,
        args: &SolveArgs,
        path: &'a Path,
        table: &dyn AnyTable,
    ) -> anyhow::Result<Done<'a>> {
        let value = if game.has_start() {
            Some(table.ask(None, Wanted::default())?)
        } else {
            None
        };
        Ok(Done {
            game,
            path,
            method: args.method(),
            options: args.resources.options(),
            times: None,
            classes: table.file().entries(),
            bytes: table.file().bytes(),
            value,
            move_noun: table.move_noun(),
            seconds: 0.0,
            peak: None,
            processes: None,
        })
    }

    fn bits_per_position(&self) -> f64 {
        8.0 * self.bytes as f64 / self.classes as f64
    }

    /// "2 threads", "4 processes, 2 threads each"
    fn workers(&self) -> String {
        let threads = threads(self.options.threads);
        match self.processes.as_ref().map(Vec::len) {
            None => threads,
            Some(1) => format!("1 process, {threads}"),
            Some(processes) => format!("{processes} processes, {threads} each"),
        }
    }

    fn seconds(&self) -> Seconds {
        let (times, in_all) = match &self.times {
            Some(solved) => (solved.times, solved.seconds),
            None => (SolveTimes::default(), 0.0),
        };
        Seconds {
            total: self.seconds,
            reach: times.reach,
            solve: times.solve,
            write: in_all - times.reach - times.solve,
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
            positions: self.classes,
            was_there: self.times.is_none(),
            method: self.times.map(|_| self.method.to_string()),
            threads: self.times.map(|_| self.options.threads),
            table: TableReport {
                path: self.path.to_string_lossy(),
                bytes: self.bytes,
                bits_per_position: self.bits_per_position(),
            },
            seconds: self.seconds(),
            peak_memory_bytes: self.peak,
            processes: self.processes.as_deref(),
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
        let classes = format!(
            "{} classes of {}positions",
            count(self.classes),
            if self.value.is_some() {
                "reachable "
            } else {
                ""
            },
        );
        let (path, size) = (self.path.display(), bytes(self.bytes));
        let bits = self.bits_per_position();
        if self.times.is_none() {
            writeln!(
                out,
                "{classes}, solved before: the table {path} was there already ({size}, {bits:.2} \
                 bits per class). --force solves the game anew.",
            )?;
            return Ok(());
        }
        writeln!(
            out,
            "{classes} solved in {:.1} s ({} method, {}: {:.1} s to find them, {:.1} s to solve \
             them, {:.1} s to write the table).",
            seconds.total,
            self.method,
            self.workers(),
            seconds.reach,
            seconds.solve,
            seconds.write,
        )?;
        let peak = match &self.processes {
            None => self
                .peak
                .map(|peak| format!(" Peak memory: {}.", bytes(peak))),
            Some(processes) => {
                let peaks = || processes.iter().map(|process| process.peak_memory_bytes);
                let known = || peaks().flatten();
                let range = known().min().zip(known().max());
                range.map(|(least, most)| {
                    let (least, most) = (bytes(least), bytes(most));
                    format!(" Peak memory of each process: {least} to {most}.")
                })
            }
        };
        let peak = peak.unwrap_or_default();
        writeln!(
            out,
            "Table: {path}, {size} ({bits:.2} bits per class).{peak}",
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

/// Whether nothing was solved because the table is there already.
fn is_there(error: &SolveJobError) -> bool {
    let exists = matches!(
        *error.cause,
        SolveJobCause::Write(WriteError::Exists { .. })
    );
    exists && error.kept_in.is_none()
}

/// Says where the work can go on, if it can, or what can be done instead.
fn with_advice(error: SolveJobError, instead: &str) -> anyhow::Error {
    let interrupted = matches!(
        *error.cause,
        SolveJobCause::Solve(SolveError::Interrupted)
            | SolveJobCause::Write(WriteError::Interrupted { .. })
    );
    let Some(folder) = error.kept_in else {
        return match *error.cause {
            SolveJobCause::Solve(error @ SolveError::Memory { .. }) => {
                anyhow!("{error}; {instead}")
            }
            SolveJobCause::Solve(SolveError::Interrupted) => {
                anyhow!("interrupted; no table was written")
            }
            cause => of(cause),
        };
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
