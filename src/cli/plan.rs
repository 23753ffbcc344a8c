//! `solve --plan`: what solving a game will take.

use super::stdout::results;
use super::ui::numbers::{bytes, bytes_up, threads};
use super::ui::progress::{Bar, catch_interrupts, clock};
use super::{Answer, Families};
use crate::any::{AnyGame, SolveJob, game_of_rules};
use crate::game::{Forecast, SolveOptions, Work};
use crate::solve::Method;
use crate::table::WriteOptions;
use anyhow::{Context, anyhow};
use serde::Serialize;
use std::io::Write;
use std::time::Duration;

#[derive(Serialize)]
struct Report<'a> {
    game: String,
    name: &'a str,
    rules: String,
    positions: u64,
    threads: usize,
    fits: bool,
    memory_bytes: u64,
    allowed_memory_bytes: u64,
    files_bytes: u64,
    table_bytes: u64,
    seconds: Seconds,
    /// The game that was solved to know how fast the machine is.
    measured: String,
}

#[derive(Clone, Copy, Serialize)]
struct Seconds {
    total: f64,
    reach: f64,
    solve: f64,
    write: f64,
}

/// Solves the game that others are measured with, and prints what this one will take.
pub fn print(
    game: &dyn AnyGame,
    options: SolveOptions,
    json: bool,
    families: Families<'_>,
    bar: &Bar,
) -> anyhow::Result<Answer> {
    let name = game.name();
    let forecast = game.forecast(options).zip(game.yardstick());
    let (forecast, yardstick) = forecast.ok_or_else(|| {
        anyhow!("there is no model of what solving {name} takes; solve it to see")
    })?;
    let yardstick = game_of_rules(&yardstick, families)?;
    let pace = pace(&*yardstick, options, bar)?;
    let seconds = Seconds {
        reach: forecast.work.reach * pace.reach,
        solve: forecast.work.solve * pace.solve,
        write: forecast.work.write * pace.write,
        total: forecast.work.reach * pace.reach
            + forecast.work.solve * pace.solve
            + forecast.work.write * pace.write,
    };
    let fits = forecast.memory <= options.memory;
    let mut out = results();
    if json {
        let report = Report {
            game: game.family(),
            name: &name,
            rules: game.rules(),
            positions: forecast.classes,
            threads: options.threads,
            fits,
            memory_bytes: forecast.memory,
            allowed_memory_bytes: options.memory,
            files_bytes: forecast.files,
            table_bytes: forecast.table,
            seconds,
            measured: yardstick.name(),
        };
        writeln!(out, "{}", serde_json::to_string(&report)?)?;
    } else {
        let with = (bytes(options.memory), threads(options.threads));
        writeln!(out, "{name}, with {} of memory and {}", with.0, with.1)?;
        print_forecast(&mut out, &forecast, fits, seconds, &yardstick.name())?;
    }
    Ok(if fits { Answer::Yes } else { Answer::No })
}

fn print_forecast(
    out: &mut impl Write,
    forecast: &Forecast,
    fits: bool,
    seconds: Seconds,
    yardstick: &str,
) -> anyhow::Result<()> {
    let positions = match forecast.classes {
        small @ ..1_000_000 => small.to_string(),
        millions @ ..1_000_000_000 => format!("{:.1} million", millions as f64 / 1e6),
        billions => format!("{:.1} billion", billions as f64 / 1e9),
    };
    writeln!(out, "positions  about {positions}")?;
    let memory = bytes_up(forecast.memory);
    match fits {
        true => writeln!(out, "memory     up to {memory}")?,
        false => writeln!(out, "memory     too little: it needs about {memory}")?,
    }
    match forecast.files {
        0 => writeln!(out, "files      none beside the table")?,
        files => writeln!(out, "files      about {} beside the table", bytes_up(files))?,
    }
    writeln!(out, "table      about {}", bytes_up(forecast.table))?;
    let time = |seconds| clock(Duration::from_secs_f64(seconds));
    writeln!(
        out,
        "time       about {}: {} to find the positions, {} to solve, {} to write",
        time(seconds.total),
        time(seconds.reach),
        time(seconds.solve),
        time(seconds.write)
    )?;
    writeln!(
        out,
        "by a model, and the time that {yardstick} has just taken on this machine"
    )?;
    Ok(())
}

/// How many seconds a unit of each kind of work takes here.
fn pace(game: &dyn AnyGame, options: SolveOptions, bar: &Bar) -> anyhow::Result<Work> {
    let name = game.name();
    let forecast = game
        .forecast(options)
        .with_context(|| format!("there is no model of {name}"))?;
    catch_interrupts().context("can't catch interrupts")?;
    let folder = tempfile::tempdir().context("can't make a temporary folder")?;
    let job = SolveJob {
        path: &folder.path().join("table.bin"),
        method: Method::Backward,
        options,
        write: WriteOptions::default(),
        scratch: None,
    };
    let solved = game.solve_to_file(&job, bar);
    bar.finish();
    let solved = solved.with_context(|| format!("can't solve {name} to measure the time"))?;
    let (times, work) = (solved.times, forecast.work);
    Ok(Work {
        reach: times.reach / work.reach,
        solve: times.solve / work.solve,
        write: (solved.seconds - times.reach - times.solve) / work.write,
    })
}
