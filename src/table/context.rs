//! Cells: small rectangles of slots, coded slot by slot as their neighbours let expect.
//!
//! Scores of neighbouring slots are alike, and so is whether a class is there. So each slot is
//! coded with a distribution that depends on a few slots above and to the left of it, its
//! *context*. The distributions are counted before a group of segments is written, and stored in
//! the table; they don't adapt while decoding, so that each cell can be decoded by itself. It is
//! coded from its middle row upwards and, in a second stream, from there downwards: a probe needs
//! the rows from the middle to its own, a quarter of them on average. The entropy coder is
//! [`super::ans`].

use super::ans;
use super::error::Fault;
use super::models::{CODE_MODELS, Distribution, ESCAPE, MEMBER_MODELS, Model, UNIFORM, code_model};
use crate::game::Tile;
use std::ops::Range;

/// The most columns that a cell has.
pub(super) const CELL_COLUMNS: u32 = 16;

/// The most slots that a cell has.
pub(super) const CELL_SLOTS: u32 = 512;

/// A residue of -7 to 7 has a symbol of its own.
const FARTHEST: i32 = 7;

/// A rectangle within a tile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CellShape {
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

/// What is known of a cell beside its bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CellKind {
    /// Every slot has a class, so that there is nothing to say about membership.
    pub full: bool,
    /// How many codes there are; `None` if they are left out.
    pub codes: Option<usize>,
}

/// How a walk through a cell turns what it expects into what is there.
trait Turn {
    /// Four neighbouring membership bits, lowest first. `known` is what is there if the walk is
    /// over a known cell.
    fn members(&mut self, model: usize, known: u32) -> u32;

    /// A code.
    fn code(&mut self, model: usize, expected: u8, known: u8) -> u8;
}

/// The bits of up to 32 slots of a row of a tile.
pub(super) fn row_bits(tile: &Tile, index: usize, columns: u32) -> u64 {
    let (word, shift) = (index / 64, index % 64);
    let mut bits = tile.present[word] >> shift;
    if shift + columns as usize > 64 {
        bits |= tile.present[word + 1] << (64 - shift);
    }
    bits & ((1 << columns) - 1)
}

fn set_row_bits(tile: &mut Tile, index: usize, columns: u32, bits: u64) {
    let (word, shift) = (index / 64, index % 64);
    tile.present[word] |= bits << shift;
    if shift + columns as usize > 64 {
        tile.present[word + 1] |= bits >> (64 - shift);
    }
}

/// The median of `left`, `upper` and `left + upper - upper_left`.
#[inline(always)]
fn median(left: i32, upper: i32, upper_left: i32) -> i32 {
    let (low, high) = (left.min(upper), left.max(upper));
    (left + upper - upper_left).clamp(low, high)
}

/// What the two rows coded before are to the next one. An absent slot counts as having the code
/// that was expected there.
#[derive(Clone, Copy, Default)]
struct Above {
    bits: u64,
    uppermost_bits: u64,
    codes: [u8; CELL_COLUMNS as usize],
    uppermost_codes: [u8; CELL_COLUMNS as usize],
}

impl Above {
    /// What a row is to its neighbour when there is nothing beyond it.
    fn only(bits: u64, codes: [u8; CELL_COLUMNS as usize]) -> Above {
        Above {
            bits,
            uppermost_bits: bits,
            codes,
            uppermost_codes: codes,
        }
    }

    fn then(&self, bits: u64, codes: [u8; CELL_COLUMNS as usize]) -> Above {
        Above {
            bits,
            uppermost_bits: self.bits,
            codes,
            uppermost_codes: self.codes,
        }
    }
}

/// The row that a cell is coded from.
pub(super) fn middle(shape: CellShape) -> u32 {
    (shape.rows - 1) / 2
}

/// Walks through rows of a cell, each with the one before as the row above it; without `above`, the
/// first row has none. Gives what the rows' first and last are to their next. A known cell is in
/// the tile already; else the tile is filled.
#[inline(always)]
fn walk<const KNOWN: bool>(
    turn: &mut impl Turn,
    tile: &mut Tile,
    shape: CellShape,
    kind: CellKind,
    rows: impl Iterator<Item = u32>,
    above: Option<Above>,
) -> Above {
    let mut first = above;
    let mut above = above;
    for row in rows {
        let index = tile.index(shape.top + row, shape.left);
        let known = if KNOWN {
            row_bits(tile, index, shape.columns)
        } else {
            0
        };
        let bits = if kind.full {
            (1u64 << shape.columns) - 1
        } else {
            members(turn, shape.columns, above.as_ref(), known)
        };
        if !KNOWN {
            set_row_bits(tile, index, shape.columns, bits);
        }
        let codes = match kind.codes {
            None => [0; CELL_COLUMNS as usize],
            Some(codes) => {
                let slots = &mut tile.codes[index..index + shape.columns as usize];
                match &above {
                    None => first_row::<KNOWN>(turn, slots, bits, codes),
                    Some(above) => next_row::<KNOWN>(turn, slots, bits, codes, above),
                }
            }
        };
        above = Some(match above {
            None => Above::only(bits, codes),
            Some(above) => above.then(bits, codes),
        });
        first = first.or(above);
    }
    first.unwrap_or_default()
}

/// The codes of a row that has none above it.
#[inline(always)]
fn first_row<const KNOWN: bool>(
    turn: &mut impl Turn,
    slots: &mut [u8],
    bits: u64,
    codes: usize,
) -> [u8; CELL_COLUMNS as usize] {
    let mut line = [0; CELL_COLUMNS as usize];
    let mut left = (codes / 2) as u8;
    let mut leftmost = left;
    for (column, (slot, code)) in slots.iter_mut().zip(&mut line).enumerate() {
        *code = left;
        if bits >> column & 1 == 1 {
            let expected = i32::from(left);
            let (left, leftmost) = (expected, i32::from(leftmost));
            let model = code_model(expected, codes, left, left, leftmost, left);
            *code = turn.code(model, expected as u8, *slot);
            if !KNOWN {
                *slot = *code;
            }
        }
        (leftmost, left) = (left, *code);
    }
    line
}

/// The codes of a row that has one above it.
#[inline(always)]
fn next_row<const KNOWN: bool>(
    turn: &mut impl Turn,
    slots: &mut [u8],
    mut bits: u64,
    codes: usize,
    above: &Above,
) -> [u8; CELL_COLUMNS as usize] {
    let mut line = [0; CELL_COLUMNS as usize];
    let start = i32::from(above.codes[0]);
    let (mut left, mut leftmost, mut upper_left) = (start, start, start);
    let uppers = above.codes.iter().zip(&above.uppermost_codes);
    for ((slot, code), (&upper, &uppermost)) in slots.iter_mut().zip(&mut line).zip(uppers) {
        let (upper, uppermost) = (i32::from(upper), i32::from(uppermost));
        let expected = median(left, upper, upper_left);
        *code = expected as u8;
        if bits & 1 == 1 {
            let model = code_model(expected, codes, upper, left, leftmost, uppermost);
            *code = turn.code(model, *code, *slot);
            if !KNOWN {
                *slot = *code;
            }
        }
        bits >>= 1;
        leftmost = left;
        left = i32::from(*code);
        upper_left = upper;
    }
    line
}

/// The membership bits of a row, four at a time.
#[inline(always)]
fn members(turn: &mut impl Turn, columns: u32, above: Option<&Above>, known: u64) -> u64 {
    // Beyond its ends, a row goes on as it ends.
    let extend = |bits: u64| {
        let last = bits >> (columns - 1) & 1;
        bits | (0u64.wrapping_sub(last) & (0xff << columns))
    };
    let (upper, uppermost) = above.map_or((0, 0), |above| (above.bits, above.uppermost_bits));
    let (upper, uppermost, known) = (extend(upper), extend(uppermost), extend(known));
    // From here on, bit 0 of the row above is the slot left of the first.
    let upper = upper << 1 | upper & 1;
    let mut bits = 0u64;
    for column in (0..columns).step_by(4) {
        let left = match column {
            0 => (upper & 1) * 3,
            _ => bits >> (column - 2) & 3,
        };
        let context = (upper >> column & 0x3f)
            | left << 6
            | u64::from(above.is_none()) << 8
            | (uppermost >> column & 0xf) << 9;
        let four = turn.members(context as usize, (known >> column & 0xf) as u32);
        bits |= u64::from(four) << column;
    }
    bits & ((1 << columns) - 1)
}

/// Walks through both halves of a known cell, with a turn for each.
fn walk_known<T: Turn>(
    tile: &mut Tile,
    shape: CellShape,
    kind: CellKind,
    upwards: &mut T,
    downwards: impl FnOnce(&mut T) -> &mut T,
) {
    let middle = middle(shape);
    let above = walk::<true>(upwards, tile, shape, kind, (0..=middle).rev(), None);
    let below = middle + 1..shape.rows;
    walk::<true>(downwards(upwards), tile, shape, kind, below, Some(above));
}

/// The symbol of a code where another was expected.
#[inline(always)]
fn symbol(code: u8, expected: u8) -> usize {
    let residue = i32::from(code) - i32::from(expected);
    if residue.abs() <= FARTHEST {
        (residue + FARTHEST) as usize
    } else {
        ESCAPE
    }
}

/// How often each symbol of each model comes up.
pub(super) struct Counts {
    /// The symbols of the membership models, then those of the models for codes.
    pub symbols: Vec<[u32; 16]>,
}

impl Counts {
    pub fn new() -> Counts {
        Counts {
            symbols: vec![[0; 16]; MEMBER_MODELS + CODE_MODELS],
        }
    }

    /// Counts the symbols of a cell.
    pub fn add(&mut self, tile: &mut Tile, shape: CellShape, kind: CellKind) {
        walk_known(tile, shape, kind, self, |counts| counts);
    }

    pub fn merge(mut self, other: &Counts) -> Counts {
        for (sums, counts) in self.symbols.iter_mut().zip(&other.symbols) {
            for (sum, count) in sums.iter_mut().zip(counts) {
                *sum += count;
            }
        }
        self
    }
}

impl Turn for Counts {
    fn members(&mut self, model: usize, known: u32) -> u32 {
        self.symbols[model][known as usize] += 1;
        known
    }

    fn code(&mut self, model: usize, expected: u8, known: u8) -> u8 {
        self.symbols[MEMBER_MODELS + model][symbol(known, expected)] += 1;
        known
    }
}

/// Codes cells, with buffers that are used again.
#[derive(Default)]
pub(super) struct CellEncoder {
    /// What is to be coded, in the order in which it is decoded: which distribution, which symbol.
    symbols: Vec<(u32, u8)>,
    words: Vec<u16>,
}

struct Recorder<'a> {
    model: &'a Model,
    symbols: &'a mut Vec<(u32, u8)>,
    /// How many symbols the upward half has.
    upwards: usize,
}

impl Turn for Recorder<'_> {
    fn members(&mut self, model: usize, known: u32) -> u32 {
        self.symbols.push((model as u32, known as u8));
        known
    }

    fn code(&mut self, model: usize, expected: u8, known: u8) -> u8 {
        let model = MEMBER_MODELS + model;
        let mut symbol = symbol(known, expected);
        if !self.model.distribution(model).has(symbol) {
            symbol = ESCAPE;
        }
        self.symbols.push((model as u32, symbol as u8));
        if symbol == ESCAPE {
            self.symbols.push((UNIFORM as u32, known >> 4));
            self.symbols.push((UNIFORM as u32, known & 0xf));
        }
        known
    }
}

impl CellEncoder {
    /// Appends the words of a cell to `out`, and says how many of them are its upward and its
    /// downward half.
    pub fn cell(
        &mut self,
        model: &Model,
        tile: &mut Tile,
        shape: CellShape,
        kind: CellKind,
        out: &mut Vec<u8>,
    ) -> [usize; 2] {
        let mut symbols = std::mem::take(&mut self.symbols);
        symbols.clear();
        let mut recorder = Recorder {
            model,
            symbols: &mut symbols,
            upwards: 0,
        };
        walk_known(tile, shape, kind, &mut recorder, |recorder| {
            recorder.upwards = recorder.symbols.len();
            recorder
        });
        let (upwards, downwards) = recorder.symbols.split_at(recorder.upwards);
        let words = [
            self.stream(model, upwards, out),
            self.stream(model, downwards, out),
        ];
        self.symbols = symbols;
        words
    }

    fn stream(&mut self, model: &Model, symbols: &[(u32, u8)], out: &mut Vec<u8>) -> usize {
        let words = std::mem::take(&mut self.words);
        let mut coder = ans::Encoder::new(words);
        // What is coded last is decoded first.
        for &(distribution, symbol) in symbols.iter().rev() {
            // Every distribution has all symbols that come up or an escape.
            coder.push(symbol, model.distribution(distribution as usize));
        }
        let words = coder.finish();
        out.extend(words.iter().rev().flat_map(|word| word.to_le_bytes()));
        let count = words.len();
        self.words = words;
        count
    }
}

struct CellDecoder<'a> {
    model: &'a Model,
    coder: ans::Decoder<'a>,
    codes: usize,
    damaged: bool,
}

impl CellDecoder<'_> {
    #[inline(always)]
    fn next(&mut self, distribution: &Distribution) -> u8 {
        self.coder.pop(distribution)
    }
}

impl Turn for CellDecoder<'_> {
    #[inline(always)]
    fn members(&mut self, model: usize, _: u32) -> u32 {
        let model = self.model.distribution(model);
        u32::from(self.next(model))
    }

    #[inline(always)]
    fn code(&mut self, model: usize, expected: u8, _: u8) -> u8 {
        let model = self.model.distribution(MEMBER_MODELS + model);
        let symbol = usize::from(self.next(model));
        let code = if symbol == ESCAPE {
            let uniform = self.model.distribution(UNIFORM);
            i32::from(self.next(uniform)) << 4 | i32::from(self.next(uniform))
        } else {
            i32::from(expected) + symbol as i32 - FARTHEST
        };
        if code < 0 || code as usize >= self.codes {
            self.damaged = true;
            return 0;
        }
        code as u8
    }
}

impl<'a> CellDecoder<'a> {
    fn new(model: &'a Model, stored: &'a [u8], codes: usize) -> Result<CellDecoder<'a>, Fault> {
        let coder = ans::Decoder::new(stored)
            .ok_or_else(|| Fault::new("block", "a stream whose first word isn't 0", 0))?;
        Ok(CellDecoder {
            model,
            coder,
            codes,
            damaged: false,
        })
    }

    /// An error if what has been decoded can't be right; `ended` says whether it should be all.
    fn check(&self, ended: bool) -> Result<(), Fault> {
        if self.damaged {
            let expected = format!("codes below {}", self.codes);
            return Err(Fault::new("block", expected, "others"));
        }
        if ended && !self.coder.is_at_end() {
            let expected = "a stream that ends with its last slot";
            return Err(Fault::new("block", expected, "one that goes on"));
        }
        Ok(())
    }
}

/// Decodes a cell into its place in a tile, whose slots there must be empty: the rows from
/// `rows.start` up to `rows.end` (exclusive), which must include the middle one, and no other.
pub(super) fn decode(
    model: &Model,
    [upwards, downwards]: [&[u8]; 2],
    shape: CellShape,
    kind: CellKind,
    rows: Range<u32>,
    tile: &mut Tile,
) -> Result<(), Fault> {
    let codes = kind.codes.unwrap_or(0);
    let middle = middle(shape);
    let mut decoder = CellDecoder::new(model, upwards, codes)?;
    let above = (rows.start..=middle).rev();
    let above = walk::<false>(&mut decoder, tile, shape, kind, above, None);
    decoder.check(rows.start == 0)?;
    let mut decoder = CellDecoder::new(model, downwards, codes)?;
    let below = middle + 1..rows.end;
    walk::<false>(&mut decoder, tile, shape, kind, below, Some(above));
    decoder.check(rows.end == shape.rows)
}
