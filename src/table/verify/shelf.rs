//! The folder in which a proof keeps what it has no room for, and from which a stopped one goes on.
//!
//! It holds `lock`, locked for as long as a proof works here; `codes-N.piece`, the derived codes of
//! a finished layer; and, of all layers that are finished when they are written, `marks-N.piece`,
//! which entries are known to be reached, and then `state.piece`. Marks of layers may be newer than
//! the state: what they say is true however far the proof has come. The title of each piece has the
//! table's own digest and rules. So what belongs to another table is as good as damaged.

use crate::work::DiskError;
use crate::work::folder::{self, Folder};
use std::io::{self, BufRead};
use std::path::Path;

/// To be raised with every change of what is in the files.
const VERSION: u32 = 4;

/// The piece with what a proof knows but codes and marks.
pub const STATE: &str = "state";
const BUFFER: usize = 1 << 16;

pub struct Shelf {
    folder: Folder,
    title: String,
}

impl Drop for Shelf {
    /// Leaves nothing behind that no proof can go on from.
    fn drop(&mut self) {
        if !self.has_state() {
            folder::remove(self.folder.path());
        }
    }
}

/// The name of the piece with the codes of a layer,
pub fn codes(layer: u32) -> String {
    format!("codes-{layer}")
}

/// and with its marks.
pub fn marks(layer: u32) -> String {
    format!("marks-{layer}")
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
            folder,
            title: format!("{version} {VERSION} {digest:02x?} {rules}"),
        })
    }

    fn title(&self, name: &str) -> String {
        format!("{}\n{name}", self.title)
    }

    /// What went wrong when a piece was read.
    pub fn error(&self, name: &str) -> impl Fn(io::Error) -> DiskError + use<> {
        let place = self.folder.place(name);
        move |cause| DiskError::of(&place, "read it")(cause)
    }

    /// The error if a piece is whole, but not what a proof of the table has left.
    pub fn unlike(&self, name: &str) -> DiskError {
        self.error(name)(io::Error::other("it is of another kind"))
    }

    /// Removes all that a proof leaves here but the lock.
    pub fn clear(&self) {
        folder::clear(self.folder.path());
    }

    /// Keeps a piece.
    pub fn put(&self, name: &str, mut bytes: impl Iterator<Item = u8>) -> Result<(), DiskError> {
        let title = self.title(name);
        self.folder.put_durably(name, &title, &mut |out| {
            let mut buffer = Vec::with_capacity(BUFFER);
            loop {
                buffer.clear();
                buffer.extend(bytes.by_ref().take(BUFFER));
                if buffer.is_empty() {
                    return Ok(());
                }
                out.write_all(&buffer)?;
            }
        })
    }

    /// A piece that must be there, whole; this reads it once, for its sum.
    pub fn get(&self, name: &str) -> Result<impl BufRead + use<>, DiskError> {
        self.folder.find(name, &self.title(name))?.read()
    }

    /// Whether there is a state to go on from, whole or not.
    pub fn has_state(&self) -> bool {
        self.folder.has(STATE)
    }
}
