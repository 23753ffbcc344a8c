//! Dense numbering of a game's canonical positions.
//!
//! The slots of a ranking form a list of *segments*, each a matrix of rows and columns, so that a
//! game can put what is alike side by side. Tables cut the matrices into tiles and compress each by
//! itself.

use super::ScoreRange;

/// One matrix of slots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segment {
    /// How many rows, at least 1.
    pub rows: u32,
    /// How many columns, at least 1.
    pub columns: u32,
    /// The scores that its slots can have, and their byte codes.
    pub scores: ScoreRange,
    /// The layer ([`super::Game::layer`]) of all of its positions.
    pub layer: u32,
    /// Whether a table leaves its scores out: each is the best of its position's moves, which lead
    /// in few steps to segments whose scores are kept. It may have 255 scores at most.
    pub derived: bool,
}

impl Segment {
    /// How many slots.
    #[must_use]
    pub fn slots(&self) -> u64 {
        u64::from(self.rows) * u64::from(self.columns)
    }
}

/// The place of one canonical position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Slot {
    /// Which of [`Ranking::segments`].
    pub segment: u32,
    /// Row in the segment.
    pub row: u32,
    /// Column in the segment.
    pub column: u32,
}

/// A dense numbering of the canonical positions of a game's unfinished positions.
///
/// Every reachable class has a slot of its own; not every slot belongs to a reachable class.
pub trait Ranking<P>: Send + Sync {
    /// The matrices, in the order of the table file.
    fn segments(&self) -> &[Segment];

    /// The slot of a canonical position; nothing if it has none (it is finished, or not of this
    /// game).
    fn slot(&self, canonical: &P) -> Option<Slot>;

    /// The canonical position that a slot belongs to.
    ///
    /// # Panics
    /// If there is no such slot.
    fn position(&self, slot: Slot) -> P;
}

/// The scores of a rectangle of slots, row by row.
///
/// `codes[i]` means something only where `present` holds `i`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tile {
    /// How many rows.
    pub rows: u32,
    /// How many columns.
    pub columns: u32,
    /// One byte code a slot, row by row; 0 where no reachable class is.
    pub codes: Vec<u8>,
    /// One bit a slot, row by row, lowest bit first: whether a reachable class is there.
    pub present: Vec<u64>,
}

impl Tile {
    /// Makes it an empty tile of this shape.
    pub fn reset(&mut self, rows: u32, columns: u32) {
        let slots = rows as usize * columns as usize;
        self.rows = rows;
        self.columns = columns;
        self.codes.clear();
        self.codes.resize(slots, 0);
        self.present.clear();
        self.present.resize(slots.div_ceil(64), 0);
    }

    /// The index of a slot, given by its row and column in the tile.
    #[must_use]
    pub fn index(&self, row: u32, column: u32) -> usize {
        row as usize * self.columns as usize + column as usize
    }

    /// Puts a code into a slot.
    pub fn set(&mut self, index: usize, code: u8) {
        self.codes[index] = code;
        self.present[index / 64] |= 1 << (index % 64);
    }

    /// The code in a slot, if a reachable class is there.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<u8> {
        (self.present[index / 64] >> (index % 64) & 1 == 1).then(|| self.codes[index])
    }

    /// How many slots hold a reachable class.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.present
            .iter()
            .map(|word| u64::from(word.count_ones()))
            .sum()
    }
}
