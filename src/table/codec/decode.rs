//! Decoding of cells, with checks of everything: the input is untrusted.

use super::ans;
use super::context::{ESCAPE, FARTHEST, MEMBER_MODELS, UNIFORM};
use super::model::Model;
use super::walk::{CellKind, Turn, middle, walk};
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
pub fn cell(
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
