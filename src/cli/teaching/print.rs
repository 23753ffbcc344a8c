//! The results of the searches as text and JSON.

use super::tree;
use crate::any::AnyGame;
use crate::cli::ui::grid::{Grid, output_width};
use crate::cli::ui::style;
use crate::draw::plot::{LOOKS, Look, Series, lines};
use crate::oracle::{Compared, Comparison, Run, RunResult, SearchMethod};
use crate::search::{Algorithm, Counts, Order, Visit};
use crate::text::{bytes, count, percent, signed};
use anyhow::bail;
use serde::Serialize;
use std::io::Write;
use std::path::Path;

/// The results to print.
pub struct Report<'a> {
    pub game: &'a dyn AnyGame,
    pub comparison: &'a Comparison,
    pub compared: &'a Compared,
    /// The reason why the result is incomplete, if it is.
    pub failure: Option<&'a str>,
}

/// The result as JSON, a stable format. Values are seen from the side to move.
#[derive(Serialize)]
struct JsonReport<'a> {
    game: String,
    name: String,
    rules: String,
    position: &'a str,
    to_move: String,
    /// The name of the estimate that replaces the score at the depth limit.
    estimate: Option<&'static str>,
    limit_seconds: Option<f64>,
    table_bytes: u64,
    order: Order,
    interrupted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    searches: Vec<Record<'a>>,
}

/// A search as JSON.
#[derive(Serialize)]
struct Record<'a> {
    method: String,
    /// `None`: to the end of the game.
    depth: Option<u32>,
    /// "finished", "over limit", "interrupted" or "not tried". The counts of "over limit" and
    /// "interrupted" are those up to the stop.
    status: &'static str,
    value: Option<i32>,
    best_move: Option<&'a str>,
    #[serde(flatten)]
    counts: Counts,
    /// The nodes as a share of those of the first method at this depth.
    ratio: Option<f64>,
    seconds: f64,
    /// The line of best play, if several depths are searched and this is the last method.
    line: Option<&'a [String]>,
}

/// The tree of a search as JSON, a stable format.
#[derive(Serialize)]
struct JsonTree<'a> {
    game: String,
    rules: String,
    method: String,
    depth: Option<u32>,
    order: Order,
    visits: &'a [Visit],
}

/// The name of a column, and the function that formats its measure.
type Measure = (&'static str, fn(&Report<'_>, &Run) -> Option<String>);

const MEASURES: [Measure; 7] = [
    ("nodes", |_, run| Some(count(run.counts.nodes))),
    ("evaluations", |_, run| Some(count(run.counts.evaluations))),
    ("cutoffs", |_, run| Some(count(run.counts.cutoffs))),
    ("table hits", |_, run| {
        run.method.has_table.then(|| count(run.counts.table_hits))
    }),
    ("table stores", |_, run| {
        run.method.has_table.then(|| count(run.counts.table_stores))
    }),
    ("nodes of the first", |report, run| {
        report.ratio(run).map(share)
    }),
    ("seconds", |_, run| {
        Some(format!("{:.3}", run.time.as_secs_f64()))
    }),
];

/// Formats a ratio to the first method as a percentage.
fn share(ratio: f64) -> String {
    if ratio > 1.0 {
        format!("{:.0}%", 100.0 * ratio)
    } else if (0.1..1.0).contains(&ratio) {
        format!("{:.1}%", 100.0 * ratio)
    } else {
        percent(ratio)
    }
}

impl Report<'_> {
    /// Returns the nodes of a finished search, relative to the first method at the same depth.
    fn ratio(&self, run: &Run) -> Option<f64> {
        let mut runs = self.compared.runs.iter();
        let first = runs.find(|first| {
            first.depth == run.depth && Some(&first.method) == self.comparison.methods.first()
        })?;
        let are_finished = first.is_finished() && run.is_finished();
        are_finished.then(|| run.counts.nodes as f64 / first.counts.nodes as f64)
    }

    pub fn text(&self, out: &mut impl Write) -> anyhow::Result<()> {
        let (strong, faint) = (style::STRONG, style::FAINT);
        let (position, game) = (&self.compared.position, self.game.name());
        writeln!(out, "{strong}{position}{strong:#}  {faint}{game}{faint:#}")?;
        writeln!(out, "{}", self.sentences().join("\n"))?;
        let width = output_width();
        for grid in self.grids() {
            if grid.title.is_empty() {
                write!(out, "{}", grid.render(width))?;
            } else {
                write!(out, "\n{}", grid.render(width))?;
            }
        }
        let lines = self.lines();
        if !lines.is_empty() {
            let (from, to) = ("best play to each depth", "[the first change]");
            writeln!(
                out,
                "\n{strong}{from}{strong:#}  {faint}{to}{faint:#}\n{}",
                lines.join("\n")
            )?;
        }
        for remark in self.remarks() {
            writeln!(out, "\n{remark}")?;
        }
        Ok(())
    }

    pub fn json(&self, out: &mut impl Write) -> anyhow::Result<()> {
        let report = JsonReport {
            game: self.game.family(),
            name: self.game.name(),
            rules: self.game.rules(),
            position: &self.compared.position,
            to_move: self.compared.to_move.to_string(),
            estimate: self.estimate(),
            limit_seconds: self.comparison.limit.map(|limit| limit.as_secs_f64()),
            table_bytes: self.comparison.table_bytes,
            order: self.comparison.order,
            interrupted: self.compared.is_interrupted,
            error: self.failure,
            searches: self.records().collect(),
        };
        writeln!(out, "{}", serde_json::to_string(&report)?)?;
        Ok(())
    }

    /// Writes the tree of a search; does nothing if the search isn't finished.
    pub fn write_tree(&self, path: &Path, run: &Run) -> anyhow::Result<()> {
        if !run.is_finished() {
            return Ok(());
        }
        let Some(visits) = &run.tree else {
            bail!("the tree has 100,000 visits or more\ntip: a smaller --tree-depth")
        };
        let json = serde_json::to_string(&JsonTree {
            game: self.game.family(),
            rules: self.game.rules(),
            method: run.method.to_string(),
            depth: run.depth,
            order: self.comparison.order,
            visits,
        })?;
        let title = format!("{}: {}", self.game.name(), run.method);
        tree::write(path, &title, &(json + "\n"), visits)
    }

    /// Returns the line of best play to each depth, with the first move that changed in brackets.
    fn lines(&self) -> Vec<String> {
        let found = |run: &Run| Some((run.depth?, run.line.clone()?));
        let all: Vec<(u32, Vec<String>)> = self.compared.runs.iter().filter_map(found).collect();
        let mut before: &[String] = &[];
        let lines = all.iter().map(|(depth, line)| {
            let changed = before
                .iter()
                .zip(line)
                .position(|(one, other)| one != other);
            before = line;
            let mark = |(number, mv): (usize, &String)| match changed {
                Some(changed) if changed == number => format!("[{mv}]"),
                _ => mv.clone(),
            };
            let moves: Vec<String> = line.iter().enumerate().map(mark).collect();
            format!("{depth:>5}  {}", moves.join(" "))
        });
        lines.collect()
    }

    /// Returns the name of the estimate at the depth limit, or `None` without a limit.
    fn estimate(&self) -> Option<&'static str> {
        (!self.comparison.depths.is_empty()).then_some("the static evaluation")
    }

    /// Describes how far the searches looked and from whose side the values are seen.
    fn sentences(&self) -> [String; 2] {
        let side = self.compared.to_move;
        let depths = &self.comparison.depths[..];
        let how_far = match depths {
            [] => "to the end of the game".to_owned(),
            [1] => "1 move ahead".to_owned(),
            [only] => format!("{only} moves ahead"),
            [first, .., last] => format!("{first} to {last} moves ahead"),
        };
        let beyond = self.estimate().map_or_else(String::new, |estimate| {
            format!("; a position there is worth {estimate}")
        });
        [
            format!("Searched {how_far}{}{beyond}.", self.order()),
            format!("Values are those of the {side} player, who is to move."),
        ]
    }

    /// Says in which order moves are searched, if it isn't the game's own.
    fn order(&self) -> String {
        match self.comparison.order {
            Order::Own => String::new(),
            Order::Best => ", the best moves first".into(),
            Order::Worst => ", the worst moves first".into(),
            Order::Static => ", moves by their static evaluation".into(),
            Order::Random(seed) => format!(", moves in random order {seed}"),
        }
    }

    fn records(&self) -> impl Iterator<Item = Record<'_>> {
        self.compared.runs.iter().map(|run| {
            let (value, best_move) = match &run.outcome {
                RunResult::Found { value, best_move } => (Some(*value), best_move.as_deref()),
                _ => (None, None),
            };
            Record {
                method: run.method.to_string(),
                depth: run.depth,
                status: match run.outcome {
                    RunResult::Found { .. } => "finished",
                    RunResult::OverLimit => "over limit",
                    RunResult::Interrupted => "interrupted",
                    RunResult::NotTried => "not tried",
                },
                value,
                best_move,
                counts: run.counts,
                ratio: self.ratio(run),
                seconds: run.time.as_secs_f64(),
                line: run.line.as_deref(),
            }
        })
    }

    /// Returns a grid with a row per method.
    ///
    /// For several depths, returns a grid per measure, each with a row per depth.
    fn grids(&self) -> Vec<Grid> {
        match self.comparison.depths.len() {
            0 | 1 => vec![self.by_method()],
            _ => self.by_depth(),
        }
    }

    fn measures(&self) -> impl Iterator<Item = (String, Measure)> {
        let first = self.comparison.methods.first();
        let first = first.map_or_else(String::new, ToString::to_string);
        MEASURES.into_iter().map(move |measure| {
            let name = match measure.0 {
                "nodes of the first" => format!("of {first}"),
                name => name.to_owned(),
            };
            (name, measure)
        })
    }

    fn by_method(&self) -> Grid {
        let mut grid = Grid::new("", "method");
        for run in &self.compared.runs {
            let row = run.method.to_string();
            let (value, best_move) = match &run.outcome {
                RunResult::Found { value, best_move } => {
                    (signed(*value), best_move.clone().unwrap_or_default())
                }
                other => (unfinished(other).to_owned(), String::new()),
            };
            grid.set(&row, "value", value);
            grid.set(&row, "move", best_move);
            for (column, (_, measure)) in self.measures() {
                let text = match &run.outcome {
                    RunResult::Found { .. } => measure(self, run),
                    RunResult::NotTried => None,
                    _ if column == "nodes" => Some(format!(">{}", count(run.counts.nodes))),
                    _ if column == "seconds" => measure(self, run),
                    _ => None,
                };
                grid.set(&row, &column, text.unwrap_or_default());
            }
        }
        grid
    }

    /// Returns whether a run is shown in the grid of a measure.
    ///
    /// After an interrupt, the grid of nodes shows only depths at which a search was started, and
    /// other grids only depths at which one is finished.
    fn is_shown(&self, run: &Run, measure: &str) -> bool {
        let mut at_depth = self
            .compared
            .runs
            .iter()
            .filter(|other| other.depth == run.depth);
        !self.compared.is_interrupted
            || at_depth.any(|other| match other.outcome {
                RunResult::NotTried => false,
                _ => measure == "nodes" || other.is_finished(),
            })
    }

    fn by_depth(&self) -> Vec<Grid> {
        let mut grids = Vec::new();
        for (name, (_, measure)) in self.measures() {
            let is_of_table = name.starts_with("table ");
            let title = match name.strip_prefix("of ") {
                Some(first) => format!("nodes, of those of {first}"),
                None => name.clone(),
            };
            let mut grid = Grid::new(title, "depth");
            let mut has_any = false;
            // Print in the order of the command line, not in the order of completion.
            let runs = self.compared.runs.iter();
            let runs = runs.filter(|run| !is_of_table || run.method.has_table);
            for run in runs.filter(|run| self.is_shown(run, &name)) {
                let row = run
                    .depth
                    .map_or_else(String::new, |depth| depth.to_string());
                if name == "nodes" {
                    if let RunResult::Found { value, best_move } = &run.outcome {
                        grid.set(&row, "value", signed(*value));
                        grid.set(&row, "move", best_move.clone().unwrap_or_default());
                    } else {
                        grid.set_if_empty(&row, "value");
                        grid.set_if_empty(&row, "move");
                    }
                }
                let text = match &run.outcome {
                    RunResult::Found { .. } => measure(self, run),
                    RunResult::NotTried => Some("-".to_owned()),
                    _ if name == "nodes" => Some(format!(">{}", count(run.counts.nodes))),
                    _ => Some("-".to_owned()),
                };
                if let Some(text) = text {
                    has_any = true;
                    grid.set(&row, &run.method.to_string(), text);
                }
            }
            if has_any {
                grids.push(grid);
            }
        }
        grids
    }

    /// Returns further remarks, each of a sentence or two.
    fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        let methods = |wanted: fn(&Run) -> bool| {
            let mut methods: Vec<SearchMethod> = Vec::new();
            for run in self.compared.runs.iter().filter(|&run| wanted(run)) {
                if !methods.contains(&run.method) {
                    methods.push(run.method);
                }
            }
            let names: Vec<String> = methods.iter().map(ToString::to_string).collect();
            (!names.is_empty()).then(|| names.join(", "))
        };
        if let (Some(names), Some(limit)) = (
            methods(|run| run.outcome == RunResult::OverLimit),
            self.comparison.limit,
        ) {
            remarks.push(format!(
                "Not finished within {} s: {names}.",
                limit.as_secs_f64()
            ));
        }
        // Even in a large table, a few entries in a hundred thousand collide. That matters little.
        let is_short = |run: &Run| run.counts.table_replacements > run.counts.table_stores / 100;
        if let Some(names) = methods(is_short) {
            remarks.push(format!(
                "A table of {} was too small for all positions, so it saved less work: {names}. \
                 Allow more with --memory.",
                bytes(self.comparison.table_bytes)
            ));
        }
        remarks
    }
}

fn unfinished(outcome: &RunResult) -> &'static str {
    match outcome {
        RunResult::Interrupted => "interrupted",
        RunResult::NotTried => "not tried",
        _ => "not finished",
    }
}

/// Draws the nodes of the finished searches over the depths; `None` if no search is finished.
pub fn chart(report: &Report<'_>) -> Option<String> {
    let runs = &report.compared.runs;
    let series = |&method: &SearchMethod| {
        let own = runs.iter().filter(|run| run.method == method);
        let finished = own.filter(|run| run.is_finished());
        Series {
            name: method.to_string(),
            look: look(method),
            points: finished
                .filter_map(|run| Some((run.depth?, run.counts.nodes)))
                .collect(),
        }
    };
    let all = report.comparison.methods.iter().map(series);
    let all: Vec<Series> = all.filter(|series| !series.points.is_empty()).collect();
    let title = format!("{}: nodes by method and depth", report.game.name());
    (!all.is_empty()).then(|| lines(&title, &report.compared.position, &all))
}

/// Returns the look of a method: a colour for each algorithm, hollow with a table.
fn look(method: SearchMethod) -> Look {
    let kind = Algorithm::ALL
        .iter()
        .position(|&algorithm| algorithm == method.algorithm);
    Look {
        kind: kind.unwrap_or(0) % LOOKS,
        is_hollow: method.has_table,
    }
}
