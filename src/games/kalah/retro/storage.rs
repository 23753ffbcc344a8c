//! Large arrays of bytes, and files for the codes of solved layers.

use crate::game::SolveError;
use crate::games::pages::{Memory, Pages, zeroed};
use crate::pool::lock;
use crate::work::{Scratch, ScratchFile};
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex};

/// An array of bytes.
///
/// Large arrays in memory are mapped directly from the system, on large pages if possible. This
/// saves most of the time of first access.
#[derive(Debug)]
pub enum Plane {
    /// A few bytes on the heap.
    Small(Vec<u8>),
    /// Many bytes, mapped from the system.
    Large(Memory),
    /// Bytes in a file, which are never changed.
    InFile(Arc<ScratchFile>),
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
    pub fn file(&self) -> Option<&ScratchFile> {
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

/// Saves final codes in files.
///
/// A later run may use these files. A checksum shows whether a file is intact, but not whether its
/// codes were computed from intact files. Therefore the store records how many layers are *sound*:
/// after such a layer was complete, all files of all processes were still intact. Other files of an
/// earlier run are removed at the start.
#[derive(Debug)]
pub struct Store {
    scratch: Arc<Scratch>,
    /// The rules of the game whose codes are saved.
    title: String,
    /// Fewer bytes stay in memory.
    large: usize,
    /// Number of sound layers, from the lowest on.
    sound: Mutex<u64>,
}

impl Store {
    /// Returns a store in a scratch directory; fewer bytes than `large` stay in memory.
    ///
    /// # Errors
    /// [`SolveError::Disk`] if unusable files of an earlier run can't be removed.
    pub fn new(scratch: Arc<Scratch>, title: String, large: usize) -> Result<Store, SolveError> {
        let note = scratch.find(NOTE, &title);
        let sound = note.and_then(|note| note[..].try_into().ok());
        let store = Store {
            scratch,
            title,
            large,
            sound: Mutex::new(sound.map_or(0, u64::from_le_bytes)),
        };
        store.remove_unsound()?;
        Ok(store)
    }

    /// Writes bytes into a file if there are many; `None` if they stay in memory.
    ///
    /// # Errors
    /// [`SolveError::Disk`].
    pub fn save(&self, name: &str, bytes: &[u8]) -> Result<Option<Arc<ScratchFile>>, SolveError> {
        if bytes.len() < self.large {
            return Ok(None);
        }
        // Neither this layer nor those above it are sound while it is incomplete.
        self.note(layer_of(name), |layer, sound| layer < sound)?;
        Ok(Some(self.scratch.write(name, &self.title, bytes)?))
    }

    /// Returns the file of an earlier run if it is intact.
    pub fn find(&self, name: &str) -> Option<Arc<ScratchFile>> {
        self.scratch.find(name, &self.title)
    }

    /// Records that a layer is sound.
    ///
    /// It and all layers below it must be complete, and all files of all processes must have been
    /// checked after that.
    ///
    /// # Errors
    /// [`SolveError::Disk`].
    pub fn mark_sound(&self, layer: usize) -> Result<(), SolveError> {
        self.note(layer as u64 + 1, |layers, sound| layers > sound)
    }

    /// Removes the files of layers that are not known to be sound.
    ///
    /// # Errors
    /// [`SolveError::Disk`].
    pub fn remove_unsound(&self) -> Result<(), SolveError> {
        let sound = *lock(&self.sound);
        let is_unsound = |name: &str| name != NOTE && layer_of(name) >= sound;
        Ok(self.scratch.remove(is_unsound)?)
    }

    /// Records the number of sound layers if `is_news(new, old)` is true.
    fn note(&self, layers: u64, is_news: impl Fn(u64, u64) -> bool) -> Result<(), SolveError> {
        let mut sound = lock(&self.sound);
        if is_news(layers, *sound) {
            let bytes = layers.to_le_bytes();
            self.scratch.write(NOTE, &self.title, &bytes)?;
            *sound = layers;
        }
        Ok(())
    }
}

/// Name of the file with the number of sound layers.
const NOTE: &str = "sound";

/// Returns the layer at the start of a name; `u64::MAX` for other names.
fn layer_of(name: &str) -> u64 {
    let layer = name.split('-').next().and_then(|layer| layer.parse().ok());
    layer.unwrap_or(u64::MAX)
}
