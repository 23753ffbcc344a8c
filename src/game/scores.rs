//! The scores that a solver computes.

use super::Tile;
use super::solve_error::SolveError;
use std::ops::Range;

/// The scores of all reachable classes of a game that has a [`super::Ranking`].
pub trait Scores: Send + Sync {
    /// Number of classes.
    fn count(&self) -> u64;

    /// Whether a rectangle of slots is known to have no class. `false` means unknown.
    fn is_vacant(&self, _segment: u32, _rows: Range<u32>, _columns: Range<u32>) -> bool {
        false
    }

    /// Copies a rectangle of slots of one segment into `tile`, which is reset first.
    fn tile(&self, segment: u32, rows: Range<u32>, columns: Range<u32>, tile: &mut Tile);

    /// Checks that the scores copied so far from these segments were right.
    ///
    /// Implement it for scores that are stored where another process may change them.
    ///
    /// # Errors
    /// If they may be wrong.
    fn check(&self, _segments: Range<u32>) -> Result<(), SolveError> {
        Ok(())
    }
}
