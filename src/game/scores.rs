//! What a solver has found.

use super::Tile;
use super::solve_error::SolveError;
use std::ops::Range;

/// The scores of all reachable classes of a game that has a [`super::Ranking`].
pub trait Scores: Send + Sync {
    /// How many classes.
    fn count(&self) -> u64;

    /// Whether a rectangle of slots is known to hold no class; `false` says nothing.
    fn is_vacant(&self, _segment: u32, _rows: Range<u32>, _columns: Range<u32>) -> bool {
        false
    }

    /// Copies a rectangle of slots of one segment into `tile`, which is reset first.
    fn tile(&self, segment: u32, rows: Range<u32>, columns: Range<u32>, tile: &mut Tile);

    /// Makes sure that what has been copied of these segments was right: for scores that are kept
    /// where something else may change them.
    ///
    /// # Errors
    /// If it can't be known to be.
    fn check(&self, _segments: Range<u32>) -> Result<(), SolveError> {
        Ok(())
    }
}
