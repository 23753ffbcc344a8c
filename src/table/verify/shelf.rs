//! The folder in which a proof keeps what it has no room for, and from which a stopped one goes on.
//!
//! It holds `lock`, locked for as long as a proof works here; `layer-N.piece`, the derived codes of
//! a finished layer; and `state.piece`, what a proof has to know of all finished layers. The title of
//! each piece has the table's own digest and rules. So what belongs to another table is as good as
//! damaged.

use super::error::VerifyError;
use super::tile::Entry;
use crate::work::DiskError;
use crate::work::folder::{self, Folder};
use std::collections::BTreeSet;
use std::io::{self, Read};
use std::path::Path;

/// To be raised with every change of what is in the files.
const VERSION: u32 = 3;

const STATE: &str = "state";
const BUFFER: usize = 1 << 16;

pub struct Shelf {
    folder: Folder,
    title: String,
    /// The layers whose codes are here.
    layers: BTreeSet<u32>,
    has_state: bool,
}

impl Drop for Shelf {
    /// Leaves nothing behind that no proof can go on from.
    fn drop(&mut self) {
        if !self.has_state {
            folder::remove(self.folder.path());
        }
    }
}

impl Shelf {
    /// Opens or creates the folder, for a table with these rules and this digest.
    ///
    /// # Errors
    /// If it can't be used, or another proof is at work there.
    pub fn open(folder: &Path, rules: &str, digest: &[u8; 32]) -> Result<Shelf, DiskError> {
        let folder = Folder::lock(folder).map_err(|error| match error.cause.kind() {
            kind @ io::ErrorKind::ResourceBusy => DiskError {
                cause: io::Error::new(kind, "another proof of the same table is at work there"),
                ..error
            },
            _ => error,
        })?;
        let version = env!("CARGO_PKG_VERSION");
        Ok(Shelf {
            has_state: folder.has(STATE),
            folder,
            title: format!("{version} {VERSION} {digest:02x?} {rules}"),
            layers: BTreeSet::new(),
        })
    }

    fn name(layer: u32) -> String {
        format!("layer-{layer}")
    }

    fn title(&self, name: &str) -> String {
        format!("{}\n{name}", self.title)
    }

    fn error(&self, name: &str) -> impl FnOnce(io::Error) -> DiskError + use<> {
        DiskError::of(&self.folder.place(name), "read it")
    }

    /// The error if what [`Shelf::read_state`] gives can't be what a proof of the table has left.
    pub fn unlike(&self) -> DiskError {
        self.error(STATE)(io::Error::other("it is of another kind"))
    }

    /// Removes all that a proof leaves here but the lock.
    pub fn clear(&mut self) {
        self.layers.clear();
        self.has_state = false;
        folder::clear(self.folder.path());
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
        let title = self.title(name);
        Ok(self.folder.put_durably(name, &title, &mut |out| {
            let mut buffer = Vec::with_capacity(BUFFER);
            loop {
                buffer.clear();
                buffer.extend(bytes.by_ref().take(BUFFER));
                if buffer.is_empty() {
                    return Ok(());
                }
                out.write_all(&buffer)?;
            }
        })?)
    }

    fn read_piece(&self, name: &str) -> Result<impl Read + use<>, DiskError> {
        self.folder.find(name, &self.title(name))?.read()
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
        let name = Shelf::name(layer);
        let mut codes = self.read_piece(&name)?;
        let mut restore = || {
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
            Ok(false) => Err(io::Error::other("it has another length")),
            other => other.map(drop),
        };
        Ok(restored.map_err(self.error(&name))?)
    }

    /// Remembers what the proof has to know of all finished layers.
    pub fn write_state(&mut self, bytes: &[u8]) -> Result<(), VerifyError> {
        self.write_piece(STATE, bytes.iter().copied())?;
        self.has_state = true;
        Ok(())
    }

    /// What [`Shelf::write_state`] was given last, by this proof or an earlier one; nothing if
    /// there is nothing.
    pub fn read_state(&self) -> Result<Option<Vec<u8>>, DiskError> {
        if !self.has_state {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        let read = self.read_piece(STATE)?.read_to_end(&mut bytes);
        read.map_err(self.error(STATE))?;
        Ok(Some(bytes))
    }

    /// Finds the codes of a layer that an earlier proof has left, and reads them once, for their
    /// sum.
    pub fn find(&mut self, layer: u32) -> Result<(), DiskError> {
        self.read_piece(&Shelf::name(layer))?;
        self.layers.insert(layer);
        Ok(())
    }
}
