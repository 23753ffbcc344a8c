//! `info`: the rules, counts, sizes and scores of a table.

use super::output::print_result;
use super::program::{Answer, Program, arguments};
use super::table::{DIRECTORY_HELP, TableArgs, open_book};
use super::ui::grid::Grid;
use super::ui::style;
use crate::any::AnyTable;
use crate::game::{Points, distance};
use crate::table::{CheckedFile, FORMAT_VERSION, Layout, Outcomes, Sections};
use crate::text::{count, counted, hex, plies, signed};
use clap::{ArgMatches, Args, Command};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;

/// Show what a table contains: rules, counts, outcomes and scores
///
/// Outcomes, scores and distances are those of the side to move, for the rest of the game. Only the
/// description at the end of the file is read, so the answer comes at once.
#[derive(Debug, Args)]
struct InfoArgs {
    #[command(flatten)]
    table: TableArgs,

    /// Print the result as one line of JSON
    #[arg(long, help_heading = "Output")]
    json: bool,
}

/// Contents of a table. Its JSON is a public interface.
#[derive(Serialize)]
pub struct Report {
    pub path: String,
    pub game: String,
    pub name: String,
    pub rules: String,
    pub format_version: u32,
    pub layout: &'static str,
    pub classes: u64,
    pub bytes: u64,
    pub bits_per_class: f64,
    pub sections: Sections,
    pub blocks: u64,
    pub sha256: String,
    #[serde(flatten)]
    pub outcomes: Outcomes,
    #[serde(flatten)]
    pub distances: Option<Distances>,
    pub layer_name: String,
    pub by_layer: Vec<Layer>,
}

#[derive(Serialize)]
pub struct Layer {
    pub layer: u32,
    pub classes: u64,
    #[serde(flatten)]
    pub outcomes: Outcomes,
    #[serde(flatten)]
    pub points: Option<PointsOf>,
    #[serde(flatten)]
    pub distances: Option<Distances>,
    /// Number of slots, with an entry or not; only for ranked tables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slots: Option<u64>,
    /// Bytes of the layer's blocks; only for ranked tables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

/// Scores of a game that counts points.
#[derive(Serialize)]
pub struct PointsOf {
    pub lowest_score: Points,
    pub highest_score: Points,
    pub mean_score: f64,
    pub scores: BTreeMap<Points, u64>,
}

impl PointsOf {
    fn of(scores: BTreeMap<i32, u64>, decimals: u32) -> PointsOf {
        let points = |(units, count)| (Points { units, decimals }, count);
        let scores: BTreeMap<Points, u64> = scores.into_iter().map(points).collect();
        let total = |(score, &count): (&Points, &u64)| score.value() * count as f64;
        let classes: u64 = scores.values().sum();
        let none = Points { units: 0, decimals };
        PointsOf {
            lowest_score: scores.keys().next().copied().unwrap_or(none),
            highest_score: scores.keys().next_back().copied().unwrap_or(none),
            mean_score: scores.iter().map(total).sum::<f64>() / classes as f64,
            scores,
        }
    }
}

/// Distances in a game that counts plies: the longest, and classes by plies to the end.
#[derive(Default, Serialize)]
pub struct Distances {
    pub longest_win: Option<u32>,
    pub longest_loss: Option<u32>,
    pub wins_by_distance: BTreeMap<u32, u64>,
    pub losses_by_distance: BTreeMap<u32, u64>,
}

impl Distances {
    fn of(scores: &BTreeMap<i32, u64>) -> Distances {
        let mut of = Distances::default();
        for (&score, &count) in scores {
            let by_distance = match score {
                1.. => &mut of.wins_by_distance,
                _ => &mut of.losses_by_distance,
            };
            if let Some(plies) = distance(score) {
                *by_distance.entry(plies).or_default() += count;
            }
        }
        of.longest_win = of.wins_by_distance.keys().next_back().copied();
        of.longest_loss = of.losses_by_distance.keys().next_back().copied();
        of
    }

    /// Returns the longest win and the longest loss: "173 plies".
    fn longest(&self) -> [String; 2] {
        let longest = |number: Option<u32>| number.map_or("none".to_owned(), plies);
        [longest(self.longest_win), longest(self.longest_loss)]
    }
}

pub fn describe(command: Command, program: &Program<'_>) -> Command {
    InfoArgs::augment_args(command)
        .override_usage(format!("{} info [OPTIONS] <TABLE>", program.name))
        .after_help(program.examples(DIRECTORY_HELP, &["info TABLE"]))
}

pub fn run(matches: &ArgMatches, program: &Program<'_>) -> anyhow::Result<Answer> {
    let args: InfoArgs = arguments(matches)?;
    let table = open_book(&args.table.path(), args.table.no_mmap, program.families)?;
    let report = report(&*table)?;
    print_result(args.json, &report, |out| print(&report, out))?;
    Ok(Answer::Yes)
}

pub fn report(table: &dyn AnyTable) -> anyhow::Result<Report> {
    let file = table.file();
    let classes = file.entries();
    let scores = file.histogram().into_iter().collect();
    Ok(Report {
        path: file.path().display().to_string(),
        game: file.family().to_owned(),
        name: file.game_name().to_owned(),
        rules: file.rules().to_owned(),
        format_version: FORMAT_VERSION,
        layout: match file.metadata().layout {
            Layout::Ranked(ref ranked) if ranked.derived.is_empty() => "ranked, by context",
            Layout::Ranked(_) => "ranked, half derived, by context",
            Layout::Keyed(_) => "keyed",
        },
        classes,
        bytes: file.bytes(),
        bits_per_class: 8.0 * file.bytes() as f64 / classes as f64,
        sections: file.sections(),
        blocks: file.blocks(),
        sha256: hex(file.digest()),
        outcomes: file.outcomes(),
        distances: file.counts_plies().then(|| Distances::of(&scores)),
        layer_name: file.layer_name().to_owned(),
        by_layer: by_layer(file, table.decimals().unwrap_or(0))?,
    })
}

fn by_layer(file: &CheckedFile, decimals: u32) -> anyhow::Result<Vec<Layer>> {
    let sizes = file.layer_sizes()?;
    let mut layers: BTreeMap<u32, BTreeMap<i32, u64>> = BTreeMap::new();
    for (layer, score, count) in file.counts() {
        *layers.entry(layer).or_default().entry(score).or_default() += count;
    }
    let layers = file.layers().into_iter().map(|(layer, outcomes)| {
        let scores = layers.remove(&layer).unwrap_or_default();
        let classes = outcomes.total();
        let size = sizes.get(&layer);
        let counts_plies = file.counts_plies();
        Layer {
            layer,
            classes,
            outcomes,
            distances: counts_plies.then(|| Distances::of(&scores)),
            points: (!counts_plies).then(|| PointsOf::of(scores, decimals)),
            slots: size.map(|size| size.slots),
            bytes: size.map(|size| size.bytes),
        }
    });
    Ok(layers.collect())
}

fn print(report: &Report, out: &mut impl Write) -> anyhow::Result<()> {
    let strong = style::STRONG;
    writeln!(out, "{strong}{}{strong:#}  {}", report.name, report.path)?;
    writeln!(out, "Rules:      {}", report.rules)?;
    let outcomes = &report.outcomes;
    writeln!(
        out,
        "Classes:    {} ({} wins, {} draws, {} losses of the side to move)",
        count(report.classes),
        count(outcomes.wins),
        count(outcomes.draws),
        count(outcomes.losses)
    )?;
    if let Some(distances) = &report.distances {
        let [win, loss] = distances.longest();
        writeln!(out, "Longest win:  {win}\nLongest loss: {loss}")?;
    }
    let (bytes, bits) = (count(report.bytes), report.bits_per_class);
    writeln!(out, "Size:       {bytes} bytes, {bits:.2} bits per class")?;
    let sections = &report.sections;
    writeln!(
        out,
        "Sections:   header {}, blocks {}, index {}, metadata {}",
        count(sections.header),
        count(sections.blocks),
        count(sections.index),
        count(sections.metadata)
    )?;
    writeln!(
        out,
        "Layout:     {}, format version {}, {}",
        report.layout,
        report.format_version,
        counted(report.blocks as usize, "block")
    )?;
    let sum = &report.sha256;
    writeln!(out, "SHA-256:    {sum} (of the file without its header)")?;
    let title = format!("By {}:", report.layer_name);
    let rows = report.by_layer.iter().map(|of| (of.layer, of.cells()));
    let grid = Grid::filled(title, &report.columns(), rows);
    Ok(write!(out, "\n{}", grid.render(None))?)
}

impl Report {
    /// Returns the columns of the overview of layers.
    pub fn columns(&self) -> Vec<&'static str> {
        let scores: &[_] = match self.distances {
            Some(_) => &["longest win", "longest loss"],
            None => &["lowest", "mean", "highest"],
        };
        [&["classes", "wins", "draws", "losses"], scores].concat()
    }
}

impl Layer {
    /// Returns the layer's text in each of the [columns](Report::columns).
    pub fn cells(&self) -> Vec<String> {
        let share = |part: u64| format!("{:.1}%", 100.0 * part as f64 / self.classes as f64);
        let outcomes = &self.outcomes;
        let mut cells = vec![count(self.classes)];
        cells.extend([outcomes.wins, outcomes.draws, outcomes.losses].map(share));
        cells.extend(self.distances.iter().flat_map(Distances::longest));
        if let Some(points) = &self.points {
            let mean = format!("{:.2}", points.mean_score);
            cells.extend([
                signed(points.lowest_score.value()),
                mean,
                signed(points.highest_score.value()),
            ]);
        }
        cells
    }
}
