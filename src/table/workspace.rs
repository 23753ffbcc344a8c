//! The folder beside a table's place in which the table grows, and from which a stopped run goes
//! on.
//!
//! The folder of `data/some.bin` is `data/.some.bin.partial`. It holds
//!
//! * `lock`, locked for as long as a run works here,
//! * `table`, the table with an empty header, and `index`, the entries of its index so far,
//! * `log`: what table it is to be, then for each checkpoint lengths and digests of both and what
//!   else the writer must remember,
//! * `NAME.piece`: what the solver has kept, and its digest.
//!
//! Nothing in it is trusted. Every record of the log has a checksum, and the files are cut back to
//! the last checkpoint whose digests they have. So they need not reach the disk in any order, and
//! that is done in the background.

use super::error::TableError;
use super::format::{FORMAT_VERSION, HEADER_LENGTH};
use super::growing::{Growing, Prefix, hash};
use super::log::Log;
use super::target::Target;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The version of what is in the folder; to be raised with every change of it, or of the bytes of
/// blocks.
const VERSION: u32 = 1;

/// Files are brought to disk no more often than this.
const SYNC_EVERY: Duration = Duration::from_secs(5);

/// A run that was killed a moment ago holds its lock until the system has taken back its memory.
const PATIENCE: Duration = Duration::from_secs(2);

const LOCK: &str = "lock";
const TABLE: &str = "table";
const INDEX: &str = "index";
const LOG: &str = "log";
const PIECE: &str = "piece";
const NEW_PIECE: &str = "new";

/// What makes the bytes of a table: only a run with all of it the same can go on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Identity {
    rules: String,
    options: String,
    program: String,
    format: u32,
    folder: u32,
}

impl Identity {
    /// What differs first, for people.
    fn difference(&self, found: &Identity) -> [String; 2] {
        let of = |part: fn(&Identity) -> String| [part(self), part(found)];
        if self.rules != found.rules {
            return of(|identity| identity.rules.clone());
        }
        if self.options != found.options {
            return of(|identity| identity.options.clone());
        }
        of(|identity| {
            let Identity {
                program,
                format,
                folder,
                ..
            } = identity;
            format!("version {program} (formats {format} and {folder})")
        })
    }
}

/// A record of the log but the first.
#[derive(Debug, Serialize, Deserialize)]
struct Checkpoint<S> {
    table: Prefix,
    index: Prefix,
    state: S,
}

/// The folder, for as long as a run works in it.
///
/// When it is dropped, the folder goes unless there is something in it to go on from.
pub(super) struct Workspace {
    target: Target,
    folder: PathBuf,
    /// The blocks of the table, after an empty header.
    pub table: Growing,
    /// The entries of its index.
    pub index: Growing,
    log: Log,
    _lock: File,
    worth_keeping: bool,
    synced: Instant,
    syncing: Option<JoinHandle<io::Result<()>>>,
    to_sync: Vec<File>,
}

/// What was found of an earlier run.
#[derive(Debug)]
pub(super) struct Found<S> {
    /// The states of the checkpoints to go on from, in their order.
    pub states: Vec<S>,
    /// What can't be gone on with, for people.
    pub discarded: Option<String>,
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
    ) -> Result<(Workspace, Found<S>), TableError> {
        let target = Target::find(path, force)?;
        let folder = folder_of(target.path());
        let lock = lock(&folder, target.path())?;
        let identity = Identity {
            rules: rules.into(),
            options: options.into(),
            program: env!("CARGO_PKG_VERSION").into(),
            format: FORMAT_VERSION,
            folder: VERSION,
        };
        let error = |cause| TableError::Io {
            path: folder.clone(),
            action: "use the folder for unfinished work",
            cause,
        };
        if restart {
            clear(&folder);
        }
        let mut found = Found {
            states: Vec::new(),
            discarded: None,
        };
        let files = match look(&folder, &identity, fits).map_err(error)? {
            Left::Nothing => None,
            Left::Unusable(why) => {
                found.discarded = Some(why);
                None
            }
            Left::Other(theirs) => {
                let [expected, found] = identity.difference(&theirs);
                return Err(TableError::Unfinished {
                    path: target.path().to_owned(),
                    folder,
                    expected,
                    found,
                });
            }
            Left::Same {
                files,
                states,
                damaged,
            } => {
                found.states = states;
                found.discarded = damaged;
                Some(*files)
            }
        };
        let files = match files {
            Some(files) => files,
            None => {
                clear(&folder);
                begin(&folder, &identity).map_err(|cause| {
                    remove(&folder);
                    error(cause)
                })?
            }
        };
        let workspace = Workspace {
            worth_keeping: !found.states.is_empty() || has_pieces(&folder),
            target,
            folder,
            table: files.table,
            index: files.index,
            log: files.log,
            _lock: lock,
            synced: Instant::now(),
            syncing: None,
            to_sync: Vec::new(),
        };
        Ok((workspace, found))
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Leaves nothing to go on from.
    pub fn discard(&mut self) {
        self.worth_keeping = false;
    }

    /// The folder, if there is something in it to go on from.
    pub fn kept_in(&self) -> Option<&Path> {
        self.worth_keeping.then_some(&self.folder)
    }

    /// From here the next run goes on.
    pub fn checkpoint(&mut self, state: &impl Serialize) -> io::Result<()> {
        let checkpoint = Checkpoint {
            table: self.table.prefix()?,
            index: self.index.prefix()?,
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
            self.table.handle()?,
            self.index.handle()?,
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

    /// Keeps what `write` writes under a name.
    pub fn keep(
        &mut self,
        name: &str,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let new = self.folder.join(name).with_extension(NEW_PIECE);
        let result = write_piece(&new, write).and_then(|file| {
            fs::rename(&new, self.folder.join(name).with_extension(PIECE))?;
            Ok(file)
        });
        match result {
            Ok(file) => {
                self.worth_keeping = true;
                self.to_sync.push(file);
                Ok(())
            }
            Err(cause) => {
                // It takes room that may just have run out.
                let _ = fs::remove_file(&new);
                Err(cause)
            }
        }
    }

    /// What was kept under a name, if anything was; an error if it is damaged.
    pub fn kept(&self, name: &str) -> io::Result<Option<impl Read + Send + 'static>> {
        let path = self.folder.join(name).with_extension(PIECE);
        let mut file = match File::open(path) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => other?,
        };
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, "it is damaged");
        let length = file
            .metadata()?
            .len()
            .checked_sub(DIGEST)
            .ok_or_else(damaged)?;
        let mut hasher = Sha256::new();
        hash(&mut (&mut file).take(length), &mut hasher)?;
        let mut digest = Vec::new();
        file.read_to_end(&mut digest)?;
        if digest[..] != hasher.finalize()[..] {
            return Err(damaged());
        }
        file.seek(SeekFrom::Start(0))?;
        Ok(Some(BufReader::with_capacity(1 << 20, file.take(length))))
    }

    /// Gives the table its header, makes sure that it is on disk, and moves it to its place; the
    /// folder goes.
    ///
    /// # Errors
    /// If that fails, or something has come to the table's place meanwhile that is not to be
    /// replaced.
    pub fn finish(&mut self, header: &[u8]) -> Result<(), TableError> {
        let mut finish = || {
            self.await_sync()?;
            self.table.finish(header)
        };
        finish().map_err(|cause| TableError::Io {
            path: self.target.path().to_owned(),
            action: "write the table",
            cause,
        })?;
        self.target.take(&self.folder.join(TABLE))?;
        self.worth_keeping = false;
        Ok(())
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        if !self.worth_keeping {
            remove(&self.folder);
        }
    }
}

/// The bytes of the digest at the end of a piece.
const DIGEST: u64 = 32;

fn write_piece(
    path: &Path,
    write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
) -> io::Result<File> {
    let mut piece = Growing::create(path, 0)?;
    write(&mut piece)?;
    let digest = piece.digest();
    piece.write_all(&digest)?;
    piece.prefix()?;
    piece.handle()
}

fn folder_of(target: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(".partial");
    target.with_file_name(name)
}

/// Creates the folder if need be and locks it.
fn lock(folder: &Path, target: &Path) -> Result<File, TableError> {
    let error = |action| {
        move |cause| TableError::Io {
            path: folder.to_owned(),
            action,
            cause,
        }
    };
    let began = Instant::now();
    loop {
        match fs::create_dir(folder) {
            Err(cause) if cause.kind() != io::ErrorKind::AlreadyExists || !folder.is_dir() => {
                return Err(error("create the folder for unfinished work")(cause));
            }
            _ => {}
        }
        let path = folder.join(LOCK);
        let file = match File::options().create(true).append(true).open(&path) {
            // Another run has just finished, and its folder is gone.
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => continue,
            other => other.map_err(error("use the folder for unfinished work"))?,
        };
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if began.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_millis(50));
                continue;
            }
            Err(TryLockError::WouldBlock) => {
                return Err(TableError::Busy {
                    path: target.to_owned(),
                    folder: folder.to_owned(),
                });
            }
            // Some file systems have no locks.
            Err(TryLockError::Error(cause)) if cause.kind() == io::ErrorKind::Unsupported => {
                return Ok(file);
            }
            Err(TryLockError::Error(cause)) => return Err(error("lock the folder")(cause)),
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

struct Files {
    table: Growing,
    index: Growing,
    log: Log,
}

/// The files of an empty folder.
fn begin(folder: &Path, identity: &Identity) -> io::Result<Files> {
    let (table, index) = blank(folder)?;
    let mut log = Log::create(&folder.join(LOG))?;
    log.append(identity)?;
    Ok(Files { table, index, log })
}

fn blank(folder: &Path) -> io::Result<(Growing, Growing)> {
    let table = Growing::create(&folder.join(TABLE), HEADER_LENGTH as u64)?;
    let index = Growing::create(&folder.join(INDEX), 0)?;
    Ok((table, index))
}

/// What an earlier run has left.
enum Left<S> {
    /// Nothing worth a word.
    Nothing,
    /// Something that can't be gone on with, and why.
    Unusable(String),
    /// The beginnings of another table.
    Other(Identity),
    /// The beginnings of this table, cut back to the last checkpoint that holds.
    Same {
        files: Box<Files>,
        states: Vec<S>,
        /// What was cut off because it is damaged.
        damaged: Option<String>,
    },
}

fn look<S: DeserializeOwned>(
    folder: &Path,
    identity: &Identity,
    fits: impl Fn(usize, &S) -> bool,
) -> io::Result<Left<S>> {
    let (mut log, records) = match Log::reopen(&folder.join(LOG)) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
            return Ok(match has_pieces(folder) {
                true => Left::Unusable("its log is missing".into()),
                false => Left::Nothing,
            });
        }
        other => other?,
    };
    let first = records.first();
    let Some(theirs) = first.and_then(|first| serde_json::from_str(&first.json).ok()) else {
        return Ok(match has_pieces(folder) || log.has_more() {
            true => Left::Unusable("its log is damaged".into()),
            false => Left::Nothing,
        });
    };
    if theirs != *identity {
        return Ok(match has_pieces(folder) || records.len() > 1 {
            true => Left::Other(theirs),
            false => Left::Nothing,
        });
    }
    let checkpoints: Vec<Checkpoint<S>> = (0..)
        .zip(&records[1..])
        .map_while(|(number, record)| {
            let checkpoint: Checkpoint<S> = serde_json::from_str(&record.json).ok()?;
            fits(number, &checkpoint.state).then_some(checkpoint)
        })
        .collect();
    let points = |part: fn(&Checkpoint<S>) -> &Prefix| checkpoints.iter().map(part).collect();
    let table_points: Vec<&Prefix> = points(|checkpoint| &checkpoint.table);
    let index_points: Vec<&Prefix> = points(|checkpoint| &checkpoint.index);
    let table = Growing::reopen(&folder.join(TABLE), HEADER_LENGTH as u64, &table_points);
    let index = Growing::reopen(&folder.join(INDEX), 0, &index_points);
    let (last, (table, index)) = match (table, index) {
        (Ok(table), Ok(index)) => {
            let last = (0..checkpoints.len())
                .rev()
                .find(|&point| table.holds(point) && index.holds(point));
            (last, (table.cut_back(last)?, index.cut_back(last)?))
        }
        _ => (None, blank(folder)?),
    };
    let held = last.map_or(0, |last| last + 1);
    let damaged = if held < records.len() - 1 {
        let all = records.len() - 1;
        Some(format!("only {held} of {all} checkpoints hold"))
    } else if log.has_more() {
        Some("the end of its log is damaged".into())
    } else {
        None
    };
    log.cut_back(&records[held])?;
    let states = checkpoints
        .into_iter()
        .take(held)
        .map(|checkpoint| checkpoint.state)
        .collect();
    Ok(Left::Same {
        files: Box::new(Files { table, index, log }),
        states,
        damaged,
    })
}

fn has_pieces(folder: &Path) -> bool {
    files(folder).any(|path| path.extension().is_some_and(|extension| extension == PIECE))
}

fn files(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| Some(entry.ok()?.path()))
}

/// Removes all that a run leaves here but the lock. What can't be removed is replaced later, or
/// fails then.
fn clear(folder: &Path) {
    for path in files(folder) {
        let name = path.file_name().and_then(|name| name.to_str());
        let extension = path.extension().and_then(|extension| extension.to_str());
        if matches!(name, Some(TABLE | INDEX | LOG)) || matches!(extension, Some(PIECE | NEW_PIECE))
        {
            let _ = fs::remove_file(path);
        }
    }
}

/// Removes the folder, unless there is something in it that no run has left.
fn remove(folder: &Path) {
    clear(folder);
    let _ = fs::remove_file(folder.join(LOCK));
    let _ = fs::remove_dir(folder);
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATES: [u32; 3] = [2, 3, 5];

    fn open(
        path: &Path,
        rules: &str,
        restart: bool,
    ) -> Result<(Workspace, Found<u32>), TableError> {
        Workspace::open(path, false, restart, rules, "level=7", |_, _| true)
    }

    /// Appends what belongs to a state, and makes a checkpoint of it.
    fn go_on(workspace: &mut Workspace, state: u32) {
        let some = vec![state as u8; 1000 * state as usize];
        workspace.table.write_all(&some).unwrap();
        workspace.index.write_all(&some[..10]).unwrap();
        workspace.checkpoint(&state).unwrap();
    }

    fn finished(mut workspace: Workspace) -> Vec<u8> {
        let Workspace { table, index, .. } = &mut workspace;
        table.append_all(index).unwrap();
        workspace.finish(&[9; HEADER_LENGTH]).unwrap();
        fs::read(workspace.target.path()).unwrap()
    }

    fn names_in(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = files(folder)
            .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
            .collect();
        names.sort();
        names
    }

    /// A folder that a run has left after three checkpoints and something more.
    fn left(path: &Path) -> PathBuf {
        let (mut workspace, _) = open(path, "rules", false).unwrap();
        workspace
            .keep("found", &mut |out| out.write_all(&[7; 5000]))
            .unwrap();
        for state in STATES {
            go_on(&mut workspace, state);
        }
        workspace.table.write_all(&[1; 100]).unwrap();
        workspace.table.prefix().unwrap();
        workspace.kept_in().unwrap().to_owned()
    }

    fn undisturbed() -> Vec<u8> {
        let home = tempfile::tempdir().unwrap();
        let (mut workspace, _) = open(&home.path().join("t.bin"), "rules", false).unwrap();
        for state in STATES {
            go_on(&mut workspace, state);
        }
        finished(workspace)
    }

    #[test]
    fn a_run_without_checkpoints_leaves_nothing() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("a/t.bin");
        let (mut workspace, found) = open(&path, "rules", false).unwrap();
        assert!(found.states.is_empty() && found.discarded.is_none());
        workspace.table.write_all(b"something").unwrap();
        assert_eq!(workspace.kept_in(), None);
        drop(workspace);
        assert!(names_in(&home.path().join("a")).is_empty());
        // Nor if it was killed, as far as the next run is concerned, whatever that writes.
        std::mem::forget(open(&path, "rules", false).unwrap().0._lock.unlock());
        let (workspace, found) = open(&path, "others", false).unwrap();
        assert!(found.states.is_empty() && found.discarded.is_none());
        drop(workspace);
        assert!(names_in(&home.path().join("a")).is_empty());
    }

    #[test]
    fn a_finished_table_is_all_that_stays() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("t.bin");
        let (mut workspace, _) = open(&path, "rules", false).unwrap();
        go_on(&mut workspace, 2);
        let bytes = finished(workspace);
        assert_eq!(bytes[..HEADER_LENGTH], [9; HEADER_LENGTH]);
        assert_eq!(bytes[HEADER_LENGTH..], [2; 2010]);
        assert_eq!(names_in(home.path()), ["t.bin"]);
        assert!(matches!(
            open(&path, "rules", false),
            Err(TableError::Exists { .. })
        ));
    }

    #[test]
    fn what_was_left_is_gone_on_with() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("t.bin");
        left(&path);
        let (workspace, found) = open(&path, "rules", false).unwrap();
        assert_eq!(found.states, STATES);
        assert_eq!(found.discarded, None);
        let mut kept = Vec::new();
        let piece = workspace.kept("found").unwrap();
        piece.unwrap().read_to_end(&mut kept).unwrap();
        assert_eq!(kept, [7; 5000]);
        assert!(workspace.kept("other").unwrap().is_none());
        assert_eq!(finished(workspace), undisturbed());
        assert_eq!(names_in(home.path()), ["t.bin"]);
    }

    #[test]
    fn two_runs_at_once_are_refused() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("t.bin");
        let (mut workspace, _) = open(&path, "rules", false).unwrap();
        for restart in [false, true] {
            let second = open(&path, "rules", restart);
            assert!(matches!(second, Err(TableError::Busy { .. })));
        }
        go_on(&mut workspace, 2);
        assert_eq!(finished(workspace)[HEADER_LENGTH..], [2; 2010]);
    }

    #[test]
    fn another_table_is_neither_gone_on_with_nor_lost() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("t.bin");
        let folder = left(&path);
        let names = names_in(&folder);
        let error = open(&path, "others", false).err().unwrap().to_string();
        for words in [
            "expected others, found rules",
            "--restart",
            ".t.bin.partial",
        ] {
            assert!(error.contains(words), "{error}");
        }
        assert_eq!(names_in(&folder), names);
        let options = Workspace::open::<u32>(&path, false, false, "rules", "level=9", |_, _| true);
        assert!(matches!(options, Err(TableError::Unfinished { .. })));
        let (workspace, found) = open(&path, "rules", false).unwrap();
        assert_eq!(found.states, STATES);
        drop(workspace);

        let (workspace, found) = open(&path, "others", true).unwrap();
        assert!(found.states.is_empty() && found.discarded.is_none());
        assert!(workspace.kept("found").unwrap().is_none());
        drop(workspace);
        assert!(names_in(home.path()).is_empty());
    }

    /// Whatever byte of whatever file is lost or changed, what is gone on with is right.
    #[test]
    fn damage_is_cut_off() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("t.bin");
        let wanted = undisturbed();
        let mut held = [0; 4];
        for name in [TABLE, INDEX, LOG] {
            for at in 0..20 {
                for cut in [false, true] {
                    let folder = left(&path);
                    let file = folder.join(name);
                    let mut bytes = fs::read(&file).unwrap();
                    let at = at * bytes.len() / 20;
                    if cut {
                        bytes.truncate(at);
                    } else {
                        bytes[at] ^= 1;
                    }
                    fs::write(&file, bytes).unwrap();
                    let (mut workspace, found) = open(&path, "rules", false).unwrap();
                    let states = found.states;
                    assert_eq!(states, STATES[..states.len()], "{name} {at} {cut}");
                    held[states.len()] += 1;
                    for &state in &STATES[states.len()..] {
                        go_on(&mut workspace, state);
                    }
                    assert!(finished(workspace) == wanted, "{name} {at} {cut}");
                    fs::remove_file(&path).unwrap();
                }
            }
        }
        assert!(held[..3].iter().all(|&cases| cases > 5), "{held:?}");
        for name in [TABLE, INDEX, LOG] {
            let folder = left(&path);
            fs::remove_file(folder.join(name)).unwrap();
            let (workspace, found) = open(&path, "rules", false).unwrap();
            assert!(
                found.states.is_empty() && found.discarded.is_some(),
                "{name}"
            );
            // The piece has a digest of its own, but what it belongs to is in the log.
            assert_eq!(workspace.kept("found").unwrap().is_some(), name != LOG);
            drop(workspace);
        }
    }

    #[test]
    fn damaged_pieces_are_errors_and_failed_ones_leave_the_old() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("t.bin");
        let (mut workspace, _) = open(&path, "rules", false).unwrap();
        workspace
            .keep("found", &mut |out| out.write_all(b"first"))
            .unwrap();
        let failed = workspace.keep("found", &mut |out| {
            out.write_all(b"second")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert_eq!(failed.unwrap_err().kind(), io::ErrorKind::StorageFull);
        let read = |workspace: &Workspace| -> io::Result<Vec<u8>> {
            let mut bytes = Vec::new();
            workspace.kept("found")?.unwrap().read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        assert_eq!(read(&workspace).unwrap(), b"first");
        let file = workspace.folder.join("found.piece");
        assert_eq!(names_in(&workspace.folder).len(), 5);
        let whole = fs::read(&file).unwrap();
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 4;
            fs::write(&file, &damaged).unwrap();
            assert!(read(&workspace).is_err(), "{at}");
            fs::write(&file, &whole[..at]).unwrap();
            assert!(read(&workspace).is_err(), "{at}");
        }
    }

    #[test]
    fn what_came_to_the_tables_place_meanwhile_is_kept_and_so_is_the_work() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("t.bin");
        let (mut workspace, _) = open(&path, "rules", false).unwrap();
        go_on(&mut workspace, 2);
        fs::write(&path, "somebody else's").unwrap();
        let result = workspace.finish(&[9; HEADER_LENGTH]);
        assert!(matches!(result, Err(TableError::Exists { .. })));
        drop(workspace);
        assert_eq!(fs::read(&path).unwrap(), b"somebody else's");
        let (workspace, found) =
            Workspace::open::<u32>(&path, true, false, "rules", "level=7", |_, _| true).unwrap();
        assert_eq!(found.states, [2]);
        assert_eq!(
            finished(workspace)[HEADER_LENGTH..],
            [[2; 2000].as_slice(), &[2; 10]].concat()
        );
        assert_eq!(names_in(home.path()), ["t.bin"]);
    }

    #[test]
    fn what_is_none_of_ours_stays() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("t.bin");
        let folder = folder_of(&path);
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("precious"), "").unwrap();
        drop(open(&path, "rules", true).unwrap());
        assert_eq!(names_in(&folder), ["precious"]);
        fs::remove_file(folder.join("precious")).unwrap();
        fs::remove_dir(&folder).unwrap();
        fs::write(&folder, "a file").unwrap();
        assert!(matches!(
            open(&path, "rules", false),
            Err(TableError::Io { .. })
        ));
        assert_eq!(fs::read(&folder).unwrap(), b"a file");
    }
}
