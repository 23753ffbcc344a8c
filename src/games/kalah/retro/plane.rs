//! Large arrays of bytes.

use crate::game::SolveError;
use crate::games::words::zeroed;
use memmap2::MmapMut;
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

const LARGE: usize = 1 << 18;

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

impl Default for Plane {
    fn default() -> Plane {
        Plane::empty()
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
