//! `solve`: computes all scores of a game and writes its table.

use super::game::GameArgs;
use super::output::{self, Bar};
use super::resources::{self, Resources};
use super::{Answer, query};
use crate::game::{
    Notation, Outcome, Roots, Side, SolveError, SolveOptions, SolveTimes, best_moves,
};
use crate::solve::{Method, solve_with_journal};
use crate::table::{Access, Table, TableWriter, WriteError, WriteOptions, Written};
use crate::with_game;
use anyhow::Context;
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Compute the exact score of every reachable position of a game and write the table
///
/// Memory: some tens of megabytes for tic-tac-toe, Eight and small boards of Kalah, about 0.5 GB
/// for Kalah with 6 pits and 2 seeds. The program keeps to --memory: it takes the quickest way
/// within it (that game takes 0.31 GB at least, and then longer), and what can't be done within it
/// is refused with what it would need. As far as that can be known, it is refused at once;
/// otherwise when the reachable positions are counted.
///
/// The table grows in a folder beside its place, .NAME.partial, and moves there when it is
/// complete. An existing file is never replaced without --force. Should a long run be stopped or
/// killed, the same command goes on from what is in that folder, and --restart discards it.
#[derive(Debug, clap::Args)]
#[command(
    max_term_width = 100,
    disable_help_subcommand = true,
    after_help = "\
Examples:
  zermelo solve kalah --seeds 2
  zermelo solve kalah --pits 4 --seeds 3 --empty-capture --out small.bin
  zermelo solve tictactoe --method search --force --json"
)]
pub struct SolveArgs {
    #[command(subcommand)]
    game: GameArgs,

    /// How to compute the scores; both methods give the same table
    #[arg(
        long,
        value_name = "METHOD",
        default_value = "backward",
        value_enum,
        global = true
    )]
    method: MethodArg,

    /// The file to write [default: data/ttt.bin, data/kalah-6-2.bin, ...]
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

    /// How many threads to use [default: one a core]
    #[arg(long, value_name = "N", value_parser = resources::parse_threads, allow_negative_numbers = true, global = true)]
    threads: Option<usize>,

    /// The most memory to use, such as 8G or 500M [default: nine tenths of what is available]
    #[arg(long, value_name = "SIZE", value_parser = resources::parse_size, global = true)]
    memory: Option<u64>,
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
    game: &'a str,
    name: &'a str,
    rules: &'a str,
    score: Option<i32>,
    outcome: Option<&'a str>,
    best_moves: Option<&'a [String]>,
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

pub fn run(args: &SolveArgs) -> anyhow::Result<Answer> {
    let game = args.game.game()?;
    let path = args
        .out
        .clone()
        .unwrap_or_else(|| args.game.default_table());
    with_game!(&game, game => solve(game, args, &path))
}

fn solve<G: Notation>(game: &G, args: &SolveArgs, path: &Path) -> anyhow::Result<Answer> {
    let began = Instant::now();
    let resources = Resources {
        threads: args.threads,
        memory: args.memory,
    };
    let options = resources.options();
    let method = match args.method {
        MethodArg::Backward => Method::Backward,
        MethodArg::Search => Method::Search,
    };
    if let Some(needed) = crate::solve::memory_estimate(game, method, options.threads) {
        resources::check_memory(
            &format!("solving {}", game.name()),
            needed,
            options.memory,
            "allow more with --memory if the machine has it, or solve a smaller game",
        )?;
    }
    output::catch_interrupts().context("can't catch interrupts")?;
    let bar = Bar::new();
    let write_options = WriteOptions {
        force: args.force,
        restart: args.restart,
        ..WriteOptions::default()
    };
    let mut writer = TableWriter::begin(game, path, write_options, &bar).map_err(with_option)?;
    let solving = Instant::now();
    let (times, written) = match solve_and_write(game, method, options, &bar, &mut writer) {
        Ok(done) => done,
        Err(error) => return Err(with_advice(error, writer.kept_in())),
    };
    drop(writer);
    bar.finish();
    let positions = written.entries;
    let solving = solving.elapsed().as_secs_f64();

    // The result is read back from the table, as every later answer will be.
    let table = Table::open(path, Access::Mmap, game.clone())?;
    let value = match game.capabilities().solving.roots() {
        Roots::Start => Some(value_of_start(&table)?),
        Roots::Everywhere => None,
    };
    let seconds = Seconds {
        total: began.elapsed().as_secs_f64(),
        reach: times.reach,
        solve: times.solve,
        write: solving - times.reach - times.solve,
    };
    let bits_per_position = 8.0 * written.bytes as f64 / positions as f64;
    let peak = resources::peak_memory();
    let mut out = anstream::stdout().lock();
    if args.json {
        let report = Report {
            game: &game.family(),
            name: &game.name(),
            rules: &game.rules(),
            score: value.as_ref().map(|value| value.first_player_score),
            outcome: value
                .as_ref()
                .map(|value| match Outcome::of(value.first_player_score) {
                    Outcome::Win => "first-player-win",
                    Outcome::Draw => "draw",
                    Outcome::Loss => "second-player-win",
                }),
            best_moves: value.as_ref().map(|value| &value.best_moves[..]),
            positions,
            method: method.to_string(),
            threads: options.threads,
            table: TableReport {
                path: path.to_string_lossy(),
                bytes: written.bytes,
                bits_per_position,
            },
            seconds,
            peak_memory_bytes: peak,
        };
        writeln!(out, "{}", serde_json::to_string(&report)?)?;
        return Ok(Answer::Yes);
    }
    let strong = output::STRONG;
    let headline = match &value {
        Some(value) => query::who_wins_how(
            game,
            game.side_to_move(&game.start()),
            value.first_player_score,
            &value.best_moves,
        ),
        None => "every position, for games from any start".to_owned(),
    };
    writeln!(out, "{strong}{}: {headline}.{strong:#}", game.name())?;
    writeln!(
        out,
        "{} {}positions solved in {:.1} s ({} method, {}: {:.1} s to find them, {:.1} s to solve them, {:.1} s to write the table).",
        output::count(positions),
        if value.is_some() { "reachable " } else { "" },
        seconds.total,
        method,
        match options.threads {
            1 => "1 thread".to_owned(),
            threads => format!("{threads} threads"),
        },
        seconds.reach,
        seconds.solve,
        seconds.write,
    )?;
    writeln!(
        out,
        "Table: {}, {} ({bits_per_position:.2} bits a position).{}",
        path.display(),
        output::bytes(written.bytes),
        peak.map_or_else(String::new, |peak| format!(
            " Peak memory: {}.",
            output::bytes(peak)
        )),
    )?;
    Ok(Answer::Yes)
}

fn solve_and_write<G: Notation>(
    game: &G,
    method: Method,
    options: SolveOptions,
    bar: &Bar,
    writer: &mut TableWriter<G>,
) -> anyhow::Result<(SolveTimes, Written)> {
    let mut times = SolveTimes::default();
    if !writer.is_complete() {
        let solved = solve_with_journal(game, method, options, bar, writer)?;
        times = solved.times;
        resources::pool(options.threads)?.install(|| writer.write(&solved.solution))?;
    }
    Ok((times, writer.finish().map_err(with_option)?))
}

/// Says which option helps, where one does.
fn with_option(error: WriteError) -> anyhow::Error {
    let advice = match &error {
        WriteError::Exists { .. } => "choose another name, or replace it with --force",
        WriteError::Unfinished { .. } => {
            "finish it, choose another name, or discard it with --restart"
        }
        _ => return error.into(),
    };
    anyhow::anyhow!("{error}; {advice}")
}

/// Says where the work can go on, if it can.
fn with_advice(error: anyhow::Error, kept_in: Option<&Path>) -> anyhow::Error {
    let Some(folder) = kept_in else {
        return error;
    };
    let interrupted = matches!(error.downcast_ref(), Some(SolveError::Interrupted))
        || matches!(error.downcast_ref(), Some(WriteError::Interrupted { .. }));
    let (what, who) = match interrupted {
        true => ("interrupted".to_owned(), "the same command"),
        false => (format!("{error:#}"), "a later run"),
    };
    anyhow::anyhow!(
        "{what}; what is done so far is kept in {}: {who} goes on from there, or starts anew with --restart",
        folder.display()
    )
}

struct Value {
    first_player_score: i32,
    best_moves: Vec<String>,
}

fn value_of_start<G: Notation>(table: &Table<G>) -> anyhow::Result<Value> {
    let game = table.game();
    let moves = table.play_scores(&game.start())?;
    let (_, score) = *moves.first().context("a start without moves")?;
    Ok(Value {
        first_player_score: game.seen_from(Side::First, &game.start(), score),
        best_moves: best_moves(&moves).map(|mv| game.format_move(mv)).collect(),
    })
}
