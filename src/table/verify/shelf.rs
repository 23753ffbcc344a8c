//! The directory of a proof: recomputed codes, and checkpoints.
//!
//! It has these files:
//!
//! - `lock`, locked while a proof runs.
//! - `codes-N.piece`, the recomputed codes of a finished layer.
//! - `marks-N.piece`, the entries of a layer that are known to be reached. They are written for all
//!   finished layers.
//! - `state.piece`, written after the marks.
//!
//! Marks may be newer than the state: they are true however far the proof has come. The title of
//! each file has the table's digest and rules, so files of another table count as damaged.

use crate::work::DiskError;
use crate::work::folder::{self, Folder};
use std::io::{self, BufRead};
use std::path::Path;

/// Version of the files' contents, to be raised with every change.
const VERSION: u32 = 5;

/// Name of the file with the state, which is everything but codes and marks.
pub const STATE: &str = "state";
const BUFFER: usize = 1 << 16;

pub struct Shelf {
    folder: Folder,
    title: String,
}

impl Drop for Shelf {
    /// Removes the directory unless a proof can resume from it.
    fn drop(&mut self) {
        if !self.has_state() {
            folder::remove(self.folder.path());
        }
    }
}

/// Returns the name of the file with the codes of a layer.
pub fn codes(layer: u32) -> String {
    format!("codes-{layer}")
}

/// Returns the name of the file with the marks of a layer.
pub fn marks(layer: u32) -> String {
    format!("marks-{layer}")
}

impl Shelf {
    /// Opens or creates the directory for a table with these rules and this digest.
    ///
    /// # Errors
    /// If the directory can't be used, or another proof uses it.
    pub fn open(folder: &Path, rules: &str, digest: &[u8; 32]) -> Result<Shelf, DiskError> {
        let mut folder = Folder::lock(folder).map_err(|error| match error.cause.kind() {
            kind @ io::ErrorKind::ResourceBusy => DiskError {
                cause: io::Error::new(kind, "another proof of the same table is at work there"),
                ..error
            },
            _ => error,
        })?;
        folder.is_durable = true;
        let version = env!("CARGO_PKG_VERSION");
        Ok(Shelf {
            folder,
            title: format!("{version} {VERSION} {digest:02x?} {rules}"),
        })
    }

    /// Returns a closure that makes an error of reading a file.
    pub fn error(&self, name: &str) -> impl Fn(io::Error) -> DiskError + use<> {
        let place = self.folder.place(name);
        move |cause| DiskError::of(&place, "read it")(cause)
    }

    /// Returns the error for a file that no proof of the table has written.
    pub fn unlike(&self, name: &str) -> DiskError {
        self.error(name)(io::Error::other("it is of another kind"))
    }

    /// Removes all files of a proof except the lock.
    pub fn clear(&self) {
        folder::clear(self.folder.path());
    }

    /// Writes a file.
    pub fn put(&self, name: &str, mut bytes: impl Iterator<Item = u8>) -> Result<(), DiskError> {
        let written = self.folder.put(name, &self.title, &mut |out| {
            let mut buffer = Vec::with_capacity(BUFFER);
            loop {
                buffer.clear();
                buffer.extend(bytes.by_ref().take(BUFFER));
                if buffer.is_empty() {
                    return Ok(());
                }
                out.write_all(&buffer)?;
            }
        });
        written.map(drop)
    }

    /// Opens a file, which must exist, after reading it once to check its checksum.
    pub fn get(&self, name: &str) -> Result<impl BufRead + use<>, DiskError> {
        self.folder.find(name, &self.title)?.read()
    }

    /// Whether there is a state to resume from, complete or not.
    pub fn has_state(&self) -> bool {
        self.folder.has(STATE)
    }
}
