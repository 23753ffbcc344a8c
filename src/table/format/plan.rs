//! How segments are cut into tiles, and where the tile of a slot is.

use super::metadata::{KeyedLayout, Layout, Metadata, RankedLayout};
use crate::game::{ScoreRange, Slot};
use std::ops::Range;

/// Slots a tile's side has unless the caller wants something else.
pub const TILE_SIDE: u32 = 128;

/// Entries that a block of a keyed table has.
pub const BLOCK_ENTRIES: u32 = 4096;

/// The most columns that a cell has.
pub const CELL_COLUMNS: u32 = 16;

/// The most slots that a cell has.
pub const CELL_SLOTS: u32 = 512;

/// A rectangle within a tile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CellShape {
    /// The first row and column, counted from the tile's.
    pub top: u32,
    pub left: u32,
    pub rows: u32,
    pub columns: u32,
}

impl CellShape {
    pub fn slots(self) -> u64 {
        u64::from(self.rows) * u64::from(self.columns)
    }
}

/// More cells than any tile has: of 65,536 slots at most, cut into cells of 16 columns and 32 rows
/// or nearly so.
pub const MOST_CELLS: usize = 256;

/// The blocks of one segment.
#[derive(Clone, Debug)]
pub struct SegmentPlan {
    pub first_block: u64,
    pub scores: ScoreRange,
    /// Whether its codes are left out.
    pub derived: bool,
    pub tiles: Tiles,
}

/// How the slots of a segment are cut into tiles; a segment whose entries are listed has no slots.
#[derive(Clone, Debug, Default)]
pub struct Tiles {
    pub rows: u32,
    pub columns: u32,
    pub tile_rows: u32,
    pub tile_columns: u32,
    pub across: u32,
    /// The largest cells of a tile.
    cell_rows: u32,
    cell_columns: u32,
}

/// Where a slot is: in which block, in which cell of it, and where in the cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spot {
    pub block: u64,
    pub cell: u32,
    pub shape: CellShape,
    pub row: u32,
    /// The slot's index in the cell, row by row.
    pub index: usize,
}

/// The tile that a slot is in, and the slot's place in it.
struct InTile<'a> {
    tiles: &'a Tiles,
    block: u64,
    height: u32,
    width: u32,
    row: u32,
    column: u32,
}

/// What one block of a ranked table holds.
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

    /// The place of the slot at an index in the tile.
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

/// How the entries of a segment are listed: each with its key, in blocks.
#[derive(Clone, Debug)]
pub struct Listing {
    pub key_bytes: usize,
    pub block_entries: u64,
    pub entries: u64,
}

/// Where everything is. The entries of a table with ranks are numbered: a slot has its place in a tile
/// of its segment. Those of a table with keys are listed, in one segment.
#[derive(Clone, Debug)]
pub struct Plan {
    pub segments: Vec<SegmentPlan>,
    pub blocks: u64,
    pub listing: Option<Listing>,
}

impl Tiles {
    /// A cell of a tile with this height and width.
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
    /// Nothing if there are more blocks than can be counted.
    pub fn new(metadata: &Metadata, entries: u64) -> Option<Plan> {
        match &metadata.layout {
            Layout::Keyed(keyed) => Some(Plan::listed(keyed, entries)),
            Layout::Ranked(ranked) => Plan::numbered(ranked),
        }
    }

    /// The blocks of so many entries with keys.
    fn listed(layout: &KeyedLayout, entries: u64) -> Plan {
        let listing = Listing::new(layout, entries);
        let segment = SegmentPlan {
            first_block: 0,
            scores: layout.scores,
            derived: false,
            tiles: Tiles::default(),
        };
        Plan {
            segments: vec![segment],
            blocks: listing.blocks(),
            listing: Some(listing),
        }
    }

    /// The bytes that an index entry takes beyond offset and CRC.
    pub fn key_bytes(&self) -> usize {
        self.listing.as_ref().map_or(0, |listing| listing.key_bytes)
    }

    /// The tiles of these matrices; nothing if there are more than can be counted.
    pub fn numbered(layout: &RankedLayout) -> Option<Plan> {
        let mut segments = Vec::with_capacity(layout.segments.len());
        let mut blocks = 0u64;
        for record in &layout.segments {
            let side = layout.tile_side;
            let (tile_rows, tile_columns) = tile_size(record.rows, record.columns, side);
            let across = record.columns.div_ceil(tile_columns);
            let down = record.rows.div_ceil(tile_rows);
            let (cell_rows, cell_columns) = cell_size(tile_rows, tile_columns);
            segments.push(SegmentPlan {
                first_block: blocks,
                scores: record.scores,
                derived: false,
                tiles: Tiles {
                    rows: record.rows,
                    columns: record.columns,
                    tile_rows,
                    tile_columns,
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

    /// Where a slot is among the tiles; nothing if there is no such slot.
    #[inline]
    fn in_tile(&self, slot: Slot) -> Option<InTile<'_>> {
        let segment = self.segments.get(slot.segment as usize)?;
        let tiles = &segment.tiles;
        if slot.row >= tiles.rows || slot.column >= tiles.columns {
            return None;
        }
        let (down, row) = (slot.row / tiles.tile_rows, slot.row % tiles.tile_rows);
        let (across, column) = (
            slot.column / tiles.tile_columns,
            slot.column % tiles.tile_columns,
        );
        let (top, left) = (down * tiles.tile_rows, across * tiles.tile_columns);
        Some(InTile {
            tiles,
            block: segment.first_block
                + u64::from(down) * u64::from(tiles.across)
                + u64::from(across),
            height: tiles.tile_rows.min(tiles.rows - top),
            width: tiles.tile_columns.min(tiles.columns - left),
            row,
            column,
        })
    }

    /// The block that a slot is in and the slot's index in its tile; nothing if there is no such
    /// slot.
    #[inline]
    pub fn locate(&self, slot: Slot) -> Option<(u64, usize)> {
        let at = self.in_tile(slot)?;
        let index = at.row as usize * at.width as usize + at.column as usize;
        Some((at.block, index))
    }

    /// The cell that a slot is in; nothing if there is no such slot.
    #[inline]
    pub fn spot(&self, slot: Slot) -> Option<Spot> {
        let at = self.in_tile(slot)?;
        let tiles = at.tiles;
        let cells_across = at.width.div_ceil(tiles.cell_columns);
        let cell = at.row / tiles.cell_rows * cells_across + at.column / tiles.cell_columns;
        let shape = tiles.cell(at.height, at.width, cell);
        let (row, column) = (at.row - shape.top, at.column - shape.left);
        Some(Spot {
            block: at.block,
            cell,
            shape,
            row,
            index: row as usize * shape.columns as usize + column as usize,
        })
    }

    /// The cells of a tile, row by row.
    pub fn cells(&self, tile: &TileShape) -> impl ExactSizeIterator<Item = CellShape> {
        let tiles = &self.segments[tile.segment as usize].tiles;
        let (height, width) = (tile.height(), tile.width());
        let count = height.div_ceil(tiles.cell_rows) * width.div_ceil(tiles.cell_columns);
        (0..count as usize).map(move |cell| tiles.cell(height, width, cell as u32))
    }

    /// The first block of a segment, or the number of blocks if there is no such segment.
    pub fn first_block(&self, segment: usize) -> u64 {
        match self.segments.get(segment) {
            Some(segment) => segment.first_block,
            None => self.blocks,
        }
    }

    /// The blocks of a segment.
    pub fn blocks_of(&self, segment: usize) -> Range<u64> {
        self.first_block(segment)..self.first_block(segment + 1)
    }

    /// The segment of a block, which must be below `self.blocks`.
    pub fn segment_of(&self, block: u64) -> u32 {
        let segments = &self.segments;
        segments.partition_point(|segment| segment.first_block <= block) as u32 - 1
    }

    /// The tile that a block holds, which must be below `self.blocks`; of listed entries each is a
    /// row.
    pub fn tile(&self, block: u64) -> TileShape {
        self.tile_of(self.segment_of(block), block)
    }

    /// The same, of a block of this segment.
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
        let top = (within / across) as u32 * tiles.tile_rows;
        let left = (within % across) as u32 * tiles.tile_columns;
        TileShape {
            segment: number,
            rows: top..top + tiles.tile_rows.min(tiles.rows - top),
            columns: left..left + tiles.tile_columns.min(tiles.columns - left),
        }
    }

    /// Whether the codes of a segment are left out.
    pub fn is_derived(&self, segment: u32) -> bool {
        self.segments[segment as usize].derived
    }

    /// The scores that the codes of a segment stand for.
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

    /// How many entries a block has.
    pub fn entries_in(&self, block: u64) -> usize {
        self.block_entries
            .min(self.entries - block * self.block_entries) as usize
    }
}

/// Rows and columns of the tiles of a segment; those at its lower and right edge may be smaller.
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
    // Rows too short for good cells would make too many of them.
    let columns_without_limit = equal(columns, most_columns);
    let tile_columns = equal(columns, columns_without_limit.min(4 * side));
    (equal(rows, most_rows), tile_columns)
}

/// Rows and columns of the cells of a tile.
fn cell_size(rows: u32, columns: u32) -> (u32, u32) {
    let columns = equal(columns, CELL_COLUMNS);
    (equal(rows, CELL_SLOTS / columns), columns)
}

/// A length cut into as few parts of at most `most` as may be: how long each of them is, but for
/// the last.
fn equal(length: u32, most: u32) -> u32 {
    length.div_ceil(length.div_ceil(most))
}

#[cfg(test)]
mod tests;
