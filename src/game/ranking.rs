//! Dense numbering of a game's canonical positions, and the scores by these numbers.
//!
//! The slots of a ranking form a list of *segments*, each a matrix of rows and columns. A game can
//! thus place similar positions side by side. Tables cut the matrices into tiles and compress each
//! tile by itself.

use super::{ScoreRange, SolveError};
use std::ops::Range;
use std::sync::Arc;

/// One matrix of slots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segment {
    /// Number of rows, at least 1.
    pub rows: u32,
    /// Number of columns, at least 1.
    pub columns: u32,
    /// The possible scores of its slots, and their byte codes.
    pub scores: ScoreRange,
    /// The layer ([`super::Game::layer`]) of all of its positions.
    pub layer: u32,
    /// Whether a table omits its scores.
    ///
    /// Each is recomputed as the best of its position's moves. These lead within a few steps to
    /// segments with stored scores. The segment may have at most 255 different scores.
    pub derived: bool,
}

impl Segment {
    /// Returns the number of slots.
    #[must_use]
    pub fn slots(&self) -> u64 {
        u64::from(self.rows) * u64::from(self.columns)
    }

    /// Returns the slot at an index, row by row, if this is the segment with this number.
    #[must_use]
    pub fn slot(&self, segment: u32, index: u64) -> Slot {
        let columns = u64::from(self.columns);
        Slot {
            segment,
            row: (index / columns) as u32,
            column: (index % columns) as u32,
        }
    }
}

/// The place of one canonical position in a ranking.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Slot {
    /// Index in [`Ranking::segments`].
    pub segment: u32,
    /// Row in the segment.
    pub row: u32,
    /// Column in the segment.
    pub column: u32,
}

/// A dense numbering of canonical unfinished positions.
///
/// Every reachable class has a slot of its own. Not every slot belongs to a reachable class.
pub trait Ranking<P>: Send + Sync {
    /// Returns the segments, in the order of the table file.
    fn segments(&self) -> &[Segment];

    /// Returns the slot of a canonical position.
    ///
    /// `None` if the position has none: it is finished or not of this game.
    fn slot(&self, canonical: &P) -> Option<Slot>;

    /// Puts the slot of each of these canonical positions into `into`, which is cleared first.
    ///
    /// It is faster than a call of [`Ranking::slot`] for each of them.
    fn slots(&self, canonical: &[P], into: &mut Vec<Option<Slot>>) {
        into.clear();
        into.extend(canonical.iter().map(|position| self.slot(position)));
    }

    /// Returns the canonical position of a slot.
    ///
    /// # Panics
    /// If there is no such slot.
    fn position(&self, slot: Slot) -> P;

    /// Puts the canonical positions of `count` slots of a row into `into`.
    ///
    /// `slot` is the first of them. `into` is cleared first. For many positions this may be faster
    /// than [`Ranking::position`].
    ///
    /// # Panics
    /// May panic if there are no such slots.
    fn positions(&self, slot: Slot, count: u32, into: &mut Vec<P>) {
        into.clear();
        let columns = slot.column..slot.column + count;
        into.extend(columns.map(|column| self.position(Slot { column, ..slot })));
    }
}

/// All slots of a ranking, numbered segment by segment and row by row.
#[derive(Clone)]
pub(crate) struct SlotNumbers<P> {
    pub ranking: Arc<dyn Ranking<P>>,
    pub segments: Vec<Segment>,
    /// Number of each segment's first slot; the last item is the number of all slots.
    firsts: Vec<u64>,
}

impl<P> SlotNumbers<P> {
    /// Numbers the slots; `None` if the numbers don't fit in 64 bits.
    pub fn new(ranking: Arc<dyn Ranking<P>>) -> Option<SlotNumbers<P>> {
        let segments = ranking.segments().to_vec();
        let mut firsts = vec![0u64];
        let mut next = 0u64;
        for segment in &segments {
            next = next.checked_add(segment.slots())?;
            firsts.push(next);
        }
        Some(SlotNumbers {
            ranking,
            segments,
            firsts,
        })
    }

    /// Returns the number of slots.
    pub fn count(&self) -> u64 {
        self.firsts[self.segments.len()]
    }

    /// Returns the numbers of a segment's slots.
    pub fn of_segment(&self, segment: usize) -> Range<u64> {
        self.firsts[segment]..self.firsts[segment + 1]
    }

    /// Returns a slot's number.
    #[inline]
    pub fn of_slot(&self, slot: Slot) -> u64 {
        let columns = u64::from(self.segments[slot.segment as usize].columns);
        let first = self.firsts[slot.segment as usize];
        first + u64::from(slot.row) * columns + u64::from(slot.column)
    }

    /// Returns the slot of a canonical position, if it has one.
    #[inline]
    pub fn of(&self, canonical: &P) -> Option<NumberedSlot> {
        let slot = self.ranking.slot(canonical)?;
        Some(NumberedSlot {
            segment: slot.segment,
            number: self.of_slot(slot),
        })
    }

    /// Returns the slot with a number, which must be less than the number of slots.
    pub fn slot(&self, number: u64) -> NumberedSlot {
        let segment = self.firsts.partition_point(|&first| first <= number) - 1;
        NumberedSlot {
            segment: segment as u32,
            number,
        }
    }

    /// Returns the scores that the position of a slot can have.
    #[inline]
    pub fn scores(&self, slot: NumberedSlot) -> ScoreRange {
        self.segments[slot.segment as usize].scores
    }

    /// Returns the canonical position of a slot.
    pub fn position(&self, slot: NumberedSlot) -> P {
        let segment = slot.segment as usize;
        let within = slot.number - self.firsts[segment];
        self.ranking
            .position(self.segments[segment].slot(slot.segment, within))
    }
}

/// A slot, given by its number among all slots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NumberedSlot {
    pub segment: u32,
    pub number: u64,
}

/// The scores of a rectangle of slots, row by row.
///
/// `codes[i]` is meaningful only if bit `i` of `present` is set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tile {
    /// Number of rows.
    pub rows: u32,
    /// Number of columns.
    pub columns: u32,
    /// One byte code per slot, row by row; 0 where there is no reachable class.
    pub codes: Vec<u8>,
    /// One bit per slot, row by row from the lowest bit: whether it has a class.
    pub present: Vec<u64>,
}

impl Tile {
    /// Clears the tile and gives it a shape.
    pub fn reset(&mut self, rows: u32, columns: u32) {
        let slots = rows as usize * columns as usize;
        self.rows = rows;
        self.columns = columns;
        self.codes.clear();
        self.codes.resize(slots, 0);
        self.present.clear();
        self.present.resize(slots.div_ceil(64), 0);
    }

    /// Returns the index of a slot, given by its row and column in the tile.
    #[must_use]
    #[inline]
    pub fn index(&self, row: u32, column: u32) -> usize {
        row as usize * self.columns as usize + column as usize
    }

    /// Sets the code of a slot.
    #[inline]
    pub fn set(&mut self, index: usize, code: u8) {
        self.codes[index] = code;
        self.present[index / 64] |= 1 << (index % 64);
    }

    /// Marks the reachable classes among 64 slots from `index` on.
    ///
    /// The caller sets their codes. The bits of slots beyond the tile must be clear.
    #[inline]
    pub(crate) fn mark(&mut self, index: usize, present: u64) {
        let (word, shift) = (index / 64, index % 64);
        self.present[word] |= present << shift;
        if shift > 0 && present >> (64 - shift) != 0 {
            self.present[word + 1] |= present >> (64 - shift);
        }
    }

    /// Returns the code of a slot, if it has a reachable class.
    #[must_use]
    #[inline]
    pub fn get(&self, index: usize) -> Option<u8> {
        (self.present[index / 64] >> (index % 64) & 1 == 1).then(|| self.codes[index])
    }

    /// Returns the number of slots that have a reachable class.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.present
            .iter()
            .map(|word| u64::from(word.count_ones()))
            .sum()
    }
}

/// The scores of all reachable classes of a game that has a [`super::Ranking`].
pub trait Scores: Send + Sync {
    /// Returns the number of classes.
    fn count(&self) -> u64;

    /// Returns whether a rectangle of slots is known to have no class. `false` means unknown.
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
