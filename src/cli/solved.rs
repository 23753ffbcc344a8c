//! The result of `solve`, as text and JSON.

use super::answer::who_wins_how;
use super::ui::style;
use crate::any::AnyGame;
use crate::game::{InWords, Outcome, Points, Side};
use crate::oracle::Wanted;
use crate::table::{Access, TableFile};
use crate::text::{bytes, count, counted};
use serde::Serialize;
use std::io::{self, Write};
use std::path::Path;

/// A solved game and the value of its start. Its JSON is a public interface.
#[derive(Serialize)]
pub(super) struct SolveReport {
    game: String,
    name: String,
    rules: String,
    score: Option<Points>,
    outcome: Option<&'static str>,
    /// Plies to the end; only if scores count plies.
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<u32>,
    best_moves: Option<Vec<String>>,
    classes: u64,
    /// Whether the table existed before, so that nothing was solved.
    pub(super) was_there: bool,
    /// `None` if nothing was solved; `threads` likewise.
    pub(super) method: Option<String>,
    pub(super) threads: Option<usize>,
    table: TableReport,
    pub(super) seconds: Seconds,
    pub(super) peak_memory_bytes: Option<u64>,
    /// The winner, the margin and the best moves, for the printed text.
    #[serde(skip)]
    headline: String,
}

#[derive(Serialize)]
struct TableReport {
    path: String,
    bytes: u64,
    bits_per_class: f64,
}

#[derive(Clone, Copy, Default, Serialize)]
pub(super) struct Seconds {
    pub(super) total: f64,
    pub(super) reach: f64,
    pub(super) solve: f64,
    pub(super) write: f64,
}

impl SolveReport {
    /// Returns the result from a table that exists.
    pub(super) fn of(game: &dyn AnyGame, path: &Path) -> anyhow::Result<SolveReport> {
        let table = game.open(TableFile::open(path, Access::Mmap)?)?;
        let value = match game.has_start() {
            true => Some(table.ask(None, Wanted::default(), None)?),
            false => None,
        };
        let bounds = value.as_ref().map(|value| value.first_player_bounds());
        let outcome = bounds.and_then(|bounds| bounds.outcome());
        let score = bounds.and_then(|bounds| bounds.score());
        let words = value.as_ref().zip(score);
        let words = words.map(|(value, score)| value.in_words_of(Side::First, score));
        let headline = value.as_ref().map_or_else(
            || "every position, for games from any start".to_owned(),
            |value| who_wins_how(value, table.move_noun()),
        );
        let (classes, bytes) = (table.file().entries(), table.file().bytes());
        Ok(SolveReport {
            game: game.family(),
            name: game.name(),
            rules: game.rules(),
            score: words.and_then(InWords::points),
            outcome: outcome.map(|outcome| match outcome {
                Outcome::Win => "first-player-win",
                Outcome::Draw => "draw",
                Outcome::Loss => "second-player-win",
            }),
            distance: words.and_then(InWords::distance),
            best_moves: value.map(|value| value.best_moves().map(str::to_owned).collect()),
            classes,
            was_there: true,
            method: None,
            threads: None,
            table: TableReport {
                path: path.to_string_lossy().into_owned(),
                bytes,
                bits_per_class: 8.0 * bytes as f64 / classes as f64,
            },
            seconds: Seconds::default(),
            peak_memory_bytes: None,
            headline,
        })
    }

    pub(super) fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let strong = style::STRONG;
        // The headline is not a sentence, so it needs no article.
        let headline = self.headline.strip_prefix("the ").unwrap_or(&self.headline);
        writeln!(out, "{strong}{}: {headline}.{strong:#}", self.name)?;
        let reachable = self.outcome.map_or("", |_| "reachable ");
        let classes = format!("{} classes of {reachable}positions", count(self.classes));
        let (path, bits) = (&self.table.path, self.table.bits_per_class);
        let size = bytes(self.table.bytes);
        if self.was_there {
            return writeln!(
                out,
                "{classes}, already solved: the table {path} exists ({size}, {bits:.2} bits per class). \
                 --force solves the game again.",
            );
        }
        writeln!(
            out,
            "{classes} solved in {:.1} s ({} method, {}: {:.1} s to find them, {:.1} s to solve \
             them, {:.1} s to write the table).",
            self.seconds.total,
            self.method.as_deref().unwrap_or_default(),
            counted(self.threads.unwrap_or_default(), "thread"),
            self.seconds.reach,
            self.seconds.solve,
            self.seconds.write,
        )?;
        let peak = self.peak_memory_bytes;
        let peak = peak.map(|peak| format!(" Peak memory: {}.", bytes(peak)));
        writeln!(
            out,
            "Table: {path}, {size} ({bits:.2} bits per class).{}",
            peak.unwrap_or_default()
        )
    }
}
