//! A file of scratch, mapped and checked.

use super::DiskError;
use super::folder::{TRAILER, sum_of};
#[cfg(unix)]
use crate::guard::Watch;
use memmap2::Mmap;
use std::fs::{self, File};
use std::io;
use std::ops::Deref;
use std::path::PathBuf;

/// Bytes in a file.
#[derive(Debug)]
pub struct Piece {
    // Before the mapping itself: it must not be watched any longer when it is gone.
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
    /// Makes sure that they are still those that were written.
    ///
    /// # Errors
    /// If they aren't.
    pub fn check(&self) -> Result<(), DiskError> {
        let look = || {
            let mut file = File::open(&self.path)?;
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

    /// Whether a file is the one that is mapped, and none that has been put in its place.
    pub(super) fn is_at(&self, metadata: &fs::Metadata) -> bool {
        #[cfg(unix)]
        return self.place == place(metadata);
        // There a file that is mapped can't be replaced.
        #[cfg(not(unix))]
        {
            let _ = metadata;
            true
        }
    }

    /// Whether something of it has been found gone, whatever is there now.
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

/// What no two files have in common.
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
