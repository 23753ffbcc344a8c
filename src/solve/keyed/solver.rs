//! The solver of a game by the keys of its classes.

use super::checkpoint::Checkpoints;
use super::keys::{Key, Width};
use super::layers::{FoundClasses, LayerOrder, Layers};
use crate::game::{KeyedRules, SolveError, SolveOptions, SolveTimes, Team};
use crate::work::Scratch;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Instant;

/// Number of classes expanded before their children are sorted.
pub(crate) const BLOCK: usize = 1 << 16;

/// The data shared by all steps.
pub struct KeySolver<'a, K> {
    pub rules: &'a dyn KeyedRules,
    pub team: &'a Team<'a>,
    /// Threads and memory of each process.
    pub options: SolveOptions,
    /// Number of classes that each process expands between two exchanges, at least 1.
    pub block: usize,
    pub width: Width,
    /// Place for data that doesn't fit in memory, if there is one.
    pub scratch: Option<Arc<Scratch>>,
    key: PhantomData<K>,
}

impl<'a, K> KeySolver<'a, K> {
    pub fn new(
        rules: &'a dyn KeyedRules,
        team: &'a Team<'a>,
        options: SolveOptions,
        block: usize,
        scratch: Option<Arc<Scratch>>,
    ) -> KeySolver<'a, K> {
        if let Some(scratch) = &scratch {
            scratch.keep_within(options.memory);
        }
        KeySolver {
            rules,
            team,
            options,
            block,
            width: Width::of_bits(rules.key_bits()),
            scratch,
            key: PhantomData,
        }
    }

    /// Checks that `bytes` don't exceed the memory allowed.
    ///
    /// `all` says that nothing else is still to be allocated.
    pub fn check_memory(&self, bytes: u64, all: bool) -> Result<(), SolveError> {
        let name = || self.rules.name();
        self.options.check_memory(bytes, all, name)
    }
}

impl<K: Key> KeySolver<'_, K> {
    /// All layers with their scores, resuming from a checkpoint.
    ///
    /// # Errors
    /// In all processes, if the game can't be solved.
    pub(crate) fn solve(
        &self,
        checkpoints: &mut Checkpoints,
    ) -> Result<(Layers<K>, SolveTimes), SolveError> {
        let started = Instant::now();
        let (mut found, order) = self.find_all(checkpoints)?;
        let reach = started.elapsed();
        self.score(&mut found, order, checkpoints)?;
        Ok((found.layers, SolveTimes::of(started.elapsed(), reach)))
    }

    /// All layers without scores, and the order in which they were found.
    ///
    /// # Errors
    /// In all processes, if they can't be found.
    pub(crate) fn find_all(
        &self,
        checkpoints: &mut Checkpoints,
    ) -> Result<(FoundClasses<K>, LayerOrder), SolveError> {
        let (mut found, mut order) = checkpoints.load(self)?;
        while !found.is_all {
            if !self.find(&mut found, order, checkpoints)? {
                found = FoundClasses::default();
                order = order.next();
            }
        }
        Ok((found, order))
    }
}
