//! The state of a proof, and its checkpoints.

use super::judge::start_is_missing;
use super::layers::{Layer, Layers};
use super::proof_dir::{Marks, ProofDir, STATE, codes_name};
use super::tile::MARK;
use super::verdict::{Refutation, VerifyError};
use super::view::View;
use crate::game::{Endless, Notation, Progress, Roots};
use crate::table::table::Table;
use crate::work::DiskError;
use crate::work::folder::{clear, damaged};
use bincode::{Decode, Encode};
use std::ops::Range;
use std::path::Path;

/// The state of a proof, and its resources.
pub struct Proof<'a, G: Notation> {
    pub view: View<'a, G>,
    /// Layers in which entries after a move are looked up in this pass.
    pub wanted: Range<usize>,
    /// Whether moves to some layers are looked up in separate passes.
    pub has_far: bool,
    /// Whether to compare only the entries that are marked, because positions can repeat.
    pub by_reach: bool,
    pub progress: &'a dyn Progress,
}

impl<'a, G: Notation> Proof<'a, G> {
    /// Creates a state with nothing in memory.
    ///
    /// If `whole`, the table is proved as if it had a single layer.
    pub fn new(table: &'a Table<G>, whole: bool, progress: &'a dyn Progress) -> Self {
        Proof {
            view: View::new(table, whole),
            wanted: 0..0,
            has_far: false,
            by_reach: table.game().endless() == Endless::Draw,
            progress,
        }
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
        let start = view.game.start();
        if view.game.final_score(&start).is_some() {
            return None;
        }
        let start = view.place(&view.game.canonical(&start));
        let entry = match start {
            // No layer has the start: report it with the first layer.
            None if layers.start > 0 => return None,
            Some(place) if !layers.contains(&view.layer_of(place.segment)) => return None,
            place => place.and_then(|place| view.entry_at(place)),
        };
        match entry {
            Some(entry) => {
                entry.set(MARK);
                None
            }
            None => Some(start_is_missing(view.game)),
        }
    }
}

/// The progress of a proof.
#[derive(Encode, Decode)]
struct State {
    /// Number of moves tried.
    moves: u64,
    /// Marks of all finished layers.
    marks: Vec<Marks>,
}

impl Layers<'_> {
    /// Opens the directory for checkpoints, if there is one and it can be used.
    pub fn open_dir(&mut self, folder: Option<&Path>, progress: &dyn Progress) {
        let Some(folder) = folder else {
            return;
        };
        let (file, rules) = (self.file, &self.file.metadata().rules);
        match ProofDir::open(folder, rules, &file.digest()) {
            Ok(dir) => self.dir = Some(dir),
            Err(error) => progress.note(&format!(
                "can't use the folder {}, so that a stopped proof starts anew: {error}",
                folder.display()
            )),
        }
    }

    /// Writes a checkpoint, if there is a directory.
    pub fn save_checkpoint(&mut self) -> Result<(), VerifyError> {
        let finished = self.finished;
        // Save the omitted codes of all finished layers first: the state refers to them.
        for layer in 0..finished {
            self.save_codes(layer)?;
        }
        let Some(dir) = &self.dir else {
            return Ok(());
        };
        let marks = (0..finished).map(|layer| Marks::new(&self.clear_bits(layer)));
        let state = State {
            moves: self.moves,
            marks: marks.collect(),
        };
        Ok(dir.folder.put_value(STATE, &dir.title, &state)?)
    }

    /// Resumes from an earlier proof's checkpoint, if it is complete.
    pub fn resume(&mut self, progress: &dyn Progress) {
        let Some(dir) = &self.dir else {
            return;
        };
        let State { moves, marks } = match self.read_checkpoint(dir) {
            Ok(Some(state)) => state,
            Ok(None) => return clear(dir.folder.path()),
            Err(error) => {
                progress.note(&format!(
                    "what an earlier proof has left can't be used, so this one starts anew: {error}"
                ));
                return clear(dir.folder.path());
            }
        };
        self.moves = moves;
        self.finished = marks.len();
        for (layer, marks) in self.layers.iter_mut().zip(marks) {
            layer.marks = Some(marks);
            layer.is_saved = true;
        }
        let (done, left) = self.layers.split_at(self.finished);
        let entries = done.iter().map(|layer| layer.entries).sum();
        progress.advance(entries);
        progress.note(&format!(
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
        let layers = &self.layers;
        let fits = |(layer, marks): (&Layer, &Marks)| marks.clear_bits(layer.entries).is_some();
        if state.marks.len() > layers.len() || !layers.iter().zip(&state.marks).all(fits) {
            let place = dir.folder.place(STATE);
            return Err(DiskError::of(&place, "read it")(damaged()));
        }
        for layer in (0..state.marks.len()).filter(|&layer| self.leaves_out(layer)) {
            let name = codes_name(layers[layer].number);
            dir.folder.find(&name, &dir.title)?;
        }
        Ok(Some(state))
    }
}
