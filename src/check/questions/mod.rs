//! Which positions are asked about, and how they are handed out to the players.
//!
//! ```text
//! walk ◄─ sample, canonical ◄─┬─ plan
//! team ◄─ asking ◄─ play ◄────┤
//! buckets, team ◄─ plays ◄────┘
//! walk ◄─ own_play
//! ```

mod asking;
mod buckets;
mod canonical;
mod own_play;
mod plan;
mod play;
mod plays;
mod sample;
mod team;
mod walk;

pub(in crate::check) use asking::Asking;
pub(in crate::check) use own_play::{Effort, OwnPlay, Rank, own_play};
pub(in crate::check) use plan::Plan;
pub(in crate::check) use team::Team;

use super::error::CheckError;
use crate::game::Notation;
use std::ops::Range;

/// Where the positions come from.
trait Source<G: Notation>: Sync {
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
}

/// Positions that are there already, each a unit.
struct Listed<'a, P>(pub &'a [P]);

impl<G: Notation> Source<G> for Listed<'_, G::Position> {
    fn units(&self) -> u64 {
        self.0.len() as u64
    }

    fn positions(&self, units: Range<u64>, into: &mut Vec<G::Position>) -> Result<(), CheckError> {
        into.extend_from_slice(&self.0[units.start as usize..units.end as usize]);
        Ok(())
    }
}
