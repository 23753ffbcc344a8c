//! What a test makes go wrong in the calls of one thread, and a record of them: what stands in for
//! `std::fs` in tests.

use crate::work::regular;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What goes wrong at a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// It fails, and is not done.
    Fails(io::ErrorKind),
    /// It and all calls after it fail.
    FailsForGood(io::ErrorKind),
    /// Of what is to be written, only a part is; other calls are as always.
    Short,
    /// Of what is to be written, only a part is; that and all calls after it fail.
    ShortThenFull,
}

/// One change of what is on disk, as far as it matters after a crash. Files are numbers: names can
/// be given and taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Change {
    /// A new file of this name; of an old one the bytes are gone.
    Create(PathBuf, usize),
    Write(usize, u64, Vec<u8>),
    SetLength(usize, u64),
    /// All changes of the file before are on disk.
    Sync(usize),
    Rename(PathBuf, PathBuf),
    Remove(PathBuf),
    /// All changes of names in the directory before are on disk.
    SyncNames(PathBuf),
}

/// The calls so far.
#[derive(Default)]
pub struct Record {
    pub calls: Vec<&'static str>,
    pub changes: Vec<Change>,
    /// The number of the file of each name.
    names: BTreeMap<PathBuf, usize>,
    files: usize,
    /// The call that goes wrong, counted from 0.
    at: Option<(usize, Fault)>,
}

/// A watched run: its record can be read while it goes on and afterwards.
#[derive(Clone, Default)]
pub struct Watch(Arc<Mutex<Record>>);

thread_local! {
    static WATCH: RefCell<Option<Watch>> = const { RefCell::new(None) };
}

impl Watch {
    /// Does `work` in this thread, and lets the call with a number go wrong.
    pub fn during<T>(at: Option<(usize, Fault)>, work: impl FnOnce() -> T) -> (T, Watch) {
        let watch = Watch::default();
        watch.record().at = at;
        WATCH.set(Some(watch.clone()));
        let result = work();
        WATCH.set(None);
        (result, watch)
    }

    pub fn record(&self) -> MutexGuard<'_, Record> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a call, and says how many of so many bytes it may write.
    fn count(&self, call: &'static str, bytes: usize) -> io::Result<usize> {
        let mut record = self.record();
        let number = record.calls.len();
        record.calls.push(call);
        let Some((at, fault)) = record.at else {
            return Ok(bytes);
        };
        let full = || Err(io::ErrorKind::StorageFull.into());
        match fault {
            Fault::Fails(kind) if number == at => Err(kind.into()),
            Fault::FailsForGood(kind) if number >= at => Err(kind.into()),
            Fault::Short if number == at => Ok(bytes.div_ceil(2)),
            Fault::ShortThenFull if number == at && bytes > 1 => Ok(bytes / 2),
            Fault::ShortThenFull if number >= at => full(),
            _ => Ok(bytes),
        }
    }
}

fn watched<T>(work: impl FnOnce(&Watch) -> io::Result<T>, otherwise: T) -> io::Result<T> {
    WATCH.with_borrow(|watch| match watch {
        Some(watch) => work(watch),
        None => Ok(otherwise),
    })
}

/// [`regular::open`]
pub fn open(path: &Path, options: &mut fs::OpenOptions) -> io::Result<File> {
    let watched = opened(path)?;
    let file = regular::open(path, options)?;
    Ok(File { file, watched })
}

/// [`fs::File`]
pub struct File {
    file: fs::File,
    watched: Watched,
}

impl Deref for File {
    type Target = fs::File;

    fn deref(&self) -> &fs::File {
        &self.file
    }
}

impl memmap2::MmapAsRawDesc for &File {
    fn as_raw_desc(&self) -> memmap2::MmapRawDescriptor {
        (&self.file).as_raw_desc()
    }
}

impl File {
    /// [`fs::File::set_len`]
    pub fn set_len(&self, length: u64) -> io::Result<()> {
        self.watched.set_len(length)?;
        self.file.set_len(length)
    }

    /// [`fs::File::sync_all`]
    pub fn sync_all(&self) -> io::Result<()> {
        self.watched.sync()
    }

    /// [`fs::File::sync_data`]
    pub fn sync_data(&self) -> io::Result<()> {
        self.watched.sync()
    }
}

impl Read for File {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.watched.read()?;
        self.file.read(buffer)
    }
}

impl Seek for File {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let bytes = self.watched.write(self.file.stream_position()?, bytes)?;
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// [`fs::create_dir`]
pub fn create_dir(path: impl AsRef<Path>) -> io::Result<()> {
    call("create_dir")?;
    fs::create_dir(path)
}

/// [`fs::rename`]
pub fn rename(from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<()> {
    renaming(from.as_ref(), to.as_ref())?;
    fs::rename(from, to)
}

/// [`fs::remove_file`]
pub fn remove_file(path: impl AsRef<Path>) -> io::Result<()> {
    removing(path.as_ref())?;
    fs::remove_file(path)
}

/// [`fs::remove_dir`]
pub fn remove_dir(path: impl AsRef<Path>) -> io::Result<()> {
    call("remove_dir")?;
    fs::remove_dir(path)
}

/// A call without a change that a crash could undo.
fn call(call: &'static str) -> io::Result<()> {
    watched(|watch| watch.count(call, 0).map(drop), ())
}

fn change(call: &'static str, change: impl FnOnce(&mut Record) -> Change) -> io::Result<()> {
    let work = |watch: &Watch| {
        watch.count(call, 0)?;
        let mut record = watch.record();
        let change = change(&mut record);
        record.changes.push(change);
        Ok(())
    };
    watched(work, ())
}

pub fn creating(path: &Path) -> io::Result<()> {
    change("create", |record| {
        let file = record.files;
        record.files += 1;
        record.names.insert(path.into(), file);
        Change::Create(path.into(), file)
    })
}

/// The file of this name, which was created or is from before.
fn opened(path: &Path) -> io::Result<Watched> {
    let work = |watch: &Watch| {
        watch.count("open", 0)?;
        let file = watch.record().names.get(path).copied();
        Ok(Watched(file.map(|file| (watch.clone(), file))))
    };
    watched(work, Watched(None))
}

pub fn renaming(from: &Path, to: &Path) -> io::Result<()> {
    change("rename", |record| {
        if let Some(file) = record.names.remove(from) {
            record.names.insert(to.into(), file);
        }
        Change::Rename(from.into(), to.into())
    })
}

fn removing(path: &Path) -> io::Result<()> {
    change("remove", |record| {
        record.names.remove(path);
        Change::Remove(path.into())
    })
}

pub fn syncing_directory(path: &Path) -> io::Result<()> {
    change("sync names", |_| Change::SyncNames(path.into()))
}

/// A file of a watched run; nothing for others.
#[derive(Clone, Default)]
pub struct Watched(Option<(Watch, usize)>);

impl Watched {
    fn change(&self, call: &'static str, change: impl FnOnce(usize) -> Change) -> io::Result<()> {
        if let Some((watch, file)) = &self.0 {
            watch.count(call, 0)?;
            watch.record().changes.push(change(*file));
        }
        Ok(())
    }

    pub fn set_len(&self, length: u64) -> io::Result<()> {
        self.change("set length", |file| Change::SetLength(file, length))
    }

    pub fn sync(&self) -> io::Result<()> {
        self.change("sync", Change::Sync)
    }

    pub fn read(&self) -> io::Result<()> {
        match &self.0 {
            Some((watch, _)) => watch.count("read", 0).map(drop),
            None => Ok(()),
        }
    }

    /// Those of the bytes that are to be written at a place.
    pub fn write<'b>(&self, at: u64, bytes: &'b [u8]) -> io::Result<&'b [u8]> {
        let Some((watch, file)) = &self.0 else {
            return Ok(bytes);
        };
        let bytes = &bytes[..watch.count("write", bytes.len())?];
        let change = Change::Write(*file, at, bytes.to_vec());
        watch.record().changes.push(change);
        Ok(bytes)
    }
}
