//! The folder beside a table's place in which the table grows, and from which a stopped run goes
//! on.
//!
//! The folder of `data/some.bin` is `data/.some.bin.partial`. It holds
//!
//! * `lock`, locked for as long as a run works here,
//! * `table`, the table with an empty header,
//! * `checkpoints.log`: what table it is to be,
//! * `group-NUMBER.piece`, a checkpoint: the length and the digest of the table, what its index has
//!   more than at the checkpoint before, and what else the writer must remember,
//! * `NAME.piece`: what the solver has kept,
//! * `NAME.scratch`: what it has no memory for, unless that is in another folder.
//!
//! Nothing in it is trusted. All but the table have checksums, and the table is cut back to the last
//! checkpoint whose digest it has. So they need not reach the disk in any order, and the system brings
//! them there when it likes: nothing depends on it but how much a power cut costs.

mod left;
mod scratch;
mod target;
#[cfg(test)]
mod tests;

pub(crate) use scratch::{ScratchFolder, folder_beside};
#[cfg(feature = "cli")]
pub(crate) use target::{Place, directory};

use super::output::{GroupState, Output};
use crate::table::write::error::WriteError;
use crate::work::disk;
use crate::work::folder::{Folder, Stored, TABLE, clear, has_pieces, leave, remove};
use crate::work::{DiskError, Scratch};
pub use left::Identity;
use left::{Checkpoint, GROUP, reopen};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use target::{Target, folder_of};

/// The folder, for as long as a run works in it.
///
/// When it is dropped, the folder goes unless there is something in it to go on from.
pub struct Workspace {
    target: Target,
    pub folder: Folder,
    /// That of all pieces.
    title: String,
    /// How many checkpoints there are, and how much of the index they have.
    checkpoints: usize,
    indexed: usize,
    scratch: Option<Arc<Scratch>>,
    /// Another folder for what the solver has no memory for.
    pub elsewhere: Option<ScratchFolder>,
    /// Nothing is worth keeping any more.
    over: bool,
}

/// What was found of an earlier run.
pub struct Found {
    /// The states of the checkpoints to go on from, in their order.
    pub states: Vec<GroupState>,
    /// What can't be continued, for people.
    pub discarded: Option<String>,
}

/// The folder, the table that grows in it, and what was found there.
type Opened = (Workspace, Output<'static>, Found);

/// Makes sure that a table may be written to a path: for who has long work to do before.
///
/// # Errors
/// If there is a file already and `force` isn't set, if the path names something else than a file,
/// or if its folder isn't there.
pub fn check_place(path: &Path, force: bool) -> Result<(), WriteError> {
    Target::find(path, force).map(|_| ())
}

/// Removes what a run has left that was stopped after its table had come to its place. Work that
/// is not finished stays, and so does the folder of a run that is going on.
#[cfg(feature = "cli")]
pub(crate) fn clear_after(path: &Path) {
    let Ok(target) = Target::find(path, true) else {
        return;
    };
    let folder = folder_of(target.path());
    let is_over = || folder.is_dir() && !folder.join(TABLE).exists();
    if is_over()
        && let Ok(_lock) = Folder::lock(&folder)
        && is_over()
    {
        remove(&folder);
    }
}

impl Workspace {
    /// Opens or creates the folder for a table at `path`; `restart` discards what is there. `fits`
    /// says whether a state can be that of the checkpoint with a number.
    ///
    /// # Errors
    /// If the table is there already and `force` is not set, if it can't be written, if another run
    /// works on it, or if the folder holds the beginnings of another table.
    pub fn open(
        path: &Path,
        (force, restart): (bool, bool),
        identity: &Identity,
        fits: impl Fn(usize, &GroupState) -> bool,
    ) -> Result<Opened, WriteError> {
        let place = folder_of(Target::find(path, force)?.path());
        let folder = Folder::lock(&place).map_err(|error| match error.cause.kind() {
            io::ErrorKind::ResourceBusy => WriteError::Busy {
                path: path.to_owned(),
                folder: place.clone(),
            },
            _ => error.into(),
        })?;
        // Another run may have finished the table while this one waited for it.
        let target = Target::find(path, force).inspect_err(|_| leave(&place))?;
        if restart {
            clear(&place);
        }
        let (before, has_pieces) = (Identity::read(&place), has_pieces(&place));
        let differs = before.as_ref().map(|before| identity.difference(before));
        if let (Some(Some([expected, found])), true) = (differs, has_pieces) {
            return Err(WriteError::Unfinished {
                path: target.path().to_owned(),
                folder: place,
                expected: expected.to_owned(),
                found: found.to_owned(),
            });
        }
        if differs != Some(None) {
            clear(&place);
            identity.write(&place).inspect_err(|_| remove(&place))?;
        }
        let all = folder
            .names()
            .filter(|name| name.starts_with(GROUP))
            .count();
        let (output, states) = reopen(&folder, &identity.title(), fits)
            .map_err(WriteError::io(&place, "use the folder for unfinished work"))?;
        let held = states.len();
        let discarded = match before {
            None if has_pieces => Some("its log is missing or damaged".to_owned()),
            _ => (held < all).then(|| format!("only {held} of {all} checkpoints hold")),
        };
        let workspace = Workspace {
            over: false,
            target,
            folder,
            title: identity.title(),
            checkpoints: held,
            indexed: output.extent().index.len(),
            scratch: None,
            elsewhere: None,
        };
        Ok((workspace, output, Found { states, discarded }))
    }

    fn is_worth_keeping(&self) -> bool {
        let elsewhere = self.elsewhere.as_ref();
        !self.over
            && (has_pieces(self.folder.path()) || elsewhere.is_some_and(ScratchFolder::has_pieces))
    }

    /// The folder, if there is something in it to go on from.
    pub fn kept_in(&self) -> Option<&Path> {
        self.is_worth_keeping().then_some(self.folder.path())
    }

    /// From what is written there is nothing to go on.
    pub fn discard(&mut self) {
        self.over = true;
    }

    /// A folder for what the solver has no memory for.
    pub fn scratch(&mut self) -> Arc<Scratch> {
        let scratch = match &self.elsewhere {
            Some(elsewhere) => &elsewhere.scratch,
            None => self
                .scratch
                .get_or_insert_with(|| Arc::new(Scratch::new(self.folder.path()))),
        };
        Arc::clone(scratch)
    }

    /// Keeps what `write` writes under a name.
    pub fn keep(
        &mut self,
        name: &str,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), DiskError> {
        self.folder.put(name, &self.title, write).map(drop)
    }

    /// What has been kept under a name.
    pub fn kept(&self, name: &str) -> Result<Option<Stored>, DiskError> {
        self.folder.get(name, &self.title)
    }

    /// From here the next run goes on.
    pub fn checkpoint(
        &mut self,
        output: &mut Output<'_>,
        state: GroupState,
    ) -> Result<(), WriteError> {
        output.flush().map_err(self.refused())?;
        let extent = output.extent();
        let point = Checkpoint::new(extent, self.indexed, state);
        self.indexed = extent.index.len();
        point.write(&self.folder, &self.title, self.checkpoints)?;
        self.checkpoints += 1;
        Ok(())
    }

    fn refused(&self) -> impl FnOnce(io::Error) -> WriteError + use<> {
        WriteError::io(self.target.path(), "write the table")
    }

    /// Makes sure that the finished table is on disk, and moves it to its place; the folder goes.
    pub fn finish(&mut self) -> Result<(), WriteError> {
        let table = self.folder.path().join(TABLE);
        let synced = disk::reopen(&table).and_then(|table| table.sync_all());
        synced.map_err(self.refused())?;
        self.target.take(&table)?;
        ScratchFolder::remove_of_others(self.target.path(), self.elsewhere.as_ref());
        self.over = true;
        Ok(())
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        if !self.is_worth_keeping() {
            remove(self.folder.path());
            self.elsewhere.as_mut().map(ScratchFolder::is_over);
        }
    }
}
