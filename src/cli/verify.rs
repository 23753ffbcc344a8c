//! `verify`: proves a table, or refutes it.

use super::args::resources::{self};
use super::folder;
use super::program::{Answer, Program, arguments};
use super::proving::{Findings, REFUTED, VerifyArgs, parts};
use super::stdout::results;
use super::table::{FOLDER_HELP, open_any};
use super::ui::progress::{Bar, catch_interrupts};
use super::ui::style;
use super::verify_by_search::by_search;
use crate::any::AnyTable;
use crate::table::{Refutation, Verdict, VerifyError, VerifyOptions};
use crate::text::count;
use crate::work::folder::is_in_use;
use anyhow::{Context, anyhow};
use clap::{ArgMatches, Args, Command};
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// So many entries that searches contradict are named to people.
const EXAMPLES: usize = 10;

pub fn describe(command: Command, program: &Program<'_>) -> Command {
    VerifyArgs::augment_args(command).after_help(program.examples(
        &format!("Exit codes: 0 proved, 1 refuted, 2 the table can't be read.\n\n{FOLDER_HELP}"),
        &["verify TABLE"],
    ))
}

pub fn run(matches: &ArgMatches, program: &Program<'_>) -> anyhow::Result<Answer> {
    let args: VerifyArgs = arguments(matches)?;
    let path = args.table.path();
    let bar = Bar::new();
    // What is read in full and in order needs no mapping, which would count as memory.
    let reads_all = args.sample.is_none() && args.layers.is_empty() && !args.by_search;
    let table = open_any(&path, args.table.no_mmap || reads_all, program.families)?;
    catch_interrupts().context("can't catch interrupts")?;
    let began = Instant::now();
    let mut findings = if args.checksums {
        checksums(&*table, &args, &bar)?
    } else if args.by_search {
        by_search(&*table, &args, &bar)?
    } else {
        findings(&*table, verdict(&*table, &args, &bar)?)
    };
    bar.finish();
    let (answer, style) = match findings.verdict {
        REFUTED => (Answer::No, style::BAD),
        _ => (Answer::Yes, style::GOOD),
    };
    findings.seconds = began.elapsed().as_secs_f64();
    let mut out = results();
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&findings)?)?;
        return Ok(answer);
    }
    let (text, seconds) = (findings.text, findings.seconds);
    writeln!(out, "{style}{text}{style:#} ({seconds:.1} s)")?;
    let searched = findings.searched.unwrap_or_default();
    for example in searched.examples.iter().take(EXAMPLES) {
        writeln!(out, "  {example}")?;
    }
    if searched.wrong > EXAMPLES as u64 {
        writeln!(out, "  ...")?;
    }
    Ok(answer)
}

fn checksums(table: &dyn AnyTable, args: &VerifyArgs, bar: &Bar) -> anyhow::Result<Findings> {
    let threads = args.resources.options().threads;
    resources::pool(threads)?.install(|| table.file().verify_checksums(bar))?;
    let positions = table.file().entries();
    let text = format!(
        "All checksums are right; the scores of {} classes were not proved.",
        count(positions)
    );
    Ok(Findings::new(table, "checksums-right", positions, text))
}

/// Proofs of tables with so many entries go on from where they were stopped.
const LONG: u64 = 50_000_000;
/// How often it is written down how far a proof has come.
const EVERY: Duration = Duration::from_secs(30);

/// The folder for a proof of a table: beside it, or in another folder.
fn scratch(table: &Path, elsewhere: Option<&Path>) -> Option<PathBuf> {
    let mut name = OsString::from(".");
    name.push(table.file_name()?);
    name.push(".proof.partial");
    Some(match elsewhere {
        Some(folder) => folder.join(name),
        None => table.with_file_name(name),
    })
}

/// Proves the table, with a folder if that takes long or there is too little memory otherwise.
fn proof(table: &dyn AnyTable, args: &VerifyArgs, bar: &Bar) -> anyhow::Result<Verdict> {
    let resources = args.resources.options();
    let path = table.file().path();
    let elsewhere = args.scratch.as_deref();
    folder::check_scratch(elsewhere)?;
    let folder = scratch(path, elsewhere);
    let is_long = elsewhere.is_some() || table.file().entries() >= LONG;
    let mut options = VerifyOptions {
        threads: resources.threads,
        memory: resources.memory,
        scratch: folder.clone().filter(|_| is_long),
        every: EVERY,
    };
    let mut verdict = table.verify(&options, bar);
    if matches!(verdict, Err(VerifyError::Memory { .. })) && options.scratch.is_none() {
        options.scratch = folder;
        verdict = table.verify(&options, bar);
    }
    verdict.map_err(|error| {
        // Another proof may be at work there.
        let is_begun = !matches!(error, VerifyError::Memory { .. });
        let is_kept = |folder: &PathBuf| is_begun && folder.is_dir() && !is_in_use(folder);
        match options.scratch.filter(is_kept) {
            Some(folder) => anyhow!(
                "{error}; what is proved so far is kept in {}: the same command goes on from there",
                folder.display()
            ),
            None => error.into(),
        }
    })
}

/// Proves the table, or holds those parts of it that are asked for against their moves.
fn verdict(table: &dyn AnyTable, args: &VerifyArgs, bar: &Bar) -> anyhow::Result<Verdict> {
    let options = args.resources.options();
    let parts = parts(table.file(), args)?;
    if parts.is_empty() {
        return proof(table, args, bar);
    }
    let mut looked_at = 0;
    for part in &parts {
        let verdict = resources::pool(options.threads)?.install(|| table.verify_part(part, bar))?;
        let Verdict::Agrees { entries } = verdict else {
            return Ok(verdict);
        };
        looked_at += entries;
    }
    Ok(Verdict::Agrees { entries: looked_at })
}

fn findings(table: &dyn AnyTable, verdict: Verdict) -> Findings {
    let positions = table.file().entries();
    let (all, name) = (count(positions), table.name());
    match verdict {
        Verdict::Agrees { entries } => {
            let text = format!(
                "All {} entries compared are the best of their moves; the others were not looked at.",
                count(entries)
            );
            Findings::new(table, "sample-agrees", entries, text)
        }
        Verdict::Proved { .. } => {
            let text = format!(
                "Proved: all {all} classes of {name} are in the table with their exact scores, and nothing else is."
            );
            Findings::new(table, "proved", positions, text)
        }
        Verdict::Refuted(refutation) => {
            let reason = refutation.to_string();
            let text = format!("Refuted: {reason}");
            Findings {
                position: position_of(refutation),
                reason: Some(reason),
                ..Findings::new(table, REFUTED, positions, text)
            }
        }
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
