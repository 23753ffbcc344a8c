//! The solved layers, and their scores for the writer of the table.

use super::bits::{BitMatrix, ReachedLayer};
use super::matrix::{Codes, Matrices, Matrix};
use super::moves::{LinePlace, PositionLine, Run};
use crate::game::{Scores, SolveError, Tile};
use crate::games::cells;
use crate::games::kalah::index::layout::{ByMover, Mover, Split};
use crate::pool::try_map_of;
use crate::work::{Scratch, ScratchFile};
use std::ops::Range;
use std::sync::Arc;

/// All layers solved so far.
#[derive(Debug, Default)]
pub struct Layers {
    /// The layers of 0, 1, 2, … seeds.
    pub layers: Vec<Matrices>,
    /// The files for layers that are not in memory.
    pub scratch: Option<Arc<Scratch>>,
}

impl Layers {
    /// Returns the number of layers, which is the next layer's number of seeds.
    pub fn count(&self) -> usize {
        self.layers.len()
    }

    /// Limits the memory taken by pages read from files; see [`Scratch::look`].
    ///
    /// Called after reading a row or a limited number of codes.
    #[inline]
    pub fn evict_if_needed(&self) {
        if let Some(scratch) = &self.scratch {
            scratch.evict_if_needed();
        }
    }

    /// Checks that the codes in files are still those that were written.
    ///
    /// # Errors
    /// [`SolveError::Disk`].
    pub fn check(&self) -> Result<(), SolveError> {
        check(self.layers.iter().flatten().flat_map(ByMover::both))
    }

    /// Returns the codes of a split with one side to move.
    pub fn matrix(&self, split: Split, mover: Mover) -> &Matrix {
        &self.layers[split.seeds()][split.smaller - 1][mover]
    }

    /// Returns the codes of a line.
    pub fn codes(&self, line: PositionLine) -> Codes<'_> {
        match line.place() {
            Some(LinePlace { split, mover, run }) => Codes::along(self.matrix(split, mover), run),
            None => Codes::All(line.final_code()),
        }
    }
}

/// All scores found by the retrograde solver, for the writer of the table.
pub(super) struct KalahScores {
    pub(super) count: u64,
    pub(super) reached: Vec<ReachedLayer>,
    pub(super) layers: Layers,
}

impl KalahScores {
    /// Returns the reachable positions of a segment.
    fn bits(&self, segment: u32) -> &BitMatrix {
        let (split, mover) = Split::of_segment(segment);
        &self.reached[split.seeds()].splits[split.smaller - 1].bits[mover]
    }
}

impl Scores for KalahScores {
    fn count(&self) -> u64 {
        self.count
    }

    fn is_vacant(&self, segment: u32, rows: Range<u32>, columns: Range<u32>) -> bool {
        self.bits(segment).is_vacant(
            rows.start as usize..rows.end as usize,
            columns.start as usize..columns.end as usize,
        )
    }

    fn check(&self, segments: Range<u32>) -> Result<(), SolveError> {
        let matrices = segments.map(Split::of_segment);
        check(matrices.map(|(split, mover)| self.layers.matrix(split, mover)))
    }

    fn tile(&self, segment: u32, rows: Range<u32>, columns: Range<u32>, tile: &mut Tile) {
        let (split, mover) = Split::of_segment(segment);
        let matrix = self.layers.matrix(split, mover);
        let bits = self.bits(segment);
        tile.reset(rows.end - rows.start, columns.end - columns.start);
        let (first, end) = (columns.start as usize, columns.end as usize);
        for (row, index) in rows.zip((0..).step_by(end - first)) {
            self.layers.evict_if_needed();
            let row = row as usize;
            // A matrix of reachable positions has codes only for the ones of a row: skip earlier
            // ones.
            let mut codes = match matrix {
                Matrix::Reached(codes) => {
                    RowCodes::OfOnes(&codes.row(row)[bits.ones_before(row, first)..])
                }
                matrix => RowCodes::All(Codes::along(matrix, Run::Row(row))),
            };
            // Mark and copy 64 columns at a time.
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

fn check<'a>(matrices: impl Iterator<Item = &'a Matrix>) -> Result<(), SolveError> {
    let files = matrices.filter_map(|matrix| matrix.bytes().file());
    let files: Vec<&ScratchFile> = files.collect();
    try_map_of(&files, |file| Ok(file.check()?)).map(drop)
}

/// The remaining codes of a row, to be copied into its slots.
enum RowCodes<'a> {
    /// One code for each column.
    All(Codes<'a>),
    /// One code for each of the remaining ones.
    OfOnes(&'a [u8]),
}

impl RowCodes<'_> {
    /// Copies the codes of the ones from `column` on into their slots, which must be 0.
    #[inline]
    fn put(&mut self, column: usize, ones: u64, slots: &mut [u8]) {
        match self {
            RowCodes::All(Codes::Bytes { codes, stride: 1 }) => {
                let codes = &codes[column..][..slots.len()];
                // With few ones, copy them one by one; otherwise copy everything and clear the
                // zeros.
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
