//! The files that a check writes: the report as a page, and the list of all mistakes.
//!
//! Each is either complete or absent, and never replaces a file of another kind.

use crate::check::ListedMistake;
use crate::cli::output::{self, NewFile};
use crate::export::{csv, json_lines};
use anyhow::{Context, bail};
use std::path::{Path, PathBuf};
use std::{io, iter};

/// The header of mistakes as CSV: the keys of the JSON.
const HEADER: &str = "position,side,move,best,before,target,after,\
    before_distance,target_distance,after_distance,regret,outcomes,layer,class\n";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    JsonLines,
    Csv,
}

impl Format {
    /// Returns the format for the extension of a file's name.
    fn of(path: &Path) -> anyhow::Result<Format> {
        let ending = path
            .extension()
            .map(|ending| ending.to_string_lossy().to_lowercase());
        Ok(match ending.as_deref() {
            Some("csv") => Format::Csv,
            Some("jsonl" | "ndjson" | "json") => Format::JsonLines,
            _ => bail!(
                "its name has to end in .csv, or in .jsonl, .ndjson or .json for one object per line"
            ),
        })
    }

    /// Returns whether a file begins like a list of mistakes. A list without mistakes may be empty.
    fn begins(self, beginning: &[u8]) -> bool {
        match self {
            Format::JsonLines => beginning.is_empty() || beginning.starts_with(b"{\"position\":"),
            Format::Csv => beginning.starts_with(&HEADER.as_bytes()[..24]),
        }
    }

    fn line(self, mistake: &ListedMistake) -> io::Result<Vec<u8>> {
        if self == Format::JsonLines {
            return json_lines(iter::once(mistake));
        }
        let row = ListedMistake {
            best: vec![mistake.best.join(" ")],
            ..mistake.clone()
        };
        csv(iter::once(row))
    }
}

/// Checks that a list of mistakes can be written to `path`, where it may replace another list.
pub(super) fn check_list(path: &Path) -> anyhow::Result<()> {
    let problem = || format!("can't write a list of mistakes to {}", path.display());
    let format = Format::of(path).with_context(problem)?;
    output::writable(path, "list of mistakes", |beginning| {
        format.begins(beginning)
    })
}

/// A list of mistakes that is being written, under a temporary name until it is finished.
pub(super) struct MistakesFile {
    path: PathBuf,
    format: Format,
    file: NewFile,
    /// The first failure: nothing more is written after it.
    failure: io::Result<()>,
}

impl MistakesFile {
    pub fn create(path: &Path) -> anyhow::Result<MistakesFile> {
        let problem = || format!("can't write the mistakes to {}", path.display());
        let format = Format::of(path).with_context(problem)?;
        let mut file = NewFile::create(path).with_context(problem)?;
        if format == Format::Csv {
            file.write(HEADER.as_bytes()).with_context(problem)?;
        }
        Ok(MistakesFile {
            path: path.to_owned(),
            format,
            file,
            failure: Ok(()),
        })
    }

    /// Adds a mistake.
    ///
    /// [`MistakesFile::finish`] reports a failure, so that the check itself continues.
    pub fn add(&mut self, mistake: &ListedMistake) {
        if self.failure.is_ok() {
            let line = self.format.line(mistake);
            self.failure = line.and_then(|line| self.file.write(&line));
        }
    }

    /// Renames the file to its final name.
    pub fn finish(self) -> anyhow::Result<()> {
        let written = self.failure.and_then(|()| self.file.finish());
        let path = self.path.display();
        written.with_context(|| format!("can't write the mistakes to {path}"))
    }
}
