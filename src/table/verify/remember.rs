//! What a proof remembers, so that it can go on after it was stopped.

use super::error::VerifyError;
use super::marks::Marks;
use super::shelf::Shelf;
use super::state::Proof;
use super::tile::Entry;
use crate::game::Notation;
use crate::work::DiskError;

/// What is known of all finished layers.
struct Known {
    finished: usize,
    moves: u64,
    marks: Vec<Marks>,
}

impl Known {
    /// Nothing if these are not bytes that a proof has left.
    fn of_bytes(bytes: &[u8]) -> Option<Known> {
        let bytes = &mut &bytes[..];
        let (finished, moves) = (take_number(bytes)?, take_number(bytes)?);
        let marks = (0..finished).map(|_| {
            let length = usize::try_from(take_number(bytes)?).ok()?;
            Some(Marks(take(bytes, length)?.to_vec()))
        });
        let marks = marks.collect::<Option<Vec<Marks>>>()?;
        bytes.is_empty().then_some(Known {
            finished: finished as usize,
            moves,
            marks,
        })
    }
}

fn take<'a>(bytes: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    bytes.split_off(..count)
}

fn take_number(bytes: &mut &[u8]) -> Option<u64> {
    Some(u64::from_le_bytes(take(bytes, 8)?.try_into().ok()?))
}

impl<G: Notation, E: Entry> Proof<'_, G, E> {
    /// Keeps all that is known so far, if there is a folder for it.
    pub fn remember(&mut self) -> Result<(), VerifyError> {
        if self.view.shelf.is_none() {
            return Ok(());
        }
        let finished = self.view.finished;
        let mut known = [finished as u64, self.moves].map(u64::to_le_bytes).concat();
        for layer in 0..finished {
            self.view.store(layer)?;
            let Marks(bytes) = Marks::new(&self.view.clear_bits(layer));
            known.extend((bytes.len() as u64).to_le_bytes());
            known.extend(bytes);
        }
        match &mut self.view.shelf {
            Some(shelf) => shelf.write_state(&known),
            None => Ok(()),
        }
    }

    /// Goes on from where an earlier proof was stopped, if it has left all that it takes.
    pub fn resume(&mut self) {
        let Some(mut shelf) = self.view.shelf.take() else {
            return;
        };
        match self.found(&mut shelf) {
            Ok(Some(Known {
                finished,
                moves,
                marks,
            })) => {
                self.view.finished = finished;
                self.moves = moves;
                for (layer, marks) in self.view.layers.iter_mut().zip(marks) {
                    layer.marks = Some(marks);
                }
                let done = self.view.layers[..finished].iter();
                self.progress.advance(done.map(|layer| layer.entries).sum());
                let left = self.view.layers.len() - finished;
                self.progress.note(&format!(
                    "going on from an earlier proof that was stopped: {finished} layers are proved, {left} are left"
                ));
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

    /// What an earlier proof has left, with all codes that it takes; nothing if it has left nothing.
    fn found(&self, shelf: &mut Shelf) -> Result<Option<Known>, DiskError> {
        let Some(bytes) = shelf.read_state()? else {
            return Ok(None);
        };
        let known = Known::of_bytes(&bytes).filter(|known| self.fits(known));
        let known = known.ok_or_else(|| shelf.unlike())?;
        for (at, layer) in self.view.layers[..known.finished].iter().enumerate() {
            if layer.entries > 0 && self.view.leaves_out(at) {
                shelf.find(layer.number)?;
            }
        }
        Ok(Some(known))
    }

    /// Whether a state can be one of this table.
    fn fits(&self, state: &Known) -> bool {
        let mut pairs = self.view.layers.iter().zip(&state.marks);
        state.finished <= self.view.layers.len()
            && pairs.all(|(layer, marks)| marks.clear_bits(layer.entries).is_some())
    }
}
