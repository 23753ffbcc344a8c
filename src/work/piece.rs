//! A scratch file, mapped into memory and checked.

use super::DiskError;
use super::folder::{TRAILER, sum_of};
use super::regular::open;
#[cfg(unix)]
use crate::guard::Watch;
use memmap2::Mmap;
use std::fs::{self, File};
use std::io;
use std::ops::Deref;
use std::path::PathBuf;

/// The bytes of a scratch file, mapped into memory.
#[derive(Debug)]
pub struct Piece {
    // Declared before the mapping and so dropped first: the watch must end before the mapping does.
    #[cfg(unix)]
    pub(super) watch: Option<Watch>,
    #[cfg(unix)]
    pub(super) place: (u64, u64),
    pub(super) path: PathBuf,
    pub(super) map: Mmap,
    pub(super) length: usize,
    pub(super) sum: u32,
}

impl Piece {
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
            (is_same && !self.is_cut_off())
                .then_some(())
                .ok_or_else(changed)
        };
        look().map_err(DiskError::of(&self.path, "read it"))
    }

    /// Whether this is the mapped file, and not one that has replaced it.
    pub(super) fn is_at(&self, metadata: &fs::Metadata) -> bool {
        #[cfg(unix)]
        return self.place == place(metadata);
        // On other systems a mapped file can't be replaced.
        #[cfg(not(unix))]
        {
            let _ = metadata;
            true
        }
    }

    /// Whether a read has found part of the file missing, even if it is there again.
    pub(super) fn is_cut_off(&self) -> bool {
        #[cfg(unix)]
        return self.watch.as_ref().is_some_and(Watch::is_cut_off);
        #[cfg(not(unix))]
        false
    }
}

impl Deref for Piece {
    type Target = [u8];

    #[inline(always)]
    fn deref(&self) -> &[u8] {
        &self.map[..self.length]
    }
}

/// Returns the device and inode, which identify a file.
#[cfg(unix)]
pub(super) fn place(metadata: &fs::Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

fn changed() -> io::Error {
    let what = "it is not what this run has written there: the disk, or another program, has \
                changed it";
    io::Error::new(io::ErrorKind::InvalidData, what)
}
