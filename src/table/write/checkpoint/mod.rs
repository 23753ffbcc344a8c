//! The folder beside a table's place in which the table grows, and from which a stopped run goes
//! on.
//!
//! The folder of `data/some.bin` is `data/.some.bin.partial`. It holds
//!
//! * `lock`, locked for as long as a run works here,
//! * `table`, the table with an empty header, and `index`, the entries of its index so far,
//! * `checkpoints.log`: what table it is to be, and for each checkpoint lengths and digests of both
//!   and what else the writer must remember,
//! * `NAME.piece`: what the solver has kept, and checksums,
//! * `NAME.scratch`: what it has no memory for, and checksums, unless that is in another folder.
//!
//! Nothing in it is trusted. The log has a checksum, and the files are cut back to the last
//! checkpoint whose digests they have. So they need not reach the disk in any order, and
//! that is done in the background.

mod left;
mod scratch;
mod target;
#[cfg(test)]
mod tests;

pub(crate) use scratch::{ScratchFolder, folder_beside};
#[cfg(feature = "cli")]
pub(crate) use target::{Place, directory};

use super::output::{Append, GroupState, Output};
use crate::table::write::error::WriteError;
use crate::work::disk::File;
use crate::work::folder::{Folder, TABLE, clear, has_pieces, leave, remove};
use crate::work::{DiskError, Scratch};
use left::{Checkpoint, Files, Found, Identity, Log, open};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use target::{Target, folder_of};

/// Files are brought to disk no more often than this.
// In tests always, so that it can fail there.
const SYNC_EVERY: Duration = Duration::from_secs(if cfg!(test) { 0 } else { 5 });

/// The folder, for as long as a run works in it.
///
/// When it is dropped, the folder goes unless there is something in it to go on from.
pub struct Workspace {
    target: Target,
    pub folder: Folder,
    /// Handles of the table and its index, which grow.
    growing: [File; 2],
    log: Log,
    scratch: Option<Arc<Scratch>>,
    /// Another folder for what the solver has no memory for.
    pub elsewhere: Option<ScratchFolder>,
    /// Nothing is worth keeping any more.
    over: bool,
    synced: Instant,
    syncing: Option<JoinHandle<io::Result<()>>>,
    to_sync: Vec<File>,
}

/// What grows in the folder, and what was found there.
type Opened = (Workspace, Output<File, File>, Found);

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
    /// Opens or creates the folder for a table at `path`. `options` says what else than the rules
    /// makes its bytes; `restart` discards what is there. `fits` says whether a state can be that
    /// of the checkpoint with a number.
    ///
    /// # Errors
    /// If the table is there already and `force` is not set, if it can't be written, if another run
    /// works on it, or if the folder holds the beginnings of another table.
    pub fn open(
        path: &Path,
        force: bool,
        restart: bool,
        rules: &str,
        options: &str,
        fits: impl Fn(usize, &GroupState) -> bool,
    ) -> Result<Opened, WriteError> {
        let place = folder_of(Target::find(path, force)?.path());
        let locked = Folder::lock(&place).map_err(|error| match error.cause.kind() {
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
        let identity = Identity::new(rules, options);
        let (Files { output, log }, found) = match open(&place, identity.clone(), fits)? {
            Ok(opened) => opened,
            Err(theirs) => {
                let [expected, found] = identity.difference(&theirs);
                return Err(WriteError::Unfinished {
                    path: target.path().to_owned(),
                    folder: place,
                    expected,
                    found,
                });
            }
        };
        let handles = || Ok([output.table.handle()?, output.index.handle()?]);
        let growing = handles().map_err(WriteError::io(&place, "use the folder"))?;
        let workspace = Workspace {
            over: false,
            target,
            growing,
            folder: locked,
            log,
            scratch: None,
            elsewhere: None,
            synced: Instant::now(),
            syncing: None,
            to_sync: Vec::new(),
        };
        Ok((workspace, output, found))
    }

    fn is_worth_keeping(&self) -> bool {
        let is_elsewhere = || {
            self.elsewhere
                .as_ref()
                .is_some_and(ScratchFolder::has_pieces)
        };
        let is_written = !self.log.checkpoints.is_empty();
        !self.over && (is_written || has_pieces(self.folder.path()) || is_elsewhere())
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
        let stored = self.folder.put(name, "", write)?;
        self.to_sync.push(stored.file);
        Ok(())
    }

    /// From here the next run goes on.
    pub fn checkpoint(
        &mut self,
        output: &mut dyn Append,
        state: GroupState,
    ) -> Result<(), WriteError> {
        let refused = |run: &Workspace| WriteError::io(run.target.path(), "write the table");
        let [table, index] = output.prefixes().map_err(refused(self))?;
        self.log.checkpoints.push(Checkpoint {
            table,
            index,
            state,
        });
        self.log.write(self.folder.path())?;
        self.sync_in_background().map_err(refused(self))
    }

    /// Brings files to disk while the work goes on: nothing depends on it but how much a power cut
    /// costs.
    fn sync_in_background(&mut self) -> io::Result<()> {
        if self.synced.elapsed() < SYNC_EVERY
            || self
                .syncing
                .as_ref()
                .is_some_and(|sync| !sync.is_finished())
        {
            return Ok(());
        }
        self.await_sync()?;
        let mut files = std::mem::take(&mut self.to_sync);
        let [table, index] = &self.growing;
        files.extend([table.try_clone()?, index.try_clone()?]);
        self.syncing = Some(std::thread::spawn(move || {
            files.iter().try_for_each(File::sync_data)
        }));
        self.synced = Instant::now();
        Ok(())
    }

    fn await_sync(&mut self) -> io::Result<()> {
        match self.syncing.take().map(JoinHandle::join) {
            None => Ok(()),
            Some(Ok(result)) => result,
            Some(Err(_)) => Err(io::Error::other("bringing files to disk failed")),
        }
    }

    /// Makes sure that the finished table is on disk, and moves it to its place; the folder goes.
    pub fn finish(&mut self) -> Result<(), WriteError> {
        let synced = self.await_sync().and_then(|()| self.growing[0].sync_all());
        synced.map_err(WriteError::io(self.target.path(), "write the table"))?;
        self.target.take(&self.folder.path().join(TABLE))?;
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
