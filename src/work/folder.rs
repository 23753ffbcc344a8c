//! A folder that work is done in: its lock, and the pieces that are kept there.
//!
//! A piece is a file that is written under another name first, so that there is all of it or
//! nothing. It ends with the checksum of its bytes and one of what they are: their title and length.

use super::DiskError;
use super::disk::{self, File};
use super::regular::{is_file, open, unlike};
use std::fs::{self, TryLockError};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A run that was killed a moment ago holds its lock until the system has taken back its memory.
const PATIENCE: Duration = Duration::from_millis(if cfg!(test) { 100 } else { 2000 });

const LOCK: &str = "lock";
/// The file of a table that grows.
pub const TABLE: &str = "table";
/// The extension of what a run notes about itself,
pub const LOG: &str = "log";
/// of what another run can go on from,
pub const PIECE: &str = "piece";
/// of what there is no memory for,
pub const SCRATCH: &str = "scratch";
/// and of what is being written.
const NEW: &str = "new";

/// The bytes of both checksums.
pub const TRAILER: u64 = 8;

/// Pieces of one kind in a folder.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    extension: &'static str,
    /// Nothing if another process has locked it, or the caller.
    _lock: Option<fs::File>,
}

/// A piece that is whole.
pub struct Stored {
    pub path: PathBuf,
    pub file: File,
    /// How many bytes it has without the checksums.
    pub length: u64,
    pub sum: u32,
}

impl Stored {
    /// Its bytes.
    ///
    /// # Errors
    /// If it can't be read.
    pub fn read(mut self) -> Result<impl BufRead + Send + use<>, DiskError> {
        let rewound = self.file.seek(SeekFrom::Start(0));
        rewound.map_err(DiskError::of(&self.path, "read it"))?;
        let bytes = self.file.take(self.length);
        Ok(BufReader::with_capacity(1 << 20, bytes))
    }
}

impl Folder {
    /// The pieces with this extension in a folder that is there, and that the caller or a process
    /// which it works with has locked.
    pub fn at(path: &Path, extension: &'static str) -> Folder {
        Folder {
            path: path.to_owned(),
            extension,
            _lock: None,
        }
    }

    /// Creates the folder if need be and locks it.
    ///
    /// # Errors
    /// If that can't be, or there is something else than a regular file in a place where a run
    /// leaves one. If another run has locked it, the cause is [`io::ErrorKind::ResourceBusy`].
    pub fn lock(path: &Path) -> Result<Folder, DiskError> {
        let action = "use the folder for unfinished work";
        let lock = lock(path).and_then(|lock| check_files(path).map(|()| lock));
        Ok(Folder {
            _lock: Some(lock.map_err(DiskError::of(path, action))?),
            ..Folder::at(path, PIECE)
        })
    }

    /// What the system does when a run is killed.
    #[cfg(test)]
    pub fn unlock(&self) {
        self._lock.as_ref().unwrap().unlock().unwrap();
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the piece with a name is.
    pub fn place(&self, name: &str) -> PathBuf {
        self.path.join(format!("{name}.{}", self.extension))
    }

    /// Keeps what `write` writes under a name and title, in place of what was there: all of it, or
    /// nothing.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn put(
        &self,
        name: &str,
        title: &str,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<Stored, DiskError> {
        self.write(name, title, write, |_| Ok(()))
    }

    /// [`Folder::put`], and what was there before lasts through a power cut until this does.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn put_durably(
        &self,
        name: &str,
        title: &str,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), DiskError> {
        self.write(name, title, write, File::sync_data).map(drop)
    }

    fn write(
        &self,
        name: &str,
        title: &str,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
        sync: fn(&File) -> io::Result<()>,
    ) -> Result<Stored, DiskError> {
        let (path, new) = (self.place(name), self.path.join(format!("{name}.{NEW}")));
        let mut put = || {
            let mut out = Summed {
                out: BufWriter::with_capacity(1 << 16, disk::create(&new)?),
                length: 0,
                hasher: crc32fast::Hasher::new(),
            };
            write(&mut out)?;
            let (length, sum) = (out.length, out.hasher.finalize());
            let mut out = out.out;
            out.write_all(&trailer(sum, title, length))?;
            let file = out.into_inner()?;
            sync(&file)?;
            disk::rename(&new, &path)?;
            Ok((file, length, sum))
        };
        match put() {
            Ok((file, length, sum)) => Ok(Stored {
                path,
                file,
                length,
                sum,
            }),
            Err(cause) => {
                // It takes room that may just have run out.
                let _ = disk::remove_file(&new);
                Err(DiskError::of(&path, "write it")(cause))
            }
        }
    }

    /// The piece that was kept under a name and title, if anything was.
    ///
    /// # Errors
    /// If it can't be read, is damaged, or has another title.
    pub fn get(&self, name: &str, title: &str) -> Result<Option<Stored>, DiskError> {
        let path = self.place(name);
        let get = || {
            let mut file = match disk::read(&path) {
                Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(None),
                other => other?,
            };
            let length = file
                .metadata()?
                .len()
                .checked_sub(TRAILER)
                .ok_or_else(damaged)?;
            let sum = sum_of(&mut file, length)?;
            let mut found = Vec::new();
            (&mut file).take(TRAILER + 1).read_to_end(&mut found)?;
            match found[..] == trailer(sum, title, length) {
                true => Ok(Some((file, length, sum))),
                false => Err(damaged()),
            }
        };
        let found = get().map_err(DiskError::of(&path, "read it"))?;
        Ok(found.map(|(file, length, sum)| Stored {
            path,
            file,
            length,
            sum,
        }))
    }

    /// The piece that must be there.
    ///
    /// # Errors
    /// As [`Folder::get`], and if there is none.
    pub fn find(&self, name: &str, title: &str) -> Result<Stored, DiskError> {
        let missing = || io::Error::new(io::ErrorKind::NotFound, "it is missing");
        let found = self.get(name, title)?;
        found.ok_or_else(|| DiskError::of(&self.place(name), "read it")(missing()))
    }

    /// Whether there is a piece with a name, whole or not.
    pub fn has(&self, name: &str) -> bool {
        self.place(name).exists()
    }

    /// Where the pieces are.
    pub fn pieces(&self) -> impl Iterator<Item = PathBuf> {
        let is_ours = |path: &PathBuf| path.extension().is_some_and(|it| it == self.extension);
        files(&self.path).filter(is_ours)
    }

    /// The names of the pieces.
    pub fn names(&self) -> impl Iterator<Item = String> {
        let name = |path: PathBuf| Some(path.file_stem()?.to_str()?.to_owned());
        self.pieces().filter_map(name)
    }

    /// Removes the pieces whose names are unwanted.
    ///
    /// # Errors
    /// If one can't be removed; the others are.
    pub fn remove(&self, is_unwanted: impl Fn(&str) -> bool) -> Result<(), DiskError> {
        let mut removed = Ok(());
        for name in self.names().filter(|name| is_unwanted(name)) {
            let path = self.place(&name);
            if let Err(cause) = disk::remove_file(&path)
                && cause.kind() != io::ErrorKind::NotFound
            {
                removed = Err(DiskError::of(&path, "remove it")(cause));
            }
        }
        removed
    }
}

/// Counts and sums up what is written.
struct Summed {
    out: BufWriter<File>,
    length: u64,
    hasher: crc32fast::Hasher,
}

impl Write for Summed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        self.length += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The checksum of so many bytes; those after them are read next.
pub fn sum_of(input: &mut impl Read, length: u64) -> io::Result<u32> {
    let mut hasher = crc32fast::Hasher::new();
    read_through(input, length, |bytes| hasher.update(bytes))?;
    Ok(hasher.finalize())
}

/// Gives so many bytes to `take`, some at a time.
pub fn read_through(
    input: &mut impl Read,
    length: u64,
    mut take: impl FnMut(&[u8]),
) -> io::Result<()> {
    let mut buffer = vec![0; 1 << 18];
    let mut left = length;
    while left > 0 {
        let here = buffer
            .len()
            .min(usize::try_from(left).unwrap_or(usize::MAX));
        input.read_exact(&mut buffer[..here])?;
        take(&buffer[..here]);
        left -= here as u64;
    }
    Ok(())
}

/// What was read is not what a run has written.
pub fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "it is damaged")
}

fn trailer(sum: u32, title: &str, length: u64) -> [u8; TRAILER as usize] {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(title.as_bytes());
    hasher.update(&length.to_le_bytes());
    hasher.update(&sum.to_le_bytes());
    let mut trailer = [0; TRAILER as usize];
    trailer[..4].copy_from_slice(&sum.to_le_bytes());
    trailer[4..].copy_from_slice(&hasher.finalize().to_le_bytes());
    trailer
}

/// Whether somebody is at work in a folder.
#[cfg(feature = "cli")]
#[must_use]
pub fn is_in_use(folder: &Path) -> bool {
    let lock = fs::File::options().append(true).open(folder.join(LOCK));
    lock.is_ok_and(|lock| matches!(lock.try_lock(), Err(TryLockError::WouldBlock)))
}

fn lock(folder: &Path) -> io::Result<fs::File> {
    let began = Instant::now();
    loop {
        create(folder)?;
        let path = folder.join(LOCK);
        let file = match open(&path, fs::File::options().create(true).append(true)) {
            // Another run has just finished, and its folder is gone.
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => continue,
            other => other?,
        };
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if began.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_millis(50));
                continue;
            }
            Err(TryLockError::WouldBlock) => return Err(io::ErrorKind::ResourceBusy.into()),
            // Some file systems have no locks.
            Err(TryLockError::Error(cause)) if cause.kind() == io::ErrorKind::Unsupported => {
                return Ok(file);
            }
            Err(TryLockError::Error(cause)) => return Err(cause),
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

/// Creates a folder, unless there is one. Through a link another folder would be filled and emptied,
/// perhaps on another disk.
fn create(folder: &Path) -> io::Result<()> {
    match disk::create_dir(folder) {
        Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => is_folder(folder),
        made => made,
    }
}

/// An error unless the folder's name is that of a folder.
pub fn is_folder(folder: &Path) -> io::Result<()> {
    match fs::symlink_metadata(folder) {
        Ok(metadata) if !metadata.is_dir() => Err(unlike("a folder", metadata.file_type())),
        // It may be gone already: then it is made anew.
        _ => Ok(()),
    }
}

/// An error unless what is there of the files that a run leaves here are regular files.
fn check_files(folder: &Path) -> io::Result<()> {
    files(folder)
        .filter(|path| is_of_run(path))
        .try_for_each(|path| is_file(&path))
}

/// Creates a folder if need be that needs no lock, for who uses it works in another that is locked.
pub fn make(folder: &Path) -> Result<(), DiskError> {
    let made = create(folder).and_then(|()| check_files(folder));
    made.map_err(DiskError::of(folder, "use the scratch folder"))
}

/// Whether there is something in a folder that another run can go on from, or use.
pub fn has_pieces(folder: &Path) -> bool {
    let is_piece = |path: PathBuf| {
        let extension = path.extension();
        extension.is_some_and(|extension| extension == PIECE || extension == SCRATCH)
    };
    files(folder).any(is_piece)
}

/// All that is in a folder.
pub fn files(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
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
    matches!(name, Some(TABLE)) || matches!(extension, Some(LOG | PIECE | SCRATCH | NEW))
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
    let _ = disk::remove_file(folder.join(LOCK));
    let _ = disk::remove_dir(folder);
}
