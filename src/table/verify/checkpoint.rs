//! Checkpoints of a proof, and resuming from them.

use super::proof_dir::{Marks, ProofDir, STATE, codes_name};
use super::state::Proof;
use super::tile::Entry;
use super::verdict::VerifyError;
use super::view::Layer;
use crate::game::Notation;
use crate::work::DiskError;
use crate::work::folder::{clear, damaged};
use bincode::{Decode, Encode};

/// The progress of a proof.
#[derive(Encode, Decode)]
struct State {
    /// Number of moves tried.
    moves: u64,
    /// Marks of all finished layers.
    marks: Vec<Marks>,
}

impl<G: Notation, E: Entry> Proof<'_, G, E> {
    /// Writes a checkpoint, if there is a directory.
    pub fn save_checkpoint(&mut self) -> Result<(), VerifyError> {
        let finished = self.view.finished;
        // Save the omitted codes of all finished layers first: the state refers to them.
        for layer in 0..finished {
            self.view.save_codes(layer)?;
        }
        let Some(dir) = &self.view.dir else {
            return Ok(());
        };
        let marks = (0..finished).map(|layer| Marks::new(&self.view.clear_bits(layer)));
        let state = State {
            moves: self.moves,
            marks: marks.collect(),
        };
        Ok(dir.folder.put_value(STATE, &dir.title, &state)?)
    }

    /// Resumes from an earlier proof's checkpoint, if it is complete.
    pub fn resume(&mut self) {
        let Some(dir) = &self.view.dir else {
            return;
        };
        let State { moves, marks } = match self.read_checkpoint(dir) {
            Ok(Some(state)) => state,
            Ok(None) => return clear(dir.folder.path()),
            Err(error) => {
                self.progress.note(&format!(
                    "what an earlier proof has left can't be used, so this one starts anew: {error}"
                ));
                return clear(dir.folder.path());
            }
        };
        self.moves = moves;
        self.view.finished = marks.len();
        for (layer, marks) in self.view.layers.iter_mut().zip(marks) {
            layer.marks = Some(marks);
            layer.is_saved = true;
        }
        let (done, left) = self.view.layers.split_at(self.view.finished);
        let entries = done.iter().map(|layer| layer.entries).sum();
        self.progress.advance(entries);
        self.progress.note(&format!(
            "going on from an earlier proof that was stopped: {} layers are proved, {} are left",
            done.len(),
            left.len()
        ));
    }

    /// Reads a checkpoint, if there is one.
    ///
    /// It also checks that the omitted codes of all finished layers are there.
    fn read_checkpoint(&self, dir: &ProofDir) -> Result<Option<State>, DiskError> {
        let state: Option<State> = dir.folder.get_value(STATE, &dir.title)?;
        let Some(state) = state else {
            return Ok(None);
        };
        let layers = &self.view.layers;
        let fits = |(layer, marks): (&Layer<E>, &Marks)| marks.clear_bits(layer.entries).is_some();
        if state.marks.len() > layers.len() || !layers.iter().zip(&state.marks).all(fits) {
            let place = dir.folder.place(STATE);
            return Err(DiskError::of(&place, "read it")(damaged()));
        }
        for layer in (0..state.marks.len()).filter(|&layer| self.view.leaves_out(layer)) {
            let name = codes_name(layers[layer].number);
            dir.folder.find(&name, &dir.title)?;
        }
        Ok(Some(state))
    }
}
