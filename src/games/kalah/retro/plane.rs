//! Large arrays of bytes.

use crate::game::SolveError;
use memmap2::MmapMut;
use std::io;
use std::ops::{Deref, DerefMut};

/// Zeroed bytes; large ones come from the system directly and ask for large pages, which
/// save most of the time that touching memory for the first time takes.
#[derive(Debug)]
pub enum Plane {
    /// A few bytes.
    Small(Vec<u8>),
    /// Many bytes.
    Large(MmapMut),
}

const LARGE: usize = 4 << 20;

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

impl Plane {
    /// None at all.
    #[must_use]
    pub fn empty() -> Plane {
        Plane::Small(Vec::new())
    }

    /// An array of this many zeros.
    ///
    /// # Errors
    /// [`SolveError::NoMemory`] if the system doesn't give as much.
    pub fn new(bytes: usize) -> Result<Plane, SolveError> {
        if bytes >= LARGE {
            let no_memory = |_| SolveError::NoMemory {
                bytes: bytes as u64,
            };
            return Ok(Plane::Large(zeroed(bytes).map_err(no_memory)?));
        }
        Ok(Plane::Small(vec![0; bytes]))
    }
}

impl Deref for Plane {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Plane::Small(bytes) => bytes,
            Plane::Large(map) => map,
        }
    }
}

impl DerefMut for Plane {
    fn deref_mut(&mut self) -> &mut [u8] {
        match self {
            Plane::Small(bytes) => bytes,
            Plane::Large(map) => map,
        }
    }
}
