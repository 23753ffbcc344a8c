//! `info`: what a table holds.

use super::args::format::{Format, FormatArgs};
use super::program::{Answer, Program, arguments};
use super::stdout::results;
use super::table::{FOLDER_HELP, TableArgs, open_any};
use super::ui::grid::{Grid, escaped};
use super::ui::numbers::{count, signed};
use super::ui::style;
use crate::table::{CheckedFile, FORMAT_VERSION, Layout};
use crate::text::hex;
use anyhow::Context;
use clap::{ArgMatches, Args, Command};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

/// Show what a table holds: rules, counts, sizes, outcomes and scores
///
/// Outcomes and scores are those of the side to move, for the rest of the game. Reads only the
/// table's description, so it answers at once, however large the table is.
#[derive(Debug, Args)]
struct InfoArgs {
    #[command(flatten)]
    table: TableArgs,

    /// Print the result as one line of JSON: the same as --format json
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    format: FormatArgs,

    /// Print the SHA-256 of the whole file, as sha256sum does, or compare it with a given one
    ///
    /// So a table can be held against published sums. Reads the whole file. The digest that `info`
    /// shows without this is another one: that of what follows the header, which holds it. Exits
    /// with 1 if the sum is another than the given one.
    #[arg(long, value_name = "SUM", num_args = 0..=1, require_equals = true, value_parser = sum)]
    checksum: Option<Option<String>>,
}

/// A SHA-256 in hexadecimal digits.
fn sum(text: &str) -> Result<String, String> {
    if text.len() == 64 && text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return Ok(text.to_ascii_lowercase());
    }
    Err("a SHA-256 has 64 hexadecimal digits".into())
}

#[derive(Serialize)]
pub struct Report {
    pub path: String,
    pub game: String,
    pub name: String,
    pub rules: String,
    pub format_version: u32,
    pub layout: &'static str,
    pub positions: u64,
    pub bytes: u64,
    pub bits_per_position: f64,
    pub sections: BTreeMap<&'static str, u64>,
    pub blocks: u64,
    pub sha256: String,
    /// Of the whole file; only if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_sha256: Option<String>,
    /// Whether that is the sum that was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checksum_agrees: Option<bool>,
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
    #[serde(rename = "stage")]
    pub layer: String,
    #[serde(rename = "by_stage")]
    pub by_layer: Vec<Layer>,
}

#[derive(Serialize)]
pub struct Layer {
    #[serde(rename = "stage")]
    pub layer: u32,
    pub positions: u64,
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
    pub lowest_score: i32,
    pub highest_score: i32,
    pub mean_score: f64,
    pub scores: BTreeMap<i32, u64>,
    /// Places in the numbering and bytes of the blocks; only for tables with ranks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slots: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

pub fn describe(command: Command, program: &Program<'_>) -> Command {
    InfoArgs::augment_args(command).after_help(program.examples(FOLDER_HELP, &["info TABLE"]))
}

pub fn run(matches: &ArgMatches, program: &Program<'_>) -> anyhow::Result<Answer> {
    let args: InfoArgs = arguments(matches)?;
    let table = open_any(&args.table.path(), args.table.no_mmap, program.families)?;
    let mut report = report(table.file())?;
    if let Some(expected) = &args.checksum {
        let sum = sum_of(table.file().path())?;
        report.checksum_agrees = expected.as_ref().map(|expected| *expected == sum);
        report.file_sha256 = Some(sum);
    }
    let answer = match report.checksum_agrees {
        Some(false) => Answer::No,
        _ => Answer::Yes,
    };
    let mut out = results();
    match args.format.or_json(args.json) {
        Format::Json => writeln!(out, "{}", serde_json::to_string(&report)?)?,
        _ if report.file_sha256.is_some() => checksum(&report, &mut out)?,
        Format::Csv => csv(&report, &mut out)?,
        Format::Markdown => markdown(&report, &mut out)?,
        Format::Text => print(&report, &mut out)?,
    }
    Ok(answer)
}

/// The SHA-256 of a whole file.
fn sum_of(path: &Path) -> anyhow::Result<String> {
    let sum = || -> io::Result<String> {
        let mut file = File::open(path)?;
        let mut hasher = Sha256::new();
        let mut piece = vec![0; 1 << 20];
        loop {
            match file.read(&mut piece)? {
                0 => return Ok(hex(hasher.finalize())),
                length => hasher.update(&piece[..length]),
            }
        }
    };
    sum().with_context(|| format!("can't read {}", path.display()))
}

/// What `sha256sum` and `sha256sum --check` would print.
fn checksum(report: &Report, out: &mut impl Write) -> anyhow::Result<()> {
    let (path, sum) = (
        &report.path,
        report.file_sha256.as_deref().unwrap_or_default(),
    );
    match report.checksum_agrees {
        None => writeln!(out, "{sum}  {path}")?,
        Some(true) => writeln!(out, "{path}: OK")?,
        Some(false) => writeln!(out, "{path}: FAILED, its SHA-256 is {sum}")?,
    }
    Ok(())
}

pub fn report(file: &CheckedFile) -> anyhow::Result<Report> {
    let sections = file.sections();
    let positions = file.entries();
    let outcomes = file.outcomes();
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
        positions,
        bytes: file.bytes(),
        bits_per_position: 8.0 * file.bytes() as f64 / positions as f64,
        sections: BTreeMap::from([
            ("header", sections.header),
            ("blocks", sections.blocks),
            ("index", sections.index),
            ("metadata", sections.metadata),
        ]),
        blocks: file.blocks(),
        sha256: hex(file.digest()),
        file_sha256: None,
        checksum_agrees: None,
        wins: outcomes.wins,
        draws: outcomes.draws,
        losses: outcomes.losses,
        layer: file.metadata().layer_name.clone(),
        by_layer: by_layer(file)?,
    })
}

fn by_layer(file: &CheckedFile) -> anyhow::Result<Vec<Layer>> {
    let sizes = file.layer_sizes()?;
    let mut layers: BTreeMap<u32, BTreeMap<i32, u64>> = BTreeMap::new();
    file.for_each_count(|layer, score, count| {
        *layers.entry(layer).or_default().entry(score).or_default() += count;
    });
    let layers = file.layers().into_iter().map(|known| {
        let (layer, outcomes) = (known.layer, known.outcomes);
        let scores = layers.remove(&layer).unwrap_or_default();
        let positions = outcomes.total();
        let size = sizes.iter().find(|size| size.layer == layer);
        let points = |(&score, &count): (&i32, &u64)| f64::from(score) * count as f64;
        let total: f64 = scores.iter().map(points).sum();
        Layer {
            layer,
            positions,
            wins: outcomes.wins,
            draws: outcomes.draws,
            losses: outcomes.losses,
            lowest_score: scores.keys().next().copied().unwrap_or(0),
            highest_score: scores.keys().next_back().copied().unwrap_or(0),
            mean_score: total / positions as f64,
            scores,
            slots: size.map(|size| size.slots),
            bytes: size.map(|size| size.bytes),
        }
    });
    Ok(layers.collect())
}

/// What there is to say of the whole table, by name.
fn facts(report: &Report) -> [(&'static str, String); 6] {
    let sections = ["header", "blocks", "index", "metadata"]
        .map(|name| format!("{name} {}", count(report.sections[name])));
    [
        ("Rules", report.rules.clone()),
        (
            "Classes",
            format!(
                "{} ({} wins, {} draws, {} losses of the side to move)",
                count(report.positions),
                count(report.wins),
                count(report.draws),
                count(report.losses),
            ),
        ),
        (
            "Size",
            format!(
                "{} bytes, {:.2} bits per class",
                count(report.bytes),
                report.bits_per_position
            ),
        ),
        ("Sections", sections.join(", ")),
        (
            "Layout",
            format!(
                "{}, format version {}, {}",
                report.layout,
                report.format_version,
                match report.blocks {
                    1 => "1 block".to_owned(),
                    blocks => format!("{} blocks", count(blocks)),
                }
            ),
        ),
        (
            "SHA-256",
            format!("{} of what follows the header", report.sha256),
        ),
    ]
}

/// What the columns of a layer are called for people.
const COLUMNS: [&str; 7] = [
    "classes", "wins", "draws", "losses", "lowest", "mean", "highest",
];

impl Layer {
    /// The texts in these columns.
    fn cells(&self) -> [String; 7] {
        let share = |part: u64| format!("{:.1}%", 100.0 * part as f64 / self.positions as f64);
        [
            count(self.positions),
            share(self.wins),
            share(self.draws),
            share(self.losses),
            signed(self.lowest_score),
            format!("{:.2}", self.mean_score),
            signed(self.highest_score),
        ]
    }
}

fn markdown(report: &Report, out: &mut impl Write) -> anyhow::Result<()> {
    writeln!(out, "**{}**: `{}`\n", escaped(&report.name), report.path)?;
    for (name, text) in facts(report) {
        writeln!(out, "* {name}: {}", escaped(&text))?;
    }
    let mut grid = Grid::new("", &report.layer);
    for layer in &report.by_layer {
        for (column, text) in COLUMNS.into_iter().zip(layer.cells()) {
            grid.set(&layer.layer.to_string(), column, text);
        }
    }
    write!(out, "\n{}", grid.markdown())?;
    Ok(())
}

/// A row a layer, with counts in place of shares.
fn csv(report: &Report, out: &mut impl Write) -> anyhow::Result<()> {
    let mut rows = csv::Writer::from_writer(out);
    rows.write_record([
        "layer",
        "classes",
        "wins",
        "draws",
        "losses",
        "lowest_score",
        "mean_score",
        "highest_score",
        "slots",
        "bytes",
    ])?;
    for layer in &report.by_layer {
        rows.serialize((
            layer.layer,
            layer.positions,
            layer.wins,
            layer.draws,
            layer.losses,
            layer.lowest_score,
            layer.mean_score.to_string(),
            layer.highest_score,
            layer.slots,
            layer.bytes,
        ))?;
    }
    rows.flush()?;
    Ok(())
}

fn print(report: &Report, out: &mut impl Write) -> anyhow::Result<()> {
    let strong = style::STRONG;
    writeln!(out, "{strong}{}{strong:#}  {}", report.name, report.path)?;
    for (name, text) in facts(report) {
        writeln!(out, "{:<11} {text}", format!("{name}:"))?;
    }
    writeln!(out, "\nBy {}:", report.layer)?;
    let mut line = |layer: &str, cells: [&str; 7]| {
        let [classes, wins, draws, losses, lowest, mean, highest] = cells;
        writeln!(
            out,
            "{layer:>5} {classes:>15} {wins:>7} {draws:>7} {losses:>7} {lowest:>7} {mean:>6} {highest:>6}"
        )
    };
    line("", COLUMNS)?;
    for layer in &report.by_layer {
        line(
            &layer.layer.to_string(),
            layer.cells().each_ref().map(|cell| &**cell),
        )?;
    }
    Ok(())
}
