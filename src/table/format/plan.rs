//! The division of segments into tiles, and the tile of each slot.

use super::metadata::{KeyedLayout, Layout, Metadata, RankedLayout};
use crate::game::{ScoreRange, Slot};
use std::ops::Range;

/// Default side of a tile in slots.
pub const TILE_SIDE: u32 = 128;

/// Default number of entries in a block of a keyed table.
pub const BLOCK_ENTRIES: u32 = 4096;

/// Largest number of columns in a cell.
pub const CELL_COLUMNS: u32 = 16;

/// Largest number of slots in a cell.
pub const CELL_SLOTS: u32 = 512;

/// A cell: a rectangle within a tile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CellShape {
    /// First row, counted from the tile's.
    pub top: u32,
    /// First column, counted from the tile's.
    pub left: u32,
    pub rows: u32,
    pub columns: u32,
}

impl CellShape {
    pub fn slots(self) -> u64 {
        u64::from(self.rows) * u64::from(self.columns)
    }
}

/// Upper limit for the number of cells in a tile.
///
/// A tile has at most 65,536 slots, and cells have 16 columns and 32 rows, or nearly so.
pub const MOST_CELLS: usize = 256;

/// The blocks of one segment.
#[derive(Clone, Debug)]
pub struct SegmentPlan {
    pub first_block: u64,
    pub scores: ScoreRange,
    /// Whether the codes are omitted.
    pub derived: bool,
    pub tiles: Tiles,
}

/// A number to divide by, at least 1, with a factor that takes the place of a slow division.
///
/// With `factor` = ⌊(2⁶⁴ - 1) / `number`⌋, n / `number` is ⌊(n + 1) · `factor` / 2⁶⁴⌋ for all n of 32
/// bits: the product is too small by less than (n + 1) / 2⁶⁴ ≤ 2⁻³², and the next integer below is
/// farther.
#[derive(Clone, Copy, Debug, Default)]
struct Divisor {
    number: u32,
    factor: u64,
}

impl Divisor {
    fn new(number: u32) -> Divisor {
        let factor = u64::MAX / u64::from(number);
        Divisor { number, factor }
    }

    #[inline]
    fn divide(self, number: u32) -> u32 {
        (((u128::from(number) + 1) * u128::from(self.factor)) >> 64) as u32
    }
}

/// The division of a segment into tiles; a segment of a keyed table has no slots.
#[derive(Clone, Debug, Default)]
pub struct Tiles {
    pub rows: u32,
    pub columns: u32,
    tile_rows: Divisor,
    tile_columns: Divisor,
    /// Number of tiles in a row of tiles.
    pub across: u32,
    /// Size of the largest cells of a tile.
    cell_rows: u32,
    cell_columns: u32,
}

/// The place of a slot: its block, its cell there, and its place in the cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spot {
    pub block: u64,
    pub cell: u32,
    pub shape: CellShape,
    pub row: u32,
    /// Index of the slot in the cell, row by row.
    pub index: usize,
}

/// The slots of one block of a ranked table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TileShape {
    pub segment: u32,
    pub rows: Range<u32>,
    pub columns: Range<u32>,
}

impl TileShape {
    pub fn height(&self) -> u32 {
        self.rows.end - self.rows.start
    }

    pub fn width(&self) -> u32 {
        self.columns.end - self.columns.start
    }

    pub fn slots(&self) -> usize {
        self.height() as usize * self.width() as usize
    }

    /// Returns the slot at an index in the tile.
    pub fn slot(&self, index: usize) -> Slot {
        let width = self.width();
        let index = index as u32;
        Slot {
            segment: self.segment,
            row: self.rows.start + index / width,
            column: self.columns.start + index % width,
        }
    }
}

/// The division of a keyed table's entries into blocks.
#[derive(Clone, Debug)]
pub struct Listing {
    pub key_bytes: usize,
    pub block_entries: u64,
    pub entries: u64,
}

/// The places of all entries.
///
/// In a table with ranks, a slot has its place in a tile of its segment. In a table with keys, the
/// entries are listed in a single segment.
#[derive(Clone, Debug)]
pub struct Plan {
    pub segments: Vec<SegmentPlan>,
    pub blocks: u64,
    pub listing: Option<Listing>,
}

impl Tiles {
    /// Returns a tile of the segment with this number.
    #[inline]
    fn tile(&self, segment: u32, down: u32, across: u32) -> TileShape {
        let (most_rows, most_columns) = (self.tile_rows.number, self.tile_columns.number);
        let (top, left) = (down * most_rows, across * most_columns);
        TileShape {
            segment,
            rows: top..top + most_rows.min(self.rows - top),
            columns: left..left + most_columns.min(self.columns - left),
        }
    }

    /// Returns a cell of a tile with this height and width.
    fn cell(&self, height: u32, width: u32, cell: u32) -> CellShape {
        let across = width.div_ceil(self.cell_columns);
        let top = cell / across * self.cell_rows;
        let left = cell % across * self.cell_columns;
        CellShape {
            top,
            left,
            rows: self.cell_rows.min(height - top),
            columns: self.cell_columns.min(width - left),
        }
    }
}

impl Plan {
    /// Creates the plan of a table, unless its blocks overflow 64 bits.
    pub fn new(metadata: &Metadata, entries: u64) -> Option<Plan> {
        match &metadata.layout {
            Layout::Keyed(keyed) => {
                let listing = Listing::new(keyed, entries);
                let segment = SegmentPlan {
                    first_block: 0,
                    scores: keyed.scores,
                    derived: false,
                    tiles: Tiles::default(),
                };
                Some(Plan {
                    segments: vec![segment],
                    blocks: listing.blocks(),
                    listing: Some(listing),
                })
            }
            Layout::Ranked(ranked) => Plan::numbered(ranked),
        }
    }

    /// Returns the size of a key in an index entry, 0 in a table with ranks.
    pub fn key_bytes(&self) -> usize {
        self.listing.as_ref().map_or(0, |listing| listing.key_bytes)
    }

    /// Creates the plan of a table with ranks, unless the blocks overflow 64 bits.
    pub fn numbered(layout: &RankedLayout) -> Option<Plan> {
        let mut segments = Vec::with_capacity(layout.segments.len());
        let mut blocks = 0u64;
        for record in &layout.segments {
            let side = layout.tile_side;
            let (tile_rows, tile_columns) = tile_size(record.rows, record.columns, side);
            let across = record.columns.div_ceil(tile_columns);
            let down = record.rows.div_ceil(tile_rows);
            let cell_columns = equal(tile_columns, CELL_COLUMNS);
            let cell_rows = equal(tile_rows, CELL_SLOTS / cell_columns);
            segments.push(SegmentPlan {
                first_block: blocks,
                scores: record.scores,
                derived: false,
                tiles: Tiles {
                    rows: record.rows,
                    columns: record.columns,
                    tile_rows: Divisor::new(tile_rows),
                    tile_columns: Divisor::new(tile_columns),
                    across,
                    cell_rows,
                    cell_columns,
                },
            });
            blocks = blocks.checked_add(u64::from(across) * u64::from(down))?;
        }
        for &segment in &layout.derived {
            segments.get_mut(segment as usize)?.derived = true;
        }
        Some(Plan {
            segments,
            blocks,
            listing: None,
        })
    }

    /// Returns the block and tile of a slot, or `None` if there is no such slot.
    #[inline]
    fn tile_with(&self, slot: Slot) -> Option<(u64, TileShape)> {
        let segment = self.segments.get(slot.segment as usize)?;
        let tiles = &segment.tiles;
        if slot.row >= tiles.rows || slot.column >= tiles.columns {
            return None;
        }
        let down = tiles.tile_rows.divide(slot.row);
        let across = tiles.tile_columns.divide(slot.column);
        let within = u64::from(down) * u64::from(tiles.across) + u64::from(across);
        let tile = tiles.tile(slot.segment, down, across);
        Some((segment.first_block + within, tile))
    }

    /// Returns a slot's block and its index in the tile, if there is such a slot.
    #[inline]
    pub fn locate(&self, slot: Slot) -> Option<(u64, usize)> {
        let (block, tile) = self.tile_with(slot)?;
        let (row, column) = (slot.row - tile.rows.start, slot.column - tile.columns.start);
        Some((
            block,
            row as usize * tile.width() as usize + column as usize,
        ))
    }

    /// Returns the cell of a slot, or `None` if there is no such slot.
    #[inline]
    pub fn spot(&self, slot: Slot) -> Option<Spot> {
        let (block, tile) = self.tile_with(slot)?;
        let tiles = &self.segments[slot.segment as usize].tiles;
        let (row, column) = (slot.row - tile.rows.start, slot.column - tile.columns.start);
        let cells_across = tile.width().div_ceil(tiles.cell_columns);
        let cell = row / tiles.cell_rows * cells_across + column / tiles.cell_columns;
        let shape = tiles.cell(tile.height(), tile.width(), cell);
        let (row, column) = (row - shape.top, column - shape.left);
        Some(Spot {
            block,
            cell,
            shape,
            row,
            index: row as usize * shape.columns as usize + column as usize,
        })
    }

    /// Returns the cells of a tile, row by row.
    pub fn cells(&self, tile: &TileShape) -> impl ExactSizeIterator<Item = CellShape> {
        let tiles = &self.segments[tile.segment as usize].tiles;
        let (height, width) = (tile.height(), tile.width());
        let count = height.div_ceil(tiles.cell_rows) * width.div_ceil(tiles.cell_columns);
        (0..count as usize).map(move |cell| tiles.cell(height, width, cell as u32))
    }

    /// Returns the first block of a segment.
    ///
    /// If there is no such segment, it is the number of blocks.
    pub fn first_block(&self, segment: usize) -> u64 {
        match self.segments.get(segment) {
            Some(segment) => segment.first_block,
            None => self.blocks,
        }
    }

    /// Returns the blocks of a segment.
    pub fn blocks_of(&self, segment: usize) -> Range<u64> {
        self.first_block(segment)..self.first_block(segment + 1)
    }

    /// Returns the segment of a block, which must be below `self.blocks`.
    pub fn segment_of(&self, block: u64) -> u32 {
        let segments = &self.segments;
        segments.partition_point(|segment| segment.first_block <= block) as u32 - 1
    }

    /// Returns the tile of a block, which must be below `self.blocks`.
    ///
    /// The tile of a keyed block has one column.
    pub fn tile(&self, block: u64) -> TileShape {
        self.tile_of(self.segment_of(block), block)
    }

    /// Returns the tile of a block in this segment.
    pub fn tile_of(&self, number: u32, block: u64) -> TileShape {
        if let Some(listing) = &self.listing {
            return TileShape {
                segment: number,
                rows: 0..listing.entries_in(block) as u32,
                columns: 0..1,
            };
        }
        let segment = &self.segments[number as usize];
        let (tiles, within) = (&segment.tiles, block - segment.first_block);
        let across = u64::from(tiles.across);
        tiles.tile(number, (within / across) as u32, (within % across) as u32)
    }

    /// Returns whether the codes of a segment are omitted.
    pub fn is_derived(&self, segment: u32) -> bool {
        self.segments[segment as usize].derived
    }

    /// Returns a 0 for each code of a segment, or a single one if codes take more than a byte.
    pub fn no_counts(&self, segment: u32) -> Vec<u64> {
        match self.has_wide_codes() {
            true => vec![0],
            false => vec![0; self.scores(segment).codes()],
        }
    }

    /// Returns whether codes take more than a byte, which only happens in tables with keys.
    pub fn has_wide_codes(&self) -> bool {
        self.listing.is_some() && self.scores(0).code_bytes() > 1
    }

    /// Returns the scores for which the codes of a segment stand.
    pub fn scores(&self, segment: u32) -> ScoreRange {
        self.segments[segment as usize].scores
    }
}

impl Listing {
    pub fn new(layout: &KeyedLayout, entries: u64) -> Listing {
        Listing {
            key_bytes: usize::from(layout.key_bytes),
            block_entries: u64::from(layout.block_entries),
            entries,
        }
    }

    pub fn blocks(&self) -> u64 {
        self.entries.div_ceil(self.block_entries)
    }

    /// Returns the number of entries in a block.
    pub fn entries_in(&self, block: u64) -> usize {
        self.block_entries
            .min(self.entries - block * self.block_entries) as usize
    }
}

/// Returns the rows and columns of a segment's tiles.
///
/// Tiles at the lower and right edge may be smaller.
///
/// A segment narrower than `side` in one direction gets tiles that are longer in the other.
fn tile_size(rows: u32, columns: u32, side: u32) -> (u32, u32) {
    let area = side * side;
    let (most_rows, most_columns) = if rows < side {
        (rows, area / rows)
    } else if columns < side {
        (area / columns, columns)
    } else {
        (side, side)
    };
    // Limit the columns: rows that are too short for good cells would give too many cells.
    let columns_without_limit = equal(columns, most_columns);
    let tile_columns = equal(columns, columns_without_limit.min(4 * side));
    (equal(rows, most_rows), tile_columns)
}

/// Cuts a length into as few equal parts of at most `most` as possible.
///
/// Returns the length of each part except the last, which may be shorter.
fn equal(length: u32, most: u32) -> u32 {
    length.div_ceil(length.div_ceil(most))
}

/// Calls `each` with the index of every set bit, in words of 64 bits.
#[inline]
pub fn for_each_present(present: &[u64], mut each: impl FnMut(usize)) {
    for (number, &word) in present.iter().enumerate() {
        let mut word = word;
        while word != 0 {
            each(64 * number + word.trailing_zeros() as usize);
            word &= word - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::format::metadata::SegmentRecord;

    fn plan(shapes: &[(u32, u32)], tile_side: u32) -> Plan {
        let segments = shapes
            .iter()
            .map(|&(rows, columns)| SegmentRecord {
                rows,
                columns,
                scores: ScoreRange::default(),
                layer: 0,
                counts: vec![0],
            })
            .collect();
        let layout = RankedLayout {
            tile_side,
            segments,
            derived: Vec::new(),
            groups: Vec::new(),
        };
        Plan::numbered(&layout).unwrap()
    }

    #[test]
    fn divisors_divide_all_numbers_rightly() {
        for number in (1..300).chain([65_535, 65_536, 1 << 31, u32::MAX]) {
            let divisor = Divisor::new(number);
            let multiples = (0..=u32::MAX / number).rev().take(500);
            for multiple in multiples.chain(0..(u32::MAX / number).min(500)) {
                let exact = multiple * number;
                for dividend in [
                    exact.saturating_sub(1),
                    exact,
                    exact.saturating_add(1),
                    u32::MAX,
                ] {
                    assert_eq!(
                        divisor.divide(dividend),
                        dividend / number,
                        "{dividend} / {number}"
                    );
                }
            }
        }
    }

    #[test]
    fn tiles_are_of_equal_size_and_longer_in_narrow_segments() {
        assert_eq!(tile_size(1000, 1000, 128), (125, 125));
        assert_eq!(tile_size(129, 128, 128), (65, 128));
        assert_eq!(tile_size(1, 1_000_000, 128), (1, 512));
        assert_eq!(tile_size(6, 42_504, 128), (6, 506));
        assert_eq!(tile_size(42_504, 6, 128), (2_657, 6));
        assert_eq!(tile_size(1, 1, 128), (1, 1));
        assert_eq!(tile_size(u32::MAX, u32::MAX, 128), (128, 128));
    }

    #[test]
    fn every_slot_is_in_one_block_at_one_index() {
        let plan = plan(&[(1, 1), (20, 33), (3, 700), (65, 2), (8, 8)], 8);
        let mut block_of_slot = std::collections::HashMap::new();
        for block in 0..plan.blocks {
            let shape = plan.tile(block);
            assert!(shape.slots() <= 64 && shape.slots() > 0);
            for index in 0..shape.slots() {
                let slot = shape.slot(index);
                assert_eq!(plan.locate(slot), Some((block, index)));
                assert!(block_of_slot.insert(slot, block).is_none());
            }
        }
        assert_eq!(block_of_slot.len(), 1 + 20 * 33 + 3 * 700 + 65 * 2 + 8 * 8);
        let none = |segment, row, column| {
            assert_eq!(
                plan.locate(Slot {
                    segment,
                    row,
                    column
                }),
                None
            )
        };
        none(5, 0, 0);
        none(1, 20, 0);
        none(1, 0, 33);
    }

    #[test]
    fn every_slot_is_in_one_cell_of_its_tile() {
        let shapes = [
            (1, 1),
            (300, 70),
            (3, 5000),
            (5000, 3),
            (40, 33),
            (1, 70_000),
        ];
        for tile_side in [8, 128, 256] {
            let plan = plan(&shapes, tile_side);
            let mut slots = 0;
            for block in 0..plan.blocks {
                let tile = plan.tile(block);
                let cells = plan.cells(&tile);
                assert!(cells.len() <= MOST_CELLS, "{tile:?}: {} cells", cells.len());
                for (number, shape) in cells.enumerate() {
                    assert!(shape.columns <= CELL_COLUMNS && shape.slots() <= 512);
                    for (row, column) in (0..shape.rows)
                        .flat_map(|row| (0..shape.columns).map(move |column| (row, column)))
                    {
                        let slot = Slot {
                            segment: tile.segment,
                            row: tile.rows.start + shape.top + row,
                            column: tile.columns.start + shape.left + column,
                        };
                        let spot = Spot {
                            block,
                            cell: number as u32,
                            shape,
                            row,
                            index: (row * shape.columns + column) as usize,
                        };
                        assert_eq!(plan.spot(slot), Some(spot));
                        slots += 1;
                    }
                }
            }
            let all = shapes
                .iter()
                .map(|&(rows, columns)| rows * columns)
                .sum::<u32>();
            assert_eq!(slots, all);
            let none = |segment, row, column| {
                let slot = Slot {
                    segment,
                    row,
                    column,
                };
                assert_eq!(plan.spot(slot), None);
            };
            none(6, 0, 0);
            none(1, 300, 0);
            none(1, 0, 70);
        }
    }
}
