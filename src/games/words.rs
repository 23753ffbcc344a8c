//! Large arrays, straight from the system.

use memmap2::MmapMut;
use std::io;
use std::ops::Deref;
use std::sync::atomic::AtomicU64;

/// Zeros straight from the system, in large pages where it has them.
///
/// # Errors
/// If it doesn't give as much memory.
pub fn zeroed(bytes: usize) -> io::Result<MmapMut> {
    let map = MmapMut::map_anon(bytes)?;
    ask_for_large_pages(&map);
    Ok(map)
}

/// Only a hint: without it all works, but slower.
fn ask_for_large_pages(map: &MmapMut) {
    #[cfg(target_os = "linux")]
    let _ = map.advise(memmap2::Advice::HugePage);
    #[cfg(not(target_os = "linux"))]
    let _ = map;
}

/// By how much at a time the system gives out an array's memory, when it is touched for the first
/// time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pages {
    /// A few kilobytes: of an array of which most is never touched, little is taken.
    Small,
    /// Megabytes, where the system has such pages: places far from each other are read and written
    /// in less time.
    Large,
}

/// Atomic words, zero at first.
#[derive(Debug)]
pub struct Atomics(MmapMut);

impl Atomics {
    /// So many zeros.
    ///
    /// # Errors
    /// If the system doesn't give as much memory.
    pub fn new(words: usize, pages: Pages) -> io::Result<Atomics> {
        let bytes = words.checked_mul(8).ok_or(io::ErrorKind::OutOfMemory)?;
        let map = MmapMut::map_anon(bytes)?;
        if pages == Pages::Large {
            ask_for_large_pages(&map);
        }
        Ok(Atomics(map))
    }
}

impl Deref for Atomics {
    type Target = [AtomicU64];

    #[inline]
    #[allow(unsafe_code)]
    fn deref(&self) -> &[AtomicU64] {
        // SAFETY: the map begins at a page and so at a multiple of 8, is `len` bytes long, lives as
        // long as `self`, and is reached in no other way than through these atomics while they are
        // borrowed; any bytes are valid words.
        unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast(), self.0.len() / 8) }
    }
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
pub struct Words(Atomics);

impl Words {
    /// So many lines of zeros.
    ///
    /// # Errors
    /// If the system doesn't give as much memory.
    pub fn new(lines: usize) -> io::Result<Words> {
        let words = lines.checked_mul(8).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Words(Atomics::new(words, Pages::Large)?))
    }

    /// All zeros again.
    pub fn clear(&mut self) {
        self.0.0.fill(0);
    }

    pub fn bytes(&self) -> u64 {
        self.0.0.len() as u64
    }

    /// Asks the memory for a line and doesn't wait for it.
    #[inline]
    pub fn prefetch(&self, line: usize) {
        prefetch(&self.0.0, 64 * line);
    }

    #[inline]
    pub fn line(&self, line: usize) -> &[AtomicU64; 8] {
        &self.0.as_chunks().0[line]
    }
}
