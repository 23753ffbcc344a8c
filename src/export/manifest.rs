//! What an export says of itself: `manifest.json`.

use super::{ExportError, io_error};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// The file's name.
pub const MANIFEST: &str = "manifest.json";

/// Entries drawn at random.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Sample {
    /// How many.
    pub count: u64,
    /// Where the random numbers start; the same seed draws the same ones.
    pub seed: u64,
}

/// All that is in the folder.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Manifest {
    /// `npy`, `csv` or `jsonl`.
    pub format: String,
    /// The game's name.
    pub game: String,
    /// The rules string.
    pub rules: String,
    /// The table's SHA-256 digest, as its header has it, in hexadecimal digits.
    pub table: String,
    /// What the numbers of a position are; nothing if the game has positions as text only.
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
    /// Those that are complete.
    pub shards: Vec<ShardRecord>,
}

/// One shard.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ShardRecord {
    /// Its layer; nothing for a sample.
    pub layer: Option<u32>,
    /// How many entries.
    pub entries: u64,
    /// Its files.
    pub files: Vec<FileRecord>,
}

/// One file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FileRecord {
    /// What is in it: `positions`, `scores`, `best`, `move_scores`, or `rows`.
    pub holds: String,
    /// Its name in the folder.
    pub name: String,
    /// How many bytes.
    pub bytes: u64,
    /// Their SHA-256 digest in hexadecimal digits.
    pub sha256: String,
}

impl ShardRecord {
    /// Whether all of its files are in the folder, by name and length.
    pub(super) fn is_there(&self, folder: &Path) -> bool {
        self.files.iter().all(|file| {
            let found = fs::metadata(folder.join(&file.name));
            found.is_ok_and(|found| found.is_file() && found.len() == file.bytes)
        })
    }
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

    /// The manifest in a place, if there is one.
    pub(super) fn read(path: &Path) -> Result<Option<Manifest>, ExportError> {
        let text = match fs::read(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            text => text.map_err(io_error(path, "read it"))?,
        };
        let manifest = serde_json::from_slice(&text);
        manifest
            .map(Some)
            .map_err(|cause| io_error(path, "read it")(cause.into()))
    }

    /// Puts it into its place, as a whole.
    pub(super) fn write(&self, path: &Path) -> Result<(), ExportError> {
        let part = path.with_extension("json.part");
        let mut text = serde_json::to_vec_pretty(self)
            .map_err(|cause| io_error(path, "write it")(cause.into()))?;
        text.push(b'\n');
        fs::write(&part, text).map_err(io_error(&part, "write it"))?;
        fs::rename(&part, path).map_err(io_error(path, "put it in its place"))
    }

    /// What of `wanted` this one has otherwise, the shards left out; nothing if shards of both are
    /// the same. Layers don't matter: others may be added.
    pub(super) fn difference(&self, wanted: &Manifest) -> Option<String> {
        let sample = |manifest: &Manifest| match manifest.sample {
            None => "all entries".to_owned(),
            Some(Sample { count, seed }) => format!("{count} entries drawn from seed {seed}"),
        };
        let scores = |manifest: &Manifest| match manifest.move_scores {
            true => "with the scores of moves".to_owned(),
            false => "without the scores of moves".to_owned(),
        };
        let parts: [(String, String); 5] = [
            (self.format.clone(), wanted.format.clone()),
            (format!("{:?}", self.rules), format!("{:?}", wanted.rules)),
            (
                format!("the table {}", self.table),
                format!("the table {}", wanted.table),
            ),
            (sample(self), sample(wanted)),
            (scores(self), scores(wanted)),
        ];
        let differs = parts
            .into_iter()
            .find(|(found, expected)| found != expected);
        differs.map(|(found, expected)| format!("expected {expected}, found {found}"))
    }
}
