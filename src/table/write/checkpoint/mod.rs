//! The folder beside a table's place in which the table grows, and from which a stopped run goes
//! on.
//!
//! The folder of `data/some.bin` is `data/.some.bin.partial`. It holds
//!
//! * `lock`, locked for as long as a run works here,
//! * `table`, the table with an empty header, and `index`, the entries of its index so far,
//! * `log`: what table it is to be, then for each checkpoint lengths and digests of both and what
//!   else the writer must remember,
//! * `NAME.piece`: what the solver has kept, and its digest,
//! * `NAME.scratch`: what it has no memory for, and checksums, unless that is in another folder.
//!
//! Nothing in it is trusted. Every record of the log has a checksum, and the files are cut back to
//! the last checkpoint whose digests they have. So they need not reach the disk in any order, and
//! that is done in the background.

pub(in crate::table) mod folder;
mod left;
mod log;
mod parts;
pub(in crate::table) mod piece;
mod target;
#[cfg(test)]
mod tests;

#[cfg(feature = "cli")]
pub(crate) use target::{Place, directory};

pub(crate) use parts::Parts;

use super::disk::File;
use super::output::{Append, GroupState, Output, Sink};
use crate::game::scratch::Scratch;
use crate::table::write::error::WriteError;
use folder::{
    TABLE, check_files, clear, folder_of, has_pieces, leave, lock, make_scratch, remove,
    remove_scratch_of_others, scratch_folder_of,
};
use left::{Checkpoint, Found, Identity, begin, look};
use log::Log;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use target::Target;

/// Files are brought to disk no more often than this.
// In tests always, so that it can fail there.
const SYNC_EVERY: Duration = Duration::from_secs(if cfg!(test) { 0 } else { 5 });

/// The folder, for as long as a run works in it.
///
/// When it is dropped, the folder goes unless there is something in it to go on from.
pub struct Workspace {
    target: Target,
    folder: PathBuf,
    /// The blocks of the table, and its index.
    pub output: Output<File, File>,
    log: Log,
    _lock: fs::File,
    scratch: Option<Arc<Scratch>>,
    /// Another folder for what the solver has no memory for; it is this run's, and goes with it.
    elsewhere: Option<PathBuf>,
    worth_keeping: bool,
    /// Nothing is worth keeping any more.
    over: bool,
    synced: Instant,
    syncing: Option<JoinHandle<io::Result<()>>>,
    to_sync: Vec<File>,
}

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
        && let Ok(_lock) = lock(&folder)
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
    pub fn open<S: DeserializeOwned>(
        path: &Path,
        force: bool,
        restart: bool,
        rules: &str,
        options: &str,
        fits: impl Fn(usize, &S) -> bool,
    ) -> Result<(Workspace, Found<S>), WriteError> {
        let folder = folder_of(Target::find(path, force)?.path());
        let lock = lock(&folder).map_err(|(action, cause)| match cause.kind() {
            io::ErrorKind::ResourceBusy => WriteError::Busy {
                path: path.to_owned(),
                folder: folder.clone(),
            },
            _ => WriteError::io(&folder, action)(cause),
        })?;
        let identity = Identity::new(rules, options);
        let error = |cause| WriteError::io(&folder, "use the folder for unfinished work")(cause);
        // Another run may have finished the table while this one waited for it.
        let target = Target::find(path, force).inspect_err(|_| leave(&folder))?;
        check_files(&folder).map_err(error)?;
        if restart {
            clear(&folder);
        }
        let (files, found) = match look(&folder, &identity, fits).map_err(error)? {
            Ok(left) => left,
            Err(theirs) => {
                let [expected, found] = identity.difference(&theirs);
                return Err(WriteError::Unfinished {
                    path: target.path().to_owned(),
                    folder,
                    expected,
                    found,
                });
            }
        };
        let files = match files {
            Some(files) => files,
            None => {
                clear(&folder);
                let begun = begin(&folder, &identity).inspect_err(|_| remove(&folder));
                begun.map_err(error)?
            }
        };
        let workspace = Workspace {
            worth_keeping: !found.states.is_empty(),
            over: false,
            target,
            folder,
            output: files.output,
            log: files.log,
            _lock: lock,
            scratch: None,
            elsewhere: None,
            synced: Instant::now(),
            syncing: None,
            to_sync: Vec::new(),
        };
        Ok((workspace, found))
    }

    fn is_worth_keeping(&self) -> bool {
        let folders = [Some(&self.folder), self.elsewhere.as_ref()];
        let mut folders = folders.into_iter().flatten();
        !self.over && (self.worth_keeping || folders.any(|folder| has_pieces(folder)))
    }

    /// From here the next run goes on.
    pub fn checkpoint(&mut self, state: &impl Serialize) -> io::Result<()> {
        let checkpoint = Checkpoint {
            table: self.output.table.prefix()?,
            index: self.output.index.prefix()?,
            state,
        };
        self.log.append(&checkpoint)?;
        self.worth_keeping = true;
        self.sync_in_background()
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
        files.extend([
            self.output.table.handle()?,
            self.output.index.handle()?,
            self.log.handle()?,
        ]);
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
}

impl Sink for Workspace {
    fn output(&mut self) -> &mut dyn Append {
        &mut self.output
    }

    fn folder(&self) -> &Path {
        &self.folder
    }

    fn checkpoint(&mut self, state: &GroupState) -> io::Result<()> {
        Workspace::checkpoint(self, state)
    }

    fn kept_in(&self) -> Option<&Path> {
        self.is_worth_keeping().then_some(&self.folder)
    }

    fn set_scratch(&mut self, place: &Path, restart: bool) -> Result<(), WriteError> {
        let table = std::path::absolute(self.target.path()).unwrap_or_default();
        let folder = scratch_folder_of(&table, place, 0);
        make_scratch(&folder)?;
        if restart {
            clear(&folder);
        }
        self.scratch = None;
        self.elsewhere = Some(folder);
        Ok(())
    }

    fn scratch(&mut self) -> Option<Arc<Scratch>> {
        let folder = self.elsewhere.as_ref().unwrap_or(&self.folder);
        let scratch = || Arc::new(Scratch::new(folder));
        Some(Arc::clone(self.scratch.get_or_insert_with(scratch)))
    }

    fn keep(
        &mut self,
        name: &str,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let file = piece::keep(&self.folder, name, write)?;
        self.worth_keeping = true;
        self.to_sync.push(file);
        Ok(())
    }

    fn kept(&self, name: &str) -> io::Result<Option<Box<dyn Read + Send>>> {
        let piece = piece::kept(&self.folder, name)?;
        Ok(piece.map(|piece| Box::new(piece) as _))
    }

    fn discard(&mut self) {
        self.over = true;
    }

    /// Makes sure that the table is on disk, and moves it to its place, too; the folder goes.
    fn finish(&mut self, header: &[u8]) -> Result<(), WriteError> {
        let mut finish = || {
            self.await_sync()?;
            self.output.table.finish(header)?;
            self.output.table.sync()
        };
        finish().map_err(WriteError::io(self.target.path(), "write the table"))?;
        self.target.take(&self.folder.join(TABLE))?;
        let table = std::path::absolute(self.target.path()).unwrap_or_default();
        let elsewhere = self.elsewhere.as_deref().and_then(Path::parent);
        let places = [table.parent(), elsewhere];
        for place in places.into_iter().flatten() {
            remove_scratch_of_others(&table, place);
        }
        self.over = true;
        Ok(())
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        if !self.is_worth_keeping() {
            remove(&self.folder);
            self.elsewhere.as_deref().map(remove);
        }
    }
}
