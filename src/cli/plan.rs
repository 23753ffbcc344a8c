//! `solve --plan`: estimates memory, disk and time of solving a game.

use super::program::Answer;
use super::stdout::print_result;
use super::ui::progress::clock;
use crate::any::AnyGame;
use crate::game::{Forecast, SolveOptions};
use crate::text::{bytes, bytes_up, count, counted};
use anyhow::Context;
use serde::Serialize;
use std::io::Write;
use std::time::Duration;

#[derive(Serialize)]
struct Report {
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
pub fn print(game: &dyn AnyGame, options: SolveOptions, json: bool) -> anyhow::Result<Answer> {
    let name = game.name();
    let unknown = || format!("there is no estimate for {name}\ntip: solve it without --plan");
    let forecast = game.forecast(options).with_context(unknown)?;
    let fits = forecast.memory_bytes <= options.memory;
    let report = Report {
        game: game.family(),
        rules: game.rules(),
        threads: options.threads,
        fits,
        allowed_memory_bytes: options.memory,
        forecast,
        name,
    };
    print_result(json, &report, |out| {
        let Report { name, forecast, .. } = &report;
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
