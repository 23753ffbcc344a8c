//! `verify`: proves a table, or refutes it.

use super::args::numbers::{parse_count, parse_layer, parse_seed};
use super::args::resources::{self, Resources};
use super::program::{Answer, Program, arguments};
use super::stdout::results;
use super::table::{FOLDER_HELP, TableArgs, open_any};
use super::ui::numbers::{bytes, bytes_up, count};
use super::ui::progress::{Bar, catch_interrupts};
use super::ui::style;
use super::{folder, processes};
use crate::any::AnyTable;
use crate::cluster::Team;
use crate::table::{
    CheckedFile, Disagreement, Part, Refutation, Searched, Verdict, VerifyError, VerifyOptions,
    directory, forget_proof, is_proof_in_use,
};
use anyhow::{Context, anyhow, bail};
use clap::{ArgMatches, Args, Command};
use serde::Serialize;
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

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
struct VerifyArgs {
    #[command(flatten)]
    table: TableArgs,

    /// Only read the whole file and compare its checksums, without proving the scores
    #[arg(long)]
    checksums: bool,

    /// Only compare N random entries with their moves
    #[arg(long, value_name = "N", conflicts_with = "checksums", value_parser = parse_count, allow_negative_numbers = true)]
    sample: Option<u64>,

    /// With --sample: another seed chooses other entries
    #[arg(long, value_name = "S", default_value_t = 1, requires = "sample", value_parser = parse_seed, allow_negative_numbers = true)]
    seed: u64,

    /// Only compare all entries of these layers (seeds on the board, discs, ...)
    /// with their moves, such as 36,35,20; with --sample, both
    #[arg(long, value_name = "N,...", conflicts_with = "checksums", value_delimiter = ',', value_parser = parse_layer)]
    layers: Vec<u32>,

    /// Search entries by alpha-beta, as if there were no table, instead of comparing them with
    /// their moves: all, or those of --sample or --layers. Shares nothing with a game's own solver
    /// but the rules
    #[arg(long, conflicts_with = "checksums")]
    by_search: bool,

    /// Folder for what there is no memory for, and from which a stopped proof goes on
    /// [default: the table's]
    #[arg(long, value_name = "DIR", conflicts_with_all = ["checksums", "sample", "layers", "by_search"])]
    scratch: Option<PathBuf>,

    /// Print the result as one line of JSON
    #[arg(long)]
    json: bool,

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
    #[serde(flatten)]
    searched: Option<SearchReport>,
    seconds: f64,
}

/// What --by-search adds.
#[derive(Serialize)]
struct SearchReport {
    interrupted: bool,
    wrong: u64,
    /// The first of those.
    examples: Vec<Example>,
    nodes: u64,
}

#[derive(Serialize)]
struct Example {
    position: String,
    stored: i32,
    found: i32,
}

pub fn describe(command: Command, program: &Program<'_>) -> Command {
    VerifyArgs::augment_args(command)
        .max_term_width(100)
        .after_help(program.examples(
            &format!(
                "Exit codes: 0 proved, 1 refuted, 2 the table can't be read.\n\n{FOLDER_HELP}"
            ),
            &["verify data/kalah-6-2.bin"],
            &["verify TABLE"],
        ))
}

/// What a look at a table has shown.
struct Findings {
    verdict: &'static str,
    answer: Answer,
    looked_at: u64,
    position: Option<String>,
    reason: Option<String>,
    /// In a sentence.
    text: String,
    /// Lines that follow it.
    details: Vec<String>,
    searched: Option<SearchReport>,
}

pub fn run(matches: &ArgMatches, program: &Program<'_>) -> anyhow::Result<Answer> {
    let args: VerifyArgs = arguments(matches)?;
    let path = args.table.path();
    let bar = Bar::new();
    let team = processes::team(&bar);
    // What is read in full and in order needs no mapping, which would count as memory.
    let reads_all = args.sample.is_none() && args.layers.is_empty() && !args.by_search;
    let table = open_any(&path, args.table.no_mmap || reads_all, program.families);
    let table = processes::agree(team.as_ref(), table)?;
    catch_interrupts().context("can't catch interrupts")?;
    let began = Instant::now();
    let looked = || {
        if args.checksums {
            return checksums(&*table, &args, &bar);
        }
        if args.by_search {
            return by_search(&*table, &args, &bar);
        }
        Ok(findings(
            &*table,
            verdict(&*table, &args, &bar, team.as_ref())?,
        ))
    };
    let findings = processes::agree(team.as_ref(), looked())?;
    bar.finish();
    if !processes::speaks() {
        return Ok(findings.answer);
    }
    let seconds = began.elapsed().as_secs_f64();
    let answer = findings.answer;
    let mut out = results();
    if args.json {
        let report = Report {
            verdict: findings.verdict,
            positions: table.file().entries(),
            looked_at: findings.looked_at,
            position: findings.position,
            reason: findings.reason,
            searched: findings.searched,
            seconds,
        };
        writeln!(out, "{}", serde_json::to_string(&report)?)?;
    } else {
        let style = match answer {
            Answer::Yes => style::GOOD,
            _ => style::BAD,
        };
        let text = findings.text;
        writeln!(out, "{style}{text}{style:#} ({seconds:.1} s)")?;
        for line in findings.details {
            writeln!(out, "  {line}")?;
        }
    }
    Ok(answer)
}

fn checksums(table: &dyn AnyTable, args: &VerifyArgs, bar: &Bar) -> anyhow::Result<Findings> {
    let threads = args.resources.options().threads;
    resources::pool(threads)?.install(|| table.file().verify_checksums(bar))?;
    let positions = table.file().entries();
    Ok(Findings {
        verdict: "checksums-right",
        answer: Answer::Yes,
        looked_at: positions,
        position: None,
        reason: None,
        text: format!(
            "All checksums are right; the scores of {} classes were not proved.",
            count(positions)
        ),
        details: Vec::new(),
        searched: None,
    })
}

/// What --by-search may use by default.
const SEARCH_MEMORY: u64 = 2 << 30;
/// So many examples are told to people.
const EXAMPLES: usize = 10;

fn by_search(table: &dyn AnyTable, args: &VerifyArgs, bar: &Bar) -> anyhow::Result<Findings> {
    let memory = resources::available_share().min(SEARCH_MEMORY);
    let options = args.resources.options_or(Some(memory));
    let parts = parts(table.file(), args)?;
    let searched = table.verify_by_search(&parts, options, bar);
    let searched = searched.map_err(|error| match error {
        VerifyError::Search(error) => error.into(),
        other => anyhow::Error::from(other),
    })?;
    let (entries, all) = (searched.entries, table.file().entries());
    let path = table.file().path().display();
    if searched.is_interrupted && searched.wrong == 0 {
        bail!(
            "interrupted; {path} is neither proved nor refuted: {} entries were searched, and all of them agree",
            count(entries)
        );
    }
    let first = searched.examples.first();
    let findings = Findings {
        verdict: if first.is_none() {
            "search-agrees"
        } else {
            "refuted"
        },
        answer: if first.is_none() {
            Answer::Yes
        } else {
            Answer::No
        },
        looked_at: entries,
        position: first.map(|example| example.position.clone()),
        reason: first.map(ToString::to_string),
        text: in_words(&searched, all),
        details: details(&searched),
        searched: None,
    };
    let example = |example: Disagreement| Example {
        position: example.position,
        stored: example.stored,
        found: example.found,
    };
    Ok(Findings {
        searched: Some(SearchReport {
            interrupted: searched.is_interrupted,
            wrong: searched.wrong,
            examples: searched.examples.into_iter().map(example).collect(),
            nodes: searched.nodes,
        }),
        ..findings
    })
}

/// What searches have found in a table with so many entries.
fn in_words(searched: &Searched, all: u64) -> String {
    let entries = count(searched.entries);
    if searched.wrong == 0 {
        return format!(
            "All {entries} entries searched have the score that the search finds; {}.",
            if searched.entries < all {
                "the others were not looked at"
            } else {
                "that no class is missing was not looked at"
            }
        );
    }
    format!(
        "Refuted: {} of {entries} entries searched {} another score{}:",
        count(searched.wrong),
        if searched.wrong == 1 { "has" } else { "have" },
        if searched.is_interrupted {
            ", until it was interrupted"
        } else {
            ""
        },
    )
}

/// The first of the entries that a search contradicts.
fn details(searched: &Searched) -> Vec<String> {
    let examples = searched.examples.iter().take(EXAMPLES);
    let mut lines: Vec<String> = examples.map(ToString::to_string).collect();
    if searched.wrong > lines.len() as u64 {
        lines.push("...".to_owned());
    }
    lines
}

/// Proofs of tables with so many entries go on from where they were stopped.
const LONG: u64 = 50_000_000;
/// How often it is written down how far a proof has come.
const EVERY: Duration = Duration::from_secs(30);

/// How the names of the folders for a table's proof begin.
fn name_of_proof(table: &Path) -> Option<OsString> {
    let mut name = OsString::from(".");
    name.push(table.file_name()?);
    name.push(".proof");
    Some(name)
}

const PARTIAL: &str = ".partial";

/// The folder for a proof of a table by a process: beside it, or in another folder.
fn scratch(table: &Path, elsewhere: Option<&Path>, process: usize) -> Option<PathBuf> {
    let mut name = name_of_proof(table)?;
    if process > 0 {
        name.push(format!("-{process}"));
    }
    name.push(PARTIAL);
    Some(match elsewhere {
        Some(folder) => folder.join(name),
        None => table.with_file_name(name),
    })
}

/// Removes what the other processes of stopped proofs have left: the first's folder has gone with the
/// verdict.
fn remove_others(table: &Path, elsewhere: Option<&Path>) {
    let Some(mut beginning) = name_of_proof(table) else {
        return;
    };
    beginning.push("-");
    let place = elsewhere.unwrap_or_else(|| directory(table));
    for file in fs::read_dir(place).into_iter().flatten().flatten() {
        let name = file.file_name();
        let process = (name.as_encoded_bytes()).strip_prefix(beginning.as_encoded_bytes());
        let process = process.and_then(|rest| rest.strip_suffix(PARTIAL.as_bytes()));
        if process.is_some_and(|process| process.iter().all(u8::is_ascii_digit)) {
            forget_proof(&file.path());
        }
    }
}

/// Proves the table, with a folder if that takes long or there is too little memory otherwise.
fn proof(
    table: &dyn AnyTable,
    args: &VerifyArgs,
    bar: &Bar,
    team: Option<&Team<'_>>,
) -> anyhow::Result<Verdict> {
    let resources = args.resources.options();
    let path = table.file().path();
    let elsewhere = args.scratch.as_deref();
    folder::check_scratch(elsewhere)?;
    let folder = scratch(path, elsewhere, team.map_or(0, Team::rank));
    let is_long = elsewhere.is_some() || table.file().entries() >= LONG;
    let mut options = VerifyOptions {
        threads: resources.threads,
        memory: resources.memory,
        scratch: folder.clone().filter(|_| is_long),
        every: EVERY,
    };
    let prove = |options: &VerifyOptions| match team {
        Some(team) => table.verify_together(options, bar, team),
        None => table.verify_with(options, bar),
    };
    let mut verdict = prove(&options);
    if matches!(verdict, Err(VerifyError::Memory { .. })) && options.scratch.is_none() {
        options.scratch = folder;
        verdict = prove(&options);
    }
    if verdict.is_ok() && processes::speaks() {
        remove_others(path, elsewhere);
    }
    verdict.map_err(|error| match error {
        VerifyError::Memory { needed, .. } => anyhow!(
            "verifying {} needs {} of memory, and {} may be used; allow more with --memory, or look at a part of it with --sample or --layers",
            path.display(),
            bytes_up(needed),
            bytes(resources.memory)
        ),
        // Another proof may be at work there.
        other => match (options.scratch).filter(|folder| folder.is_dir() && !is_proof_in_use(folder)) {
            Some(folder) => anyhow!(
                "{other}; what is proved so far is kept in {}: the same command goes on from there",
                folder.display()
            ),
            None => other.into(),
        },
    })
}

/// Proves the table, or holds those parts of it that are asked for against their moves.
fn verdict(
    table: &dyn AnyTable,
    args: &VerifyArgs,
    bar: &Bar,
    team: Option<&Team<'_>>,
) -> anyhow::Result<Verdict> {
    let options = args.resources.options();
    let parts = parts(table.file(), args)?;
    if parts.is_empty() {
        return proof(table, args, bar, team);
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
    let agreed = |verdict, looked_at, text| Findings {
        verdict,
        answer: Answer::Yes,
        looked_at,
        position: None,
        reason: None,
        text,
        details: Vec::new(),
        searched: None,
    };
    match verdict {
        Verdict::Agrees { entries } => agreed(
            "sample-agrees",
            entries,
            format!(
                "All {} entries compared are the best of their moves; the others were not looked at.",
                count(entries)
            ),
        ),
        Verdict::Proved { .. } => agreed(
            "proved",
            positions,
            format!(
                "Proved: all {} classes of {} are in the table with their exact scores, and nothing else is.",
                count(positions),
                table.name()
            ),
        ),
        Verdict::Refuted(refutation) => {
            let reason = refutation.to_string();
            Findings {
                verdict: "refuted",
                answer: Answer::No,
                looked_at: positions,
                text: format!("Refuted: {reason}"),
                position: position_of(refutation),
                reason: Some(reason),
                details: Vec::new(),
                searched: None,
            }
        }
    }
}

fn position_of(refutation: Refutation) -> Option<String> {
    match refutation {
        Refutation::Miscounted { .. } | Refutation::MiscountedLayer { .. } => None,
        Refutation::Wrong { position, .. }
        | Refutation::Underivable { position, .. }
        | Refutation::Missing { position, .. }
        | Refutation::Extra { position, .. }
        | Refutation::Stuck { position }
        | Refutation::Misnumbered { position } => Some(position),
    }
}

/// The parts of the table that are to be looked at; none for all of it.
fn parts(file: &CheckedFile, args: &VerifyArgs) -> anyhow::Result<Vec<Part>> {
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
