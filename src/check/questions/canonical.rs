//! Canonical positions, as the oracle lists them.

use super::Source;
use crate::check::error::CheckError;
use crate::game::Notation;
use crate::oracle::Inventory;
use std::ops::Range;

/// All canonical positions in the order of the list; a unit is a block of it.
pub(super) struct Canonical<'a, G: Notation>(pub &'a dyn Inventory<G>);

impl<G: Notation> Source<G> for Canonical<'_, G> {
    fn units(&self) -> u64 {
        self.0.blocks()
    }

    fn positions_a_unit(&self) -> u64 {
        self.0.entries().div_ceil(self.0.blocks().max(1)).max(1)
    }

    fn positions(&self, units: Range<u64>, into: &mut Vec<G::Position>) -> Result<(), CheckError> {
        for block in units {
            into.extend(self.0.block(block)?);
        }
        Ok(())
    }
}
