//! Retrograde analysis over keys, by one process or several.
//!
//! Every class belongs to one process, by a hash of its key, so that the memory per process is
//! divided by the number of processes.
//!
//! ```text
//! rules ──► find ──► score, settle ──► layers, in the order of keys
//!           keys, places; saved; parents
//! ```
//!
//! All processes run the same steps in the same order and meet in exchanges ([`Team`]), in which
//! each sends every other a message of any length. Layers are found one after the other: each
//! process generates moves and sends the children's keys to their owners. Scores are found in the
//! opposite order: each process asks the owners of the children.

mod find;
mod job;
mod keys;
mod parents;
mod rules;
mod saved;
mod score;
mod settle;

pub(crate) use job::{Job, Layers, Own, bytes, classes};
pub(crate) use keys::{Key, Reader};
pub(crate) use rules::{RulesOf, canonical_of_key, rules_of};
pub(crate) use saved::Saved;

use crate::game::{SolveError, SolveTimes};
use job::{Found, Places};
use std::time::Instant;

/// Number of classes expanded before their children are sorted.
pub(crate) const BLOCK: usize = 1 << 16;

impl<K: Key> Job<'_, K> {
    /// All layers with their scores, resuming from a checkpoint.
    ///
    /// # Errors
    /// In all processes, if the game can't be solved.
    pub(crate) fn solve(&self, saved: &mut Saved) -> Result<(Layers<K>, SolveTimes), SolveError> {
        let started = Instant::now();
        let (mut found, places) = self.find_all(saved)?;
        let reach = started.elapsed();
        self.score(&mut found, places, saved)?;
        Ok((found.layers, SolveTimes::of(started.elapsed(), reach)))
    }

    /// All layers without scores, and the order in which they were found.
    ///
    /// # Errors
    /// In all processes, if they can't be found.
    pub(crate) fn find_all(&self, saved: &mut Saved) -> Result<(Found<K>, Places), SolveError> {
        let (mut found, mut places) = saved.load(self)?;
        while !found.is_all {
            if !self.find(&mut found, places, saved)? {
                found = Found::default();
                places = places.next();
            }
        }
        Ok((found, places))
    }
}
