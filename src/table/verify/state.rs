//! How far a proof has come, and what all its parts do with the table.

use super::error::VerifyError;
use super::judge::Judge;
use super::tile::Entry;
use super::verdict::Refutation;
use super::view::View;
use crate::game::peers::Peers;
use crate::game::{Notation, Progress, Roots};
use crate::table::table::Table;
use std::collections::BTreeMap;
use std::ops::Range;

/// How far a proof has come, and what it may use.
pub struct Proof<'a, G: Notation, E> {
    pub view: View<'a, G, E>,
    /// Of which layers children are looked up now.
    pub wanted: Vec<bool>,
    /// The number in the game of the highest of them.
    pub highest: u32,
    /// Whether there are moves to layers that are not in memory with the rest.
    pub has_far: bool,
    /// Bytes of memory for layers and marks.
    pub memory: u64,
    pub progress: &'a dyn Progress,
    pub peers: &'a dyn Peers,
    /// How many entries have which code, in the segments whose codes are left out.
    pub counts: BTreeMap<u32, Vec<u64>>,
    pub moves: u64,
}

impl<'a, G: Notation, E: Entry> Proof<'a, G, E> {
    /// Nothing in memory yet; `whole` if the table is to be proved as if it had a single layer.
    pub fn new(
        table: &'a Table<G>,
        whole: bool,
        peers: &'a dyn Peers,
        progress: &'a dyn Progress,
    ) -> Result<Self, VerifyError> {
        let view = View::new(table, whole)?;
        Ok(Proof {
            wanted: vec![false; view.held.outlines.len()],
            view,
            highest: 0,
            has_far: false,
            memory: 0,
            progress,
            peers,
            counts: BTreeMap::new(),
            moves: 0,
        })
    }

    pub fn judge(&self) -> Judge<'a, G> {
        Judge(self.view.game)
    }

    pub fn check_stop(&self) -> Result<(), VerifyError> {
        match self.progress.cancelled() {
            true => Err(self.view.held.file.interrupted()),
            false => Ok(()),
        }
    }

    /// Has these layers in memory, of those that are finished, and no others.
    pub fn have(&mut self, layers: &[Range<usize>]) -> Result<(), VerifyError> {
        let wanted = |layer: usize| layers.iter().any(|range| range.contains(&layer));
        for layer in (0..self.view.held.outlines.len()).filter(|&layer| !wanted(layer)) {
            self.view.held.drop(layer)?;
        }
        for layer in layers.iter().cloned().flatten() {
            self.check_stop()?;
            self.view.held.load(layer, self.progress)?;
        }
        Ok(())
    }

    pub fn want(&mut self, layers: &[Range<usize>]) {
        for (layer, wanted) in self.wanted.iter_mut().enumerate() {
            *wanted = layers.iter().any(|range| range.contains(&layer));
            if *wanted {
                self.highest = self.view.held.outlines[layer].layer;
            }
        }
    }

    /// Marks the entries of layers in memory that are reached without a move; an error if the start
    /// should be there and is not.
    pub fn mark_roots(&self, layers: &Range<usize>) -> Option<Refutation> {
        let held = &self.view.held;
        // A table with ranks of such a game is opened only if every slot is to have an entry, and its
        // entries have been counted.
        let roots = self.view.game.capabilities().solving.roots();
        if roots == Roots::Everywhere && self.view.ranking.is_some() {
            layers.clone().for_each(|layer| held.mark_all(layer));
            return None;
        }
        let game = self.view.game;
        let start = self.view.place(&game.canonical(&game.start()));
        let entry = match start {
            // No layer has it: let the first say so.
            None if layers.start > 0 => return None,
            Some(place) if !layers.contains(&held.layer_of(place.segment)) => return None,
            place => place.and_then(|place| held.entry_at(place)),
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
