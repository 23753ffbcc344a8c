//! Encoding and decoding of cells. The decoder checks everything, for its input is untrusted.

use super::ans;
use super::model::{ESCAPE, FARTHEST, MEMBER_MODELS, Model, UNIFORM, symbol};
use super::walk::{CellKind, Turn, middle, walk, walk_known};
use crate::game::Tile;
use crate::table::format::{CellShape, Difference};
use std::ops::Range;

struct CellDecoder<'a> {
    model: &'a Model,
    coder: ans::Decoder<'a>,
    codes: usize,
    damaged: bool,
}

impl Turn for CellDecoder<'_> {
    #[inline(always)]
    fn members(&mut self, model: usize, _: u32) -> u32 {
        let model = self.model.distribution(model);
        u32::from(self.coder.pop(model))
    }

    #[inline(always)]
    fn code(&mut self, model: usize, expected: u8, _: u8) -> u8 {
        let model = self.model.distribution(MEMBER_MODELS + model);
        let symbol = usize::from(self.coder.pop(model));
        let code = if symbol == ESCAPE {
            let uniform = self.model.distribution(UNIFORM);
            i32::from(self.coder.pop(uniform)) << 4 | i32::from(self.coder.pop(uniform))
        } else {
            i32::from(expected) + symbol as i32 - FARTHEST
        };
        // Note the damage and check it at the end of the stream, so that the loop has a single
        // exit.
        if code < 0 || code as usize >= self.codes {
            self.damaged = true;
            return 0;
        }
        code as u8
    }
}

impl<'a> CellDecoder<'a> {
    fn new(
        model: &'a Model,
        stored: &'a [u8],
        codes: usize,
    ) -> Result<CellDecoder<'a>, Difference> {
        let coder = ans::Decoder::new(stored)
            .ok_or_else(|| Difference::new("a stream whose first word isn't 0", 0))?;
        Ok(CellDecoder {
            model,
            coder,
            codes,
            damaged: false,
        })
    }

    /// Returns an error if a code was wrong, or unexpected data remains.
    ///
    /// `ended` says whether the stream should have ended.
    fn check(&self, ended: bool) -> Result<(), Difference> {
        if self.damaged {
            let expected = format!("codes below {}", self.codes);
            return Err(Difference::new(expected, "others"));
        }
        if ended && !self.coder.is_at_end() {
            let expected = "a stream that ends with its last slot";
            return Err(Difference::new(expected, "one that goes on"));
        }
        Ok(())
    }
}

/// Decodes some rows of a cell into its place in a tile.
///
/// The cell's slots in the tile must be empty. `rows` must include the middle row, and the other
/// rows stay empty.
pub fn decode_cell(
    model: &Model,
    [upwards, downwards]: [&[u8]; 2],
    shape: CellShape,
    kind: CellKind,
    rows: Range<u32>,
    tile: &mut Tile,
) -> Result<(), Difference> {
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

/// An encoder of cells that reuses its buffers.
#[derive(Default)]
pub struct CellEncoder {
    /// Distributions and symbols in decoding order.
    symbols: Vec<(u32, u8)>,
    words: Vec<u16>,
}

struct Recorder<'a> {
    model: &'a Model,
    symbols: &'a mut Vec<(u32, u8)>,
    /// Number of symbols in the upward half.
    upwards: usize,
}

impl Turn for Recorder<'_> {
    #[inline]
    fn members(&mut self, model: usize, known: u32) -> u32 {
        self.symbols.push((model as u32, known as u8));
        known
    }

    #[inline]
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
    /// Appends the words of a cell to `out`.
    ///
    /// Returns the numbers of words in the upward and the downward half.
    pub fn cell(
        &mut self,
        model: &Model,
        tile: &mut Tile,
        shape: CellShape,
        kind: CellKind,
        out: &mut Vec<u8>,
    ) -> [usize; 2] {
        let CellEncoder { symbols, words } = self;
        symbols.clear();
        // Collect the symbols in decoding order, then encode each half in reverse.
        let mut recorder = Recorder {
            model,
            symbols,
            upwards: 0,
        };
        walk_known(tile, shape, kind, &mut recorder, |recorder| {
            recorder.upwards = recorder.symbols.len();
            recorder
        });
        let (upwards, downwards) = recorder.symbols.split_at(recorder.upwards);
        [upwards, downwards].map(|half| stream(model, half, words, out))
    }
}

/// Appends the words of some symbols to `out` and returns their number.
///
/// `words` is a buffer. Two inlined copies were measurably slower.
#[inline(never)]
fn stream(model: &Model, symbols: &[(u32, u8)], words: &mut Vec<u16>, out: &mut Vec<u8>) -> usize {
    let mut coder = ans::Encoder::new(std::mem::take(words));
    // The coder is a stack: the last symbol encoded is decoded first.
    for &(distribution, symbol) in symbols.iter().rev() {
        // Every distribution has all symbols that occur, or an escape instead.
        coder.push(symbol, model.distribution(distribution as usize));
    }
    *words = coder.finish();
    out.extend(words.iter().rev().flat_map(|word| word.to_le_bytes()));
    words.len()
}
