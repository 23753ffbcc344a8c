//! Read-only data in files instead of memory.

use super::disk::DiskError;
use super::folder::{Folder, SCRATCH, Stored, TRAILER, sum_of};
use super::regular::open;
use crate::guard::MappedFile;
use crate::pool::lock;
use std::fs::{self, File};
use std::io::{self, Write};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, Weak};

/// Bytes of mapped files in memory up to which [`Scratch::evict_if_needed`] does nothing.
const LEFT: u64 = 24 << 20;

/// A directory for large data that is in memory only while it is used.
///
/// The files are mapped, so the system can reclaim their memory at any time. But pages that were
/// read count as the program's own until [`Scratch::evict_if_needed`] releases them. Every file has a
/// checksum.
#[derive(Debug)]
pub struct Scratch {
    folder: Folder,
    most: u64,
    pieces: Mutex<Vec<Weak<ScratchFile>>>,
    /// Limit for the program's memory in bytes.
    memory: AtomicU64,
}

impl Scratch {
    /// Uses an existing directory, which no other run may use.
    #[must_use]
    pub fn new(folder: &Path) -> Scratch {
        Scratch {
            folder: Folder::at(folder, SCRATCH),
            most: u64::MAX,
            pieces: Mutex::default(),
            memory: AtomicU64::new(u64::MAX),
        }
    }

    /// Limits the room on the disk to `bytes`.
    #[must_use]
    pub fn with_room_for(mut self, bytes: u64) -> Scratch {
        self.most = bytes;
        self
    }

    /// Writes bytes to a file and maps it.
    ///
    /// `name` is a file name without an extension. `title` identifies the content: reading the file
    /// later takes the same title.
    ///
    /// # Errors
    /// If the bytes can't be written.
    pub(crate) fn write(
        &self,
        name: &str,
        title: &str,
        bytes: &[u8],
    ) -> Result<Arc<ScratchFile>, DiskError> {
        self.write_by(name, title, &mut |out| out.write_all(bytes))
    }

    /// Writes as [`Scratch::write`] does, with a function that writes the bytes.
    ///
    /// # Errors
    /// If they can't be written.
    pub(crate) fn write_by(
        &self,
        name: &str,
        title: &str,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<Arc<ScratchFile>, DiskError> {
        let stored = self.folder.put(name, title, write)?;
        let path = stored.path.clone();
        self.map(stored).map_err(DiskError::of(&path, "read it"))
    }

    /// Maps the file written earlier under a name and title, if it is undamaged.
    pub(crate) fn find(&self, name: &str, title: &str) -> Option<Arc<ScratchFile>> {
        self.map(self.folder.get(name, title).ok()??).ok()
    }

    /// Removes the files for whose names `is_unwanted` returns true.
    ///
    /// # Errors
    /// If a file can't be removed.
    pub fn remove(&self, is_unwanted: impl Fn(&str) -> bool) -> Result<(), DiskError> {
        self.folder.remove(is_unwanted)
    }

    /// Returns the size in bytes of all scratch files, also those of earlier runs.
    #[must_use]
    pub fn used(&self) -> u64 {
        let files = self.folder.pieces().flat_map(fs::symlink_metadata);
        files.map(|file| file.len()).sum()
    }

    /// Returns the free space and that of its files in bytes, or `None` if the system doesn't report it.
    #[must_use]
    pub fn room(&self) -> Option<u64> {
        let free = free(self.folder.path())?;
        Some(free.min(self.most).saturating_add(self.used()))
    }

    /// Sets the memory limit for [`Scratch::evict_if_needed`] in bytes.
    pub fn limit_memory(&self, bytes: u64) {
        self.memory.store(bytes, Relaxed);
    }

    /// Releases the memory of pages that were read, if the program exceeds its limit.
    ///
    /// Each thread that reads scratch files calls this after some hundred bytes at random places,
    /// or some ten thousand in a row. It does nothing if the system doesn't report the program's
    /// memory.
    pub fn evict_if_needed(&self) {
        let memory = self.memory.load(Relaxed);
        if memory < u64::MAX
            && has_faulted()
            && taken().is_some_and(|(all, of_files)| all > memory && of_files > LEFT)
        {
            let pieces = lock(&self.pieces);
            let pieces = pieces.iter().filter_map(Weak::upgrade);
            pieces.for_each(|piece| piece.map.release());
        }
    }

    fn map(&self, stored: Stored) -> io::Result<Arc<ScratchFile>> {
        let Stored {
            path,
            file,
            length,
            sum,
        } = stored;
        // No run changes a file once it is written. If another program does, `ScratchFile::check` finds a
        // wrong checksum.
        let map = MappedFile::new(&file)?;
        let piece = Arc::new(ScratchFile {
            #[cfg(unix)]
            place: place(&file.metadata()?),
            path,
            map,
            length: length as usize,
            sum,
        });
        let mut pieces = lock(&self.pieces);
        if pieces.len() == pieces.capacity() {
            pieces.retain(|piece| piece.strong_count() > 0);
        }
        pieces.push(Arc::downgrade(&piece));
        Ok(piece)
    }
}

/// The bytes of a scratch file, mapped into memory.
#[derive(Debug)]
pub(crate) struct ScratchFile {
    #[cfg(unix)]
    place: (u64, u64),
    path: PathBuf,
    map: MappedFile,
    length: usize,
    sum: u32,
}

impl ScratchFile {
    /// Checks that the file still has the bytes that were written.
    ///
    /// # Errors
    /// If the file was changed, truncated, replaced or removed.
    pub fn check(&self) -> Result<(), DiskError> {
        let look = || {
            let mut file = open(&self.path, File::options().read(true))?;
            let metadata = file.metadata()?;
            let length = self.length as u64;
            let is_same = self.is_at(&metadata)
                && metadata.len() == length + TRAILER
                && sum_of(&mut file, length)? == self.sum;
            (is_same && !self.map.is_cut_off())
                .then_some(())
                .ok_or_else(changed)
        };
        look().map_err(DiskError::of(&self.path, "read it"))
    }

    /// Returns whether this is the mapped file, and not one that has replaced it.
    fn is_at(&self, metadata: &fs::Metadata) -> bool {
        #[cfg(unix)]
        return self.place == place(metadata);
        // On other systems a mapped file can't be replaced.
        #[cfg(not(unix))]
        {
            let _ = metadata;
            true
        }
    }
}

impl Deref for ScratchFile {
    type Target = [u8];

    #[inline(always)]
    fn deref(&self) -> &[u8] {
        &self.map[..self.length]
    }
}

/// Returns the device and inode, which identify a file.
#[cfg(unix)]
fn place(metadata: &fs::Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

fn changed() -> io::Error {
    let what = "it is not what this run has written there: the disk, or another program, has \
                changed it";
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// Returns the bytes that this program can still write to a directory's disk.
fn free(folder: &Path) -> Option<u64> {
    #[cfg(unix)]
    {
        let found = nix::sys::statvfs::statvfs(folder).ok()?;
        // The types differ between systems.
        #[allow(clippy::useless_conversion)]
        let (blocks, size) = (
            u64::from(found.blocks_available()),
            u64::from(found.fragment_size()),
        );
        Some(blocks.saturating_mul(size))
    }
    #[cfg(not(unix))]
    {
        let _ = folder;
        None
    }
}

/// Returns whether this thread had enough page faults to make a check of the memory due.
///
/// Each fault maps up to 64 kB of a file that are in the system's cache.
fn has_faulted() -> bool {
    #[cfg(target_os = "linux")]
    {
        use nix::sys::resource::{UsageWho, getrusage};
        use std::cell::Cell;
        const MANY: i64 = 32;
        thread_local!(static LAST: Cell<i64> = const { Cell::new(0) });
        let Ok(usage) = getrusage(UsageWho::RUSAGE_THREAD) else {
            return true;
        };
        let faults = usage.minor_page_faults() + usage.major_page_faults();
        LAST.with(|last| {
            let is_time = faults - last.get() >= MANY;
            if is_time {
                last.set(faults);
            }
            is_time
        })
    }
    #[cfg(not(target_os = "linux"))]
    true
}

/// Returns the memory of the program in bytes: all of it, and that of files.
fn taken() -> Option<(u64, u64)> {
    #[cfg(target_os = "linux")]
    {
        let pages = fs::read_to_string("/proc/self/statm").ok()?;
        let mut numbers = pages
            .split(' ')
            .skip(1)
            .map(|pages| pages.parse::<u64>().ok());
        let (all, of_files) = (numbers.next()??, numbers.next()??);
        let page = nix::unistd::sysconf(nix::unistd::SysconfVar::PAGE_SIZE).ok()??;
        let page = u64::try_from(page).ok()?;
        Some((all * page, of_files * page))
    }
    #[cfg(not(target_os = "linux"))]
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_folder(test: impl FnOnce(&Arc<Scratch>, &Path)) {
        let folder = tempfile::tempdir().unwrap();
        test(&Arc::new(Scratch::new(folder.path())), folder.path());
    }

    #[test]
    fn pieces_are_what_was_written() {
        in_folder(|scratch, folder| {
            let piece = scratch.write("some", "of this", b"abcdefg").unwrap();
            assert_eq!(piece[..], *b"abcdefg");
            assert_eq!(piece[2..4], *b"cd");
            piece.check().unwrap();
            let again = Scratch::new(folder);
            assert_eq!(again.find("some", "of this").unwrap()[..], *b"abcdefg");
            assert!(again.find("some", "of that").is_none());
            assert!(again.find("other", "of this").is_none());
            assert_eq!(fs::read_dir(folder).unwrap().count(), 1);
            assert!(scratch.used() == 15 && scratch.room().unwrap() > 15);
            assert!(scratch.write("none", "", b"").unwrap().is_empty());
        });
    }

    #[test]
    fn flipped_and_truncated_files_are_noticed() {
        in_folder(|scratch, folder| {
            let bytes = [7; 40_000];
            let path = folder.join("some.scratch");
            let written = || scratch.write("some", "of this", &bytes).unwrap();
            let whole = {
                drop(written());
                fs::read(&path).unwrap()
            };
            for at in [0, 4095, 39_999, 40_000, 40_004, 40_007] {
                let piece = written();
                let mut flipped = whole.clone();
                flipped[at] ^= 16;
                fs::write(&path, flipped).unwrap();
                // `check` doesn't read the trailer, which is for later runs.
                assert_eq!(piece.check().is_err(), at < 40_000, "{at}");
                assert!(scratch.find("some", "of this").is_none(), "{at}");
            }
            for length in [0, 7, 8, 4096, 39_999, 40_007] {
                let piece = written();
                fs::write(&path, &whole[..length]).unwrap();
                let error = piece.check().unwrap_err().to_string();
                assert!(error.contains("some.scratch"), "{error}");
                assert!(scratch.find("some", "of this").is_none(), "{length}");
            }
            fs::remove_file(&path).unwrap();
            let longer = [&whole[..], b"\0"].concat();
            fs::write(&path, longer).unwrap();
            assert!(scratch.find("some", "of this").is_none());
        });
    }

    #[cfg(unix)]
    #[test]
    fn another_file_in_the_place_of_a_damaged_one_is_noticed() {
        in_folder(|scratch, folder| {
            let (path, copy) = (folder.join("some.scratch"), folder.join("copy"));
            let piece = scratch.write("some", "of this", b"abc").unwrap();
            fs::copy(&path, &copy).unwrap();
            fs::write(&path, b"xyz").unwrap();
            fs::rename(&copy, &path).unwrap();
            assert_ne!(piece[..], *b"abc");
            assert!(piece.check().is_err());
            assert_eq!(scratch.find("some", "of this").unwrap()[..], *b"abc");
        });
    }

    #[test]
    fn read_pages_are_released_and_read_again() {
        if taken().is_none() {
            return;
        }
        in_folder(|scratch, _| {
            let bytes: Vec<u8> = (0..100_000_000u32).map(|at| (at >> 12) as u8).collect();
            let piece = scratch.write("some", "of this", &bytes).unwrap();
            let sum = |bytes: &[u8]| {
                bytes
                    .iter()
                    .step_by(4096)
                    .map(|&byte| u64::from(byte))
                    .sum::<u64>()
            };
            let wanted = sum(&bytes);
            assert_eq!(sum(&piece), wanted);
            assert!(taken().unwrap().1 > 90_000_000);
            scratch.evict_if_needed();
            let before = taken().unwrap().1;
            assert!(before > 90_000_000);
            scratch.limit_memory(0);
            scratch.evict_if_needed();
            let after = taken().unwrap().1;
            assert!(after + 60_000_000 < before, "{before}, then {after}");
            assert_eq!(sum(&piece), wanted);
        });
    }

    #[test]
    fn failed_writes_leave_no_file() {
        in_folder(|scratch, folder| {
            fs::create_dir(folder.join("some.scratch")).unwrap();
            let error = scratch.write("some", "of this", b"abc").unwrap_err();
            assert!(error.to_string().contains("some.scratch"), "{error}");
            assert_eq!(fs::read_dir(folder).unwrap().count(), 1);
            assert!(scratch.find("some", "of this").is_none());
        });
    }
}
