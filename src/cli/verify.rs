//! `verify`: proves a table, or refutes it.

use super::output::{self, Bar};
use super::resources::{self, Resources};
use super::{Answer, query};
use crate::game::Game;
use crate::table::{self, Part, Refutation, Table, TableFile, Verdict};
use crate::with_game;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

/// Prove that a table is right and complete, from the rules alone
///
/// Walks all reachable positions anew and shows that each is in the table with the best score of its moves, and that the
/// table holds nothing else. Shares no code with the solvers but the rules.
///
/// Memory: one byte a position and one bit a slot, about 0.5 GB for Kalah with 6 pits and 2 seeds.
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

    /// Only hold N random entries against their moves (at least 1)
    #[arg(long, value_name = "N", conflicts_with = "checksums", value_parser = clap::value_parser!(u64).range(1..))]
    sample: Option<u64>,

    /// With --sample: choose other entries
    #[arg(long, value_name = "S", default_value_t = 1, requires = "sample")]
    seed: u64,

    /// Only hold all entries of these layers (numbers of seeds on the board, stones set, ...) against
    /// their moves: such as 36,35,20
    #[arg(long, value_name = "N,...", conflicts_with_all = ["checksums", "sample"], value_delimiter = ',')]
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

fn verify<G: Game>(file: TableFile, game: &G, args: &VerifyArgs) -> anyhow::Result<Answer> {
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
        let part = match args.sample {
            Some(count) => Some(Part::Random {
                count,
                seed: args.seed,
            }),
            None if !args.layers.is_empty() => Some(Part::Stages(args.layers.clone())),
            None => None,
        };
        let verdict = match &part {
            None => table::verify(&table, options.threads, options.memory, &bar)?,
            Some(part) => resources::pool(options.threads)?
                .install(|| table::verify_part(&table, part, &bar))?,
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
