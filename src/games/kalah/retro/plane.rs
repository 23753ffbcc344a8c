//! Large arrays of bytes, in memory or in a file.

use crate::game::SolveError;
use crate::games::words::zeroed;
use crate::work::Piece;
use memmap2::MmapMut;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// Bytes; many that are in memory come from the system directly and ask for large pages, which save
/// most of the time that touching memory for the first time takes.
#[derive(Debug)]
pub enum Plane {
    /// A few bytes.
    Small(Vec<u8>),
    /// Many bytes.
    Large(MmapMut),
    /// In a file. They don't change any more.
    InFile(Arc<Piece>),
}

const LARGE: usize = 1 << 18;

impl Plane {
    /// An array of this many zeros in memory.
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

    /// The file that holds the bytes.
    #[must_use]
    pub fn piece(&self) -> Option<&Piece> {
        match self {
            Plane::InFile(piece) => Some(piece),
            _ => None,
        }
    }
}

impl Default for Plane {
    fn default() -> Plane {
        Plane::Small(Vec::new())
    }
}

impl Deref for Plane {
    type Target = [u8];

    #[inline(always)]
    fn deref(&self) -> &[u8] {
        match self {
            Plane::Small(bytes) => bytes,
            Plane::Large(map) => map,
            Plane::InFile(piece) => piece,
        }
    }
}

/// No bytes of a file can be changed.
impl DerefMut for Plane {
    fn deref_mut(&mut self) -> &mut [u8] {
        match self {
            Plane::Small(bytes) => bytes,
            Plane::Large(map) => map,
            Plane::InFile(_) => &mut [],
        }
    }
}
