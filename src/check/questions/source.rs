//! Sources of positions.

use crate::check::error::CheckError;
use crate::check::judge::Origin;
use crate::game::Notation;
use crate::oracle::OracleError;
use crate::random::Random;
use crate::table::{LayerEntries, Table};
use std::ops::Range;

/// Source of positions, divided into units.
///
/// A unit is one position or more. The same unit always has the same positions.
pub(super) enum Source<'a, G: Notation> {
    /// Positions in memory, one per unit.
    Listed(Listed<'a, G>),
    /// All canonical positions in the order of the oracle's list; a unit is one block.
    Canonical(&'a Table<G>),
    /// A uniform sample of classes with replacement, and a random member of each class.
    ///
    /// The n-th position is the same in any batch.
    Sample {
        table: &'a Table<G>,
        count: u64,
        seed: u64,
    },
}

/// Positions with their origins.
pub(super) struct Listed<'a, G: Notation> {
    pub positions: &'a [G::Position],
    /// Returns the moves from the start to the position of this index, if known.
    pub way: &'a (dyn Fn(usize) -> Option<Vec<G::Move>> + Sync),
    /// Returns the origin of the position of this index.
    pub origin: &'a (dyn Fn(usize) -> Origin + Sync),
}

impl<'a, G: Notation> Source<'a, G> {
    /// Wraps positions of unknown origin.
    pub fn of(positions: &'a [G::Position]) -> Source<'a, G> {
        Source::Listed(Listed {
            positions,
            way: &|_| None,
            origin: &|_| Origin::default(),
        })
    }

    pub fn units(&self) -> u64 {
        match self {
            Source::Listed(listed) => listed.positions.len() as u64,
            Source::Canonical(table) => table.file().blocks(),
            Source::Sample { count, .. } => *count,
        }
    }

    /// Returns the approximate number of positions per unit.
    pub fn positions_a_unit(&self) -> u64 {
        match self {
            Source::Canonical(table) => {
                let file = table.file();
                file.entries().div_ceil(file.blocks().max(1)).max(1)
            }
            _ => 1,
        }
    }

    /// Puts the positions of some units into `into`, which must be empty.
    pub fn positions(
        &self,
        units: Range<u64>,
        into: &mut Vec<G::Position>,
    ) -> Result<(), CheckError> {
        match self {
            Source::Listed(listed) => {
                let units = units.start as usize..units.end as usize;
                into.extend_from_slice(&listed.positions[units]);
            }
            Source::Canonical(table) => {
                for block in units {
                    into.extend(table.block_positions(block).map_err(OracleError::from)?);
                }
            }
            Source::Sample { table, seed, .. } => {
                let symmetry = table.game().capabilities().symmetry;
                let entries = LayerEntries::all(table);
                for number in units {
                    let mut random = stream(*seed, number);
                    let entry = entries.choose(|below| random.below(below));
                    let entry = entry.map_err(OracleError::from)?;
                    // In Kalah, canonical positions have the first player to move; only another
                    // member of the class has the second.
                    let image = random.index(symmetry.order());
                    into.extend(entry.map(|canonical| symmetry.apply(image, &canonical)));
                }
            }
        }
        Ok(())
    }

    /// Returns the moves from the start to the only position of a unit, if known.
    pub fn way_to(&self, unit: u64) -> Option<Vec<G::Move>> {
        match self {
            Source::Listed(listed) => (listed.way)(unit as usize),
            _ => None,
        }
    }

    /// Returns the origin of the only position of a unit.
    pub fn origin(&self, unit: u64) -> Origin {
        match self {
            Source::Listed(listed) => (listed.origin)(unit as usize),
            _ => Origin::default(),
        }
    }
}

/// Returns the random numbers for item `number` of a series.
pub(super) fn stream(seed: u64, number: u64) -> Random {
    // Consecutive numbers must not give similar sequences.
    Random::new(seed ^ number.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(32))
}
