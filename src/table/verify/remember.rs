//! What a proof remembers, so that it can go on after it was stopped.

use super::error::VerifyError;
use super::marks::Marks;
use super::proof::Proof;
use super::tile::Entry;
use crate::game::Notation;

/// What is known of all finished layers.
#[derive(Debug, PartialEq, Eq)]
struct State {
    /// The number of the process, and how many share the work: each knows its own marks only.
    process: [u64; 2],
    finished: usize,
    moves: u64,
    marks: Vec<Marks>,
    counts: Vec<(u32, Vec<u64>)>,
}

impl State {
    fn words(&self) -> Vec<u64> {
        let mut words = self.process.to_vec();
        words.extend([self.finished as u64, self.moves]);
        for marks in &self.marks {
            let (kind, list): (u64, &[u64]) = match marks {
                Marks::Unknown => (0, &[]),
                Marks::AllBut(list) => (1, list),
                Marks::Clear(bits) => (2, bits),
            };
            words.extend([kind, list.len() as u64]);
            words.extend(list);
        }
        for (segment, counts) in &self.counts {
            words.extend([u64::from(*segment), counts.len() as u64]);
            words.extend(counts);
        }
        words
    }

    /// Nothing if these are not the words of a state.
    fn of_words(words: &[u64]) -> Option<State> {
        let mut rest = words;
        let process = [take(&mut rest, 1)?[0], take(&mut rest, 1)?[0]];
        let finished = take(&mut rest, 1)?[0] as usize;
        let moves = take(&mut rest, 1)?[0];
        let mut marks = Vec::new();
        for _ in 0..finished {
            let &[kind, length] = take(&mut rest, 2)? else {
                return None;
            };
            let list = take(&mut rest, length)?.to_vec();
            marks.push(match kind {
                1 => Marks::AllBut(list),
                2 => Marks::Clear(list),
                _ => return None,
            });
        }
        let mut counts = Vec::new();
        while !rest.is_empty() {
            let &[segment, length] = take(&mut rest, 2)? else {
                return None;
            };
            let segment = u32::try_from(segment).ok()?;
            counts.push((segment, take(&mut rest, length)?.to_vec()));
        }
        Some(State {
            process,
            finished,
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
        let mut marks = Vec::new();
        for layer in 0..finished {
            if self.view.held.is_there(layer) {
                self.view.held.store(layer)?;
                marks.push(self.view.held.marks_of(layer));
            } else {
                marks.push(self.view.held.marks[layer].clone());
            }
        }
        let counts = self.counts.iter();
        let state = State {
            process: self.process(),
            finished,
            moves: self.moves,
            marks,
            counts: counts
                .map(|(&segment, counts)| (segment, counts.clone()))
                .collect(),
        };
        match &mut self.view.held.shelf {
            Some(shelf) => shelf.write_state(&state.words()),
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
            let state = State::of_words(&words).filter(|state| self.fits(state));
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

    fn process(&self) -> [u64; 2] {
        [self.peers.rank(), self.peers.size()].map(|number| number as u64)
    }

    /// Whether a state can be one of this table, and of this process.
    fn fits(&self, state: &State) -> bool {
        let outlines = &self.view.held.outlines;
        state.process == self.process()
            && state.finished <= outlines.len()
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
