//! The directory in which a table is written, and from which a run resumes.
//!
//! It is next to the table: that of `data/some.bin` is `data/.some.bin.partial`. It has these
//! files:
//!
//! * `lock`, locked while a run uses the directory,
//! * `table`, the table with an empty header,
//! * `checkpoints.log`, the identity of the table,
//! * `group-NUMBER.piece`, a checkpoint: the length and the digest of the table, the part of its
//!   index since the checkpoint before, and further state of the writer,
//! * `NAME.piece`, data saved by the solver,
//! * `NAME.scratch`, data of the solver that doesn't fit into memory, unless it is in another
//!   directory.
//!
//! None of the files is trusted. All but the table have checksums, and the table is truncated to
//! the last checkpoint with its digest. So the files can reach the disk in any order and at any
//! time. A power cut only costs the work since the last checkpoint that is on disk.

mod resume;
mod scratch;
mod target;
#[cfg(test)]
mod tests;

pub(crate) use scratch::{ScratchFolder, folder_beside};
pub(crate) use target::unsuitable;
#[cfg(feature = "cli")]
pub(crate) use target::{TargetPlace, directory};

use super::options::{WRITE, WriteError};
use super::output::{GroupState, Output};
use crate::work::folder::{Folder, TABLE, clear, has_checkpoints, leave, remove};
use crate::work::{DiskError, Scratch, disk};
pub use resume::Identity;
use resume::{Checkpoint, GROUP, checkpoint_name, reopen};
use sha2::Digest;
use std::path::Path;
use std::sync::Arc;
use target::{TableTarget, folder_of};

/// The directory of an unfinished table while a run uses it.
///
/// Dropping it removes the directory, unless a run can resume from it.
pub struct Workspace {
    target: TableTarget,
    pub folder: Folder,
    /// Title of all checksummed files.
    pub title: String,
    /// Number of checkpoints.
    checkpoints: usize,
    /// Size of the part of the index in the checkpoints.
    indexed: usize,
    scratch: Arc<Scratch>,
    /// Another directory for data of the solver that doesn't fit into memory.
    pub elsewhere: Option<ScratchFolder>,
    /// Whether the files are of no further use, so that no run resumes from them.
    pub is_over: bool,
}

/// The results of an earlier run.
pub struct EarlierRun {
    /// States of the usable checkpoints, in order.
    pub states: Vec<GroupState>,
    /// Reason why some results can't be used, for messages.
    pub discarded: Option<String>,
}

/// The directory, the unfinished table in it, and the results of an earlier run.
type Opened = (Workspace, Output<'static>, EarlierRun);

/// Checks that a table may be written to a path, before long work.
///
/// # Errors
/// If there is a file and `force` isn't set, if the path is something other than a file, or if its
/// directory doesn't exist.
pub fn check_place(path: &Path, force: bool) -> Result<(), WriteError> {
    TableTarget::find(path, force).map(|_| ())
}

/// Removes the directory of a run that was stopped after it had finished its table.
///
/// The directory stays if it has an unfinished table or another run uses it.
#[cfg(feature = "cli")]
pub(crate) fn clear_after(path: &Path) {
    let Ok(target) = TableTarget::find(path, true) else {
        return;
    };
    let folder = folder_of(&target.path);
    let is_over = || folder.is_dir() && !folder.join(TABLE).exists();
    if is_over()
        && let Ok(_lock) = Folder::lock(&folder)
        && is_over()
    {
        remove(&folder);
    }
}

impl Workspace {
    /// Opens or creates the directory for a table at `path`.
    ///
    /// `restart` discards earlier results. `fits` returns whether a state can be that of the
    /// checkpoint with this number.
    ///
    /// # Errors
    /// If the table exists and `force` is not set, if it can't be written, if another run is
    /// writing it, or if the directory has another unfinished table.
    pub fn open(
        path: &Path,
        (force, restart): (bool, bool),
        identity: &Identity,
        fits: &dyn Fn(usize, &GroupState) -> bool,
    ) -> Result<Opened, WriteError> {
        let place = folder_of(&TableTarget::find(path, force)?.path);
        let folder = Folder::lock(&place)?;
        // Another run may have finished the table while this one waited for the lock.
        let target = TableTarget::find(path, force).inspect_err(|_| leave(&place))?;
        if restart {
            clear(&place);
        }
        // Refuse to overwrite results for another table. Without results, only the log is replaced.
        let (before, has_checkpoints) = (Identity::read(&place), has_checkpoints(&place));
        let differs = before.as_ref().map(|before| identity.difference(before));
        if let (Some(Some((expected, found))), true) = (differs, has_checkpoints) {
            return Err(WriteError::Unfinished {
                path: target.path.clone(),
                folder: place,
                expected: expected.to_owned(),
                found: found.to_owned(),
            });
        }
        if differs != Some(None) {
            clear(&place);
            identity.write(&place).inspect_err(|_| remove(&place))?;
        }
        // Truncate the table to the last usable checkpoint.
        let all = folder
            .names()
            .filter(|name| name.starts_with(GROUP))
            .count();
        let (output, states) = reopen(&folder, &identity.title(), fits)
            .map_err(DiskError::of(&place, "use the folder for unfinished work"))?;
        let held = states.len();
        let discarded = match before {
            None if has_checkpoints => Some("its log is missing or damaged".to_owned()),
            _ => (held < all).then(|| format!("only {held} of {all} checkpoints hold")),
        };
        let workspace = Workspace {
            is_over: false,
            target,
            folder,
            title: identity.title(),
            checkpoints: held,
            indexed: output.extent.index.len(),
            scratch: Arc::new(Scratch::new(&place)),
            elsewhere: None,
        };
        Ok((workspace, output, EarlierRun { states, discarded }))
    }

    fn is_resumable(&self) -> bool {
        let elsewhere = self.elsewhere.as_ref();
        !self.is_over
            && (has_checkpoints(self.folder.path())
                || elsewhere.is_some_and(ScratchFolder::has_checkpoints))
    }

    /// Returns the directory, if a run can resume from it.
    pub fn saved_in(&self) -> Option<&Path> {
        self.is_resumable().then_some(self.folder.path())
    }

    /// Returns the directory for data of the solver that doesn't fit into memory.
    pub fn scratch(&self) -> Arc<Scratch> {
        let elsewhere = self.elsewhere.as_ref();
        Arc::clone(elsewhere.map_or(&self.scratch, |it| &it.scratch))
    }

    /// Writes a checkpoint, from which the next run can resume.
    pub fn checkpoint(
        &mut self,
        output: &mut Output<'_>,
        state: GroupState,
    ) -> Result<(), WriteError> {
        let flushed = output.flush();
        flushed.map_err(DiskError::of(&self.target.path, WRITE))?;
        let extent = &output.extent;
        let point = Checkpoint {
            length: extent.length,
            digest: extent.hasher.clone().finalize().into(),
            blocks: extent.blocks,
            index: extent.index[self.indexed..].to_vec(),
            state,
        };
        self.indexed = extent.index.len();
        let name = checkpoint_name(self.checkpoints);
        self.folder.put_value(&name, &self.title, &point)?;
        self.checkpoints += 1;
        Ok(())
    }

    /// Syncs the finished table, moves it to its place and marks the files as useless.
    pub fn finish(&mut self) -> Result<(), WriteError> {
        let table = self.folder.path().join(TABLE);
        let synced = disk::reopen(&table).and_then(|table| table.sync_all());
        synced.map_err(DiskError::of(&self.target.path, WRITE))?;
        self.target.take(&table)?;
        ScratchFolder::remove_of_others(&self.target.path, self.elsewhere.as_ref());
        self.is_over = true;
        Ok(())
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        if !self.is_resumable() {
            remove(self.folder.path());
            self.elsewhere.iter_mut().for_each(|it| it.is_over = true);
        }
    }
}
