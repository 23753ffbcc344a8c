//! Bytes that don't change any more, in files instead of memory.

use super::DiskError;
use super::folder::{Folder, SCRATCH, Stored};
use super::piece::Piece;
#[cfg(unix)]
use super::piece::place;
#[cfg(unix)]
use crate::guard::Watch;
use memmap2::Mmap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// So many bytes of the pieces are left in memory at least.
const LEFT: u64 = 24 << 20;

/// A folder for large pieces that need not be in memory all the time.
///
/// What is written is read through the system's cache, and so costs no memory that the system can't
/// take back; but what has been read counts as the program's own until [`Scratch::look`] gives it
/// up. Every piece has a checksum.
#[derive(Debug)]
pub struct Scratch {
    folder: Folder,
    most: u64,
    pieces: Mutex<Vec<Weak<Piece>>>,
    /// How much of the memory the program may take, in bytes.
    memory: AtomicU64,
}

impl Scratch {
    /// In a folder that is there, and that no other run uses.
    #[must_use]
    pub fn new(folder: &Path) -> Scratch {
        Scratch {
            folder: Folder::at(folder, SCRATCH),
            most: u64::MAX,
            pieces: Mutex::default(),
            memory: AtomicU64::new(u64::MAX),
        }
    }

    /// As if no more than so many bytes were free.
    #[must_use]
    pub fn with_room_for(mut self, bytes: u64) -> Scratch {
        self.most = bytes;
        self
    }

    /// Writes bytes to a file. `title` says what they are; the name is one of a file, without an
    /// extension.
    ///
    /// # Errors
    /// If they can't be written.
    pub fn write(&self, name: &str, title: &str, bytes: &[u8]) -> Result<Arc<Piece>, DiskError> {
        let mut write = |out: &mut dyn Write| out.write_all(bytes);
        let stored = self.folder.put(name, title, &mut write)?;
        let path = stored.path.clone();
        self.map(stored).map_err(DiskError::of(&path, "read it"))
    }

    /// What an earlier run has written under a name and title, if it is whole.
    pub fn find(&self, name: &str, title: &str) -> Option<Arc<Piece>> {
        self.map(self.folder.get(name, title).ok()??).ok()
    }

    /// Removes what has been written under names for which `is_unwanted` says so.
    ///
    /// # Errors
    /// If it can't be removed.
    pub fn remove(&self, is_unwanted: impl Fn(&str) -> bool) -> Result<(), DiskError> {
        self.folder.remove(is_unwanted)
    }

    /// How many bytes have been written here, by whatever run.
    #[must_use]
    pub fn used(&self) -> u64 {
        let files = self.folder.pieces().flat_map(fs::symlink_metadata);
        files.map(|file| file.len()).sum()
    }

    /// How many bytes can still be written here; nothing where the system doesn't say.
    #[must_use]
    pub fn free(&self) -> Option<u64> {
        free(self.folder.path()).map(|free| free.min(self.most))
    }

    /// The disk on which it is, for processes that may have theirs on the same one; nothing where the
    /// system doesn't say.
    #[must_use]
    pub fn disk(&self) -> Vec<u8> {
        #[cfg(unix)]
        if let (Ok(metadata), Ok(system)) =
            (fs::metadata(self.folder.path()), nix::sys::utsname::uname())
        {
            let (device, _) = place(&metadata);
            return [system.nodename().as_encoded_bytes(), &device.to_le_bytes()].concat();
        }
        Vec::new()
    }

    /// From now on [`Scratch::look`] keeps the program within so many bytes of memory.
    pub fn keep_within(&self, bytes: u64) {
        self.memory.store(bytes, Relaxed);
    }

    /// To be called by each thread that reads pieces, after some hundred bytes that may be anywhere or
    /// some ten thousand in a row: gives up the memory of what has been read if the program takes
    /// more than it may. Does nothing where the system doesn't say how much that is.
    pub fn look(&self) {
        let memory = self.memory.load(Relaxed);
        if memory < u64::MAX
            && has_faulted()
            && taken().is_some_and(|taken| taken.all > memory && taken.of_files > LEFT)
        {
            self.give_up();
        }
    }

    fn pieces(&self) -> MutexGuard<'_, Vec<Weak<Piece>>> {
        self.pieces.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[allow(unsafe_code)]
    fn map(&self, stored: Stored) -> io::Result<Arc<Piece>> {
        let Stored {
            path,
            file,
            length,
            sum,
        } = stored;
        // SAFETY: the folder is this run's own, and no run changes a piece that it has written; any
        // bytes are valid. Should another program change it, a check of the sum says so, and `guard`
        // helps programs that want that over its being cut off.
        let map = unsafe { Mmap::map(&file)? };
        let piece = Arc::new(Piece {
            #[cfg(unix)]
            watch: Watch::over(&map).ok().flatten(),
            #[cfg(unix)]
            place: place(&file.metadata()?),
            path,
            map,
            length: length as usize,
            sum,
        });
        let mut pieces = self.pieces();
        if pieces.len() == pieces.capacity() {
            pieces.retain(|piece| piece.strong_count() > 0);
        }
        pieces.push(Arc::downgrade(&piece));
        Ok(piece)
    }

    /// Gives up the memory of what has been read; what is needed is read again.
    #[allow(unsafe_code)]
    fn give_up(&self) {
        for piece in self.pieces().iter().filter_map(Weak::upgrade) {
            // SAFETY: the map is of a file and can't be written to, so that its bytes are the same
            // when they are read again.
            #[cfg(target_os = "linux")]
            let _ = unsafe {
                piece
                    .map
                    .unchecked_advise(memmap2::UncheckedAdvice::DontNeed)
            };
            #[cfg(not(target_os = "linux"))]
            let _ = piece;
        }
    }
}

/// How many bytes this program can still write to the disk of a folder, if the system says so.
fn free(folder: &Path) -> Option<u64> {
    #[cfg(unix)]
    {
        let found = nix::sys::statvfs::statvfs(folder).ok()?;
        // Their types differ from system to system.
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

/// Whether this thread has come to so many places that were not in its memory, since the last time
/// that it had, that it is worth the while to look at how much it has now.
///
/// At each of them the system maps up to 64 kB of a file that are in its cache.
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

/// What the program has of the memory, in bytes.
struct Taken {
    all: u64,
    of_files: u64,
}

fn taken() -> Option<Taken> {
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
        Some(Taken {
            all: all * page,
            of_files: of_files * page,
        })
    }
    #[cfg(not(target_os = "linux"))]
    None
}

#[cfg(test)]
mod tests;
