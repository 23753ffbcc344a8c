//! Options of an export, and its error.

use crate::game::UnknownName;
use crate::oracle::AskError;
use crate::table::{ReadError, Sample};
use crate::text::display_as_serialized;
use crate::work::DiskError;
use serde::Serialize;
use std::path::PathBuf;
use std::str::FromStr;

/// File format of an export.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// NumPy arrays, one file per array.
    #[default]
    Npy,
    /// Comma-separated values, one line per position.
    Csv,
    /// JSON objects, one line per position.
    #[serde(rename = "jsonl")]
    JsonLines,
}

display_as_serialized!(Format);

impl FromStr for Format {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Format, UnknownName> {
        let known = [Format::Npy, Format::Csv, Format::JsonLines];
        let found = known.into_iter().find(|format| format.to_string() == text);
        let problem = format!("there is no format {text}: it is npy, csv or jsonl");
        found.ok_or(UnknownName(problem))
    }
}

/// Options of an export.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct ExportOptions {
    /// Format of the shards' files.
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

/// The reason why an export failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The table's file can't be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The table can't be queried.
    #[error(transparent)]
    Ask(#[from] AskError),
    /// A file system operation failed.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// The directory already has an export.
    #[error("{} is there already, of another export", path.display())]
    Exists {
        /// The manifest's path.
        path: PathBuf,
    },
    /// The directory has files that no export writes.
    #[error("{} is no file of an export, and the export would be mixed with it", path.display())]
    Mixed {
        /// Path of such a file.
        path: PathBuf,
    },
    /// The options ask for something that the table doesn't have.
    #[error("{0}")]
    Wanted(String),
    /// The caller cancelled the export.
    #[error("interrupted; the folder has no manifest, for the export is not complete")]
    Interrupted,
}
