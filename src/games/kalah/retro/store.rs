//! Where the codes of layers that are done are kept: in memory, or in files.

use super::plane::Plane;
use crate::game::SolveError;
use crate::games::kalah::index::layout::{Mover, Split};
use crate::work::{Part, Piece, Scratch};
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Keeps codes that don't change any more: in files, if there are many, or else in memory.
#[derive(Debug)]
pub struct Store(Option<Files>);

/// Keeps codes in files.
///
/// A later run may use them: their sums say whether they are still what was written, but not that
/// they were computed from such. So it is noted which layers are *sound*: of these it is known that
/// all files of all processes were still whole after they were complete. What else an earlier run has
/// left is removed before anything else.
#[derive(Debug)]
pub struct Files {
    scratch: Arc<Scratch>,
    /// Of which game they are.
    title: String,
    /// Fewer bytes stay in memory.
    large: usize,
    noted: Mutex<Note>,
    /// Whether anything was written since a layer was noted.
    has_new: AtomicBool,
}

/// Which layers are sound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Note {
    /// So many, from the lowest on,
    sound: u64,
    /// but for this one, of which some is being made anew; [`u64::MAX`] for none.
    open: u64,
}

impl Store {
    /// In files of a folder, of this game; fewer bytes than `large` stay in memory.
    ///
    /// # Errors
    /// [`SolveError::Disk`] if what is left there of no use can't be removed.
    pub fn files(scratch: Arc<Scratch>, title: String, large: usize) -> Result<Store, SolveError> {
        let piece = scratch.find(NOTE, &title_of(&title, NOTE));
        let note = match piece.as_deref().map(|note| note.as_chunks().0) {
            Some(&[sound, open]) => Note {
                sound: u64::from_le_bytes(sound),
                open: u64::from_le_bytes(open),
            },
            _ => Note {
                sound: 0,
                open: u64::MAX,
            },
        };
        let files = Files {
            scratch,
            title,
            large,
            noted: Mutex::new(note),
            has_new: AtomicBool::new(false),
        };
        files.forget()?;
        Ok(Store(Some(files)))
    }

    /// In memory.
    pub const MEMORY: Store = Store(None);

    /// Brings the parts into one file, if this is a store of files and they are large.
    ///
    /// # Errors
    /// [`SolveError::Disk`].
    pub fn write(&self, name: &str, parts: &[&[u8]]) -> Result<Option<Arc<Piece>>, SolveError> {
        let length = parts.iter().map(|part| part.len()).sum::<usize>();
        let Some(files) = self.0.as_ref().filter(|files| length >= files.large) else {
            return Ok(None);
        };
        files.open(layer_of(name))?;
        let title = title_of(&files.title, name);
        Ok(Some(files.scratch.write(name, &title, parts)?))
    }

    /// Whether codes go to files.
    pub fn is_of_files(&self) -> bool {
        self.0.is_some()
    }

    /// What an earlier run has brought into a file, if it is whole.
    pub fn find(&self, name: &str) -> Option<Arc<Piece>> {
        let files = self.0.as_ref()?;
        files.scratch.find(name, &title_of(&files.title, name))
    }

    /// A layer is complete, those below it are, and after that all files of all processes were still
    /// what was written.
    ///
    /// # Errors
    /// [`SolveError::Disk`].
    pub fn is_sound(&self, layer: usize) -> Result<(), SolveError> {
        match &self.0 {
            Some(files) if files.has_new.swap(false, Relaxed) => {
                let mut noted = files.noted();
                let sound = noted.sound.max(layer as u64 + 1);
                let open = u64::MAX;
                files.note(&mut noted, Note { sound, open })
            }
            _ => Ok(()),
        }
    }

    /// Removes the files of layers that are not known to be sound.
    ///
    /// # Errors
    /// [`SolveError::Disk`].
    pub fn forget(&self) -> Result<(), SolveError> {
        self.0.as_ref().map_or(Ok(()), Files::forget)
    }
}

impl Files {
    fn noted(&self) -> MutexGuard<'_, Note> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A file of a layer is about to be written: the layer isn't sound before it is complete.
    fn open(&self, layer: u64) -> Result<(), SolveError> {
        self.has_new.store(true, Relaxed);
        let mut noted = self.noted();
        if layer >= noted.sound || layer == noted.open {
            return Ok(());
        }
        let sound = noted.sound;
        self.note(&mut noted, Note { sound, open: layer })
    }

    fn forget(&self) -> Result<(), SolveError> {
        let Note { sound, open } = *self.noted();
        Ok(self.scratch.remove(|name| {
            let layer = layer_of(name);
            name != NOTE && (layer >= sound || layer == open)
        })?)
    }

    fn note(&self, noted: &mut Note, note: Note) -> Result<(), SolveError> {
        let bytes = [note.sound, note.open].map(u64::to_le_bytes);
        let title = title_of(&self.title, NOTE);
        self.scratch.write(NOTE, &title, &[bytes.as_flattened()])?;
        *noted = note;
        Ok(())
    }
}

/// What the file is called that says which layers are sound.
const NOTE: &str = "sound";

fn title_of(game: &str, name: &str) -> String {
    format!("{game}, {name}")
}

/// The name of the codes of one side to move in a split, kept in a form of this name.
#[must_use]
pub fn name_of(form: &str, split: Split, mover: Mover) -> String {
    let Split { rich, poor } = split;
    let mover = match mover {
        Mover::Rich => "rich",
        Mover::Poor => "poor",
    };
    format!("{form}-{rich}-{poor}-{mover}")
}

/// The layer of something with such a name; the highest number for other names.
fn layer_of(name: &str) -> u64 {
    let mut parts = name.split('-').skip(1);
    let mut seeds = || parts.next()?.parse::<u32>().ok().map(u64::from);
    seeds()
        .zip(seeds())
        .map_or(u64::MAX, |(rich, poor)| rich + poor)
}

/// Bytes that don't change any more.
#[derive(Debug)]
pub enum Bytes {
    /// In memory.
    Here(Plane),
    /// In a file.
    There(Part),
}

impl Default for Bytes {
    fn default() -> Bytes {
        Bytes::Here(Plane::empty())
    }
}

impl Bytes {
    /// Those that are in memory, to be changed; none if they are in a file.
    pub fn here_mut(&mut self) -> &mut [u8] {
        match self {
            Bytes::Here(bytes) => bytes,
            Bytes::There(_) => &mut [],
        }
    }

    /// The file that holds them.
    #[must_use]
    pub fn piece(&self) -> Option<&Piece> {
        match self {
            Bytes::Here(_) => None,
            Bytes::There(part) => Some(part.piece()),
        }
    }
}

impl Deref for Bytes {
    type Target = [u8];

    #[inline(always)]
    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Here(bytes) => bytes,
            Bytes::There(part) => part,
        }
    }
}
