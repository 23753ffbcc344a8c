//! How far a proof has come, and what all its parts do with the table.

use super::error::VerifyError;
use super::judge::Judge;
use super::tile::Entry;
use super::verdict::Refutation;
use super::view::View;
use crate::game::{Notation, Progress, Roots};
use crate::table::table::Table;
use std::ops::Range;

/// How far a proof has come, and what it may use.
pub struct Proof<'a, G: Notation, E> {
    pub view: View<'a, G, E>,
    /// Of which layers children are looked up now.
    pub wanted: Range<usize>,
    /// Whether there are moves to layers that are not in memory with the rest.
    pub has_far: bool,
    /// Bytes of memory for layers and marks.
    pub memory: u64,
    pub progress: &'a dyn Progress,
    pub moves: u64,
}

impl<'a, G: Notation, E: Entry> Proof<'a, G, E> {
    /// Nothing in memory yet; `whole` if the table is to be proved as if it had a single layer.
    pub fn new(table: &'a Table<G>, whole: bool, progress: &'a dyn Progress) -> Self {
        Proof {
            view: View::new(table, whole),
            wanted: 0..0,
            has_far: false,
            memory: 0,
            progress,
            moves: 0,
        }
    }

    pub fn judge(&self) -> Judge<'a, G> {
        Judge(self.view.game)
    }

    pub fn check_stop(&self) -> Result<(), VerifyError> {
        match self.progress.cancelled() {
            true => Err(self.view.file.interrupted()),
            false => Ok(()),
        }
    }

    /// Has these layers in memory, of those that are finished, and no others.
    pub fn have(&mut self, layers: &[Range<usize>]) -> Result<(), VerifyError> {
        let wanted = |layer: usize| layers.iter().any(|range| range.contains(&layer));
        for layer in (0..self.view.layers.len()).filter(|&layer| !wanted(layer)) {
            self.view.drop(layer)?;
        }
        for layer in layers.iter().cloned().flatten() {
            self.check_stop()?;
            self.view.load(layer, self.progress)?;
        }
        Ok(())
    }

    /// Marks the entries of layers in memory that are reached without a move; an error if the start
    /// should be there and is not.
    pub fn mark_roots(&self, layers: &Range<usize>) -> Option<Refutation> {
        let view = &self.view;
        // A table with ranks of such a game is opened only if every slot is to have an entry, and its
        // entries have been counted.
        let roots = view.game.capabilities().solving.roots();
        if roots == Roots::Everywhere && view.ranking.is_some() {
            layers.clone().for_each(|layer| view.mark_all(layer));
            return None;
        }
        let start = view.place(&view.game.canonical(&view.game.start()));
        let entry = match start {
            // No layer has it: let the first say so.
            None if layers.start > 0 => return None,
            Some(place) if !layers.contains(&view.layer_of(place.segment)) => return None,
            place => place.and_then(|place| view.entry_at(place)),
        };
        match entry {
            Some(entry) => {
                entry.set(E::MARK);
                None
            }
            None => Some(self.judge().start_is_missing()),
        }
    }
}
