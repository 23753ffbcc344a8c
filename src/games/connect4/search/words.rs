//! Large arrays of atomic words.

use memmap2::MmapMut;
use std::io;
use std::sync::atomic::AtomicU64;

/// Words in cache lines of eight, zero at first. The system gives them only as they are used.
pub struct Words {
    map: MmapMut,
    lines: usize,
}

impl Words {
    /// So many lines of zeros.
    ///
    /// # Errors
    /// If the system doesn't give as much memory.
    pub fn new(lines: usize) -> io::Result<Words> {
        let bytes = lines.checked_mul(64).ok_or(io::ErrorKind::OutOfMemory)?;
        let map = MmapMut::map_anon(bytes)?;
        // Only a hint: without it all works, but slower.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        Ok(Words { map, lines })
    }

    #[cfg(test)]
    pub fn bytes(&self) -> u64 {
        self.map.len() as u64
    }

    #[inline(always)]
    #[allow(unsafe_code)]
    pub fn line(&self, line: usize) -> &[AtomicU64; 8] {
        assert!(line < self.lines);
        // SAFETY: the map is `lines` times 64 bytes long, begins at a page and so at a multiple of
        // 64, lives as long as `self`, and is reached in no other way than through these atomics;
        // any bytes are valid words.
        unsafe { &*self.map.as_ptr().cast::<[AtomicU64; 8]>().add(line) }
    }
}
