//! The files of an export: those of shards, and the manifest. Each gets its name when it is complete.

use super::{ExportError, Format, Sample};
use crate::text::hex;
use crate::work::DiskError;
use crate::work::disk::{self, File};
use crate::work::folder::files as files_in;
use crate::work::regular::open_named;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};

/// A file of an export.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct FileRecord {
    /// Content: `positions`, `scores`, `best`, `move_scores` or `rows`.
    pub holds: &'static str,
    /// Name in the directory.
    pub name: String,
    /// Size in bytes.
    pub bytes: u64,
    /// SHA-256 digest in hexadecimal digits.
    pub sha256: String,
}

/// An unfinished file, with the digest of the bytes so far.
pub(super) struct Output {
    pub record: FileRecord,
    place: PathBuf,
    part: PathBuf,
    file: File,
    digest: Sha256,
}

impl Output {
    pub fn create(
        directory: &Path,
        holds: &'static str,
        name: String,
    ) -> Result<Output, ExportError> {
        let place = directory.join(&name);
        let part = directory.join(format!("{name}.part"));
        let file = disk::create(&part).map_err(DiskError::of(&part, "make it"))?;
        Ok(Output {
            record: FileRecord {
                holds,
                name,
                bytes: 0,
                sha256: String::new(),
            },
            place,
            part,
            file,
            digest: Sha256::new(),
        })
    }

    /// Appends bytes. The file is unbuffered, so pass many at once.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), ExportError> {
        self.file
            .write_all(bytes)
            .map_err(DiskError::of(&self.part, "write it"))?;
        self.record.bytes += bytes.len() as u64;
        self.digest.update(bytes);
        Ok(())
    }

    /// Appends lines, or reports the error of making them.
    pub fn write_lines(&mut self, lines: io::Result<Vec<u8>>) -> Result<(), ExportError> {
        self.write(&lines.map_err(DiskError::of(&self.part, "write it"))?)
    }

    pub fn finish(self) -> Result<FileRecord, ExportError> {
        self.file
            .sync_data()
            .map_err(DiskError::of(&self.part, "write it"))?;
        drop(self.file);
        fs::rename(&self.part, &self.place)
            .map_err(DiskError::of(&self.place, "put it in its place"))?;
        Ok(FileRecord {
            sha256: hex(self.digest.finalize()),
            ..self.record
        })
    }
}

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
    pub no_score: Option<i32>,
    /// Unit that layers count, such as seeds.
    pub layers: String,
    /// The sample, if not all entries are exported.
    pub sample: Option<Sample>,
    /// Shards in the order of their layers.
    pub(crate) shards: Vec<ShardRecord>,
}

/// A shard of an export.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct ShardRecord {
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

/// Returns the files of the export with this manifest that are still there.
///
/// Names that no export has are ignored, because the manifest may come from anywhere.
pub(super) fn exported(manifest: &Path) -> Vec<PathBuf> {
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

/// Returns a file in a directory that no export writes, if there is one. Hidden files don't count.
pub(super) fn foreign(directory: &Path) -> Option<PathBuf> {
    let is_foreign = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_ours = is_of_shard(&name) || name.starts_with(MANIFEST) || name.starts_with('.');
        !is_ours && !path.is_dir()
    };
    files_in(directory).filter(is_foreign).min()
}
