//! Where positions come from.

use crate::check::error::CheckError;
use crate::check::options::Plays;
use crate::game::Notation;
use crate::oracle::OracleError;
use crate::random::Random;
use crate::table::{Table, random_entry};
use std::ops::Range;

/// Where the positions come from.
pub(super) trait Source<G: Notation>: Sync {
    /// The number of units. A unit is one position or more, and always the same ones.
    fn units(&self) -> u64;

    /// About how many positions a unit is.
    fn positions_a_unit(&self) -> u64 {
        1
    }

    /// Puts the positions of some units into `into`, which is empty.
    fn positions(&self, units: Range<u64>, into: &mut Vec<G::Position>) -> Result<(), CheckError>;

    /// The moves that lead from the start to the only position of a unit, if they are known.
    fn way_to(&self, _unit: u64) -> Option<Vec<G::Move>> {
        None
    }

    /// Whether all moves of its side that lead to the only position of a unit are the AI's own.
    fn is_own(&self, _unit: u64) -> bool {
        false
    }

    /// The plays that the only position of a unit comes from, if it comes from plays.
    fn plays(&self, _unit: u64) -> Option<Plays> {
        None
    }

    /// The number of positions that there are of the kind that is asked, if that is known.
    fn total(&self) -> Option<u64> {
        Some(self.units())
    }

    /// Whether the answers are wanted.
    fn keeps_answers(&self) -> bool {
        false
    }

    /// Receives the answers in the order of the positions, if they are wanted: moves, or none for a
    /// fault.
    fn keep_answers(&mut self, _answers: Vec<Option<G::Move>>) {}

    /// The AI's answer in a position, if it was kept.
    fn answer(&self, _position: &G::Position) -> Option<G::Move> {
        None
    }
}

/// Positions that are there already, each a unit, and the moves that lead to them, if they are known.
pub(super) struct Listed<G: Notation> {
    pub positions: Vec<G::Position>,
    pub ways: Vec<Vec<G::Move>>,
}

impl<G: Notation> Source<G> for Listed<G> {
    fn units(&self) -> u64 {
        self.positions.len() as u64
    }

    fn positions(&self, units: Range<u64>, into: &mut Vec<G::Position>) -> Result<(), CheckError> {
        into.extend_from_slice(&self.positions[units.start as usize..units.end as usize]);
        Ok(())
    }

    fn way_to(&self, unit: u64) -> Option<Vec<G::Move>> {
        self.ways.get(unit as usize).cloned()
    }
}

/// All canonical positions in the order of the oracle's list; a unit is a block of it.
pub(super) struct Canonical<'a, G: Notation>(pub &'a Table<G>);

impl<G: Notation> Source<G> for Canonical<'_, G> {
    fn units(&self) -> u64 {
        self.0.file().blocks()
    }

    fn positions_a_unit(&self) -> u64 {
        self.0
            .file()
            .entries()
            .div_ceil(self.0.file().blocks().max(1))
            .max(1)
    }

    fn positions(&self, units: Range<u64>, into: &mut Vec<G::Position>) -> Result<(), CheckError> {
        for block in units {
            into.extend(self.0.block_positions(block).map_err(OracleError::from)?);
        }
        Ok(())
    }

    fn total(&self) -> Option<u64> {
        Some(self.0.file().entries())
    }
}

/// Classes at random, each as likely as any other, with replacement; of each a member at random.
///
/// The n-th position is always the same, whichever batch it is in.
pub(super) struct Sample<'a, G: Notation> {
    pub table: &'a Table<G>,
    pub count: u64,
    pub seed: u64,
}

impl<G: Notation> Source<G> for Sample<'_, G> {
    fn units(&self) -> u64 {
        self.count
    }

    fn total(&self) -> Option<u64> {
        None
    }

    fn positions(&self, units: Range<u64>, into: &mut Vec<G::Position>) -> Result<(), CheckError> {
        let symmetry = self.table.game().capabilities().symmetry;
        for number in units {
            let mut random = stream(self.seed, number);
            let entry = random_entry(self.table, |below| random.below(below));
            let entry = entry.map_err(OracleError::from)?;
            // In Kalah, only another member of the class has the second player to move.
            let image = random.index(symmetry.order());
            into.extend(entry.map(|(canonical, _)| symmetry.apply(image, &canonical)));
        }
        Ok(())
    }
}

/// Returns the random numbers of the n-th of several things.
pub(super) fn stream(seed: u64, number: u64) -> Random {
    // Neighbouring numbers must not give similar sequences.
    Random::new(seed ^ number.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(32))
}
