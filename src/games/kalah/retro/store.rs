//! Where the codes of layers that are done are kept: in memory, or in files.

use super::plane::Plane;
use crate::game::SolveError;
use crate::game::scratch::{Part, Piece, Scratch};
use crate::games::kalah::index::layout::{Mover, Split};
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

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
#[derive(Debug)]
pub struct Files {
    scratch: Arc<Scratch>,
    /// Of which game they are.
    title: String,
    /// Some of an earlier run's are not what it has written: others may have been computed from
    /// these.
    damaged: AtomicBool,
}

impl Store {
    /// In files of a folder, of this game.
    pub fn files(scratch: Arc<Scratch>, title: String) -> Store {
        Store::Files(Files {
            scratch,
            title,
            damaged: AtomicBool::new(false),
        })
    }

    /// Brings the parts into one file, if this is a store of files and they are large.
    ///
    /// # Errors
    /// [`SolveError::Scratch`].
    pub fn write(&self, name: &str, parts: &[&[u8]]) -> Result<Option<Arc<Piece>>, SolveError> {
        match self {
            Store::Files(files) if parts.iter().map(|part| part.len()).sum::<usize>() >= LARGE => {
                let title = title_of(&files.title, name);
                files.scratch.write(name, &title, parts).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Whether no earlier run has brought anything into a file.
    pub fn is_empty(&self) -> bool {
        match self {
            Store::Memory => true,
            Store::Files(files) => files.scratch.is_empty(),
        }
    }

    /// Whether something that an earlier run has brought into a file is damaged.
    pub fn is_damaged(&self) -> bool {
        match self {
            Store::Memory => false,
            Store::Files(files) => files.damaged.load(Relaxed),
        }
    }

    /// Something is damaged in a store of another process.
    pub fn set_damaged(&self) {
        if let Store::Files(files) = self {
            files.damaged.store(true, Relaxed);
        }
    }

    /// What an earlier run has brought into a file; nothing any more once one of them is found
    /// damaged. To be asked for layers in their order.
    pub fn find(&self, name: &str) -> Option<Arc<Piece>> {
        let Store::Files(files) = self else {
            return None;
        };
        if files.damaged.load(Relaxed) {
            return None;
        }
        let found = files.scratch.find(name, &title_of(&files.title, name));
        if found.is_none() && files.scratch.has(name) {
            files.damaged.store(true, Relaxed);
        }
        found
    }
}

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
