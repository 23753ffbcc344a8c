//! The state of a proof, which all its parts share.

use super::error::VerifyError;
use super::judge::start_is_missing;
use super::tile::Entry;
use super::verdict::Refutation;
use super::view::View;
use crate::game::{Endless, Notation, Progress, Roots};
use crate::table::table::Table;
use std::ops::Range;

/// The state of a proof, and its resources.
pub struct Proof<'a, G: Notation, E> {
    pub view: View<'a, G, E>,
    /// Layers in which entries after a move are looked up in this pass.
    pub wanted: Range<usize>,
    /// Whether moves to some layers are looked up in separate passes.
    pub has_far: bool,
    /// Whether to compare only the entries that are marked, because positions can repeat.
    pub by_reach: bool,
    /// Memory for layers and marks in bytes.
    pub memory: u64,
    pub progress: &'a dyn Progress,
    pub moves: u64,
}

impl<'a, G: Notation, E: Entry> Proof<'a, G, E> {
    /// Creates a state with nothing in memory.
    ///
    /// If `whole`, the table is proved as if it had a single layer.
    pub fn new(table: &'a Table<G>, whole: bool, progress: &'a dyn Progress) -> Self {
        Proof {
            view: View::new(table, whole),
            wanted: 0..0,
            has_far: false,
            by_reach: table.game().endless() == Endless::Draw,
            memory: 0,
            progress,
            moves: 0,
        }
    }

    pub fn check_stop(&self) -> Result<(), VerifyError> {
        self.view.file.check_stop(self.progress)
    }

    /// Loads these layers and drops all others.
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

    /// Marks the entries of layers in memory that are reached without a move.
    ///
    /// Returns a refutation if the start should be there and is not.
    pub fn mark_roots(&self, layers: &Range<usize>) -> Option<Refutation> {
        let view = &self.view;
        // If all positions of the game are reachable, opening a table with ranks has checked that
        // every slot has an entry, and the entries have been counted.
        let roots = view.game.capabilities().solving.roots();
        if roots == Roots::Everywhere && view.ranking.is_some() {
            layers.clone().for_each(|layer| view.mark_all(layer));
            return None;
        }
        let start = view.place(&view.game.canonical(&view.game.start()));
        let entry = match start {
            // No layer has the start: report it with the first layer.
            None if layers.start > 0 => return None,
            Some(place) if !layers.contains(&view.layer_of(place.segment)) => return None,
            place => place.and_then(|place| view.entry_at(place)),
        };
        match entry {
            Some(entry) => {
                entry.set(E::MARK);
                None
            }
            None => Some(start_is_missing(view.game)),
        }
    }
}
