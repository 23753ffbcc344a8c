//! Checkpoints of a proof, and resuming from them.

use super::error::VerifyError;
use super::marks::Marks;
use super::shelf::{STATE, Shelf, codes, marks};
use super::state::Proof;
use super::tile::Entry;
use crate::game::Notation;
use crate::work::DiskError;
use serde::{Deserialize, Serialize};
use std::io::Read;

/// The progress of a proof.
#[derive(Deserialize, Serialize)]
struct State {
    /// Number of finished layers.
    finished: usize,
    /// Number of moves tried.
    moves: u64,
}

impl<G: Notation, E: Entry> Proof<'_, G, E> {
    /// Writes a checkpoint, if there is a directory.
    pub fn remember(&mut self) -> Result<(), VerifyError> {
        let finished = self.view.finished;
        // Save the omitted codes of all finished layers, then their marks.
        for layer in 0..finished {
            self.view.store(layer)?;
        }
        let Some(shelf) = &self.view.shelf else {
            return Ok(());
        };
        for (at, layer) in self.view.layers[..finished].iter().enumerate() {
            let Marks(bytes) = Marks::new(&self.view.clear_bits(at));
            shelf.put(&marks(layer.number), bytes.into_iter())?;
        }
        let moves = self.moves;
        // Write the state last: it refers to the codes and marks.
        let state = serde_json::to_string(&State { finished, moves }).expect("two numbers");
        Ok(shelf.put(STATE, state.into_bytes().into_iter())?)
    }

    /// Resumes from an earlier proof's checkpoint, if it is complete.
    pub fn resume(&mut self) {
        let Some(shelf) = &self.view.shelf else {
            return;
        };
        let (State { finished, moves }, all_marks) = match self.found(shelf) {
            Ok(Some(found)) => found,
            Ok(None) => return shelf.clear(),
            Err(error) => {
                self.progress.note(&format!(
                    "what an earlier proof has left can't be used, so this one starts anew: {error}"
                ));
                return shelf.clear();
            }
        };
        self.moves = moves;
        self.view.finished = finished;
        for (layer, marks) in self.view.layers.iter_mut().zip(all_marks) {
            layer.marks = Some(marks);
            layer.is_stored = true;
        }
        let (done, left) = self.view.layers.split_at(finished);
        let entries = done.iter().map(|layer| layer.entries).sum();
        self.progress.advance(entries);
        self.progress.note(&format!(
            "going on from an earlier proof that was stopped: {finished} layers are proved, {} are left",
            left.len()
        ));
    }

    /// Reads a checkpoint with the marks of all finished layers, if there is one.
    ///
    /// It also checks that the omitted codes of these layers are there.
    fn found(&self, shelf: &Shelf) -> Result<Option<(State, Vec<Marks>)>, DiskError> {
        if !shelf.has_state() {
            return Ok(None);
        }
        let state: Option<State> = serde_json::from_reader(shelf.get(STATE)?).ok();
        let state = state.filter(|state| state.finished <= self.view.layers.len());
        let state = state.ok_or_else(|| shelf.unlike(STATE))?;
        let mut all_marks = Vec::new();
        for (at, layer) in self.view.layers[..state.finished].iter().enumerate() {
            if self.view.leaves_out(at) {
                shelf.get(&codes(layer.number))?;
            }
            let name = marks(layer.number);
            let mut bytes = Vec::new();
            let read = shelf.get(&name)?.read_to_end(&mut bytes);
            read.map_err(shelf.error(&name))?;
            let marks = Marks(bytes);
            if marks.clear_bits(layer.entries).is_none() {
                return Err(shelf.unlike(&name));
            }
            all_marks.push(marks);
        }
        Ok(Some((state, all_marks)))
    }
}
