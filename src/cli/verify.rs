//! `verify`: proves a table, or refutes it.

use super::output::{self, Bar};
use super::resources::{self, Resources};
use super::{Answer, query};
use crate::game::Notation;
use crate::table::{self, Part, Refutation, Table, TableFile, Verdict, VerifyError};
use crate::with_game;
use anyhow::{anyhow, bail};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

/// Prove that a table is right and complete, from the rules alone
///
/// Walks all reachable positions anew and shows that each is in the table with the best score of
/// its moves, and that the table holds nothing else. Shares no code with the solvers but the rules.
///
/// Memory: one byte a position and one bit a slot, about 0.4 GB for Kalah with 6 pits and 2 seeds,
/// 15 GB with 3 seeds. With --sample or --layers no more than 0.4 GB.
#[derive(Debug, clap::Args)]
#[command(
    max_term_width = 100,
    after_help = "\
Exit codes: 0 proved, 1 refuted, 2 the table can't be read.

Example:
  zermelo verify --table data/kalah-6-2.bin"
)]
pub struct VerifyArgs {
    /// The table to prove
    #[arg(long, value_name = "FILE")]
    table: PathBuf,

    /// Only read all of the file and compare its checksums, without proving the scores
    #[arg(long)]
    checksums: bool,

    /// Only hold N random entries against their moves
    #[arg(long, value_name = "N", conflicts_with = "checksums", value_parser = parse_sample)]
    sample: Option<u64>,

    /// With --sample: choose other entries
    #[arg(long, value_name = "S", default_value_t = 1, requires = "sample")]
    seed: u64,

    /// Only hold all entries of these layers (numbers of seeds on the board, stones set, ...)
    /// against their moves: such as 36,35,20; with --sample, both
    #[arg(long, value_name = "N,...", conflicts_with = "checksums", value_delimiter = ',', value_parser = parse_layer)]
    layers: Vec<u32>,

    /// Print the result as one line of JSON
    #[arg(long)]
    json: bool,

    /// Read the file piece by piece instead of mapping it into memory
    #[arg(long)]
    no_mmap: bool,

    #[command(flatten)]
    resources: Resources,
}

fn parse_sample(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(count @ 1..) => Ok(count),
        _ => Err("write a whole number from 1, such as 100000".into()),
    }
}

fn parse_layer(text: &str) -> Result<u32, String> {
    text.trim()
        .parse()
        .map_err(|_| "write whole numbers with commas between them, such as 36,35,20".into())
}

#[derive(Serialize)]
struct Report<'a> {
    verdict: &'a str,
    positions: u64,
    looked_at: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    seconds: f64,
}

pub fn run(args: &VerifyArgs) -> anyhow::Result<Answer> {
    let file = query::open(&args.table, args.no_mmap)?;
    let game = query::game_of(&file, &args.table)?;
    with_game!(game, game => verify(file, &game, args))
}

fn position_of(refutation: Refutation) -> Option<String> {
    match refutation {
        Refutation::Miscounted { .. } => None,
        Refutation::Wrong { position, .. }
        | Refutation::Underivable { position, .. }
        | Refutation::Missing { position, .. }
        | Refutation::Extra { position, .. }
        | Refutation::Stuck { position }
        | Refutation::Misnumbered { position } => Some(position),
    }
}

/// The parts of the table that are to be looked at; none for all of it.
fn parts(file: &TableFile, args: &VerifyArgs) -> anyhow::Result<Vec<Part>> {
    let mut parts = Vec::new();
    if let Some(count) = args.sample {
        let entries = file.entries();
        if count >= entries {
            bail!(
                "--sample {count} is no part of the {} entries of {}: leave it out for a full proof",
                output::count(entries),
                args.table.display()
            );
        }
        let seed = args.seed;
        parts.push(Part::Random { count, seed });
    }
    if !args.layers.is_empty() {
        let known: Vec<u32> = file.layers().iter().map(|count| count.layer).collect();
        if let Some(layer) = args.layers.iter().find(|layer| !known.contains(layer)) {
            let range = match (known.first(), known.last()) {
                (Some(first), Some(last)) => format!("; its layers are {first} to {last}"),
                _ => String::new(),
            };
            bail!("{} has no layer {layer}{range}", args.table.display());
        }
        parts.push(Part::Layers(args.layers.clone()));
    }
    Ok(parts)
}

fn verify<G: Notation>(file: TableFile, game: &G, args: &VerifyArgs) -> anyhow::Result<Answer> {
    let table = Table::new(file, game.clone())?;
    let began = Instant::now();
    let options = args.resources.options();
    let bar = Bar::new();
    let positions = table.file().entries();
    let mut looked_at = positions;
    let (report, answer, text) = if args.checksums {
        resources::pool(options.threads)?.install(|| table.file().verify_checksums(&bar))?;
        let text = format!(
            "All checksums are right; the scores of {} positions were not proved.",
            output::count(positions)
        );
        (("checksums-right", None, None), Answer::Yes, text)
    } else {
        let parts = parts(table.file(), args)?;
        let verdict = if parts.is_empty() {
            table::verify(&table, options.threads, options.memory, &bar).map_err(|error| {
                match error {
                    VerifyError::Memory { needed, .. } => anyhow!(
                        "verifying {} needs {} of memory, and {} may be used; allow more with --memory, or look at a part of it with --sample or --layers",
                        args.table.display(),
                        output::bytes_up(needed),
                        output::bytes(options.memory)
                    ),
                    other => other.into(),
                }
            })?
        } else {
            let mut looked_at = 0;
            let mut verdict = Verdict::Agrees { entries: 0 };
            for part in &parts {
                verdict = resources::pool(options.threads)?
                    .install(|| table::verify_part(&table, part, &bar))?;
                if let Verdict::Agrees { entries } = &mut verdict {
                    looked_at += *entries;
                    *entries = looked_at;
                } else {
                    break;
                }
            }
            verdict
        };
        match verdict {
            Verdict::Agrees { entries } => {
                looked_at = entries;
                let text = format!(
                    "All {} entries looked at are the best of their moves; the others were not looked at.",
                    output::count(entries)
                );
                (("sample-agrees", None, None), Answer::Yes, text)
            }
            Verdict::Proved { .. } => {
                let text = format!(
                    "Proved: all {} reachable positions of {} are in the table with their exact scores, and nothing else is.",
                    output::count(positions),
                    game.name()
                );
                (("proved", None, None), Answer::Yes, text)
            }
            Verdict::Refuted(refutation) => {
                let reason = refutation.to_string();
                let text = format!("Refuted: {reason}");
                let position = position_of(refutation);
                (("refuted", position, Some(reason)), Answer::No, text)
            }
        }
    };
    bar.finish();
    let seconds = began.elapsed().as_secs_f64();
    let mut out = anstream::stdout().lock();
    if args.json {
        let (verdict, position, reason) = report;
        let report = Report {
            verdict,
            positions,
            looked_at,
            position,
            reason,
            seconds,
        };
        writeln!(out, "{}", serde_json::to_string(&report)?)?;
    } else {
        let style = match answer {
            Answer::Yes => output::GOOD,
            _ => output::BAD,
        };
        writeln!(out, "{style}{text}{style:#} ({seconds:.1} s)")?;
    }
    Ok(answer)
}
