//! `export`: the entries of a table as files that other programs read, and the explorer as a site.

#[cfg(feature = "serve")]
mod site;

use crate::cli::args::numbers::{parse_count, parse_layer, parse_seed};
use crate::cli::args::resources::Resources;
use crate::cli::output::print_result;
use crate::cli::program::{Answer, Program, arguments};
use crate::cli::table::{DIRECTORY_HELP, TableArgs, open_any};
#[cfg(feature = "serve")]
use crate::cli::table_files::directory;
use crate::cli::ui::progress::{Bar, catch_interrupts};
use crate::export::{ExportOptions, Format, MANIFEST, Sample, export};
use crate::pool::{STACK, in_pool};
use crate::text::{bytes, count, counted};
use anyhow::Context;
use clap::{ArgMatches, Args, Command};
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

/// Write a table's positions and scores to files for other programs
///
/// The export has files for each layer (seeds, discs or marks on the board), and manifest.json
/// with rules, columns, counts and SHA-256. Each entry is a canonical position with its score, seen
/// from the side to move, and its best moves.
///
/// npy: NumPy arrays, which can be mapped into memory: positions (a row of bytes each), scores
/// (16-bit), best (a truth value for each move), and with --moves move_scores. csv and jsonl: a
/// line for each position, in the game's notation.
///
/// The manifest is written last: a directory without one has no complete export.
///
/// --web writes the explorer instead, for any web host: browsers compute its pages themselves. It
/// has every TABLE that you name, and those in data/ of up to 1 MB.
#[derive(Debug, Args)]
struct ExportArgs {
    #[command(flatten)]
    table: TableArgs,

    /// More tables of a site
    #[cfg(feature = "serve")]
    #[arg(index = 2, value_name = "TABLE", conflicts_with = "out", hide = true)]
    others: Vec<PathBuf>,

    /// Directory to write to
    #[arg(
        long,
        value_name = "DIR",
        required_unless_present = "web",
        help_heading = "Output"
    )]
    out: Option<PathBuf>,

    /// Write the explorer to this directory, as a site that needs no server
    #[cfg(feature = "serve")]
    #[arg(long, value_name = "DIR", conflicts_with_all = ["out", "format", "moves", "layers", "sample", "json"], help_heading = "Output")]
    web: Option<PathBuf>,

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
    let command = ExportArgs::augment_args(command);
    let command = command.mut_arg("place", |arg| arg.index(1).required_unless_present("web"));
    let usage = format!(
        "{0} export [OPTIONS] <TABLE> --out <DIR>\n       {0} export --web <DIR> [TABLE]...",
        program.name
    );
    command.override_usage(usage).after_help(program.examples(
        &format!("Exit codes: 0 done, 2 an error.\n\n{DIRECTORY_HELP}"),
        &[
            "export TABLE --out labels",
            "export TABLE --out labels --format csv",
            "export --web site TABLE",
        ],
    ))
}

pub fn run(matches: &ArgMatches, program: &Program<'_>) -> anyhow::Result<Answer> {
    let args: ExportArgs = arguments(matches)?;
    #[cfg(feature = "serve")]
    if let Some(web) = &args.web {
        let named: Vec<PathBuf> = args
            .table
            .given()
            .cloned()
            .into_iter()
            .chain(args.others)
            .collect();
        let said = site::write(web, &named, &directory(), args.force, program)?;
        print_result(false, &(), |out| Ok(writeln!(out, "{said}")?))?;
        return Ok(Answer::Yes);
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
