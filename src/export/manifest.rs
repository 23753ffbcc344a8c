//! The manifest of an export: `manifest.json`.

use super::output::{FileRecord, Output};
use super::{ExportError, Format, Sample};
use crate::work::DiskError;
use crate::work::folder::files as files_in;
use crate::work::regular::open_named;
use serde::Serialize;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// Name of the manifest's file.
pub const MANIFEST: &str = "manifest.json";

/// The description of an export: the table, the format and all files.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Manifest {
    /// `npy`, `csv` or `jsonl`.
    pub format: Format,
    /// The game's name.
    pub game: String,
    /// Rules string of the game.
    pub rules: String,
    /// SHA-256 digest from the table's header, in hexadecimal digits.
    pub table: String,
    /// Meaning of each number of a position; `None` if positions are only text.
    pub columns: Option<Vec<String>>,
    /// The move of each column in `best` and `move_scores`.
    pub moves: Option<Vec<String>>,
    /// Whether the export has the scores of all moves.
    pub move_scores: bool,
    /// Value in arrays for moves that are not legal.
    pub no_score: i16,
    /// Unit that layers count, such as seeds.
    pub layers: String,
    /// The sample, if not all entries are exported.
    pub sample: Option<Sample>,
    /// All shards.
    pub shards: Vec<ShardRecord>,
}

/// A shard of an export.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ShardRecord {
    /// Layer; `None` for a sample.
    pub layer: Option<u32>,
    /// Number of entries.
    pub entries: u64,
    /// Files of the shard.
    pub files: Vec<FileRecord>,
}

impl Manifest {
    /// Returns the number of entries in all shards.
    #[must_use]
    pub fn entries(&self) -> u64 {
        self.shards.iter().map(|shard| shard.entries).sum()
    }

    /// Returns the total size of all shards in bytes, without the manifest.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let files = self.shards.iter().flat_map(|shard| &shard.files);
        files.map(|file| file.bytes).sum()
    }

    /// Writes the manifest; the file gets its name when it is complete.
    pub(super) fn write(&self, directory: &Path) -> Result<(), ExportError> {
        let mut output = Output::create(directory, "manifest", MANIFEST.to_owned())?;
        let text = serde_json::to_string_pretty(self);
        let text = text.map_err(|cause| DiskError::of(directory, "write it")(cause.into()))?;
        output.write(format!("{text}\n").as_bytes())?;
        output.finish().map(drop)
    }
}

/// The files of the export with this manifest that are still there.
///
/// Names that no export has are ignored, because the manifest may come from anywhere.
pub(super) fn files(manifest: &Path) -> Vec<PathBuf> {
    let found: serde_json::Value = open_named(manifest)
        .ok()
        .and_then(|file| serde_json::from_reader(BufReader::new(file)).ok())
        .unwrap_or_default();
    let shards = found["shards"].as_array().into_iter().flatten();
    let files = shards
        .filter_map(|shard| shard["files"].as_array())
        .flatten();
    let names = files.filter_map(|file| file["name"].as_str());
    let is_ours = |name: &&str| is_of_shard(name) && !name.contains(['/', '\\']);
    let paths = names
        .filter(is_ours)
        .map(|name| manifest.with_file_name(name));
    paths.filter(|path| path.is_file()).collect()
}

fn is_of_shard(name: &str) -> bool {
    name.starts_with("layer-") || name.starts_with("sample.")
}

/// A file in a directory that no export writes, if there is one. Hidden files don't count.
pub(super) fn foreign(directory: &Path) -> Option<PathBuf> {
    let is_foreign = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_ours = is_of_shard(&name) || name.starts_with(MANIFEST) || name.starts_with('.');
        !is_ours && !path.is_dir()
    };
    files_in(directory).filter(is_foreign).min()
}
