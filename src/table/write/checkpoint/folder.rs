//! The folder beside a table's place: its name, its lock, its files.

use crate::table::write::disk;
use crate::table::write::error::WriteError;
use crate::table::write::regular::{is_file, open, unlike};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A run that was killed a moment ago holds its lock until the system has taken back its memory.
const PATIENCE: Duration = Duration::from_millis(if cfg!(test) { 100 } else { 2000 });

const LOCK: &str = "lock";
pub const TABLE: &str = "table";
pub const INDEX: &str = "index";
pub const LOG: &str = "log";
pub const PIECE: &str = "piece";
pub const NEW_PIECE: &str = "new";
/// What the solver has no memory for.
pub use crate::game::scratch::{EXTENSION as SCRATCH, NEW as NEW_SCRATCH};

pub fn folder_of(target: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(".partial");
    target.with_file_name(name)
}

/// How the names of a table's folders for what a solver has no memory for begin: a name of its own
/// for each table's path.
fn scratch_name_of(table: &Path) -> OsString {
    let mut name = OsString::from(".");
    name.push(table.file_name().unwrap_or_default());
    let path = crc32fast::hash(table.as_os_str().as_encoded_bytes());
    name.push(format!(".{path:08x}"));
    name
}

/// The folder for what a solver has no memory for, if it is to be in another one than the table's,
/// or another process's than the first's.
pub fn scratch_folder_of(table: &Path, place: &Path, process: usize) -> PathBuf {
    let mut name = scratch_name_of(table);
    if process > 0 {
        name.push(format!("-{process}"));
    }
    name.push(".scratch");
    place.join(name)
}

/// Creates such a folder if need be.
pub fn make_scratch(folder: &Path) -> Result<(), WriteError> {
    let made = match disk::create_dir(folder) {
        Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => {
            is_folder(folder).and_then(|()| check_files(folder))
        }
        made => made,
    };
    made.map_err(WriteError::io(folder, "use the scratch folder"))
}

/// Removes what other processes than the first have left of such folders.
pub fn remove_scratch_of_others(table: &Path, place: &Path) {
    let mut beginning = scratch_name_of(table);
    beginning.push("-");
    for path in files(place) {
        let name = path.file_name().unwrap_or_default();
        let is_theirs = (name.as_encoded_bytes()).starts_with(beginning.as_encoded_bytes())
            && path.extension() == Some(SCRATCH.as_ref());
        if is_theirs && is_folder(&path).is_ok() {
            remove(&path);
        }
    }
}

/// Whether somebody is at work in a folder.
#[cfg(feature = "cli")]
#[must_use]
pub fn is_in_use(folder: &Path) -> bool {
    let lock = File::options().append(true).open(folder.join(LOCK));
    lock.is_ok_and(|lock| matches!(lock.try_lock(), Err(TryLockError::WouldBlock)))
}

/// Creates the folder if need be and locks it, or says what failed. If another run has locked it,
/// the cause is [`io::ErrorKind::ResourceBusy`].
pub fn lock(folder: &Path) -> Result<File, (&'static str, io::Error)> {
    const USE: &str = "use the folder for unfinished work";
    let began = Instant::now();
    loop {
        match disk::create_dir(folder) {
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => {
                is_folder(folder).map_err(|cause| (USE, cause))?;
            }
            Err(cause) => return Err(("create the folder for unfinished work", cause)),
            Ok(()) => {}
        }
        let path = folder.join(LOCK);
        let file = match open(&path, File::options().create(true).append(true)) {
            // Another run has just finished, and its folder is gone.
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => continue,
            other => other.map_err(|cause| (USE, cause))?,
        };
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if began.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_millis(50));
                continue;
            }
            // Some file systems have no locks.
            Err(TryLockError::Error(cause)) if cause.kind() == io::ErrorKind::Unsupported => {
                return Ok(file);
            }
            Err(cause) => {
                let cause = match cause {
                    TryLockError::WouldBlock => io::ErrorKind::ResourceBusy.into(),
                    TryLockError::Error(cause) => cause,
                };
                return Err(("lock the folder", cause));
            }
            Ok(()) => {}
        }
        // The other run may have finished between the last two steps: then this is not the file
        // that others will find.
        let ours = file.try_clone().and_then(same_file::Handle::from_file);
        let theirs = same_file::Handle::from_path(&path);
        if let (Ok(ours), Ok(theirs)) = (ours, theirs)
            && ours == theirs
        {
            return Ok(file);
        }
    }
}

/// An error unless the folder's name is that of a folder. Through a link another folder than the
/// table's would be filled and emptied, perhaps on another disk.
pub fn is_folder(folder: &Path) -> io::Result<()> {
    match fs::symlink_metadata(folder) {
        Ok(metadata) if !metadata.is_dir() => Err(unlike("a folder", metadata.file_type())),
        // It may be gone already: then it is made anew.
        _ => Ok(()),
    }
}

/// An error unless what is there of the files that a run leaves here are regular files.
pub fn check_files(folder: &Path) -> io::Result<()> {
    files(folder)
        .filter(|path| is_of_run(path))
        .try_for_each(|path| is_file(&path))
}

pub fn has_pieces(folder: &Path) -> bool {
    let is_piece = |extension: &OsStr| extension == PIECE || extension == SCRATCH;
    files(folder).any(|path| path.extension().is_some_and(is_piece))
}

pub fn files(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| Some(entry.ok()?.path()))
}

/// Removes all that a run leaves here but the lock. What can't be removed is replaced later, or
/// fails then.
pub fn clear(folder: &Path) {
    for path in files(folder).filter(|path| is_of_run(path)) {
        let _ = disk::remove_file(&path);
    }
}

/// Whether a run leaves files of this name here, besides the lock.
fn is_of_run(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    let extension = path.extension().and_then(|extension| extension.to_str());
    matches!(name, Some(TABLE | INDEX | LOG))
        || matches!(extension, Some(PIECE | NEW_PIECE | SCRATCH | NEW_SCRATCH))
}

/// Removes the folder if there is nothing in it but the lock.
pub fn leave(folder: &Path) {
    let is_empty = files(folder).all(|path| path.file_name() == Some(LOCK.as_ref()));
    if is_empty {
        remove(folder);
    }
}

/// Removes the folder, unless there is something in it that no run has left.
pub fn remove(folder: &Path) {
    clear(folder);
    let _ = disk::remove_file(&folder.join(LOCK));
    let _ = disk::remove_dir(folder);
}
