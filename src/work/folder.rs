//! The working directory of a long job: its lock, and the checksummed files in it.
//!
//! A checksummed file is written under a temporary name first, so it is either complete or absent.
//! It ends with two checksums: one of its bytes, and one of its title, length and first checksum.

use super::disk::{self, DiskError, File};
use super::regular::{is_file, open, unlike};
use bincode::config::{Configuration, Limit, LittleEndian, Varint};
use bincode::{Decode, Encode};
use std::fs::{self, TryLockError};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Time to wait for the lock.
///
/// A run that was just killed holds it until the system has freed its memory.
const PATIENCE: Duration = Duration::from_millis(if cfg!(test) { 100 } else { 2000 });

const LOCK: &str = "lock";
/// Name of the unfinished table's file.
pub const TABLE: &str = "table";
/// Extension of log files.
pub const LOG: &str = "log";
/// Extension of checkpoints, from which another run can resume.
pub const CHECKPOINT: &str = "piece";
/// Extension of scratch files, for data that doesn't fit into memory.
pub const SCRATCH: &str = "scratch";
/// Extension of temporary files, which are renamed when they are complete.
const NEW: &str = "new";

/// Maximum size of a stored value in bytes, on machines that can address more.
const LARGEST: u64 = if usize::BITS > 32 { 1 << 34 } else { 1 << 31 };

/// Encoding of values.
const FORM: Configuration<LittleEndian, Varint, Limit<{ LARGEST as usize }>> =
    bincode::config::standard().with_limit();

/// Size of both checksums in bytes.
pub const TRAILER: u64 = 8;

/// Checksummed files with one extension in a directory.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    extension: &'static str,
    /// Whether to sync a file before it replaces an older one.
    ///
    /// After a power cut, one of the two is there.
    pub is_durable: bool,
    /// `None` if the caller or another process holds the lock.
    _lock: Option<fs::File>,
}

/// A complete file whose checksums are right.
pub struct Stored {
    pub path: PathBuf,
    pub file: File,
    /// Length in bytes without the checksums.
    pub length: u64,
    pub sum: u32,
}

impl Stored {
    /// Reads the bytes from the start, without the checksums.
    ///
    /// # Errors
    /// If the file can't be read.
    pub fn read(mut self) -> Result<impl BufRead + Send + use<>, DiskError> {
        let rewound = self.file.seek(SeekFrom::Start(0));
        rewound.map_err(DiskError::of(&self.path, "read it"))?;
        let bytes = self.file.take(self.length);
        Ok(BufReader::with_capacity(1 << 20, bytes))
    }
}

impl Folder {
    /// Gives access to the files with this extension in an existing directory.
    ///
    /// The caller, or a process that it works with, must have locked the directory.
    pub fn at(path: &Path, extension: &'static str) -> Folder {
        Folder {
            path: path.to_owned(),
            extension,
            is_durable: false,
            _lock: None,
        }
    }

    /// Locks the directory, after creating it if need be.
    ///
    /// # Errors
    /// If the directory can't be created or locked, or if one of the names that a run uses is not a
    /// regular file. If another run has locked it, the cause is [`io::ErrorKind::ResourceBusy`].
    pub fn lock(path: &Path) -> Result<Folder, DiskError> {
        let action = "use the folder for unfinished work";
        let lock = lock(path).and_then(|lock| check_files(path).map(|()| lock));
        Ok(Folder {
            _lock: Some(lock.map_err(DiskError::of(path, action))?),
            ..Folder::at(path, CHECKPOINT)
        })
    }

    /// Releases the lock, as the system does when a run is killed.
    #[cfg(test)]
    pub fn unlock(&self) {
        self._lock.as_ref().unwrap().unlock().unwrap();
    }

    /// Returns the directory's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of the file with this name.
    pub fn place(&self, name: &str) -> PathBuf {
        self.path.join(format!("{name}.{}", self.extension))
    }

    /// Writes a file under a name and title, which its checksums cover.
    ///
    /// It replaces an older one only when it is complete.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn put(
        &self,
        name: &str,
        title: &str,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<Stored, DiskError> {
        let (path, new) = (self.place(name), self.path.join(format!("{name}.{NEW}")));
        let mut put = || {
            let mut out = Summed {
                out: BufWriter::with_capacity(1 << 16, disk::create(&new)?),
                length: 0,
                hasher: crc32fast::Hasher::new(),
            };
            write(&mut out)?;
            // Append the checksums, then give the file its name.
            let (length, sum) = (out.length, out.hasher.finalize());
            let mut out = out.out;
            out.write_all(&trailer(sum, name, title, length))?;
            let file = out.into_inner()?;
            if self.is_durable {
                file.sync_data()?;
            }
            disk::rename(&new, &path)?;
            Ok(Stored {
                path: path.clone(),
                file,
                length,
                sum,
            })
        };
        put().map_err(|cause| {
            // It takes space on a disk that may just have run full.
            let _ = disk::remove_file(&new);
            DiskError::of(&path, "write it")(cause)
        })
    }

    /// Opens the file written under a name and title, if there is one.
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
            let length = file.metadata()?.len().checked_sub(TRAILER);
            let length = length.ok_or_else(damaged)?;
            let sum = sum_of(&mut file, length)?;
            let mut found = Vec::new();
            (&mut file).take(TRAILER + 1).read_to_end(&mut found)?;
            match found[..] == trailer(sum, name, title, length) {
                true => Ok(Some(Stored {
                    path: path.clone(),
                    file,
                    length,
                    sum,
                })),
                false => Err(damaged()),
            }
        };
        get().map_err(DiskError::of(&path, "read it"))
    }

    /// Writes a value under a name and title, as [`Folder::put`] does.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn put_value(&self, name: &str, title: &str, value: &impl Encode) -> Result<(), DiskError> {
        let put = self.put(name, title, &mut |mut out| {
            let written = bincode::encode_into_std_write(value, &mut out, FORM);
            written.map(drop).map_err(io::Error::other)
        });
        put.map(drop)
    }

    /// Reads the value written under a name and title, if there is one.
    ///
    /// # Errors
    /// Those of [`Folder::get`].
    pub fn get_value<T: Decode<()>>(
        &self,
        name: &str,
        title: &str,
    ) -> Result<Option<T>, DiskError> {
        let Some(stored) = self.get(name, title)? else {
            return Ok(None);
        };
        let value = bincode::decode_from_std_read(&mut stored.read()?, FORM);
        let damaged = |_| DiskError::of(&self.place(name), "read it")(damaged());
        value.map(Some).map_err(damaged)
    }

    /// Opens a file that must exist.
    ///
    /// # Errors
    /// Those of [`Folder::get`], and if the file is missing.
    pub fn find(&self, name: &str, title: &str) -> Result<Stored, DiskError> {
        let found = self.get(name, title)?;
        found.ok_or_else(|| {
            let missing = io::Error::new(io::ErrorKind::NotFound, "it is missing");
            DiskError::of(&self.place(name), "read it")(missing)
        })
    }

    /// Returns whether there is a file with this name, complete or not.
    pub fn has(&self, name: &str) -> bool {
        self.place(name).exists()
    }

    /// Returns the paths of the files.
    pub fn pieces(&self) -> impl Iterator<Item = PathBuf> {
        let is_ours = |path: &PathBuf| path.extension().is_some_and(|it| it == self.extension);
        files(&self.path).filter(is_ours)
    }

    /// Returns the names of the files, without the extension.
    pub fn names(&self) -> impl Iterator<Item = String> {
        let name = |path: PathBuf| Some(path.file_stem()?.to_str()?.to_owned());
        self.pieces().filter_map(name)
    }

    /// Removes the files whose names are unwanted.
    ///
    /// # Errors
    /// If a file can't be removed. The others are removed nevertheless.
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

/// A writer that counts bytes and computes their checksum.
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

/// Returns the checksum of the next `length` bytes and consumes them.
pub fn sum_of(input: &mut impl Read, length: u64) -> io::Result<u32> {
    let mut hasher = crc32fast::Hasher::new();
    read_through(input, length, |bytes| hasher.update(bytes))?;
    Ok(hasher.finalize())
}

/// Reads `length` bytes and passes them to `take` in blocks.
pub fn read_through(
    input: &mut impl Read,
    length: u64,
    mut take: impl FnMut(&[u8]),
) -> io::Result<()> {
    let mut buffer = vec![0; 1 << 18];
    let mut left = length;
    while left > 0 {
        let most = usize::try_from(left).unwrap_or(usize::MAX);
        let here = buffer.len().min(most);
        input.read_exact(&mut buffer[..here])?;
        take(&buffer[..here]);
        left -= here as u64;
    }
    Ok(())
}

/// Returns the error for a damaged file.
pub fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "it is damaged")
}

fn trailer(sum: u32, name: &str, title: &str, length: u64) -> [u8; TRAILER as usize] {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(title.as_bytes());
    // The log of a run has no title: all versions read it alike, and tell what differs.
    if !title.is_empty() {
        hasher.update(&[0]);
        hasher.update(name.as_bytes());
    }
    hasher.update(&length.to_le_bytes());
    hasher.update(&sum.to_le_bytes());
    let mut trailer = [0; TRAILER as usize];
    trailer[..4].copy_from_slice(&sum.to_le_bytes());
    trailer[4..].copy_from_slice(&hasher.finalize().to_le_bytes());
    trailer
}

/// Returns whether another process has locked the directory.
#[cfg(feature = "cli")]
#[must_use]
pub fn is_in_use(folder: &Path) -> bool {
    let lock = open(&folder.join(LOCK), &mut lock_options());
    lock.is_ok_and(|lock| matches!(lock.try_lock(), Err(TryLockError::WouldBlock)))
}

/// Returns the options to open the lock file with: some systems lock only files that can be read.
fn lock_options() -> fs::OpenOptions {
    fs::File::options().read(true).append(true).clone()
}

fn lock(folder: &Path) -> io::Result<fs::File> {
    let (began, path) = (Instant::now(), folder.join(LOCK));
    loop {
        create(folder)?;
        let opened = open(&path, lock_options().create(true));
        let locked = match &opened {
            Ok(file) => try_lock(file, &path),
            Err(cause) => Err(cause.kind().into()),
        };
        match locked {
            Ok(()) => return opened,
            Err(cause) if may_pass(&cause) && began.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_millis(50));
            }
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
                let problem = "it was removed, or it can't hold files";
                return Err(io::Error::new(cause.kind(), problem));
            }
            Err(cause) => return opened.and(Err(cause)),
        }
    }
}

/// Returns whether locking can fail in this way because another run is just ending there.
fn may_pass(cause: &io::Error) -> bool {
    // If the lock file isn't found, the other run has removed the directory.
    let kind = cause.kind();
    kind == io::ErrorKind::NotFound || kind == io::ErrorKind::ResourceBusy
}

fn try_lock(file: &fs::File, path: &Path) -> io::Result<()> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            let busy = io::ErrorKind::ResourceBusy;
            return Err(io::Error::new(busy, "another run works there; wait for it"));
        }
        // Some file systems don't support locks.
        Err(TryLockError::Error(cause)) if cause.kind() == io::ErrorKind::Unsupported => {
            return Ok(());
        }
        Err(TryLockError::Error(cause)) => return Err(cause),
        Ok(()) => {}
    }
    // The other run may have removed the lock file after we had opened it. Then we hold a file
    // that other runs won't find, and have to try again.
    let ours = same_file::Handle::from_file(file.try_clone()?)?;
    match ours == same_file::Handle::from_path(path)? {
        true => Ok(()),
        false => Err(io::ErrorKind::NotFound.into()),
    }
}

/// Creates a directory unless it exists.
///
/// A symbolic link is an error: otherwise another directory, perhaps on another disk, would be
/// filled and emptied.
fn create(folder: &Path) -> io::Result<()> {
    match disk::create_dir(folder) {
        Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => is_folder(folder),
        made => made,
    }
}

/// Returns an error if the path is something other than a directory.
pub fn is_folder(folder: &Path) -> io::Result<()> {
    match fs::symlink_metadata(folder) {
        Ok(metadata) if !metadata.is_dir() => Err(unlike("a folder", metadata.file_type())),
        // If it has just been removed, the caller creates it again.
        _ => Ok(()),
    }
}

/// Returns an error if one of the names that a run uses is not a regular file.
fn check_files(folder: &Path) -> io::Result<()> {
    files(folder)
        .filter(|path| is_of_run(path))
        .try_for_each(|path| is_file(&path))
}

/// Creates a directory inside a locked one, unless it exists.
///
/// It needs no lock of its own.
pub fn make(folder: &Path) -> Result<(), DiskError> {
    let made = create(folder).and_then(|()| check_files(folder));
    made.map_err(DiskError::of(folder, "use the scratch folder"))
}

/// Returns whether a directory has checkpoints or scratch files that another run can use.
pub fn has_checkpoints(folder: &Path) -> bool {
    let is_piece = |path: PathBuf| {
        let extension = path.extension();
        extension.is_some_and(|extension| extension == CHECKPOINT || extension == SCRATCH)
    };
    files(folder).any(is_piece)
}

/// Returns the paths of all entries of a directory, or none if it can't be read.
pub fn files(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| Some(entry.ok()?.path()))
}

/// Removes all files of a run except the lock.
///
/// Failures are ignored: later writes replace the remaining files, or report the error.
pub fn clear(folder: &Path) {
    for path in files(folder).filter(|path| is_of_run(path)) {
        let _ = disk::remove_file(&path);
    }
}

/// Returns whether this is the name of a file that a run creates, other than the lock.
fn is_of_run(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    let extension = path.extension().and_then(|extension| extension.to_str());
    matches!(name, Some(TABLE)) || matches!(extension, Some(LOG | CHECKPOINT | SCRATCH | NEW))
}

/// Removes the directory if it contains only the lock.
pub fn leave(folder: &Path) {
    let is_empty = files(folder).all(|path| path.file_name() == Some(LOCK.as_ref()));
    if is_empty {
        remove(folder);
    }
}

/// Removes the files of a run, and the directory if nothing else is in it.
pub fn remove(folder: &Path) {
    clear(folder);
    let _ = disk::remove_file(folder.join(LOCK));
    let _ = disk::remove_dir(folder);
}
