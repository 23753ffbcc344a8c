//! Large arrays of bytes.

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
    /// An array of this many zeros.
    ///
    /// # Panics
    /// If the system has no memory left.
    #[must_use]
    pub fn new(bytes: usize) -> Plane {
        if bytes < LARGE {
            return Plane::Small(vec![0; bytes]);
        }
        Plane::Large(zeroed(bytes).expect("the system is out of memory"))
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
