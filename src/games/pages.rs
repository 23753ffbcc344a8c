//! Large arrays in memory from the system.

use crate::game::SolveError;
#[cfg(target_family = "wasm")]
use bytemuck::{Zeroable, allocation::try_zeroed_vec};
#[cfg(not(target_family = "wasm"))]
use memmap2::{MmapMut, MmapRaw};
use std::ops::Deref;
use std::sync::atomic::AtomicU64;

/// Memory from the system.
#[cfg(not(target_family = "wasm"))]
pub type Memory = MmapMut;
/// Memory on the heap, where there is no other.
#[cfg(target_family = "wasm")]
pub type Memory = Vec<u8>;

/// Allocates zeroed memory.
///
/// # Errors
/// [`SolveError::NoMemory`] if there is not enough.
#[cfg(target_family = "wasm")]
pub fn zeroed<T: Zeroable>(count: usize, _: Pages) -> Result<Vec<T>, SolveError> {
    try_zeroed_vec(count).map_err(|()| SolveError::NoMemory {
        bytes: (count as u64).saturating_mul(size_of::<T>() as u64),
    })
}

/// Allocates zeroed memory from the system.
///
/// # Errors
/// [`SolveError::NoMemory`] if the system doesn't provide the memory.
#[cfg(not(target_family = "wasm"))]
pub fn zeroed(bytes: usize, pages: Pages) -> Result<Memory, SolveError> {
    let no_memory = |_| SolveError::NoMemory {
        bytes: bytes as u64,
    };
    let map = MmapMut::map_anon(bytes).map_err(no_memory)?;
    // A hint that only affects speed.
    #[cfg(target_os = "linux")]
    if pages == Pages::Large {
        let _ = map.advise(memmap2::Advice::HugePage);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = pages;
    Ok(map)
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
pub struct Atomics(
    #[cfg(not(target_family = "wasm"))] MmapRaw,
    #[cfg(target_family = "wasm")] Vec<AtomicU64>,
);

impl Atomics {
    /// Returns an array of zeros.
    ///
    /// # Errors
    /// [`SolveError::NoMemory`] if the system doesn't provide the memory.
    #[cfg(not(target_family = "wasm"))]
    pub fn new(words: usize, pages: Pages) -> Result<Atomics, SolveError> {
        Ok(Atomics(zeroed(words.saturating_mul(8), pages)?.into()))
    }

    /// Returns an array of zeros.
    ///
    /// # Errors
    /// [`SolveError::NoMemory`] if there is not enough memory.
    #[cfg(target_family = "wasm")]
    pub fn new(words: usize, _: Pages) -> Result<Atomics, SolveError> {
        Ok(Atomics(zeroed(words, Pages::Small)?))
    }
}

impl Deref for Atomics {
    type Target = [AtomicU64];

    #[cfg(target_family = "wasm")]
    fn deref(&self) -> &[AtomicU64] {
        &self.0
    }

    #[cfg(not(target_family = "wasm"))]
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
