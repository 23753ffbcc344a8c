//! Where positions come from.

use crate::check::error::CheckError;
use crate::check::options::Playouts;
use crate::game::Notation;
use crate::oracle::OracleError;
use crate::random::Random;
use crate::table::{Table, random_entry};
use std::ops::Range;

/// Where the positions come from. They are taken in units: a unit is one position or more, and
/// always the same ones.
pub(super) enum Source<'a, G: Notation> {
    /// Positions that are there already, each a unit.
    Listed(Listed<'a, G>),
    /// All canonical positions in the order of the oracle's list; a unit is a block of it.
    Canonical(&'a Table<G>),
    /// Classes at random, each as likely as any other, with replacement; of each a member at
    /// random. The n-th position is always the same, whichever batch it is in.
    Sample {
        table: &'a Table<G>,
        count: u64,
        seed: u64,
    },
}

/// Positions, and where they come from.
pub(super) struct Listed<'a, G: Notation> {
    pub positions: &'a [G::Position],
    /// The moves that lead from the start to the position of this index, if they are known.
    pub way: &'a (dyn Fn(usize) -> Option<Vec<G::Move>> + Sync),
    /// The plays that it comes from, if it comes from games, and whether all moves of its side that
    /// lead there are the AI's own.
    pub origin: &'a (dyn Fn(usize) -> (Option<Playouts>, bool) + Sync),
}

impl<'a, G: Notation> Source<'a, G> {
    /// Positions of which it isn't known how they come up.
    pub fn of(positions: &'a [G::Position]) -> Source<'a, G> {
        Source::Listed(Listed {
            positions,
            way: &|_| None,
            origin: &|_| (None, false),
        })
    }

    pub fn units(&self) -> u64 {
        match self {
            Source::Listed(listed) => listed.positions.len() as u64,
            Source::Canonical(table) => table.file().blocks(),
            Source::Sample { count, .. } => *count,
        }
    }

    /// About how many positions a unit is.
    pub fn positions_a_unit(&self) -> u64 {
        match self {
            Source::Canonical(table) => {
                let file = table.file();
                file.entries().div_ceil(file.blocks().max(1)).max(1)
            }
            _ => 1,
        }
    }

    /// Puts the positions of some units into `into`, which is empty.
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
                for number in units {
                    let mut random = stream(*seed, number);
                    let entry = random_entry(table, |below| random.below(below));
                    let entry = entry.map_err(OracleError::from)?;
                    // In Kalah, only another member of the class has the second player to move.
                    let image = random.index(symmetry.order());
                    into.extend(entry.map(|(canonical, _)| symmetry.apply(image, &canonical)));
                }
            }
        }
        Ok(())
    }

    /// The moves that lead from the start to the only position of a unit, if they are known.
    pub fn way_to(&self, unit: u64) -> Option<Vec<G::Move>> {
        match self {
            Source::Listed(listed) => (listed.way)(unit as usize),
            _ => None,
        }
    }

    /// The plays that the only position of a unit comes from, if it comes from games, and whether
    /// all moves of its side that lead there are the AI's own.
    pub fn origin(&self, unit: u64) -> (Option<Playouts>, bool) {
        match self {
            Source::Listed(listed) => (listed.origin)(unit as usize),
            _ => (None, false),
        }
    }
}

/// Returns the random numbers of the n-th of several things.
pub(super) fn stream(seed: u64, number: u64) -> Random {
    // Neighbouring numbers must not give similar sequences.
    Random::new(seed ^ number.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(32))
}
