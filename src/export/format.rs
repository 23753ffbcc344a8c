//! The formats of shards.

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
