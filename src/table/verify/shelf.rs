//! The folder in which a proof keeps what it has no room for, and from which a stopped one goes on.
//!
//! It holds `lock`, locked for as long as a proof works here; `layer-N.piece`, the derived codes of
//! a finished layer; and `state.piece`, what a proof has to know of all finished layers. Each piece
//! begins with the SHA-256 of the table's own digest and rules and the piece's name. So what belongs
//! to another table is as good as damaged.

use super::error::VerifyError;
use super::tile::Entry;
use crate::table::write::{folder, piece};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// To be raised with every change of what is in the files.
const VERSION: u32 = 3;

const STATE: &str = "state";
const BUFFER: usize = 1 << 16;

pub struct Shelf {
    folder: PathBuf,
    identity: String,
    /// The layers whose codes are here.
    layers: BTreeSet<u32>,
    has_state: bool,
    _lock: File,
}

impl Drop for Shelf {
    /// Leaves nothing behind that no proof can go on from.
    fn drop(&mut self) {
        if !self.has_state {
            folder::remove(&self.folder);
        }
    }
}

/// Removes what a stopped proof of any table has left in a folder, and the folder unless there is
/// more; nothing if another is at work there.
#[cfg(feature = "cli")]
pub fn forget_proof(folder: &Path) {
    if std::fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir())
        && let Ok(mut shelf) = Shelf::open(folder, "", &[0; 32])
    {
        shelf.clear();
    }
}

impl Shelf {
    /// Opens or creates the folder, for a table with these rules and this digest.
    ///
    /// # Errors
    /// If it can't be used, or another proof is at work there.
    pub fn open(folder: &Path, rules: &str, digest: &[u8; 32]) -> io::Result<Shelf> {
        let lock = folder::lock(folder).map_err(|(_, cause)| match cause.kind() {
            io::ErrorKind::ResourceBusy => {
                let busy = "another proof of the same table is at work there";
                io::Error::new(cause.kind(), busy)
            }
            _ => cause,
        })?;
        folder::check_files(folder)?;
        let version = env!("CARGO_PKG_VERSION");
        Ok(Shelf {
            folder: folder.to_owned(),
            identity: format!("{version} {VERSION} {digest:02x?} {rules}"),
            layers: BTreeSet::new(),
            has_state: piece::path(folder, STATE).exists(),
            _lock: lock,
        })
    }

    fn name(layer: u32) -> String {
        format!("layer-{layer}")
    }

    /// What a piece begins with.
    fn beginning(&self, name: &str) -> [u8; 32] {
        Sha256::digest(format!("{}\n{name}\n", self.identity)).into()
    }

    fn error(&self, action: &'static str) -> impl FnOnce(io::Error) -> VerifyError {
        let path = self.folder.clone();
        move |cause| VerifyError::Scratch {
            path,
            action,
            cause,
        }
    }

    /// Removes all that a proof leaves here but the lock.
    pub fn clear(&mut self) {
        self.layers.clear();
        self.has_state = false;
        folder::clear(&self.folder);
    }

    /// Whether the codes of a layer are here.
    pub fn has(&self, layer: u32) -> bool {
        self.layers.contains(&layer)
    }

    fn write_piece(
        &self,
        name: &str,
        mut bytes: impl Iterator<Item = u8>,
    ) -> Result<(), VerifyError> {
        let mut write = |out: &mut dyn Write| {
            out.write_all(&self.beginning(name))?;
            let mut buffer = Vec::with_capacity(BUFFER);
            loop {
                buffer.clear();
                buffer.extend(bytes.by_ref().take(BUFFER));
                if buffer.is_empty() {
                    return Ok(());
                }
                out.write_all(&buffer)?;
            }
        };
        let written = piece::keep(&self.folder, name, &mut write);
        let written = written.and_then(|file| file.sync_data());
        written.map_err(self.error("write to the folder"))
    }

    fn read_piece(&self, name: &str) -> io::Result<impl Read + 'static> {
        let fault = |fault| io::Error::new(io::ErrorKind::InvalidData, format!("{name} {fault}"));
        let mut piece = piece::kept(&self.folder, name)?.ok_or_else(|| fault("is missing"))?;
        let mut beginning = [0; 32];
        piece.read_exact(&mut beginning)?;
        match beginning == self.beginning(name) {
            true => Ok(piece),
            false => Err(fault("belongs to another table")),
        }
    }

    /// Keeps the codes of a layer.
    pub fn write(
        &mut self,
        layer: u32,
        codes: impl Iterator<Item = u8>,
    ) -> Result<(), VerifyError> {
        self.write_piece(&Shelf::name(layer), codes)?;
        self.layers.insert(layer);
        Ok(())
    }

    /// Gives each entry of a layer, which no other thread looks at, the code that it had.
    pub fn read<'a, E: Entry + 'a>(
        &self,
        layer: u32,
        mut entries: impl Iterator<Item = &'a E>,
    ) -> Result<(), VerifyError> {
        let mut restore = || -> io::Result<bool> {
            let mut codes = self.read_piece(&Shelf::name(layer))?;
            let mut buffer = vec![0; BUFFER];
            loop {
                let length = codes.read(&mut buffer)?;
                for &code in &buffer[..length] {
                    match entries.next() {
                        Some(entry) => entry.put_alone(code.into()),
                        None => return Ok(false),
                    }
                }
                if length == 0 {
                    return Ok(entries.next().is_none());
                }
            }
        };
        let restored = match restore() {
            Ok(false) => {
                let what = format!("{} has another length", Shelf::name(layer));
                Err(io::Error::new(io::ErrorKind::InvalidData, what))
            }
            other => other.map(drop),
        };
        restored.map_err(self.error("read from the folder"))
    }

    /// Remembers what the proof has to know of all finished layers.
    pub fn write_state(&mut self, words: &[u64]) -> Result<(), VerifyError> {
        let bytes = words.iter().flat_map(|word| word.to_le_bytes());
        self.write_piece(STATE, bytes)?;
        self.has_state = true;
        Ok(())
    }

    /// What [`Shelf::write_state`] was given last, by this proof or an earlier one; nothing if
    /// there is nothing.
    pub fn read_state(&self) -> io::Result<Option<Vec<u64>>> {
        if !self.has_state {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        self.read_piece(STATE)?.read_to_end(&mut bytes)?;
        let words = bytes.as_chunks().0.iter();
        Ok(Some(words.map(|&word| u64::from_le_bytes(word)).collect()))
    }

    /// Finds the codes of a layer that an earlier proof has left, and reads them once, for their
    /// sum.
    pub fn find(&mut self, layer: u32) -> io::Result<()> {
        self.read_piece(&Shelf::name(layer))?;
        self.layers.insert(layer);
        Ok(())
    }
}
