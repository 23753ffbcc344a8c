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
    recorder: Recorder,
    coders: [ans::Encoder; 2],
}

/// A symbol to be encoded.
#[derive(Clone, Copy)]
struct Symbol {
    model: u16,
    symbol: u8,
    /// The code, in case its distribution lacks the symbol.
    code: u8,
}

const _: () = assert!(UNIFORM <= u16::MAX as usize);

/// The symbols of a cell in decoding order.
#[derive(Default)]
struct Recorder {
    symbols: Vec<Symbol>,
    /// Number of symbols in the upward half.
    upwards: usize,
}

impl Turn for Recorder {
    #[inline(always)]
    fn members(&mut self, model: usize, known: u32) -> u32 {
        self.symbols.push(Symbol {
            model: model as u16,
            symbol: known as u8,
            code: 0,
        });
        known
    }

    #[inline(always)]
    fn code(&mut self, model: usize, expected: u8, known: u8) -> u8 {
        self.symbols.push(Symbol {
            model: (MEMBER_MODELS + model) as u16,
            symbol: symbol(known, expected) as u8,
            code: known,
        });
        known
    }
}

impl Symbol {
    #[inline(always)]
    fn push(self, model: &Model, coder: &mut ans::Encoder) {
        let distribution = model.distribution(usize::from(self.model));
        let share = distribution.share(usize::from(self.symbol));
        let is_code = usize::from(self.model) >= MEMBER_MODELS;
        if is_code && (share.1 == 0 || usize::from(self.symbol) == ESCAPE) {
            let uniform = model.distribution(UNIFORM);
            coder.push(uniform.share(usize::from(self.code & 0xf)));
            coder.push(uniform.share(usize::from(self.code >> 4)));
            coder.push(distribution.share(ESCAPE));
        } else {
            coder.push(share);
        }
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
        // Collect the symbols in decoding order, then encode each half in reverse.
        let CellEncoder { recorder, coders } = self;
        recorder.symbols.clear();
        walk_known(tile, shape, kind, recorder, |recorder| {
            recorder.upwards = recorder.symbols.len();
            recorder
        });
        let (upwards, downwards) = recorder.symbols.split_at(recorder.upwards);
        let [first, second] = coders;
        // In turn, because a coder needs the result of its last division for the next one.
        let both = upwards.len().min(downwards.len());
        let (upwards, downwards) = (upwards.iter().rev(), downwards.iter().rev());
        for (up, down) in upwards.clone().zip(downwards.clone()) {
            up.push(model, first);
            down.push(model, second);
        }
        upwards.skip(both).for_each(|up| up.push(model, first));
        downwards
            .skip(both)
            .for_each(|down| down.push(model, second));
        [first.finish(out), second.finish(out)]
    }
}
