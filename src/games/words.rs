//! Large arrays, straight from the system.

use memmap2::{MmapMut, MmapRaw};
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
pub struct Atomics(MmapRaw);

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
        Ok(Atomics(map.into()))
    }
}

impl Deref for Atomics {
    type Target = [AtomicU64];

    #[inline]
    #[allow(unsafe_code)]
    fn deref(&self) -> &[AtomicU64] {
        // SAFETY: the map begins at a page and so at a multiple of 8, is `len` bytes long, lives as
        // long as `self`, and is reached in no other way than through these atomics; any bytes are
        // valid words.
        unsafe { std::slice::from_raw_parts(self.0.as_mut_ptr().cast(), self.0.len() / 8) }
    }
}

/// Asks the memory for the line of a word and doesn't wait for it.
#[inline]
#[allow(unsafe_code)]
pub fn prefetch(word: &AtomicU64) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: SSE is part of x86-64. A prefetch is a hint, reads nothing that the program sees
        // and never faults, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(word.as_ptr().cast_const().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = word;
}
