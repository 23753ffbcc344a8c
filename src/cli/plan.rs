//! `solve --plan`: what solving a game will take.

use super::program::Answer;
use super::solved::Seconds;
use super::stdout::results;
use super::ui::progress::clock;
use crate::any::AnyGame;
use crate::game::SolveOptions;
use crate::text::{bytes, bytes_up, count, counted};
use anyhow::Context;
use serde::Serialize;
use std::io::{self, Write};
use std::time::Duration;

#[derive(Serialize)]
struct Report {
    game: String,
    name: String,
    rules: String,
    positions: u64,
    threads: usize,
    fits: bool,
    memory_bytes: u64,
    least_memory_bytes: u64,
    allowed_memory_bytes: u64,
    files_bytes: u64,
    table_bytes: u64,
    seconds: Seconds,
}

/// Solved games of all sizes ask for at most a tenth more memory than the model says that they need at
/// least.
const ROOM: u64 = 10;

/// Prints what solving a game will take.
pub fn print(game: &dyn AnyGame, options: SolveOptions, json: bool) -> anyhow::Result<Answer> {
    let name = game.name();
    let unknown = || format!("there is no model of what solving {name} takes; solve it to see");
    let forecast = game.forecast(options).with_context(unknown)?;
    let (reach, solve, write) = (forecast.reach, forecast.solve, forecast.write);
    let report = Report {
        game: game.family(),
        rules: game.rules(),
        positions: forecast.classes,
        threads: options.threads,
        fits: forecast.memory <= options.memory,
        memory_bytes: forecast.memory,
        least_memory_bytes: forecast.least_memory,
        allowed_memory_bytes: options.memory,
        files_bytes: forecast.files,
        table_bytes: forecast.table,
        seconds: Seconds {
            total: reach + solve + write,
            reach,
            solve,
            write,
        },
        name,
    };
    let mut out = results();
    if json {
        writeln!(out, "{}", serde_json::to_string(&report)?)?;
    } else {
        report.print(&mut out)?;
    }
    Ok(if report.fits { Answer::Yes } else { Answer::No })
}

impl Report {
    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let (allowed, threads) = (self.allowed_memory_bytes, counted(self.threads, "thread"));
        let memory = bytes(allowed);
        writeln!(out, "{}, with {memory} of memory and {threads}", self.name)?;
        let positions = match self.positions {
            small @ ..1_000_000 => count(small),
            millions @ ..1_000_000_000 => format!("{:.1} million", millions as f64 / 1e6),
            billions => format!("{:.1} billion", billions as f64 / 1e9),
        };
        writeln!(out, "positions  about {positions}")?;
        let least = self.least_memory_bytes;
        if allowed >= least.saturating_add(least / ROOM) {
            writeln!(out, "memory     up to {}", bytes_up(self.memory_bytes))?;
        } else {
            let perhaps = if allowed >= least { "perhaps " } else { "" };
            let least = bytes_up(least);
            writeln!(
                out,
                "memory     {perhaps}too little: it needs about {least}"
            )?;
        }
        match self.files_bytes {
            0 => writeln!(out, "files      none beside the table")?,
            files => writeln!(out, "files      about {} beside the table", bytes_up(files))?,
        }
        writeln!(out, "table      about {}", bytes_up(self.table_bytes))?;
        let time = |seconds| clock(Duration::from_secs_f64(seconds));
        writeln!(
            out,
            "time       about {}: {} to find the positions, {} to solve, {} to write",
            time(self.seconds.total),
            time(self.seconds.reach),
            time(self.seconds.solve),
            time(self.seconds.write)
        )?;
        writeln!(
            out,
            "by a model; the time is that of a server of 2024, and other machines differ"
        )
    }
}
