//! Blocks of ranked tables, which are tiles cut into cells.
//!
//! A block has the states of all cells, the lengths of their streams, then their words. A tile
//! without entries is an empty block. Decoding checks everything.

use super::cell::{CellEncoder, decode_cell};
use super::fit::Counts;
use super::model::Model;
use super::walk::{CellKind, row_bits, walk_known};
use crate::game::Tile;
use crate::table::format::{CellShape, Difference, MOST_CELLS};
use std::ops::Range;

/// Returns the number of entries in a cell.
fn entries(tile: &Tile, shape: CellShape) -> u64 {
    let rows = shape.top..shape.top + shape.rows;
    let bits = rows.map(|row| row_bits(tile, tile.index(row, shape.left), shape.columns));
    bits.map(|bits| u64::from(bits.count_ones())).sum()
}

/// Returns the cells of a tile that have entries, with their numbers.
fn occupied(
    tile: &Tile,
    cells: impl Iterator<Item = CellShape>,
    codes: Option<usize>,
) -> Vec<(usize, CellShape, CellKind)> {
    let cells = cells.enumerate().filter_map(|(number, shape)| {
        let entries = entries(tile, shape);
        let full = entries == shape.slots();
        (entries > 0).then_some((number, shape, CellKind { full, codes }))
    });
    cells.collect()
}

/// Counts the symbols of a tile; with `None` for `codes`, only those of membership.
pub fn count(
    counts: &mut Counts,
    tile: &mut Tile,
    cells: impl Iterator<Item = CellShape>,
    codes: Option<usize>,
) {
    for (_, shape, kind) in occupied(tile, cells, codes) {
        walk_known(tile, shape, kind, counts, |counts| counts);
    }
}

/// State of a cell, stored in two bits.
mod state {
    pub const EMPTY: u8 = 0;
    pub const FULL: u8 = 1;
    pub const SOME: u8 = 2;
}

/// Appends a number of words: one byte below 252, two bytes from there on.
fn push_length(words: usize, out: &mut Vec<u8>) {
    // A cell has at most 512 slots of 3.5 bits for membership and 22 for a code, in two streams. So
    // the number is far below 1,276.
    match words {
        0..252 => out.push(words as u8),
        _ => out.extend([252 + ((words - 252) >> 8) as u8, (words - 252) as u8]),
    }
}

/// Appends the block of a tile to `out`; with `None` for `codes`, they are omitted.
pub fn encode(
    encoder: &mut CellEncoder,
    model: &Model,
    tile: &mut Tile,
    cells: impl ExactSizeIterator<Item = CellShape>,
    codes: Option<usize>,
    out: &mut Vec<u8>,
) {
    let start = out.len();
    let states = cells.len().div_ceil(4);
    let occupied = occupied(tile, cells, codes);
    if occupied.is_empty() {
        return;
    }
    // The states of all cells, then the lengths of each cell's two streams, then all words.
    out.resize(start + states, 0);
    let mut words = Vec::new();
    for (number, shape, kind) in occupied {
        let state = if kind.full { state::FULL } else { state::SOME };
        out[start + number / 4] |= state << (2 * (number % 4));
        for length in encoder.cell(model, tile, shape, kind, &mut words) {
            push_length(length, out);
        }
    }
    out.extend(words);
}

/// The state and the two streams of a cell.
#[derive(Clone, Copy)]
struct Part<'a> {
    state: u8,
    streams: [&'a [u8]; 2],
}

/// Splits a block into its cells and calls `each` for them, until it returns false.
fn for_each_part<'a>(
    stored: &'a [u8],
    cells: usize,
    mut each: impl FnMut(usize, Part<'a>) -> Result<bool, Difference>,
) -> Result<(), Difference> {
    let cut_off = || Difference::new("the lengths of its cells", "an earlier end");
    let (states, rest) = stored
        .split_at_checked(cells.div_ceil(4))
        .ok_or_else(cut_off)?;
    let state = |cell: usize| states[cell / 4] >> (2 * (cell % 4)) & 3;
    // The words of a cell start where those of the cells before it end, so read all lengths first.
    let mut lengths = rest.iter();
    let mut next_length = || -> Option<usize> {
        let first = usize::from(*lengths.next()?);
        Some(match first.checked_sub(252) {
            None => 2 * first,
            Some(high) => 2 * (252 + (high << 8 | usize::from(*lengths.next()?))),
        })
    };
    let mut bytes: [[u16; 2]; MOST_CELLS] = [[0; 2]; MOST_CELLS];
    for (cell, bytes) in bytes[..cells].iter_mut().enumerate() {
        if state(cell) != state::EMPTY {
            for half in bytes {
                *half = next_length().ok_or_else(cut_off)? as u16;
            }
        }
    }
    let mut words = lengths.as_slice();
    let expected: usize = bytes.iter().flatten().map(|&half| usize::from(half)).sum();
    Difference::check(expected, words.len(), |length| {
        format!("cells of {length} bytes")
    })?;
    // Cut the words into the streams of the cells.
    for (cell, bytes) in bytes[..cells].iter().enumerate() {
        let mut streams = [words; 2];
        for (stream, &half) in streams.iter_mut().zip(bytes) {
            (*stream, words) = words.split_at(usize::from(half));
        }
        let state = state(cell);
        if !each(cell, Part { state, streams })? {
            break;
        }
    }
    Ok(())
}

impl Part<'_> {
    /// Decodes some rows of the cell, see [`decode_cell`].
    fn decode(
        self,
        model: &Model,
        shape: CellShape,
        rows: Range<u32>,
        codes: Option<usize>,
        tile: &mut Tile,
    ) -> Result<(), Difference> {
        let full = match self.state {
            state::EMPTY => return Ok(()),
            state::FULL => true,
            state::SOME => false,
            other => return Err(Difference::new("a state of 0, 1 or 2", other)),
        };
        let whole = rows == (0..shape.rows);
        let kind = CellKind { full, codes };
        decode_cell(model, self.streams, shape, kind, rows, tile)?;
        if !whole || full {
            return Ok(());
        }
        // A cell that is marked as neither empty nor full must be neither.
        match entries(tile, shape) {
            some if some > 0 && some < shape.slots() => Ok(()),
            other => {
                let expected = format!("some but not all of {} entries", shape.slots());
                Err(Difference::new(expected, other))
            }
        }
    }
}

/// Decodes a whole block into an empty tile of the block's shape.
pub fn decode(
    model: &Model,
    stored: &[u8],
    mut cells: impl ExactSizeIterator<Item = CellShape>,
    codes: Option<usize>,
    tile: &mut Tile,
) -> Result<(), Difference> {
    if stored.is_empty() {
        return Ok(());
    }
    for_each_part(stored, cells.len(), |_, part| {
        if let Some(shape) = cells.next() {
            part.decode(model, shape, 0..shape.rows, codes, tile)?;
        }
        Ok(true)
    })?;
    if tile.count() == 0 {
        return Err(Difference::new("entries", "none"));
    }
    Ok(())
}

/// Decodes some rows of one cell of a block, as a tile of their own.
pub fn decode_one(
    model: &Model,
    stored: &[u8],
    cells: usize,
    (wanted, shape, rows): (usize, CellShape, Range<u32>),
    codes: Option<usize>,
    tile: &mut Tile,
) -> Result<(), Difference> {
    tile.reset(shape.rows, shape.columns);
    if stored.is_empty() {
        return Ok(());
    }
    let shape = CellShape {
        top: 0,
        left: 0,
        ..shape
    };
    for_each_part(stored, cells, |cell, part| {
        if cell == wanted {
            part.decode(model, shape, rows.clone(), codes, tile)?;
        }
        Ok(cell < wanted)
    })
}

#[cfg(test)]
mod tests {
    use super::super::walk::middle;
    use super::super::{fit, model};
    use super::*;
    use crate::table::format::CELL_COLUMNS;
    use proptest::prelude::*;

    /// A tile that is cut into cells of at most `cell` rows and columns.
    #[derive(Clone, Debug)]
    struct Sample {
        tile: Tile,
        codes: usize,
        cell: (u32, u32),
    }

    impl Sample {
        fn cells(&self) -> Vec<CellShape> {
            let (rows, columns) = self.cell;
            let tops = (0..self.tile.rows).step_by(rows as usize);
            tops.flat_map(|top| {
                let lefts = (0..self.tile.columns).step_by(columns as usize);
                lefts.map(move |left| CellShape {
                    top,
                    left,
                    rows: rows.min(self.tile.rows - top),
                    columns: columns.min(self.tile.columns - left),
                })
            })
            .collect()
        }

        fn model(&self) -> Model {
            let mut counts = Counts::new();
            let cells = self.cells().into_iter();
            count(&mut counts, &mut self.tile.clone(), cells, Some(self.codes));
            crate::table::codec::unpack(&fit::pack(&counts, 1)).unwrap()
        }

        fn block(&self, model: &Model, codes: Option<usize>) -> Vec<u8> {
            let mut block = Vec::new();
            let tile = &mut self.tile.clone();
            let cells = self.cells().into_iter();
            encode(
                &mut CellEncoder::default(),
                model,
                tile,
                cells,
                codes,
                &mut block,
            );
            block
        }

        fn decode(
            &self,
            model: &Model,
            block: &[u8],
            codes: Option<usize>,
        ) -> Result<Tile, Difference> {
            let mut tile = Tile::default();
            tile.reset(self.tile.rows, self.tile.columns);
            decode(model, block, self.cells().into_iter(), codes, &mut tile)?;
            Ok(tile)
        }
    }

    fn samples() -> impl Strategy<Value = Sample> {
        let shape = (1..60u32, 1..60u32, 5..40u32, 5..=CELL_COLUMNS);
        (shape, 1..=256usize, 0..=4u32).prop_flat_map(
            |((rows, columns, high, wide), codes, holes)| {
                // Few, most or all slots have entries, with random or smooth codes.
                let slot = (0..4u32, 0..codes, 0..3usize);
                let slots = prop::collection::vec(slot, (rows * columns) as usize);
                (slots, any::<bool>()).prop_map(move |(slots, smooth)| {
                    let mut tile = Tile::default();
                    tile.reset(rows, columns);
                    for (index, &(hole, code, wobble)) in slots.iter().enumerate() {
                        let smoothed = (index / 7 + wobble) % codes;
                        if hole >= holes {
                            tile.set(index, if smooth { smoothed } else { code } as u8);
                        }
                    }
                    let cell = (high.min(512 / wide), wide);
                    Sample { tile, codes, cell }
                })
            },
        )
    }

    proptest! {
        /// Uses the tile's own distributions and another's, which may lack symbols.
        #[test]
        fn tiles_come_back_whole_and_in_parts(sample in samples(), other in samples()) {
            for model in [sample.model(), other.model()] {
                for codes in [Some(sample.codes), None] {
                    let block = sample.block(&model, codes);
                    let mut expected = sample.tile.clone();
                    if codes.is_none() {
                        expected.codes.fill(0);
                    }
                    prop_assert_eq!(&sample.decode(&model, &block, codes).unwrap(), &expected);
                    let cells = sample.cells();
                    for (number, &shape) in cells.iter().enumerate().step_by(3) {
                        let row = number as u32 % shape.rows;
                        let middle = middle(shape);
                        let rows = row.min(middle)..row.max(middle) + 1;
                        let mut part = Tile::default();
                        let wanted = (number, shape, rows.clone());
                        decode_one(&model, &block, cells.len(), wanted, codes, &mut part).unwrap();
                        for row in rows {
                            for column in 0..shape.columns {
                                let index = expected.index(shape.top + row, shape.left + column);
                                let found = part.get(part.index(row, column));
                                prop_assert_eq!(found, expected.get(index));
                            }
                        }
                    }
                }
            }
        }

        /// Checks that damage neither panics nor leads to impossible codes.
        ///
        /// Here, without the block's CRC, the decoder may read damage as another tile.
        #[test]
        fn damaged_blocks_never_panic(sample in samples(), at in any::<prop::sample::Index>(), byte: u8, cut: bool) {
            let model = sample.model();
            let codes = Some(sample.codes);
            let mut block = sample.block(&model, codes);
            if !block.is_empty() {
                let at = at.index(block.len());
                if cut { block.truncate(at) } else { block[at] = byte }
            }
            if let Ok(tile) = sample.decode(&model, &block, codes) {
                prop_assert!(tile.codes.iter().all(|&code| usize::from(code) < sample.codes));
            }
        }

        #[test]
        fn noise_never_panics(noise: Vec<u8>, sample in samples()) {
            let _ = sample.decode(&sample.model(), &noise, Some(sample.codes));
            let _ = model::unpack(&noise);
        }
    }

    #[test]
    fn a_stream_that_goes_on_or_ends_early_is_an_error() {
        let mut tile = Tile::default();
        tile.reset(25, 16);
        (0..400)
            .filter(|i| i % 7 != 0)
            .for_each(|i| tile.set(i, (i % 5) as u8));
        let cell = (25, 16);
        let sample = Sample {
            tile,
            codes: 5,
            cell,
        };
        let model = sample.model();
        let codes = Some(5);
        let block = sample.block(&model, codes);
        assert!(sample.decode(&model, &block, codes).is_ok());
        for end in 0..block.len() {
            // An empty block is an empty tile.
            let cut = sample.decode(&model, &block[..end], codes);
            assert!(end == 0 || cut.is_err(), "cut off after {end} bytes");
        }
        let longer = [&block[..], &[1, 0]].concat();
        assert!(sample.decode(&model, &longer, codes).is_err());
        // The second stream has two more words, and its length says so.
        let mut longer = [&block[..], &[1, 0, 1, 0]].concat();
        assert!(block[2] < 200);
        longer[2] += 2;
        assert!(sample.decode(&model, &longer, codes).is_err());
    }

    #[test]
    fn many_words_take_two_bytes_to_count() {
        for (words, expected) in [
            (0, &[0][..]),
            (251, &[251]),
            (252, &[252, 0]),
            (600, &[253, 92]),
            (1275, &[255, 255]),
        ] {
            let mut out = Vec::new();
            push_length(words, &mut out);
            assert_eq!(out, expected, "{words}");
        }
    }
}
