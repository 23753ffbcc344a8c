//! The folder in which a proof keeps what it has no room for, and from which a stopped one goes on.
//!
//! It holds `lock`, locked for as long as a proof works here; `layer-N.codes`, the derived codes of
//! a finished layer; and `state`, what a proof has to know of all finished layers. Each file ends
//! with the SHA-256 of the table's own digest and rules, the file's name, and all before. So what
//! belongs to another table is as good as damaged.

use crate::table::verify::error::VerifyError;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU8;

/// To be raised with every change of what is in the files.
const VERSION: u32 = 1;

const LOCK: &str = "lock";
const STATE: &str = "state";
const NEW: &str = "new";
const SUM: usize = 32;
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
            self.clear();
            let _ = fs::remove_file(self.folder.join(LOCK));
            let _ = fs::remove_dir(&self.folder);
        }
    }
}

/// Whether a proof is at work in a folder.
#[cfg(feature = "cli")]
#[must_use]
pub fn is_proof_in_use(folder: &Path) -> bool {
    let lock = File::options().append(true).open(folder.join(LOCK));
    lock.is_ok_and(|lock| matches!(lock.try_lock(), Err(TryLockError::WouldBlock)))
}

/// Removes what a stopped proof of any table has left in a folder, and the folder unless there is
/// more; nothing if another is at work there.
#[cfg(feature = "cli")]
pub fn forget_proof(folder: &Path) {
    if fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir())
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
        match fs::create_dir(folder) {
            // Through a link another folder would be filled and emptied.
            Err(_) if fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir()) => {}
            other => other?,
        }
        let path = folder.join(LOCK);
        let lock = File::options().create(true).append(true).open(&path)?;
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => {
                let busy = "another proof of the same table is at work there";
                return Err(io::Error::new(io::ErrorKind::ResourceBusy, busy));
            }
            // Some file systems have no locks.
            Err(TryLockError::Error(error)) if error.kind() != io::ErrorKind::Unsupported => {
                return Err(error);
            }
            _ => {}
        }
        let version = env!("CARGO_PKG_VERSION");
        Ok(Shelf {
            folder: folder.to_owned(),
            identity: format!("{version} {VERSION} {digest:02x?} {rules}"),
            layers: BTreeSet::new(),
            has_state: folder.join(STATE).exists(),
            _lock: lock,
        })
    }

    fn name(layer: u32) -> String {
        format!("layer-{layer}.codes")
    }

    fn hasher(&self, name: &str) -> Sha256 {
        let mut hasher = Sha256::new();
        hasher.update(format!("{}\n{name}\n", self.identity));
        hasher
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
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if matches!(&*name, STATE | NEW) || name.ends_with(".codes") {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Whether the codes of a layer are here.
    pub fn has(&self, layer: u32) -> bool {
        self.layers.contains(&layer)
    }

    /// A file with its sum, in place of any other of the name.
    fn write_file(&self, name: &str, mut bytes: impl Iterator<Item = u8>) -> io::Result<()> {
        let (new, path) = (self.folder.join(NEW), self.folder.join(name));
        match fs::remove_file(&new) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut hasher = self.hasher(name);
        let mut file = File::options().write(true).create_new(true).open(&new)?;
        let mut buffer = Vec::with_capacity(BUFFER);
        loop {
            buffer.clear();
            buffer.extend(bytes.by_ref().take(BUFFER));
            if buffer.is_empty() {
                break;
            }
            hasher.update(&buffer);
            file.write_all(&buffer)?;
        }
        file.write_all(&hasher.finalize())?;
        // Before others say that it is there.
        file.sync_data()?;
        drop(file);
        fs::rename(new, path)
    }

    /// Reads a file in pieces of at most [`BUFFER`] bytes, and says at its end whether its sum is
    /// right.
    fn read_file(&self, name: &str, mut each: impl FnMut(&[u8])) -> io::Result<()> {
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, format!("{name} is damaged"));
        let path = self.folder.join(name);
        if !fs::symlink_metadata(&path)?.is_file() {
            return Err(damaged());
        }
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        let mut left = length.checked_sub(SUM as u64).ok_or_else(damaged)?;
        let mut file = BufReader::with_capacity(BUFFER, file);
        let mut hasher = self.hasher(name);
        let mut buffer = vec![0; BUFFER];
        while left > 0 {
            let piece = &mut buffer[..left.min(BUFFER as u64) as usize];
            file.read_exact(piece)?;
            hasher.update(&*piece);
            each(piece);
            left -= piece.len() as u64;
        }
        let mut sum = [0; SUM];
        file.read_exact(&mut sum)?;
        if hasher.finalize()[..] != sum {
            return Err(damaged());
        }
        Ok(())
    }

    /// Keeps the codes of a layer.
    pub fn write(
        &mut self,
        layer: u32,
        codes: impl Iterator<Item = u8>,
    ) -> Result<(), VerifyError> {
        let done = self.write_file(&Shelf::name(layer), codes);
        done.map_err(self.error("write to the folder"))?;
        self.layers.insert(layer);
        Ok(())
    }

    /// Gives each entry of a layer, which no other thread looks at, the code that it had.
    pub fn read<'a>(
        &self,
        layer: u32,
        mut entries: impl Iterator<Item = &'a AtomicU8>,
    ) -> Result<(), VerifyError> {
        let mut is_short = false;
        let done = self.read_file(&Shelf::name(layer), |codes| {
            for &code in codes {
                match entries.next() {
                    Some(byte) => super::layer::put_alone(byte, code),
                    None => is_short = true,
                }
            }
        });
        let done = match done {
            Ok(()) if is_short || entries.next().is_some() => {
                let what = format!("{} has another length", Shelf::name(layer));
                Err(io::Error::new(io::ErrorKind::InvalidData, what))
            }
            other => other,
        };
        done.map_err(self.error("read from the folder"))
    }

    /// Remembers what the proof has to know of all finished layers.
    pub fn write_state(&mut self, words: &[u64]) -> Result<(), VerifyError> {
        let bytes = words.iter().flat_map(|word| word.to_le_bytes());
        let done = self.write_file(STATE, bytes);
        done.map_err(self.error("write to the folder"))?;
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
        self.read_file(STATE, |piece| bytes.extend_from_slice(piece))?;
        let words = bytes.chunks_exact(8);
        let word = |word: &[u8]| word.iter().rev().fold(0, |all, &b| all << 8 | u64::from(b));
        Ok(Some(words.map(word).collect()))
    }

    /// Finds the codes of a layer that an earlier proof has left, and reads them once, for their
    /// sum.
    pub fn find(&mut self, layer: u32) -> io::Result<()> {
        self.read_file(&Shelf::name(layer), |_| {})?;
        self.layers.insert(layer);
        Ok(())
    }
}
