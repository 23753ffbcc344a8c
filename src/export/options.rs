//! What is exported, and how.

use crate::table::Sample;
use std::str::FromStr;

/// How shards are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Arrays of NumPy, a file for each.
    Npy,
    /// Comma-separated values, a line for each position.
    Csv,
    /// A JSON object a line.
    JsonLines,
}

impl Format {
    /// Its name on the command line and in the manifest.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Format::Npy => "npy",
            Format::Csv => "csv",
            Format::JsonLines => "jsonl",
        }
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Format, String> {
        let known = [Format::Npy, Format::Csv, Format::JsonLines];
        let found = known.into_iter().find(|format| format.name() == text);
        found.ok_or_else(|| format!("there is no format {text}: it is npy, csv or jsonl"))
    }
}

/// What is exported, and how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExportOptions {
    /// How it is written.
    pub format: Format,
    /// Only these layers.
    pub layers: Option<Vec<u32>>,
    /// Only so many entries, each drawn at random from all that are wanted, in one shard.
    pub sample: Option<Sample>,
    /// Also the score of every move.
    pub moves: bool,
    /// If the table takes no more than so many bytes it is loaded first, which is much faster.
    pub memory: u64,
    /// Replace another export in the folder.
    pub force: bool,
}
