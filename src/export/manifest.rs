//! What an export says of itself: `manifest.json`.

use super::output::{FileRecord, Output};
use super::{ExportError, Sample};
use crate::work::DiskError;
use serde::Serialize;
use std::path::Path;

/// The file's name.
pub const MANIFEST: &str = "manifest.json";

/// All that is in the folder.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Manifest {
    /// `npy`, `csv` or `jsonl`.
    pub format: &'static str,
    /// The game's name.
    pub game: String,
    /// The rules string.
    pub rules: String,
    /// The table's SHA-256 digest, as its header has it, in hexadecimal digits.
    pub table: String,
    /// What the numbers of a position are; nothing if there are none, but text only.
    pub columns: Option<Vec<String>>,
    /// What moves the columns of `best` and `move_scores` are of.
    pub moves: Option<Vec<String>>,
    /// Whether the scores of all moves are there.
    pub move_scores: bool,
    /// What stands in arrays for a move that is not legal.
    pub no_score: i16,
    /// What layers count.
    pub layers: String,
    /// If only some entries were drawn.
    pub sample: Option<Sample>,
    /// All of them.
    pub shards: Vec<ShardRecord>,
}

/// One shard.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ShardRecord {
    /// Its layer; nothing for a sample.
    pub layer: Option<u32>,
    /// How many entries.
    pub entries: u64,
    /// Its files.
    pub files: Vec<FileRecord>,
}

impl Manifest {
    /// How many entries in all.
    #[must_use]
    pub fn entries(&self) -> u64 {
        self.shards.iter().map(|shard| shard.entries).sum()
    }

    /// How many bytes in all, itself left out.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let files = self.shards.iter().flat_map(|shard| &shard.files);
        files.map(|file| file.bytes).sum()
    }

    /// Puts it into its place, as a whole.
    pub(super) fn write(&self, folder: &Path) -> Result<(), ExportError> {
        let mut output = Output::create(folder, "manifest", MANIFEST.to_owned())?;
        let text = serde_json::to_string_pretty(self);
        let text = text.map_err(|cause| DiskError::of(folder, "write it")(cause.into()))?;
        output.write(format!("{text}\n").as_bytes())?;
        output.finish().map(drop)
    }
}
