//! Symbol counts for each context.

use super::context::{CODE_MODELS, MEMBER_MODELS, symbol};
use super::walk::Turn;

/// The number of times that each symbol occurs in each context.
pub struct Counts {
    /// Counts of the membership contexts, then those of the code contexts.
    pub symbols: Vec<[u32; 16]>,
}

impl Counts {
    pub fn new() -> Counts {
        Counts {
            symbols: vec![[0; 16]; MEMBER_MODELS + CODE_MODELS],
        }
    }

    pub fn merge(mut self, other: &Counts) -> Counts {
        for (sums, counts) in self.symbols.iter_mut().zip(&other.symbols) {
            for (sum, count) in sums.iter_mut().zip(counts) {
                *sum += count;
            }
        }
        self
    }
}

impl Turn for Counts {
    fn members(&mut self, model: usize, known: u32) -> u32 {
        self.symbols[model][known as usize] += 1;
        known
    }

    fn code(&mut self, model: usize, expected: u8, known: u8) -> u8 {
        self.symbols[MEMBER_MODELS + model][symbol(known, expected)] += 1;
        known
    }
}
