//! The solver of a game by the keys of its classes.

use super::keys::Width;
use super::rules::rules_of;
use crate::game::{KeyedRules, Notation, SolveError, SolveOptions, Team};
use crate::work::Scratch;
use std::marker::PhantomData;
use std::sync::Arc;

/// Least number of classes that are expanded together, unless a caller chooses another number.
pub(crate) const BLOCK: usize = 1 << 16;

/// The data shared by all steps.
pub struct KeySolver<'a, K> {
    pub rules: Box<dyn KeyedRules + 'a>,
    /// Whether the rules list moves backward.
    pub is_backward: bool,
    pub team: &'a Team<'a>,
    /// Threads and memory of each process.
    pub options: SolveOptions,
    /// Number of classes that each process expands between two exchanges, at least 1.
    ///
    /// If it is [`BLOCK`], the solver takes more where there is memory.
    pub block: usize,
    pub width: Width,
    /// Place for data that doesn't fit in memory, if there is one.
    pub scratch: Option<Arc<Scratch>>,
    key: PhantomData<K>,
}

impl<'a, K> KeySolver<'a, K> {
    /// # Errors
    /// If there are more slots than 64 bits can number.
    pub fn new<G: Notation>(
        game: &'a G,
        team: &'a Team<'a>,
        options: SolveOptions,
        block: usize,
        scratch: Option<Arc<Scratch>>,
    ) -> Result<KeySolver<'a, K>, SolveError> {
        let rules = rules_of(game)?;
        if let Some(scratch) = &scratch {
            scratch.limit_memory(options.memory);
        }
        Ok(KeySolver {
            width: Width::of_bits(rules.key_bits()),
            is_backward: rules.expand_backward(&mut std::iter::empty(), &mut |_| ()),
            rules,
            team,
            options,
            block,
            scratch,
            key: PhantomData,
        })
    }

    /// Checks that `bytes` don't exceed the memory allowed, although more may be needed later.
    pub fn check_memory(&self, bytes: u64) -> Result<(), SolveError> {
        let name = || self.rules.name();
        self.options.check_memory(bytes, false, name)
    }
}
