//! Scratch directories of the processes that solve a game together.

use super::target::{TableTarget, folder_of};
use crate::game::Checkpoints;
use crate::table::write::options::WriteError;
use crate::work::Scratch;
use crate::work::folder::{
    CHECKPOINT, Folder, SCRATCH, clear, files, has_checkpoints, is_folder, leave, make, remove,
};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Returns the directory of the table at `path`.
///
/// Every process uses it; only the first one, which writes the table, creates, locks and removes it.
///
/// # Errors
/// If the path can't be that of a table.
pub(crate) fn folder_beside(path: &Path) -> Result<Folder, WriteError> {
    let target = TableTarget::find(path, true)?;
    Ok(Folder::at(&folder_of(&target.path), CHECKPOINT))
}

/// A separate directory for data of a solver that doesn't fit into memory.
///
/// It is in another place than the table, or belongs to a process other than the first. Dropping it
/// removes it if it is empty or no longer needed.
#[derive(Debug)]
pub(crate) struct ScratchFolder {
    folder: PathBuf,
    pub(super) scratch: Arc<Scratch>,
    pub is_over: bool,
}

impl ScratchFolder {
    /// Opens the directory of a process for the table at `path`.
    ///
    /// It is next to the table unless `place` is given. `restart` discards its files.
    ///
    /// # Errors
    /// If the directory can't be created or used.
    pub fn open(
        path: &Path,
        place: Option<&Path>,
        process: usize,
        restart: bool,
    ) -> Result<ScratchFolder, WriteError> {
        let table = table(&TableTarget::find(path, true)?.path);
        let place = place.or(table.parent()).unwrap_or(Path::new(""));
        let process = match process {
            0 => String::new(),
            number => format!("-{number}"),
        };
        let mut name = name_of(&table);
        name.push(format!("{process}.{SCRATCH}"));
        let folder = place.join(name);
        make(&folder)?;
        if restart {
            clear(&folder);
        }
        Ok(ScratchFolder {
            scratch: Arc::new(Scratch::new(&folder)),
            folder,
            is_over: false,
        })
    }

    pub(super) fn has_checkpoints(&self) -> bool {
        has_checkpoints(&self.folder)
    }

    /// Removes the scratch directories of other processes for a table.
    ///
    /// It finds those next to the table and next to the process's own scratch directory.
    pub(super) fn remove_of_others(target: &Path, own: Option<&ScratchFolder>) {
        let table = table(target);
        let mut beginning = name_of(&table);
        beginning.push("-");
        let places = [table.parent(), own.and_then(|own| own.folder.parent())];
        for path in places.into_iter().flatten().flat_map(files) {
            let name = path.file_name().unwrap_or_default().as_encoded_bytes();
            if name.starts_with(beginning.as_encoded_bytes())
                && path.extension() == Some(SCRATCH.as_ref())
                && is_folder(&path).is_ok()
            {
                remove(&path);
            }
        }
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        match self.is_over {
            true => remove(&self.folder),
            false => leave(&self.folder),
        }
    }
}

/// Provides scratch files only: the first process saves everything else.
impl Checkpoints for ScratchFolder {
    fn scratch(&mut self) -> Option<Arc<Scratch>> {
        Some(Arc::clone(&self.scratch))
    }

    /// Returns the highest number: this process needs no scores for writing a table.
    fn written(&self) -> Option<u32> {
        Some(u32::MAX)
    }
}

fn table(target: &Path) -> PathBuf {
    std::path::absolute(target).unwrap_or_default()
}

/// Returns the start of the directories' names, unique for each table's path.
fn name_of(table: &Path) -> OsString {
    let mut name = OsString::from(".");
    name.push(table.file_name().unwrap_or_default());
    let path = crc32fast::hash(table.as_os_str().as_encoded_bytes());
    name.push(format!(".{path:08x}"));
    name
}
