//! Large arrays in memory from the system.

use crate::game::SolveError;
use memmap2::{MmapMut, MmapRaw};
use std::ops::Deref;
use std::sync::atomic::AtomicU64;

/// Allocates zeroed memory from the system.
///
/// # Errors
/// [`SolveError::NoMemory`] if the system doesn't provide the memory.
pub fn zeroed(bytes: usize, pages: Pages) -> Result<MmapMut, SolveError> {
    let no_memory = |_| SolveError::NoMemory {
        bytes: bytes as u64,
    };
    let map = MmapMut::map_anon(bytes).map_err(no_memory)?;
    if pages == Pages::Large {
        ask_for_large_pages(&map);
    }
    Ok(map)
}

/// Asks for large pages, a hint that only affects speed.
fn ask_for_large_pages(map: &MmapMut) {
    #[cfg(target_os = "linux")]
    let _ = map.advise(memmap2::Advice::HugePage);
    #[cfg(not(target_os = "linux"))]
    let _ = map;
}

/// The unit in which the system commits an array's memory when it is first touched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pages {
    /// Kilobytes: an array that is mostly untouched takes little memory.
    Small,
    /// Megabytes, if the system has such pages: faster for scattered reads and writes.
    Large,
}

/// Atomic words, initially zero.
#[derive(Debug)]
pub struct Atomics(MmapRaw);

impl Atomics {
    /// Returns an array of zeros.
    ///
    /// # Errors
    /// [`SolveError::NoMemory`] if the system doesn't provide the memory.
    pub fn new(words: usize, pages: Pages) -> Result<Atomics, SolveError> {
        Ok(Atomics(zeroed(words.saturating_mul(8), pages)?.into()))
    }
}

impl Deref for Atomics {
    type Target = [AtomicU64];

    #[inline]
    #[allow(unsafe_code)]
    fn deref(&self) -> &[AtomicU64] {
        // SAFETY: the map begins at a page and so at a multiple of 8. It is `len` bytes long, lives
        // as long as `self`, and is accessed only through these atomics. Any bytes are valid words.
        unsafe { std::slice::from_raw_parts(self.0.as_mut_ptr().cast(), self.0.len() / 8) }
    }
}

/// Prefetches the cache line of a word.
#[inline]
#[allow(unsafe_code)]
pub fn prefetch(word: &AtomicU64) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: SSE is part of x86-64. A prefetch is a hint: it reads nothing that the program
        // sees and never faults, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(word.as_ptr().cast_const().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = word;
}
