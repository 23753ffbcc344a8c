//! What `verify` is asked for, and what comes of it.

use super::args::numbers::{parse_count, parse_layer, parse_seed};
use super::args::resources::Resources;
use super::table::TableArgs;
use crate::any::AnyTable;
use crate::table::{CheckedFile, Part, Searched};
use crate::text::count;
use anyhow::bail;
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;

/// Prove that a table is right and complete, from the rules alone
///
/// Shows that every entry has the best score of its moves, that every position that can be reached
/// is in the table, and that the table holds nothing else. Shares nothing with the solvers but the
/// rules.
///
/// Kalah with 6 pits and 2 seeds takes half a minute of processor time, with 3 seeds about 40
/// minutes with 6 GB of memory; less with more. A proof that takes long goes on where it was stopped.
///
/// Memory: for Kalah with 6 pits and 2 seeds 0.4 GB. With 3 seeds about 15 GB, or with less, at least
/// about 5 GB, some of it is on disk instead. With --sample or --layers no more than 0.4 GB. With
/// --by-search at most 2 GB, unless --memory says otherwise; with less it takes longer.
#[derive(Debug, Args)]
pub(super) struct VerifyArgs {
    #[command(flatten)]
    pub(super) table: TableArgs,

    /// Only read the whole file and compare its checksums, without proving the scores
    #[arg(long)]
    pub(super) checksums: bool,

    /// Only compare N random entries with their moves
    #[arg(long, value_name = "N", conflicts_with = "checksums", value_parser = parse_count, allow_negative_numbers = true)]
    pub(super) sample: Option<u64>,

    /// With --sample: another seed chooses other entries
    #[arg(long, value_name = "S", default_value_t = 1, requires = "sample", value_parser = parse_seed, allow_negative_numbers = true)]
    pub(super) seed: u64,

    /// Only compare all entries of these layers (seeds on the board, discs, ...)
    /// with their moves, such as 36,35,20; with --sample, both
    #[arg(long, value_name = "N,...", conflicts_with = "checksums", value_delimiter = ',', value_parser = parse_layer)]
    pub(super) layers: Vec<u32>,

    /// Search entries by alpha-beta, as if there were no table, instead of comparing them with
    /// their moves: all, or those of --sample or --layers. Shares nothing with a game's own solver
    /// but the rules
    #[arg(long, conflicts_with = "checksums")]
    pub(super) by_search: bool,

    /// Folder for what there is no memory for, and from which a stopped proof goes on
    /// [default: the table's]
    #[arg(long, value_name = "DIR", conflicts_with_all = ["checksums", "sample", "layers", "by_search"])]
    pub(super) scratch: Option<PathBuf>,

    /// Print the result as one line of JSON
    #[arg(long)]
    pub(super) json: bool,

    #[command(flatten)]
    pub(super) resources: Resources,
}

/// What a look at a table has shown; in JSON a contract.
#[derive(Serialize)]
pub(super) struct Findings {
    pub(super) verdict: &'static str,
    pub(super) positions: u64,
    pub(super) looked_at: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) position: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    /// What --by-search adds.
    #[serde(flatten)]
    pub(super) searched: Option<Searched>,
    pub(super) seconds: f64,
    /// In a sentence.
    #[serde(skip)]
    pub(super) text: String,
}

pub(super) const REFUTED: &str = "refuted";

impl Findings {
    pub(super) fn new(
        table: &dyn AnyTable,
        verdict: &'static str,
        looked_at: u64,
        text: String,
    ) -> Findings {
        Findings {
            verdict,
            positions: table.file().entries(),
            looked_at,
            position: None,
            reason: None,
            searched: None,
            seconds: 0.0,
            text,
        }
    }
}

/// The parts of the table that are to be looked at; none for all of it.
pub(super) fn parts(file: &CheckedFile, args: &VerifyArgs) -> anyhow::Result<Vec<Part>> {
    let mut parts = Vec::new();
    if let Some(sample) = args.sample {
        let entries = file.entries();
        // A sample by search may be all there is.
        if sample >= entries && !args.by_search {
            bail!(
                "--sample {sample} is no part of the {} entries of {}: leave it out for a full proof",
                count(entries),
                file.path().display()
            );
        }
        let seed = args.seed;
        parts.push(Part::Random {
            count: sample,
            seed,
        });
    }
    if !args.layers.is_empty() {
        let known: Vec<u32> = file.layers().iter().map(|count| count.layer).collect();
        if let Some(layer) = args.layers.iter().find(|layer| !known.contains(layer)) {
            let range = match (known.first(), known.last()) {
                (Some(first), Some(last)) => format!("; its layers are {first} to {last}"),
                _ => String::new(),
            };
            bail!("{} has no layer {layer}{range}", file.path().display());
        }
        parts.push(Part::Layers(args.layers.clone()));
    }
    Ok(parts)
}
