//! The scores that a sweep has found, for the writer of the table.

use super::bits::ReachedLayer;
use super::codes::Codes;
use super::layers::Layers;
use super::lines::Run;
use super::matrix::Matrix;
use crate::game::{Scores, SolveError, Tile};
use crate::games::cells;
use crate::games::kalah::index::layout::Split;
use crate::pool::try_map_of;
use crate::work::Piece;
use std::ops::Range;

pub(super) struct KalahScores {
    pub(super) count: u64,
    pub(super) reached: Vec<ReachedLayer>,
    pub(super) layers: Layers,
}

impl Scores for KalahScores {
    fn count(&self) -> u64 {
        self.count
    }

    fn is_vacant(&self, segment: u32, rows: Range<u32>, columns: Range<u32>) -> bool {
        let (split, mover) = Split::of_segment(segment);
        let this = &self.reached[split.seeds()].splits[split.poor - 1];
        this.bits[mover].is_vacant(
            rows.start as usize..rows.end as usize,
            columns.start as usize..columns.end as usize,
        )
    }

    fn check(&self, segments: Range<u32>) -> Result<(), SolveError> {
        let matrices = segments.map(Split::of_segment);
        let pieces =
            matrices.map(|(split, mover)| self.layers.matrix(split, mover).bytes().piece());
        let pieces: Vec<&Piece> = pieces.flatten().collect();
        try_map_of(&pieces, |piece| Ok(piece.check()?)).map(drop)
    }

    fn tile(&self, segment: u32, rows: Range<u32>, columns: Range<u32>, tile: &mut Tile) {
        let (split, mover) = Split::of_segment(segment);
        let matrix = self.layers.matrix(split, mover);
        let bits = &self.reached[split.seeds()].splits[split.poor - 1].bits[mover];
        tile.reset(rows.end - rows.start, columns.end - columns.start);
        let (first, end) = (columns.start as usize, columns.end as usize);
        for (row, index) in rows.zip((0..).step_by(end - first)) {
            self.layers.look();
            let row = row as usize;
            let mut codes = match matrix {
                Matrix::Reached(codes) => {
                    RowCodes::OfOnes(&codes.row(row)[bits.ones_before(row, first)..])
                }
                matrix => RowCodes::All(Codes::along(matrix, Run::Row(row))),
            };
            for from in (first..end).step_by(64) {
                let ones = bits.bits(row, from, end);
                if ones != 0 {
                    let at = index + from - first;
                    tile.mark(at, ones);
                    codes.put(from, ones, &mut tile.codes[at..][..(end - from).min(64)]);
                }
            }
        }
    }
}

/// The codes of a row, to be put where they belong.
enum RowCodes<'a> {
    /// One for each column.
    All(Codes<'a>),
    /// One for each of the ones that are still to come.
    OfOnes(&'a [u8]),
}

impl RowCodes<'_> {
    /// Puts those of the ones among the columns from one on into their slots, which are 0.
    #[inline]
    fn put(&mut self, column: usize, ones: u64, slots: &mut [u8]) {
        match self {
            RowCodes::All(Codes::Bytes { codes, stride: 1 }) => {
                let codes = &codes[column..][..slots.len()];
                let zeros = !ones & (u64::MAX >> (64 - slots.len()));
                if ones.count_ones() < zeros.count_ones() {
                    cells::ones(ones).for_each(|at| slots[at] = codes[at]);
                    return;
                }
                slots.copy_from_slice(codes);
                cells::ones(zeros).for_each(|at| slots[at] = 0);
            }
            RowCodes::All(codes) => {
                cells::ones(ones).for_each(|at| slots[at] = codes.get(column + at));
            }
            RowCodes::OfOnes(codes) => {
                let (these, rest) = codes.split_at(ones.count_ones() as usize);
                cells::ones(ones)
                    .zip(these)
                    .for_each(|(at, &code)| slots[at] = code);
                *codes = rest;
            }
        }
    }
}
