//! Retrograde analysis over keys, by one process or several: every class belongs to one of them, by
//! a hash of its key, so that the memory that each needs is divided by their number.
//!
//! ```text
//! rules ──► find ──► score ──► layers, in the order of keys
//!           keys, places; saved
//! ```
//!
//! All processes do the same in the same order, and meet in exchanges ([`Team`]), in which each
//! sends every other a message of any length. Layers are found one after the other, by asking where
//! moves lead and sending the keys to their owners; their scores are found in the opposite order, by
//! asking the owners of children.

mod find;
mod job;
mod keys;
mod places;
mod rules;
mod saved;
mod score;

pub(crate) use job::{Job, Layers, Own, bytes, classes};
pub(crate) use keys::{Key, Reader};
pub(crate) use rules::{RulesOf, canonical_of_key, rules_of};
pub(crate) use saved::Saved;

use crate::game::{SolveError, SolveTimes};
use job::Found;
use places::Places;
use std::time::Instant;

/// Classes that are expanded before their children are sorted out.
pub(crate) const BLOCK: usize = 1 << 16;

impl<K: Key> Job<'_, K> {
    /// All layers with their scores, from what an earlier run has saved.
    ///
    /// # Errors
    /// If it can't be solved, in all processes.
    pub(crate) fn solve(&self, saved: &mut Saved) -> Result<(Layers<K>, SolveTimes), SolveError> {
        let started = Instant::now();
        let (mut found, places) = self.find_all(saved)?;
        let reach = started.elapsed().as_secs_f64();
        self.score(&mut found, places, saved)?;
        let times = SolveTimes {
            reach,
            solve: started.elapsed().as_secs_f64() - reach,
        };
        Ok((found.layers, times))
    }

    /// All layers, and the order in which they are found.
    ///
    /// # Errors
    /// If they can't be found, in all processes.
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
