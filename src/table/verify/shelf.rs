//! The directory of a proof: recomputed codes, and a checkpoint.
//!
//! It has these files:
//!
//! - `lock`, locked while a proof runs.
//! - `codes-N.piece`, the recomputed codes of a finished layer.
//! - `state.piece`, the checkpoint, written after the codes.
//!
//! The title of each file has the table's digest and rules, so files of another table count as
//! damaged.

use crate::work::DiskError;
use crate::work::folder::{self, Folder};
use std::path::Path;

/// Version of the files' contents, to be raised with every change.
const VERSION: u32 = 6;

/// Name of the file with the state, which is everything but codes.
pub const STATE: &str = "state";

pub struct Shelf {
    pub folder: Folder,
    /// Title of all files.
    pub title: String,
}

impl Drop for Shelf {
    /// Removes the directory unless a proof can resume from it.
    fn drop(&mut self) {
        if !self.folder.has(STATE) {
            folder::remove(self.folder.path());
        }
    }
}

/// Returns the name of the file with the codes of a layer.
pub fn codes(layer: u32) -> String {
    format!("codes-{layer}")
}

impl Shelf {
    /// Opens or creates the directory for a table with these rules and this digest.
    ///
    /// # Errors
    /// If the directory can't be used, or another proof uses it.
    pub fn open(folder: &Path, rules: &str, digest: &[u8; 32]) -> Result<Shelf, DiskError> {
        let mut folder = Folder::lock(folder)?;
        folder.is_durable = true;
        let version = env!("CARGO_PKG_VERSION");
        Ok(Shelf {
            folder,
            title: format!("{version} {VERSION} {digest:02x?} {rules}"),
        })
    }
}
