//! What `solve` says when it has a table.

use super::answer::who_wins_how;
use super::ui::numbers::{bytes, count, threads};
use super::ui::style;
use crate::any::{AnyGame, AnyTable, SolvedTable};
use crate::game::{Outcome, SolveOptions, SolveTimes};
use crate::oracle::{self, Wanted};
use crate::solve::Method;
use serde::Serialize;
use std::io::{self, Write};
use std::path::Path;

#[derive(Serialize)]
pub(super) struct Report<'a> {
    pub(super) game: String,
    pub(super) name: String,
    pub(super) rules: String,
    pub(super) score: Option<i32>,
    pub(super) outcome: Option<&'static str>,
    pub(super) best_moves: Option<Vec<&'a str>>,
    /// Classes of positions.
    pub(super) positions: u64,
    /// The table was there already, and nothing was solved.
    pub(super) was_there: bool,
    /// None if nothing was solved, and so the next.
    pub(super) method: Option<String>,
    pub(super) threads: Option<usize>,
    pub(super) table: TableReport<'a>,
    pub(super) seconds: Seconds,
    pub(super) peak_memory_bytes: Option<u64>,
    /// Only if several processes were started together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) processes: Option<&'a [ProcessReport]>,
}

#[derive(Serialize)]
pub(super) struct ProcessReport {
    pub(super) peak_memory_bytes: Option<u64>,
    /// To other processes.
    pub(super) sent_bytes: Option<u64>,
}

#[derive(Serialize)]
pub(super) struct TableReport<'a> {
    pub(super) path: std::borrow::Cow<'a, str>,
    pub(super) bytes: u64,
    pub(super) bits_per_position: f64,
}

#[derive(Serialize)]
pub(super) struct Seconds {
    pub(super) total: f64,
    pub(super) reach: f64,
    pub(super) solve: f64,
    pub(super) write: f64,
}

/// A game that is solved, and what its table says of its start.
pub(super) struct Done<'a> {
    pub(super) game: &'a dyn AnyGame,
    pub(super) path: &'a Path,
    pub(super) method: Method,
    pub(super) options: SolveOptions,
    /// None if the table was there already.
    pub(super) times: Option<SolvedTable>,
    pub(super) classes: u64,
    pub(super) bytes: u64,
    pub(super) value: Option<oracle::Answer>,
    pub(super) move_noun: &'static str,
    pub(super) seconds: f64,
    pub(super) peak: Option<u64>,
    /// What each process took, if there were several.
    pub(super) processes: Option<Vec<ProcessReport>>,
}

impl<'a> Done<'a> {
    /// What a table says.
    pub(super) fn of(
        game: &'a dyn AnyGame,
        (method, options): (Method, SolveOptions),
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
            method,
            options,
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

    pub(super) fn bits_per_position(&self) -> f64 {
        8.0 * self.bytes as f64 / self.classes as f64
    }

    /// "2 threads", "4 processes, 2 threads each"
    pub(super) fn workers(&self) -> String {
        let threads = threads(self.options.threads);
        match self.processes.as_ref().map(Vec::len) {
            None => threads,
            Some(1) => format!("1 process, {threads}"),
            Some(processes) => format!("{processes} processes, {threads} each"),
        }
    }

    pub(super) fn seconds(&self) -> Seconds {
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

    pub(super) fn report(&self) -> Report<'_> {
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

    pub(super) fn print(&self, out: &mut impl Write) -> io::Result<()> {
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
