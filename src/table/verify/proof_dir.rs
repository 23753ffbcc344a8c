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

use crate::table::codec::deflate::{Decoder, Encoder};
use crate::work::DiskError;
use crate::work::folder::{self, Folder};
use bincode::{Decode, Encode};
use std::path::Path;

/// Version of the files' contents, to be raised with every change.
const VERSION: u32 = 6;

/// Name of the file with the state, which is everything but codes.
pub const STATE: &str = "state";

pub struct ProofDir {
    pub folder: Folder,
    /// Title of all files.
    pub title: String,
}

impl Drop for ProofDir {
    /// Removes the directory unless a proof can resume from it.
    fn drop(&mut self) {
        if !self.folder.has(STATE) {
            folder::remove(self.folder.path());
        }
    }
}

/// Returns the name of the file with the codes of a layer.
pub fn codes_name(layer: u32) -> String {
    format!("codes-{layer}")
}

impl ProofDir {
    /// Opens or creates the directory for a table with these rules and this digest.
    ///
    /// # Errors
    /// If the directory can't be used, or another proof uses it.
    pub fn open(folder: &Path, rules: &str, digest: &[u8; 32]) -> Result<ProofDir, DiskError> {
        let mut folder = Folder::lock(folder)?;
        folder.is_durable = true;
        let version = env!("CARGO_PKG_VERSION");
        Ok(ProofDir {
            folder,
            title: format!("{version} {VERSION} {digest:02x?} {rules}"),
        })
    }
}

/// The deflated bits of a layer, set for each entry without a mark.
#[derive(Encode, Decode)]
pub struct Marks(Vec<u8>);

impl Marks {
    /// Returns the largest size of the marks of this many entries, in bytes.
    pub fn most_bytes(entries: u64) -> u64 {
        entries / 8 + 64
    }

    /// Deflates the bits of the entries without a mark.
    pub fn new(clear: &[u64]) -> Marks {
        let mut packed = Vec::new();
        Encoder::new(1).pack(bytemuck::cast_slice(clear), &mut packed);
        packed.shrink_to_fit();
        Marks(packed)
    }

    /// Returns the bits of the entries without a mark, or `None` if the size is wrong.
    pub fn clear_bits(&self, entries: u64) -> Option<Vec<u64>> {
        let mut clear = vec![0; entries.div_ceil(64) as usize];
        let bytes = bytemuck::cast_slice_mut(&mut clear);
        // Bytes that don't shrink are stored without deflating.
        let is_deflated = self.0.len() < bytes.len();
        let unpacked = Decoder::default().unpack(&self.0, is_deflated, bytes);
        unpacked.ok().map(|()| clear)
    }

    pub fn bytes(&self) -> u64 {
        self.0.len() as u64
    }
}
