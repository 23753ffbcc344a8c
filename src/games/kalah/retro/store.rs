//! Files for the codes of layers that are done.

use crate::game::SolveError;
use crate::work::{Piece, Scratch};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Keeps codes that don't change any more in files.
///
/// A later run may use them: their sums say whether they are still what was written, but not that
/// they were computed from such. So it is noted which layers are *sound*: of these it is known that
/// all files of all processes were still whole after they were complete. What else an earlier run has
/// left is removed before anything else.
#[derive(Debug)]
pub struct Store {
    scratch: Arc<Scratch>,
    /// Of which game they are.
    title: String,
    /// Fewer bytes stay in memory.
    large: usize,
    /// How many layers are sound, from the lowest on.
    sound: Mutex<u64>,
}

impl Store {
    /// In files of a folder, of this game; fewer bytes than `large` stay in memory.
    ///
    /// # Errors
    /// [`SolveError::Disk`] if what is left there of no use can't be removed.
    pub fn new(scratch: Arc<Scratch>, title: String, large: usize) -> Result<Store, SolveError> {
        let note = scratch.find(NOTE, &title_of(&title, NOTE));
        let sound = note.and_then(|note| note[..].try_into().ok());
        let store = Store {
            scratch,
            title,
            large,
            sound: Mutex::new(sound.map_or(0, u64::from_le_bytes)),
        };
        store.forget()?;
        Ok(store)
    }

    /// Brings bytes into a file, if they are many.
    ///
    /// # Errors
    /// [`SolveError::Disk`].
    pub fn keep(&self, name: &str, bytes: &[u8]) -> Result<Option<Arc<Piece>>, SolveError> {
        if bytes.len() < self.large {
            return Ok(None);
        }
        // A layer isn't sound before it is complete, nor are those above it.
        self.note(layer_of(name), |layer, sound| layer < sound)?;
        Ok(Some(self.write(name, bytes)?))
    }

    /// What an earlier run has brought into a file, if it is whole.
    pub fn find(&self, name: &str) -> Option<Arc<Piece>> {
        self.scratch.find(name, &title_of(&self.title, name))
    }

    /// A layer is complete, those below it are, and after that all files of all processes were still
    /// what was written.
    ///
    /// # Errors
    /// [`SolveError::Disk`].
    pub fn is_sound(&self, layer: usize) -> Result<(), SolveError> {
        self.note(layer as u64 + 1, |layers, sound| layers > sound)
    }

    /// Removes the files of layers that are not known to be sound.
    ///
    /// # Errors
    /// [`SolveError::Disk`].
    pub fn forget(&self) -> Result<(), SolveError> {
        let sound = *self.sound();
        let is_unsound = |name: &str| name != NOTE && layer_of(name) >= sound;
        Ok(self.scratch.remove(is_unsound)?)
    }

    fn sound(&self) -> MutexGuard<'_, u64> {
        self.sound.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<Arc<Piece>, SolveError> {
        let title = title_of(&self.title, name);
        Ok(self.scratch.write(name, &title, bytes)?)
    }

    /// Notes that so many layers are sound, if that is news.
    fn note(&self, layers: u64, is_news: impl Fn(u64, u64) -> bool) -> Result<(), SolveError> {
        let mut sound = self.sound();
        if is_news(layers, *sound) {
            self.write(NOTE, &layers.to_le_bytes())?;
            *sound = layers;
        }
        Ok(())
    }
}

/// What the file is called that says which layers are sound.
const NOTE: &str = "sound";

fn title_of(game: &str, name: &str) -> String {
    format!("{game}, {name}")
}

/// The layer with which a name begins; the highest number for other names.
fn layer_of(name: &str) -> u64 {
    let layer = name.split('-').next().and_then(|layer| layer.parse().ok());
    layer.unwrap_or(u64::MAX)
}
