//! `verify`: proves or refutes a table.

use super::args::numbers::{parse_count, parse_seed};
use super::args::resources::Resources;
use super::output::print_result;
use super::program::{Answer, Program, arguments};
use super::table::{DIRECTORY_HELP, TableArgs, open_book};
use super::table_files;
use super::ui::progress::{Bar, catch_interrupts};
use super::ui::style;
use crate::any::{AnyTable, Verified, VerifyBy};
use crate::pool::{STACK, in_pool};
use crate::solve::Searched;
use crate::table::{Refutation, Sample, Verdict, VerifyError, VerifyOptions};
use crate::text::count;
use crate::work::folder::is_in_use;
use anyhow::{Context, anyhow, bail};
use clap::{ArgMatches, Args, Command};
use serde::Serialize;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Prove that a table is right and complete, from the rules alone
///
/// The proof shows that every score is the best of its moves, that every reachable position is in
/// the table, and that nothing else is. It shares only the rules with the solvers. Proofs that take
/// long save checkpoints, and the same command resumes.
///
/// If the table doesn't fit into memory, the proof goes layer by layer and needs temporary files.
/// --by-search uses at most 2 GB unless --memory says otherwise.
#[derive(Debug, Args)]
struct VerifyArgs {
    #[command(flatten)]
    table: TableArgs,

    /// Compare only the checksums
    ///
    /// Reads the whole file, and proves no scores.
    #[arg(long, help_heading = "Which positions")]
    checksums: bool,

    /// Compare only N random entries with their moves
    #[arg(long, value_name = "N", conflicts_with = "checksums", value_parser = parse_count, allow_negative_numbers = true, help_heading = "Which positions")]
    sample: Option<u64>,

    /// Seed of the sample
    #[arg(long, value_name = "S", default_value_t = 1, requires = "sample", value_parser = parse_seed, allow_negative_numbers = true, help_heading = "Which positions", hide_short_help = true)]
    seed: u64,

    /// Check entries against independent searches
    ///
    /// Searches all entries, or those of --sample, by alpha-beta without the table. The search
    /// shares only the rules with a game's own solver.
    #[arg(long, conflicts_with = "checksums", help_heading = "Which positions")]
    by_search: bool,

    /// Directory for temporary files and checkpoints
    ///
    /// The default is the directory of the table.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["checksums", "sample", "by_search"], help_heading = "Resources", hide_short_help = true)]
    scratch: Option<PathBuf>,

    /// Print the result as one line of JSON
    #[arg(long, help_heading = "Output")]
    json: bool,

    #[command(flatten)]
    resources: Resources,
}

/// The result of a verification. Its JSON is a public interface.
#[derive(Default, Serialize)]
struct Findings {
    verdict: &'static str,
    classes: u64,
    checked: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The counts and examples of `--by-search`.
    #[serde(flatten)]
    searched: Option<Searched>,
    seconds: f64,
    /// The result as a sentence.
    #[serde(skip)]
    text: String,
}

impl Findings {
    fn new(verdict: &'static str, checked: u64, text: String) -> Findings {
        Findings {
            verdict,
            checked,
            text,
            ..Findings::default()
        }
    }
}

const REFUTED: &str = "refuted";

/// Maximum number of wrong entries that are printed.
const EXAMPLES: usize = 10;

/// Default memory limit of `--by-search`, in bytes.
const SEARCH_MEMORY: u64 = 2 << 30;

/// Number of entries from which a proof saves checkpoints.
const LONG: u64 = 50_000_000;
/// Interval between checkpoints.
const EVERY: Duration = Duration::from_secs(30);

pub fn describe(command: Command, program: &Program<'_>) -> Command {
    VerifyArgs::augment_args(command)
        .override_usage(format!("{} verify [OPTIONS] <TABLE>", program.name))
        .after_help(program.examples(
            &format!(
                "Exit codes: 0 proved, 1 refuted, 2 the table can't be read.\n\n{DIRECTORY_HELP}"
            ),
            &["verify TABLE"],
        ))
}

pub fn run(matches: &ArgMatches, program: &Program<'_>) -> anyhow::Result<Answer> {
    let args: VerifyArgs = arguments(matches)?;
    // A sequential read of the whole file gains nothing from a mapping, which counts as memory.
    let reads_all = args.sample.is_none() && !args.by_search;
    let no_mmap = args.table.no_mmap || reads_all;
    let table = open_book(&args.table.path(), no_mmap, program.families)?;
    let bar = Bar::new();
    catch_interrupts().context("can't catch interrupts")?;
    let began = Instant::now();
    let mut findings = args.findings(&*table, &bar)?;
    bar.finish();
    let (answer, style) = match findings.verdict {
        REFUTED => (Answer::No, style::BAD),
        _ => (Answer::Yes, style::GOOD),
    };
    findings.classes = table.file().entries();
    findings.seconds = began.elapsed().as_secs_f64();
    print_result(args.json, &findings, |out| {
        let (text, seconds) = (&findings.text, findings.seconds);
        writeln!(out, "{style}{text}{style:#} ({seconds:.1} s)")?;
        let searched = findings.searched.iter();
        let mut examples = searched.flat_map(|searched| &searched.examples);
        for example in examples.by_ref().take(EXAMPLES) {
            writeln!(out, "  {example}")?;
        }
        if examples.next().is_some() {
            writeln!(out, "  ...")?;
        }
        Ok(())
    })?;
    Ok(answer)
}

impl VerifyArgs {
    fn findings(&self, table: &dyn AnyTable, bar: &Bar) -> anyhow::Result<Findings> {
        let file = table.file();
        let sample = self.sample.map(|count| Sample {
            count,
            seed: self.seed,
        });
        if self.by_search {
            let options = self.resources.options_or(Some(SEARCH_MEMORY));
            let verified = table.verify(VerifyBy::Search(sample, options), bar)?;
            return Ok(Findings::of(table, verified));
        }
        let resources = self.resources.options();
        if self.checksums {
            in_pool(resources.threads, STACK, || file.verify_checksums(bar))?;
            let classes = count(file.entries());
            let text = format!(
                "All checksums are right; the scores of {classes} classes were not proved."
            );
            return Ok(Findings::new("checksums-right", file.entries(), text));
        }
        let Some(sample) = sample else {
            let options = VerifyOptions {
                every: EVERY,
                ..VerifyOptions::within(resources.threads, resources.memory)
            };
            let verified = proof(table, options, self.scratch.as_deref(), bar)?;
            return Ok(Findings::of(table, verified));
        };
        if sample.count >= file.entries() {
            bail!(
                "--sample {} is not less than the {} entries of {}: leave it out for a full proof",
                sample.count,
                count(file.entries()),
                file.path().display()
            );
        }
        let verified = in_pool(resources.threads, STACK, || {
            table.verify(VerifyBy::Sample(sample), bar)
        })?;
        Ok(Findings::of(table, verified))
    }
}

/// Proves the table.
///
/// A proof that takes long, or needs more memory than allowed, has a directory for checkpoints and
/// temporary files, in `elsewhere` or next to the table.
fn proof(
    table: &dyn AnyTable,
    mut options: VerifyOptions,
    elsewhere: Option<&Path>,
    bar: &Bar,
) -> anyhow::Result<Verified> {
    table_files::check_scratch(elsewhere)?;
    let path = table.file().path();
    let directory = path.file_name().map(|table| {
        let mut name = OsString::from(".");
        name.push(table);
        name.push(".proof.partial");
        elsewhere.map_or_else(|| path.with_file_name(&name), |it| it.join(&name))
    });
    let is_long = elsewhere.is_some() || table.file().entries() >= LONG;
    options.scratch = directory.clone().filter(|_| is_long);
    let mut verified = table.verify(VerifyBy::Proof(&options), bar);
    if matches!(verified, Err(VerifyError::Memory { .. })) && options.scratch.is_none() {
        options.scratch = directory;
        verified = table.verify(VerifyBy::Proof(&options), bar);
    }
    verified.map_err(|error| {
        // Another proof may be using the directory.
        let is_begun = !matches!(error, VerifyError::Memory { .. });
        let is_kept = |directory: &PathBuf| is_begun && directory.is_dir() && !is_in_use(directory);
        match options.scratch.filter(is_kept) {
            Some(directory) => anyhow!(
                "{error}; the proof so far is saved in {}\ntip: the same command resumes",
                directory.display()
            ),
            None => error.into(),
        }
    })
}

impl Findings {
    fn of(table: &dyn AnyTable, verified: Verified) -> Findings {
        match verified {
            Verified::Compared(verdict) => judged(table, verdict),
            Verified::Searched(found) => searched(table, found),
        }
    }
}

/// Returns the findings of comparing entries with their moves.
fn judged(table: &dyn AnyTable, verdict: Verdict) -> Findings {
    let classes = table.file().entries();
    match verdict {
        Verdict::Agrees { entries } => {
            let text = format!(
                "All {} sampled entries agree with the scores of their moves; the others were not checked.",
                count(entries)
            );
            Findings::new("sample-agrees", entries, text)
        }
        Verdict::Proved { .. } => {
            let text = format!(
                "Proved: all {} classes of {} are in the table with their exact scores, and nothing else is.",
                count(classes),
                table.name()
            );
            Findings::new("proved", classes, text)
        }
        Verdict::Refuted(refutation) => {
            let text = format!("Refuted: {refutation}{}", meaning(table));
            Findings {
                reason: Some(refutation.to_string()),
                position: position_of(refutation),
                ..Findings::new(REFUTED, classes, text)
            }
        }
    }
}

/// Returns the meaning of the numbers in a refutation, if they count plies.
fn meaning(table: &dyn AnyTable) -> &'static str {
    match table.file().counts_plies() {
        true => " (a win in d plies has the score 1000 - d, a loss d - 1000)",
        false => "",
    }
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

/// Returns the findings of `--by-search`.
fn searched(table: &dyn AnyTable, searched: Searched) -> Findings {
    let (entries, wrong) = (count(searched.entries), count(searched.wrong));
    let (verdict, text) = match searched.wrong {
        0 => {
            let others = match searched.entries < table.file().entries() {
                true => "the others were not checked",
                false => "whether a class is missing was not checked",
            };
            let text = format!(
                "All {entries} searched entries have the score that the search finds; {others}."
            );
            ("search-agrees", text)
        }
        _ => {
            let text = format!(
                "Refuted: the search finds a different score for {wrong} of {entries} entries{}:",
                meaning(table)
            );
            (REFUTED, text)
        }
    };
    let first = searched.examples.first();
    Findings {
        position: first.map(|example| example.position.clone()),
        reason: first.map(ToString::to_string),
        searched: Some(searched.clone()),
        ..Findings::new(verdict, searched.entries, text)
    }
}
