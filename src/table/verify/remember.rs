//! What a proof remembers, so that it can go on after it was stopped.

use super::error::VerifyError;
use super::marks::Marks;
use super::state::Proof;
use super::tile::Entry;
use crate::game::Notation;

/// What is known of all finished layers.
struct Known {
    finished: usize,
    moves: u64,
    marks: Vec<Marks>,
}

impl Known {
    /// Nothing if these are not words that a proof has left.
    fn of_words(words: &mut &[u64]) -> Option<Known> {
        let &[finished, moves] = take(words, 2)? else {
            return None;
        };
        let mut marks = Vec::new();
        for _ in 0..finished {
            let length = *take(words, 1)?.first()? as usize;
            let packed = take(words, length.div_ceil(8) as u64)?.iter();
            let bytes = packed.flat_map(|word| word.to_le_bytes()).take(length);
            marks.push(Marks(bytes.collect()));
        }
        words.is_empty().then_some(Known {
            finished: finished as usize,
            moves,
            marks,
        })
    }
}

fn take<'a>(words: &mut &'a [u64], count: u64) -> Option<&'a [u64]> {
    let (first, rest) = words.split_at_checked(usize::try_from(count).ok()?)?;
    *words = rest;
    Some(first)
}

impl<G: Notation, E: Entry> Proof<'_, G, E> {
    /// Keeps all that is known so far, if there is a folder for it.
    pub fn remember(&mut self) -> Result<(), VerifyError> {
        if self.view.shelf.is_none() {
            return Ok(());
        }
        let finished = self.view.finished;
        let mut words = self.process().to_vec();
        words.extend([finished as u64, self.moves]);
        for layer in 0..finished {
            self.view.store(layer)?;
            let Marks(bytes) = Marks::new(&self.view.clear_bits(layer));
            words.push(bytes.len() as u64);
            words.extend(bytes.chunks(8).map(|bytes| {
                let mut word = [0; 8];
                word[..bytes.len()].copy_from_slice(bytes);
                u64::from_le_bytes(word)
            }));
        }
        match &mut self.view.shelf {
            Some(shelf) => shelf.write_state(&words),
            None => Ok(()),
        }
    }

    /// Goes on from where an earlier proof was stopped, if it has left all that it takes, to every
    /// process.
    pub fn resume(&mut self) -> Result<(), VerifyError> {
        self.find_state();
        let has_all = self.is_same_everywhere()?;
        let finished = self.view.finished;
        if !has_all {
            self.forget_state();
            self.progress.note(
                "an earlier proof has not left to all processes what it takes to go on, so this one starts anew",
            );
        } else if finished > 0 {
            let done = self.view.layers[..finished].iter();
            self.progress.advance(done.map(|layer| layer.entries).sum());
            let left = self.view.layers.len() - finished;
            self.progress.note(&format!(
                "going on from an earlier proof that was stopped: {finished} layers are proved, {left} are left"
            ));
        }
        Ok(())
    }

    fn forget_state(&mut self) {
        self.view.finished = 0;
        self.view
            .layers
            .iter_mut()
            .for_each(|layer| layer.marks = None);
        self.moves = 0;
        if let Some(shelf) = &mut self.view.shelf {
            shelf.clear();
        }
    }

    /// Takes up what an earlier proof has left to this process.
    fn find_state(&mut self) {
        let Some(mut shelf) = self.view.shelf.take() else {
            return;
        };
        let found = shelf.read_state().and_then(|words| {
            let Some(words) = words else {
                return Ok(None);
            };
            // Each process knows its own marks only.
            let words = words.strip_prefix(&self.process());
            let state = words.and_then(|mut words| Known::of_words(&mut words));
            let state = state.filter(|state| self.fits(state));
            let unlike = || std::io::Error::other("it is of another kind");
            let state = state.ok_or_else(unlike)?;
            for (at, layer) in self.view.layers[..state.finished].iter().enumerate() {
                if layer.entries > 0 && self.view.leaves_out(at) {
                    shelf.find(layer.number)?;
                }
            }
            Ok(Some(state))
        });
        match found {
            Ok(Some(state)) => {
                self.view.finished = state.finished;
                self.moves = state.moves;
                for (layer, marks) in self.view.layers.iter_mut().zip(state.marks) {
                    layer.marks = Some(marks);
                }
            }
            Ok(None) => shelf.clear(),
            Err(error) => {
                self.progress.note(&format!(
                    "what an earlier proof has left can't be used, so this one starts anew: {error}"
                ));
                shelf.clear();
            }
        }
        self.view.shelf = Some(shelf);
    }

    /// The number of the process, and how many share the work.
    fn process(&self) -> [u64; 2] {
        [self.peers.rank(), self.peers.size()].map(|number| number as u64)
    }

    /// Whether a state can be one of this table.
    fn fits(&self, state: &Known) -> bool {
        let mut pairs = self.view.layers.iter().zip(&state.marks);
        state.finished <= self.view.layers.len()
            && pairs.all(|(layer, marks)| marks.clear_bits(layer.entries).is_some())
    }
}
