//! `export`: the entries of a table as files that other programs read.

use super::args::numbers::{parse_count, parse_layer, parse_seed};
use super::args::resources::Resources;
use super::program::{Answer, Program, arguments};
use super::stdout::print_result;
#[cfg(feature = "serve")]
use super::stdout::results;
use super::table::{FOLDER_HELP, TableArgs, open_any};
use super::ui::progress::{Bar, catch_interrupts};
#[cfg(feature = "serve")]
use super::{folder::find, serve::write_site};
use crate::export::{ExportOptions, Format, MANIFEST, Sample, export};
use crate::pool::{STACK, in_pool};
use crate::text::{bytes, count, counted};
use anyhow::Context;
use clap::{ArgMatches, Args, Command};
#[cfg(feature = "serve")]
use rustc_hash::FxHashSet;
use std::io::Write;
#[cfg(feature = "serve")]
use std::path::Path;
use std::path::PathBuf;
use std::time::Instant;

/// Write a table's positions and scores to files for other programs
///
/// The export has files for each layer (seeds, stones or discs on the board), and manifest.json
/// with rules, columns, counts and SHA-256. Each entry is a canonical position with its score, seen
/// from the side to move, and its best moves.
///
/// npy: NumPy arrays, which can be mapped into memory: positions (a row of bytes each), scores
/// (16-bit), best (a truth value for each move), and with --moves move_scores. csv and jsonl: a
/// line for each position, in the game's notation.
///
/// The manifest is written last: a directory without one has no complete export.
#[derive(Debug, Args)]
struct ExportArgs {
    #[command(flatten)]
    table: TableArgs,

    /// More tables of a site
    #[cfg(feature = "serve")]
    #[arg(value_name = "TABLE", conflicts_with = "out", hide_short_help = true)]
    more: Vec<PathBuf>,

    /// Directory to write to
    #[cfg_attr(feature = "serve", arg(required_unless_present = "site"))]
    #[cfg_attr(not(feature = "serve"), arg(required = true))]
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    out: Option<PathBuf>,

    /// Write a static explorer of small tables to this directory instead
    ///
    /// It has a page, a script and a file for each table, for any web server or to be opened from
    /// the disk. A game may have up to 20,000 positions.
    #[cfg(feature = "serve")]
    #[arg(long, value_name = "DIR", conflicts_with_all = ["out", "format", "moves", "layers", "sample", "json"], help_heading = "Output")]
    site: Option<PathBuf>,

    /// npy, csv or jsonl
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "npy",
        help_heading = "Output"
    )]
    format: Format,

    /// Add the score of every move
    #[arg(long, help_heading = "Output")]
    moves: bool,

    /// Only these layers, such as 36,35,20
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = parse_layer, help_heading = "Which positions")]
    layers: Vec<u32>,

    /// Only N random entries, with replacement
    #[arg(long, value_name = "N", value_parser = parse_count, allow_negative_numbers = true, help_heading = "Which positions")]
    sample: Option<u64>,

    /// Seed of the sample
    #[arg(long, value_name = "S", default_value_t = 1, requires = "sample", value_parser = parse_seed, allow_negative_numbers = true, help_heading = "Which positions", hide_short_help = true)]
    seed: u64,

    /// Replace an export, or write beside other files
    #[arg(long, help_heading = "Output")]
    force: bool,

    /// Print the manifest
    #[arg(long, help_heading = "Output")]
    json: bool,

    #[command(flatten)]
    resources: Resources,
}

pub fn describe(command: Command, program: &Program<'_>) -> Command {
    ExportArgs::augment_args(command).after_help(program.examples(
        &format!("Exit codes: 0 done, 2 an error.\n\n{FOLDER_HELP}"),
        &[
            "export TABLE --out labels",
            "export TABLE --out labels --format csv",
            "export TABLE --site slides",
        ],
    ))
}

#[cfg(feature = "serve")]
impl ExportArgs {
    fn write_site(&self, site: &Path, program: &Program<'_>) -> anyhow::Result<Answer> {
        let more = self.more.iter().map(|table| find(table));
        let paths = std::iter::once(self.table.path()).chain(more);
        let tables = paths.map(|path| {
            let name = path
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            Ok((name, open_any(&path, self.table.no_mmap, program.families)?))
        });
        let tables: Vec<_> = tables.collect::<anyhow::Result<_>>()?;
        let mut names = FxHashSet::default();
        if let Some((name, _)) = tables.iter().find(|(name, _)| !names.insert(name)) {
            anyhow::bail!("two tables are called {name}\ntip: leave one out, or rename it");
        }
        write_site(site, &tables, self.force)?;
        let (page, count) = (site.join("index.html"), counted(tables.len(), "table"));
        writeln!(results(), "{}: {count}", page.display())?;
        Ok(Answer::Yes)
    }
}

pub fn run(matches: &ArgMatches, program: &Program<'_>) -> anyhow::Result<Answer> {
    let args: ExportArgs = arguments(matches)?;
    #[cfg(feature = "serve")]
    if let Some(site) = &args.site {
        return args.write_site(site, program);
    }
    let table = open_any(&args.table.path(), args.table.no_mmap, program.families)?;
    let to = args.out.unwrap_or_default();
    catch_interrupts().context("can't catch interrupts")?;
    let resources = args.resources.options();
    let options = ExportOptions {
        format: args.format,
        layers: (!args.layers.is_empty()).then_some(args.layers),
        sample: args.sample.map(|count| Sample {
            count,
            seed: args.seed,
        }),
        moves: args.moves,
        memory: resources.memory,
        force: args.force,
    };
    let began = Instant::now();
    let bar = Bar::new();
    let export = || export(&*table, &to, &options, &bar);
    let exported = in_pool(resources.threads, STACK, export);
    bar.finish();
    let manifest = exported?;
    print_result(args.json, &manifest, |out| {
        Ok(writeln!(
            out,
            "{}: {} entries in {} and {MANIFEST}, {} ({:.1} s)",
            to.display(),
            count(manifest.entries()),
            counted(manifest.shards.len(), "shard"),
            bytes(manifest.bytes()),
            began.elapsed().as_secs_f64(),
        )?)
    })?;
    Ok(Answer::Yes)
}
