//! Encoding of cells.

use super::ans;
use super::context::{ESCAPE, MEMBER_MODELS, UNIFORM, symbol};
use super::model::Model;
use super::walk::{CellKind, Turn, walk_known};
use crate::game::Tile;
use crate::table::format::CellShape;

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
