//! The list of what checkpoints have.

use crate::solve::keyed::Places;
use serde::{Deserialize, Serialize};

/// The name of the list. It counts, and no file that is not in it.
pub(super) const LIST: &str = "cluster";

/// What all processes have written.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct List {
    pub(super) places: Places,
    /// Keys of layers that are complete.
    pub(super) found: Vec<Batch>,
    /// Keys of layers that are not.
    pub(super) open: Option<Batch>,
    pub(super) is_all_found: bool,
    /// Keys and scores.
    pub(super) scored: Vec<Batch>,
    /// The number of the next batch.
    pub(super) next: u32,
}

/// A file of each of so many processes.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(super) struct Batch {
    pub(super) number: u32,
    pub(super) processes: u32,
}

impl Batch {
    pub(super) fn file(self, process: u32) -> String {
        format!("{LIST}-{}-{process}-of-{}", self.number, self.processes)
    }
}

impl Default for List {
    fn default() -> Self {
        List {
            places: Places::Up,
            found: Vec::new(),
            open: None,
            is_all_found: false,
            scored: Vec::new(),
            next: 0,
        }
    }
}
