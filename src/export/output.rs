//! Output files that get their names when they are complete.

use super::ExportError;
use crate::text::hex;
use crate::work::DiskError;
use crate::work::disk::{self, File};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file of an export.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FileRecord {
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
