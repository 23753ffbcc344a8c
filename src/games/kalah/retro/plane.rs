//! Large arrays of bytes, in memory or in a file.

use crate::game::SolveError;
use crate::games::pages::{Pages, zeroed};
use crate::work::Piece;
use memmap2::MmapMut;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// An array of bytes.
///
/// Large arrays in memory are mapped directly from the system, on large pages if possible. This
/// saves most of the time of first access.
#[derive(Debug)]
pub enum Plane {
    /// A few bytes on the heap.
    Small(Vec<u8>),
    /// Many bytes, mapped from the system.
    Large(MmapMut),
    /// Bytes in a file, which are never changed.
    InFile(Arc<Piece>),
}

const LARGE: usize = 1 << 18;

impl Plane {
    /// Returns an array of zeros in memory.
    ///
    /// # Errors
    /// [`SolveError::NoMemory`] if the system can't provide the memory.
    pub fn new(bytes: usize) -> Result<Plane, SolveError> {
        Ok(match bytes {
            LARGE.. => Plane::Large(zeroed(bytes, Pages::Large)?),
            _ => Plane::Small(vec![0; bytes]),
        })
    }

    /// Returns the file that holds the bytes, if any.
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

/// Gives access to bytes in memory only; an array in a file appears empty.
impl DerefMut for Plane {
    fn deref_mut(&mut self) -> &mut [u8] {
        match self {
            Plane::Small(bytes) => bytes,
            Plane::Large(map) => map,
            Plane::InFile(_) => &mut [],
        }
    }
}
