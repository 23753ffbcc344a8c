//! A replacement of `std::fs` for tests, which makes calls fail and records them.
//!
//! Faults and records are per thread.

use crate::work::regular;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The way in which a call fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The call fails and has no effect.
    Fails(io::ErrorKind),
    /// The call and all later ones fail.
    FailsForGood(io::ErrorKind),
    /// A write writes only some of the bytes; other calls succeed.
    Short,
    /// A write writes only some of the bytes, and all later calls fail.
    ShortThenFull,
}

/// A change on disk that a crash can undo.
///
/// Files have numbers, because names change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Change {
    /// Creates a file, or empties the existing one.
    Create(PathBuf, usize),
    Write(usize, u64, Vec<u8>),
    SetLength(usize, u64),
    /// Makes all earlier changes of the file durable.
    Sync(usize),
    Rename(PathBuf, PathBuf),
    Remove(PathBuf),
    /// Makes all earlier changes of names in the directory durable.
    SyncNames(PathBuf),
}

/// The calls and changes so far.
#[derive(Default)]
pub struct Record {
    pub calls: Vec<&'static str>,
    pub changes: Vec<Change>,
    /// The number of the file with each name.
    names: BTreeMap<PathBuf, usize>,
    files: usize,
    /// Number of the call that fails, counted from 0.
    at: Option<(usize, Fault)>,
}

/// A recorded run, which can be read during the run and afterwards.
#[derive(Clone, Default)]
pub struct Watch(Arc<Mutex<Record>>);

thread_local! {
    static WATCH: RefCell<Option<Watch>> = const { RefCell::new(None) };
}

impl Watch {
    /// Runs `work` in this thread, with a fault at the given call.
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

    /// Counts a call and returns how many of its `bytes` it may write.
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

/// Calls [`regular::open`].
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
    /// Calls [`fs::File::set_len`].
    pub fn set_len(&self, length: u64) -> io::Result<()> {
        self.watched.set_len(length)?;
        self.file.set_len(length)
    }

    /// Calls [`fs::File::sync_all`].
    pub fn sync_all(&self) -> io::Result<()> {
        self.watched.sync()
    }

    /// Calls [`fs::File::sync_data`].
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

/// Calls [`fs::create_dir`].
pub fn create_dir(path: impl AsRef<Path>) -> io::Result<()> {
    call("create_dir")?;
    fs::create_dir(path)
}

/// Calls [`fs::rename`].
pub fn rename(from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<()> {
    renaming(from.as_ref(), to.as_ref())?;
    fs::rename(from, to)
}

/// Calls [`fs::remove_file`].
pub fn remove_file(path: impl AsRef<Path>) -> io::Result<()> {
    removing(path.as_ref())?;
    fs::remove_file(path)
}

/// Calls [`fs::remove_dir`].
pub fn remove_dir(path: impl AsRef<Path>) -> io::Result<()> {
    call("remove_dir")?;
    fs::remove_dir(path)
}

/// Counts a call that changes nothing that a crash could undo.
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

/// Counts an opening and returns the file, which may be older than the run.
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

/// The file's number in a recorded run; `None` outside of one.
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

    /// Records a write and returns the bytes that it may write.
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
