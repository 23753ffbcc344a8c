//! The files that a check writes: the report as a page, and the list of all mistakes. Both are
//! complete or not there, and neither replaces a file of another kind.

use crate::check::ListedMistake;
use crate::cli::output;
use crate::table::directory;
use anyhow::{Context, bail};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// How reports begin.
const PAGE: &str = "<!DOCTYPE html>";

/// The header of mistakes as CSV: the keys of the JSON.
const COLUMNS: [&str; 11] = [
    "position", "side", "move", "best", "before", "due", "after", "lost", "outcomes", "stage",
    "class",
];

/// An error unless a report can be written there; another report may be replaced.
pub(super) fn check_report(path: &Path) -> anyhow::Result<()> {
    output::writable(path, "report", |beginning| {
        beginning.starts_with(PAGE.as_bytes())
    })
}

/// Whether both paths name the same file, there or not.
pub(super) fn are_the_same(one: &Path, other: &Path) -> bool {
    if let Ok(same) = same_file::is_same_file(one, other) {
        return same;
    }
    let place = |path: &Path| {
        let folder = directory(path).canonicalize().ok()?;
        Some(folder.join(path.file_name()?))
    };
    one == other || place(one).is_some_and(|place_of_one| Some(place_of_one) == place(other))
}

/// Replaces the report as a whole.
pub(super) fn write_report(path: &Path, page: &str) -> anyhow::Result<()> {
    output::write(path, "report", page)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    JsonLines,
    Csv,
}

impl Format {
    /// The format that a file's name stands for.
    fn of(path: &Path) -> anyhow::Result<Format> {
        let ending = path
            .extension()
            .map(|ending| ending.to_string_lossy().to_lowercase());
        Ok(match ending.as_deref() {
            Some("csv") => Format::Csv,
            Some("jsonl" | "ndjson" | "json") => Format::JsonLines,
            _ => bail!(
                "its name has to end in .jsonl, .ndjson or .json for an object a line, or in .csv, such as mistakes.jsonl"
            ),
        })
    }

    /// Whether a file begins as a list of mistakes; one without mistakes may be empty.
    fn begins(self, beginning: &[u8]) -> bool {
        match self {
            Format::JsonLines => beginning.is_empty() || beginning.starts_with(b"{\"position\":"),
            Format::Csv => {
                beginning.starts_with(COLUMNS.join(",").get(..24).unwrap_or("").as_bytes())
            }
        }
    }
}

/// An error unless a list of mistakes can be written there; another one may be replaced.
pub(super) fn check_list(path: &Path) -> anyhow::Result<()> {
    let problem = || format!("no list of mistakes can be written to {}", path.display());
    let format = Format::of(path).with_context(problem)?;
    output::writable(path, "list of mistakes", |beginning| {
        format.begins(beginning)
    })
}

/// A list of mistakes that is being written, beside its place; dropped, it leaves nothing behind.
pub(super) struct MistakesFile {
    path: PathBuf,
    place: PathBuf,
    out: Out,
    /// The first failure: nothing more is written after it.
    failure: Option<io::Error>,
}

enum Out {
    JsonLines(BufWriter<NamedTempFile>),
    Csv(Box<csv::Writer<NamedTempFile>>),
}

impl MistakesFile {
    pub fn create(path: &Path) -> anyhow::Result<MistakesFile> {
        let problem = || format!("the mistakes can't be written to {}", path.display());
        let format = Format::of(path).with_context(problem)?;
        let place = output::destination(path).with_context(problem)?;
        let file = NamedTempFile::new_in(directory(&place)).with_context(problem)?;
        let out = match format {
            Format::JsonLines => Out::JsonLines(BufWriter::with_capacity(1 << 16, file)),
            Format::Csv => {
                let mut writer = csv::WriterBuilder::new()
                    .has_headers(false)
                    .buffer_capacity(1 << 16)
                    .from_writer(file);
                writer.write_record(COLUMNS).with_context(problem)?;
                Out::Csv(Box::new(writer))
            }
        };
        Ok(MistakesFile {
            path: path.to_owned(),
            place,
            out,
            failure: None,
        })
    }

    /// Adds a mistake. [`MistakesFile::finish`] reports a failure: the check is worth more than its
    /// list.
    pub fn add(&mut self, mistake: &ListedMistake) {
        if self.failure.is_none() {
            self.failure = self.write(mistake).err();
        }
    }

    fn write(&mut self, mistake: &ListedMistake) -> io::Result<()> {
        match &mut self.out {
            Out::JsonLines(out) => {
                serde_json::to_writer(&mut *out, mistake)?;
                out.write_all(b"\n")
            }
            Out::Csv(out) => {
                let best = vec![mistake.best.join(" ")];
                let row = ListedMistake {
                    best,
                    ..mistake.clone()
                };
                Ok(out.serialize(row)?)
            }
        }
    }

    /// Puts the file in its place.
    pub fn finish(self) -> anyhow::Result<()> {
        let MistakesFile {
            path,
            place,
            out,
            failure,
        } = self;
        let finish = || -> io::Result<()> {
            if let Some(failure) = failure {
                return Err(failure);
            }
            let file = match out {
                Out::JsonLines(out) => out.into_inner().map_err(io::IntoInnerError::into_error)?,
                Out::Csv(out) => out
                    .into_inner()
                    .map_err(|error| io::Error::other(error.to_string()))?,
            };
            output::put_in_place(file, &place)
        };
        finish().with_context(|| format!("the mistakes can't be written to {}", path.display()))
    }
}
