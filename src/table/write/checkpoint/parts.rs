//! The folder of a table that several processes solve together, as those see it that don't write the
//! table.

use super::folder::{
    NEW_PIECE, PIECE, clear, folder_of, leave, make_scratch, remove, scratch_folder_of,
};
use super::piece;
use super::target::Target;
use crate::game::Journal;
use crate::game::scratch::Scratch;
use crate::table::write::disk;
use crate::table::write::error::WriteError;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What one of several processes keeps in the folder of their table. It is the first one's, which
/// has locked it, and removes it.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    folder: PathBuf,
    table: PathBuf,
}

/// A folder of one of several processes, not the first, for what its solver has no memory for. When
/// it is dropped it goes if the table is complete, or nothing is in it.
#[derive(Debug)]
pub(crate) struct OwnScratch {
    folder: PathBuf,
    scratch: Arc<Scratch>,
    is_over: bool,
}

impl OwnScratch {
    /// What is in it isn't needed any more.
    pub fn is_over(&mut self) {
        self.is_over = true;
    }
}

impl Drop for OwnScratch {
    fn drop(&mut self) {
        match self.is_over {
            true => remove(&self.folder),
            false => leave(&self.folder),
        }
    }
}

/// Its solver keeps nothing but that: the first process's does.
impl Journal for OwnScratch {
    fn scratch(&mut self) -> Option<Arc<Scratch>> {
        Some(Arc::clone(&self.scratch))
    }

    /// Nobody asks for any.
    fn written(&self) -> Option<u32> {
        Some(u32::MAX)
    }
}

/// By this the others know the folder of the first.
const TOKEN: &str = "token";

impl Parts {
    /// Those in the folder of the table at `path`.
    ///
    /// # Errors
    /// If the path can't be that of a table.
    pub fn beside(path: &Path) -> Result<Parts, WriteError> {
        let target = Target::find(path, true)?;
        Ok(Parts {
            folder: folder_of(target.path()),
            table: std::path::absolute(target.path()).unwrap_or_default(),
        })
    }

    /// A folder for what the solver of a process other than the first has no memory for: in the
    /// table's folder unless another place is given. `restart` discards what is there.
    ///
    /// # Errors
    /// If it can't be made or used.
    pub fn scratch(
        &self,
        process: usize,
        place: Option<&Path>,
        restart: bool,
    ) -> Result<OwnScratch, WriteError> {
        let beside = self.folder.parent().unwrap_or(&self.folder);
        let folder = scratch_folder_of(&self.table, place.unwrap_or(beside), process);
        make_scratch(&folder)?;
        if restart {
            clear(&folder);
        }
        Ok(OwnScratch {
            scratch: Arc::new(Scratch::new(&folder)),
            folder,
            is_over: false,
        })
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Keeps what `write` writes under a name, in place of what was there: all of it, or nothing.
    pub fn keep(
        &self,
        name: &str,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        piece::keep(&self.folder, name, write).map(|_| ())
    }

    /// What was kept under a name, if anything was; an error if it is damaged.
    pub fn kept(&self, name: &str) -> io::Result<Option<impl Read + Send + use<>>> {
        piece::kept(&self.folder, name)
    }

    /// Removes what was kept under a name. If it can't be, it stays until all goes.
    pub fn remove(&self, name: &str) {
        let _ = disk::remove_file(&piece::path(&self.folder, name));
    }

    /// Removes all that was kept under names that begin so.
    pub fn remove_all(&self, beginning: &str) {
        for path in super::folder::files(&self.folder) {
            let name = path.file_stem().and_then(|name| name.to_str());
            if path.extension().is_some_and(|extension| extension == PIECE)
                && name.is_some_and(|name| name.starts_with(beginning))
            {
                let _ = disk::remove_file(&path);
            }
        }
    }

    /// Writes what other processes look for that should see the same folder.
    pub fn put_token(&self, token: &[u8]) -> io::Result<()> {
        fs::write(self.token(), token)
    }

    /// Whether this process sees it.
    pub fn has_token(&self, token: &[u8]) -> bool {
        fs::read(self.token()).is_ok_and(|found| found == token)
    }

    pub fn remove_token(&self) {
        let _ = disk::remove_file(&self.token());
    }

    /// A name of what is cleared away.
    fn token(&self) -> PathBuf {
        self.folder.join(TOKEN).with_extension(NEW_PIECE)
    }
}
