//! `verify`: proves a table, or refutes it.

use super::output::{self, Bar};
use super::resources::{self, Resources};
use super::{Answer, query};
use crate::game::Game;
use crate::table::{self, Refutation, Table, TableFile, Verdict};
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
    let (report, answer, text) = if args.checksums {
        resources::pool(options.threads)?.install(|| table.file().verify_checksums(&bar))?;
        let text = format!(
            "All checksums are right; the scores of {} positions were not proved.",
            output::count(positions)
        );
        (("checksums-right", None, None), Answer::Yes, text)
    } else {
        match table::verify(&table, options.threads, options.memory, &bar)? {
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
