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
    counts: Vec<(u32, Vec<u64>)>,
}

impl Known {
    /// Nothing if these are not words that a proof has left.
    fn of_words(words: &mut &[u64]) -> Option<Known> {
        let &[finished, moves] = take(words, 2)? else {
            return None;
        };
        let mut marks = Vec::new();
        for _ in 0..finished {
            let &[kind, length] = take(words, 2)? else {
                return None;
            };
            let list = take(words, length)?.to_vec();
            marks.push(match kind {
                1 => Marks::AllBut(list),
                2 => Marks::Clear(list),
                _ => return None,
            });
        }
        let mut counts = Vec::new();
        while !words.is_empty() {
            let &[segment, length] = take(words, 2)? else {
                return None;
            };
            let segment = u32::try_from(segment).ok()?;
            counts.push((segment, take(words, length)?.to_vec()));
        }
        Some(Known {
            finished: finished as usize,
            moves,
            marks,
            counts,
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
        if self.view.held.shelf.is_none() {
            return Ok(());
        }
        let finished = self.view.held.finished;
        let mut words = self.process().to_vec();
        words.extend([finished as u64, self.moves]);
        for layer in 0..finished {
            let own;
            let marks = match self.view.held.is_there(layer) {
                true => {
                    self.view.held.store(layer)?;
                    own = self.view.held.marks_of(layer);
                    &own
                }
                false => &self.view.held.marks[layer],
            };
            let (kind, list): (u64, &[u64]) = match marks {
                Marks::Unknown => (0, &[]),
                Marks::AllBut(list) => (1, list),
                Marks::Clear(bits) => (2, bits),
            };
            words.extend([kind, list.len() as u64]);
            words.extend(list);
        }
        for (&segment, counts) in &self.counts {
            words.extend([u64::from(segment), counts.len() as u64]);
            words.extend(counts);
        }
        match &mut self.view.held.shelf {
            Some(shelf) => shelf.write_state(&words),
            None => Ok(()),
        }
    }

    /// Goes on from where an earlier proof was stopped, if it has left all that it takes, to every
    /// process.
    pub fn resume(&mut self) -> Result<(), VerifyError> {
        self.find_state();
        let has_all = self.is_same_everywhere()?;
        let finished = self.view.held.finished;
        if !has_all {
            self.forget_state();
            self.progress.note(
                "an earlier proof has not left to all processes what it takes to go on, so this one starts anew",
            );
        } else if finished > 0 {
            let done = self.view.held.outlines[..finished].iter();
            self.progress
                .advance(done.map(|outline| outline.entries).sum());
            let left = self.view.held.outlines.len() - finished;
            self.progress.note(&format!(
                "going on from an earlier proof that was stopped: {finished} layers are proved, {left} are left"
            ));
        }
        Ok(())
    }

    fn forget_state(&mut self) {
        self.view.held.finished = 0;
        self.view.held.marks.fill(Marks::Unknown);
        self.moves = 0;
        self.counts.clear();
        if let Some(shelf) = &mut self.view.held.shelf {
            shelf.clear();
        }
    }

    /// Takes up what an earlier proof has left to this process.
    fn find_state(&mut self) {
        let Some(mut shelf) = self.view.held.shelf.take() else {
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
            for (layer, outline) in self.view.held.outlines[..state.finished].iter().enumerate() {
                if outline.entries > 0 && self.view.held.leaves_out(layer) {
                    shelf.find(outline.layer)?;
                }
            }
            Ok(Some(state))
        });
        match found {
            Ok(Some(state)) => {
                self.view.held.finished = state.finished;
                self.moves = state.moves;
                for (layer, marks) in state.marks.into_iter().enumerate() {
                    self.view.held.marks[layer] = marks;
                }
                self.counts = state.counts.into_iter().collect();
            }
            Ok(None) => shelf.clear(),
            Err(error) => {
                self.progress.note(&format!(
                    "what an earlier proof has left can't be used, so this one starts anew: {error}"
                ));
                shelf.clear();
            }
        }
        self.view.held.shelf = Some(shelf);
    }

    /// The number of the process, and how many share the work.
    fn process(&self) -> [u64; 2] {
        [self.peers.rank(), self.peers.size()].map(|number| number as u64)
    }

    /// Whether a state can be one of this table.
    fn fits(&self, state: &Known) -> bool {
        let outlines = &self.view.held.outlines;
        state.finished <= outlines.len()
            && outlines
                .iter()
                .zip(&state.marks)
                .all(|(outline, marks)| match marks {
                    Marks::Unknown => false,
                    Marks::AllBut(list) => list.iter().all(|&number| number < outline.entries),
                    Marks::Clear(bits) => bits.len() as u64 == outline.entries.div_ceil(64),
                })
            && state.counts.iter().all(|(segment, counts)| {
                (*segment as usize) < self.view.held.plan.segments.len()
                    && counts.len() == usize::from(E::VALUE) + 1
            })
    }
}
