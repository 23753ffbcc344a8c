//! Options of an export.

use crate::table::Sample;
use crate::text::display_as_serialized;
use serde::Serialize;
use std::str::FromStr;

/// File format of an export.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// NumPy arrays, one file per array.
    Npy,
    /// Comma-separated values, one line per position.
    Csv,
    /// JSON objects, one line per position.
    #[serde(rename = "jsonl")]
    JsonLines,
}

display_as_serialized!(Format);

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Format, String> {
        let known = [Format::Npy, Format::Csv, Format::JsonLines];
        let found = known.into_iter().find(|format| format.to_string() == text);
        found.ok_or_else(|| format!("there is no format {text}: it is npy, csv or jsonl"))
    }
}

/// Options of an export.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExportOptions {
    /// File format.
    pub format: Format,
    /// Layers to export; `None` for all.
    pub layers: Option<Vec<u32>>,
    /// Sample to export as one shard, instead of all wanted entries.
    pub sample: Option<Sample>,
    /// Whether to export the score of every move, too.
    pub moves: bool,
    /// Memory limit in bytes. A table that fits is loaded first, which is much faster.
    pub memory: u64,
    /// Whether to replace an existing export in the directory.
    pub force: bool,
}
