//! Large arrays of atomic words.

use memmap2::MmapMut;
use std::io;
use std::sync::atomic::AtomicU64;

/// Zeroed words in cache lines of eight, in large pages where the system has them.
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
        let map = MmapMut::map_anon(lines * 64)?;
        // Only a hint: without it all works, but slower.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        Ok(Words { map, lines })
    }

    pub fn bytes(&self) -> u64 {
        self.map.len() as u64
    }

    #[inline]
    #[allow(unsafe_code)]
    pub fn line(&self, line: usize) -> &[AtomicU64; 8] {
        assert!(line < self.lines);
        // SAFETY: the map is `lines` times 64 bytes long, begins at a page and so at a multiple of
        // 64, lives as long as `self`, and is reached in no other way than through these atomics;
        // any bytes are valid words.
        unsafe { &*self.map.as_ptr().cast::<[AtomicU64; 8]>().add(line) }
    }
}
