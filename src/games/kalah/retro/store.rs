//! Where the codes of layers that are done are kept: in memory, or in files.

use super::plane::Plane;
use crate::game::SolveError;
use crate::game::scratch::{Part, Piece, Scratch};
use crate::games::kalah::index::layout::{Mover, Split};
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// Fewer bytes stay in memory.
const LARGE: usize = 1 << 12;

/// Keeps codes that don't change any more.
#[derive(Debug)]
pub enum Store {
    /// In memory.
    Memory,
    /// In files, if there are many.
    Files(Files),
}

/// Keeps codes in files.
///
/// A later run may use them: their sums say whether they are still what was written, but not that
/// they were computed from such. So it is noted up to which layer that is known: a layer is *sound*
/// if all files below it were found whole after it was done. A later run that misses a file below
/// doesn't know what those above the sound ones were computed from, and removes them.
#[derive(Debug)]
pub struct Files {
    scratch: Arc<Scratch>,
    /// Of which game they are.
    title: String,
    /// How many processes solve it.
    processes: usize,
    /// So many layers, from the lowest on, are sound.
    sound: AtomicUsize,
    /// So many the note says.
    noted: AtomicUsize,
    /// Whether anything was written after the note.
    has_new: AtomicBool,
    /// Whether a file is missing that an earlier run has written, or might be.
    is_doubtful: AtomicBool,
    /// Whether the files above the sound ones are known to be right, or gone.
    is_settled: AtomicBool,
    /// Held by who makes way for a file.
    writing: Mutex<()>,
}

impl Store {
    /// In files of a folder, of this game, that so many processes solve.
    pub fn files(scratch: Arc<Scratch>, title: String, processes: usize) -> Store {
        let note = scratch.find(NOTE, &title_of(&title, NOTE));
        let numbers = note.as_deref().map(|note| note.as_chunks().0);
        let (sound, before) = match numbers {
            Some(&[sound, before]) => (u64::from_le_bytes(sound), u64::from_le_bytes(before)),
            _ => (0, 0),
        };
        let sound = usize::try_from(sound).unwrap_or(0);
        Store::Files(Files {
            scratch,
            title,
            processes,
            sound: sound.into(),
            noted: sound.into(),
            has_new: AtomicBool::new(false),
            // What came from another process was computed from files that can't be seen here.
            is_doubtful: AtomicBool::new((before, processes) != (1, 1)),
            is_settled: AtomicBool::new(false),
            writing: Mutex::default(),
        })
    }

    /// Brings the parts into one file, if this is a store of files and the first part, whose length
    /// doesn't depend on the codes, is large.
    ///
    /// # Errors
    /// [`SolveError::Scratch`].
    pub fn write(&self, name: &str, parts: &[&[u8]]) -> Result<Option<Arc<Piece>>, SolveError> {
        match self {
            Store::Files(files) if parts.first().is_some_and(|part| part.len() >= LARGE) => {
                let title = title_of(&files.title, name);
                files.make_way(layer_of(name).unwrap_or(0))?;
                files.scratch.write(name, &title, parts).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Whether codes go to files.
    pub fn is_of_files(&self) -> bool {
        matches!(self, Store::Files(_))
    }

    /// Whether no earlier run has brought anything into a file.
    pub fn is_empty(&self) -> bool {
        match self {
            Store::Memory => true,
            Store::Files(files) => files.scratch.is_empty(),
        }
    }

    /// What an earlier run has brought into a file, the first part of so many bytes, as `take` has
    /// it. To be asked after [`Store::enter`].
    pub fn find<T>(
        &self,
        name: &str,
        first: usize,
        take: impl FnOnce(Arc<Piece>) -> Option<T>,
    ) -> Option<T> {
        let Store::Files(files) = self else {
            return None;
        };
        let piece = files.scratch.find(name, &title_of(&files.title, name));
        let found = piece.and_then(take);
        if found.is_none() && first >= LARGE {
            files.is_doubtful.store(true, Relaxed);
        }
        found
    }

    /// The layers below this one are complete, and this one comes next.
    ///
    /// # Errors
    /// [`SolveError::Scratch`].
    pub fn enter(&self, layer: usize) -> Result<(), SolveError> {
        match self {
            Store::Memory => Ok(()),
            Store::Files(files) => files.settle(layer),
        }
    }

    /// A layer is complete, and after that all files were still what was written.
    ///
    /// # Errors
    /// [`SolveError::Scratch`].
    pub fn is_sound(&self, layer: usize) -> Result<(), SolveError> {
        let Store::Files(files) = self else {
            return Ok(());
        };
        let sound = files.sound.fetch_max(layer + 1, Relaxed).max(layer + 1);
        match files.has_new.swap(false, Relaxed) {
            true => files.note(sound),
            false => Ok(()),
        }
    }

    /// Removes the files of which it isn't known what they were computed from.
    ///
    /// # Errors
    /// [`SolveError::Scratch`].
    pub fn forget(&self) -> Result<(), SolveError> {
        match self {
            Store::Memory => Ok(()),
            Store::Files(files) => files.forget(),
        }
    }
}

impl Files {
    /// Before anything of a layer is used or made: files above the sound ones stay, or go.
    fn settle(&self, layer: usize) -> Result<(), SolveError> {
        let is_doubtful = self.is_doubtful.load(Relaxed);
        let is_time = is_doubtful || layer >= self.sound.load(Relaxed);
        match is_time && !self.is_settled.swap(true, Relaxed) && is_doubtful {
            true => self.forget(),
            false => Ok(()),
        }
    }

    /// Before a file of a layer is written.
    fn make_way(&self, layer: usize) -> Result<(), SolveError> {
        self.has_new.store(true, Relaxed);
        let _alone = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        // Once it is there nobody knows any more that it was missing.
        self.settle(layer)?;
        match layer < self.noted.load(Relaxed) {
            // It need not be right before the layer is complete.
            true => self.note(layer),
            false => Ok(()),
        }
    }

    fn forget(&self) -> Result<(), SolveError> {
        let noted = self.noted.load(Relaxed);
        let is_above = |name: &str| layer_of(name).is_some_and(|layer| layer >= noted);
        self.scratch.remove(is_above)
    }

    fn note(&self, sound: usize) -> Result<(), SolveError> {
        let note = [sound, self.processes].map(|number| (number as u64).to_le_bytes());
        let title = title_of(&self.title, NOTE);
        self.scratch.write(NOTE, &title, &[note.as_flattened()])?;
        self.noted.store(sound, Relaxed);
        Ok(())
    }
}

/// What the file is called that says how many layers are sound, and how many processes were at
/// work.
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

/// The layer of something with such a name.
fn layer_of(name: &str) -> Option<usize> {
    let mut parts = name.split('-').skip(1);
    let mut seeds = || parts.next()?.parse::<usize>().ok();
    Some(seeds()? + seeds()?)
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

/// Words that don't change any more.
#[derive(Debug)]
pub enum Words {
    /// In memory.
    Here(Box<[u32]>),
    /// In a file, as this processor has them, and at a multiple of their size.
    There(Part),
}

impl Default for Words {
    fn default() -> Words {
        Words::Here(Box::default())
    }
}

impl Deref for Words {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        match self {
            Words::Here(words) => words,
            // A piece begins at a page.
            Words::There(part) => bytemuck::cast_slice(part),
        }
    }
}
