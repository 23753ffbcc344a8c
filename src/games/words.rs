//! Large arrays, straight from the system.

use memmap2::MmapMut;
use std::io;
use std::sync::atomic::AtomicU64;

/// Zeros straight from the system, in large pages where it has them.
///
/// # Errors
/// If it doesn't give as much memory.
pub fn zeroed(bytes: usize) -> io::Result<MmapMut> {
    let map = MmapMut::map_anon(bytes)?;
    // Only a hint: without it all works, but slower.
    #[cfg(target_os = "linux")]
    let _ = map.advise(memmap2::Advice::HugePage);
    Ok(map)
}

/// Asks the memory for a byte of an array and doesn't wait for it.
#[inline]
#[allow(unsafe_code)]
pub fn prefetch(bytes: &[u8], at: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let at = bytes.as_ptr().wrapping_add(at);
        // SAFETY: SSE is part of x86-64. A prefetch is a hint, reads nothing that the program sees
        // and never faults, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (bytes, at);
}

/// Atomic words in cache lines of eight, zero at first.
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
        let map = zeroed(bytes)?;
        Ok(Words { map, lines })
    }

    /// All zeros again.
    pub fn clear(&mut self) {
        self.map.fill(0);
    }

    pub fn bytes(&self) -> u64 {
        self.map.len() as u64
    }

    /// Asks the memory for a line and doesn't wait for it.
    #[inline]
    pub fn prefetch(&self, line: usize) {
        prefetch(&self.map, 64 * line);
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
