//! The location of each class of Kalah: layers, splits, rows and columns.
//!
//! A *layer* holds all positions with the same number of seeds on the board. A *split* holds those
//! positions of a layer in which the *larger side* and the *smaller side* have the same seeds; they
//! may be equal. A split is two matrices of the same shape, one for each side to move. They have a
//! row for each arrangement of the larger side and a column for each of the smaller side. If both
//! sides have the same number of seeds, one matrix is enough; its rows are the arrangements of the
//! side to move.

use super::Arrangements;
use crate::game::{Ranking, ScoreRange, Segment, Slot};
use crate::games::kalah::{Pits, Position};
use std::ops::Index;
use std::sync::Arc;

/// The distribution of a layer's seeds between the sides; `1 <= smaller <= larger`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Split {
    /// Seeds of the larger side.
    pub larger: usize,
    /// Seeds of the smaller side.
    pub smaller: usize,
}

impl Split {
    /// Returns the number of seeds on the board.
    pub fn seeds(self) -> usize {
        self.larger + self.smaller
    }

    /// Returns whether one matrix serves both sides to move.
    pub fn is_even(self) -> bool {
        self.larger == self.smaller
    }

    /// Returns the split of a segment and its side to move.
    pub fn of_segment(segment: u32) -> (Split, Mover) {
        let (mover, opponent) = segment_seeds(segment as usize);
        let split = Split {
            larger: mover.max(opponent),
            smaller: mover.min(opponent),
        };
        match mover >= opponent {
            true => (split, Mover::Larger),
            false => (split, Mover::Smaller),
        }
    }

    /// Returns a layer's splits, ordered by `smaller`.
    ///
    /// Finished positions, in which a side is empty, are in none of them.
    pub fn of_layer(seeds: usize) -> impl DoubleEndedIterator<Item = Split> + ExactSizeIterator {
        (1..seeds / 2 + 1).map(move |smaller| Split {
            larger: seeds - smaller,
            smaller,
        })
    }
}

/// The side of a split that is to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mover {
    /// The larger side, or either side of an even split.
    Larger,
    /// The smaller side.
    Smaller,
}

/// A pair of values for a split, by the side to move.
#[derive(Clone, Copy, Default, Debug)]
pub struct ByMover<T> {
    /// The value with the larger side to move.
    pub larger: T,
    /// The value with the smaller side to move.
    pub smaller: T,
}

impl<T> ByMover<T> {
    /// Returns both values, the larger side's first.
    pub fn both(&self) -> [&T; 2] {
        [&self.larger, &self.smaller]
    }
}

impl<T> Index<Mover> for ByMover<T> {
    type Output = T;

    #[inline]
    fn index(&self, mover: Mover) -> &T {
        self.both()[mover as usize]
    }
}

/// The numbering of all classes with at most the game's seeds on the board.
///
/// Segments are ordered by layer, then by the seeds of the side to move.
#[derive(Debug)]
pub struct Layout {
    arrangements: Arc<Arrangements>,
    segments: Vec<Segment>,
}

impl Layout {
    /// Returns the layout for up to `arrangements.max_seeds()` seeds on the board.
    ///
    /// `None` if a side has too many arrangements for 32-bit rows.
    pub fn new(arrangements: Arc<Arrangements>) -> Option<Layout> {
        let total = arrangements.max_seeds();
        u32::try_from(arrangements.count(total)).ok()?;
        let segments = (2..=total)
            .flat_map(|seeds| (1..seeds).map(move |mover| (seeds, mover)))
            .map(|(seeds, mover)| {
                let larger = mover.max(seeds - mover);
                Segment {
                    rows: arrangements.count(larger) as u32,
                    columns: arrangements.count(seeds - larger) as u32,
                    scores: ScoreRange::up_to(seeds as i32, 2),
                    layer: seeds as u32,
                    // Omit the scores with the smaller side to move. A few moves lead from there to
                    // saved scores: either the larger side is to move next, or the smaller side has
                    // fewer seeds left for extra turns. If the others were omitted, extra turns
                    // would make long chains.
                    derived: mover < seeds - mover && seeds < 255,
                }
            })
            .collect();
        Some(Layout {
            arrangements,
            segments,
        })
    }
}

/// Returns the number of the segment in which the sides have these seeds.
pub(crate) fn segment_index(mover: usize, opponent: usize) -> usize {
    let seeds = mover + opponent;
    // The layers 2, 3, … before this one have 1, 2, … segments.
    (seeds - 1) * (seeds - 2) / 2 + mover - 1
}

/// Returns the sides' seeds in a segment: the inverse of [`segment_index`].
pub(crate) fn segment_seeds(segment: usize) -> (usize, usize) {
    let mut seeds = 2;
    let mut before = 0;
    while before + seeds - 1 <= segment {
        before += seeds - 1;
        seeds += 1;
    }
    let mover = segment - before + 1;
    (mover, seeds - mover)
}

impl Ranking<Position> for Layout {
    fn segments(&self) -> &[Segment] {
        &self.segments
    }

    #[inline(always)]
    fn slot(&self, canonical: &Position) -> Option<Slot> {
        let [mover_pits, opponent_pits] = &canonical.pits;
        let (mover_index, mover) = self.arrangements.number(mover_pits)?;
        let (opponent_index, opponent) = self.arrangements.number(opponent_pits)?;
        if mover == 0 || opponent == 0 || mover + opponent > self.arrangements.max_seeds() {
            return None;
        }
        let (row, column) = match mover >= opponent {
            true => (mover_index, opponent_index),
            false => (opponent_index, mover_index),
        };
        Some(Slot {
            segment: segment_index(mover, opponent) as u32,
            row: row as u32,
            column: column as u32,
        })
    }

    fn positions(&self, slot: Slot, count: u32, into: &mut Vec<Position>) {
        into.clear();
        let (mover, row, first) = self.pits(slot);
        let columns = std::iter::successors(Some(first), |pits| self.arrangements.next(pits));
        into.extend(
            columns
                .take(count as usize)
                .map(|smaller| bare(mover, row, smaller)),
        );
    }

    fn position(&self, slot: Slot) -> Position {
        let (mover, larger, smaller) = self.pits(slot);
        bare(mover, larger, smaller)
    }
}

impl Layout {
    /// Returns a slot's side to move, and the larger and the smaller side's pits.
    fn pits(&self, slot: Slot) -> (Mover, Pits, Pits) {
        let (split, mover) = Split::of_segment(slot.segment);
        let pits = |number: u32, seeds| self.arrangements.arrangement(number as usize, seeds);
        (
            mover,
            pits(slot.row, split.larger),
            pits(slot.column, split.smaller),
        )
    }
}

fn bare(mover: Mover, larger: Pits, smaller: Pits) -> Position {
    match mover {
        Mover::Larger => Position::bare(larger, smaller),
        Mover::Smaller => Position::bare(smaller, larger),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::kalah::sum;

    #[test]
    fn every_slot_has_one_position_and_back() {
        for pits in 1..=3 {
            let layout = Layout::new(Arc::new(Arrangements::new(pits, 7))).unwrap();
            let mut row_of = Vec::new();
            for (number, segment) in layout.segments().iter().enumerate() {
                let (mover, opponent) = segment_seeds(number);
                assert_eq!(segment_index(mover, opponent), number);
                assert_eq!(segment.layer as usize, mover + opponent);
                for row in 0..segment.rows {
                    for column in 0..segment.columns {
                        let slot = Slot {
                            segment: number as u32,
                            row,
                            column,
                        };
                        let position = layout.position(slot);
                        assert_eq!(sum(&position.pits[0]), mover);
                        assert_eq!(sum(&position.pits[1]), opponent);
                        assert_eq!(layout.slot(&position), Some(slot));
                        let left = segment.columns - column;
                        for count in [0, 1, left] {
                            layout.positions(slot, count, &mut row_of);
                            let columns = column..column + count;
                            let slots = columns.map(|column| Slot { column, ..slot });
                            let expected: Vec<Position> =
                                slots.map(|slot| layout.position(slot)).collect();
                            assert_eq!(row_of, expected);
                        }
                    }
                }
            }
        }
    }
}
