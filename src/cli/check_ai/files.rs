//! The files that a check writes: the report as a page, and the list of all mistakes. Both are
//! complete or not there, and neither replaces a file of another kind.

use crate::check::ListedMistake;
use crate::cli::output::{self, NewFile};
use crate::table::directory;
use anyhow::{Context, bail};
use std::io;
use std::path::{Path, PathBuf};

/// How reports begin. Another report may be replaced.
pub(super) const PAGE: &[u8] = b"<!DOCTYPE html>";

/// The header of mistakes as CSV: the keys of the JSON.
const COLUMNS: [&str; 11] = [
    "position", "side", "move", "best", "before", "target", "after", "regret", "outcomes", "layer",
    "class",
];

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

    fn line(self, mistake: &ListedMistake) -> io::Result<Vec<u8>> {
        if self == Format::JsonLines {
            let mut line = serde_json::to_vec(mistake)?;
            line.push(b'\n');
            return Ok(line);
        }
        let row = ListedMistake {
            best: vec![mistake.best.join(" ")],
            ..mistake.clone()
        };
        let mut csv = csv::WriterBuilder::new()
            .has_headers(false)
            .from_writer(Vec::new());
        csv.serialize(row)?;
        csv.into_inner().map_err(csv::IntoInnerError::into_error)
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
    format: Format,
    file: NewFile,
    /// The first failure: nothing more is written after it.
    failure: io::Result<()>,
}

impl MistakesFile {
    pub fn create(path: &Path) -> anyhow::Result<MistakesFile> {
        let problem = || format!("the mistakes can't be written to {}", path.display());
        let format = Format::of(path).with_context(problem)?;
        let mut file = NewFile::create(path).with_context(problem)?;
        if format == Format::Csv {
            let header = COLUMNS.join(",") + "\n";
            file.write(header.as_bytes()).with_context(problem)?;
        }
        Ok(MistakesFile {
            path: path.to_owned(),
            format,
            file,
            failure: Ok(()),
        })
    }

    /// Adds a mistake. [`MistakesFile::finish`] reports a failure: the check is worth more than its
    /// list.
    pub fn add(&mut self, mistake: &ListedMistake) {
        if self.failure.is_ok() {
            let line = self.format.line(mistake);
            self.failure = line.and_then(|line| self.file.write(&line));
        }
    }

    /// Puts the file in its place.
    pub fn finish(self) -> anyhow::Result<()> {
        let written = self.failure.and_then(|()| self.file.finish());
        let path = self.path.display();
        written.with_context(|| format!("the mistakes can't be written to {path}"))
    }
}
