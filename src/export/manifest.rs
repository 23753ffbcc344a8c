//! What an export says of itself: `manifest.json`.

use super::{ExportError, io_error};
use crate::game::Progress;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
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
    fn is_there(&self, folder: &Path) -> bool {
        self.files.iter().all(|file| {
            let found = fs::metadata(folder.join(&file.name));
            found.is_ok_and(|found| found.is_file() && found.len() == file.bytes)
        })
    }
}

/// So many bytes of a file are read at once.
const READ: usize = 1 << 18;

impl FileRecord {
    /// Whether the file in the folder has the digest; also false if it can't be read, or the caller
    /// wants it to stop.
    fn is_whole(&self, folder: &Path, progress: &dyn Progress) -> bool {
        let Ok(mut file) = File::open(folder.join(&self.name)) else {
            return false;
        };
        let mut digest = Sha256::new();
        let mut bytes = vec![0; READ];
        while !progress.cancelled() {
            match file.read(&mut bytes) {
                Ok(0) => return self.sha256 == hex(digest),
                Ok(read) => {
                    digest.update(&bytes[..read]);
                    progress.advance(read as u64);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return false,
            }
        }
        false
    }
}

/// A digest in hexadecimal digits.
pub(super) fn hex(digest: Sha256) -> String {
    let bytes = digest.finalize();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
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

    /// Keeps those shards whose files are in the folder with the digests that they should have, which
    /// is looked after on the threads of the pool that the caller is in.
    ///
    /// # Errors
    /// If the caller wants it to stop.
    pub(super) fn keep_whole_shards(
        &mut self,
        folder: &Path,
        progress: &dyn Progress,
    ) -> Result<(), ExportError> {
        self.shards.retain(|shard| shard.is_there(folder));
        if self.shards.is_empty() {
            return Ok(());
        }
        progress.phase("checking earlier shards", "bytes", self.bytes());
        let is_whole = |shard: &ShardRecord| {
            let files = shard.files.par_iter();
            files.all(|file| file.is_whole(folder, progress))
        };
        let whole: Vec<bool> = self.shards.par_iter().map(is_whole).collect();
        if progress.cancelled() {
            return Err(ExportError::Interrupted);
        }
        let mut whole = whole.into_iter();
        self.shards.retain(|_| whole.next() == Some(true));
        Ok(())
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
