//! Scores of reachable positions only, for layers with few of them.
//!
//! The bits of the reachable positions number them within their row, and an index has the start of
//! each row's codes. The order of solving and the codes are those of [`super::dense`].

use super::bits::{BitMatrix, ReachedSplit};
use super::layers::Layers;
use super::matrix::{Codes, Matrix, ReachedMatrix};
use super::moves::{
    Captured, LargerSideMove, PositionLine, Run, SmallerSideMove, Steps, larger_moves,
    smaller_moves,
};
use crate::game::{Progress, SolveError};
use crate::games::kalah::Pits;
use crate::games::kalah::index::layout::{ByMover, Mover, Split};
use std::sync::Arc;

/// Solves the reachable positions of a split of the next layer.
///
/// # Errors
/// [`SolveError::Interrupted`], [`SolveError::NoMemory`].
pub fn solve_split(
    steps: &Steps,
    layers: &Layers,
    this: &ReachedSplit,
    progress: &dyn Progress,
) -> Result<ByMover<Matrix>, SolveError> {
    let mirrored = this.mirrored()?;
    let smaller_bits = mirrored.as_ref().unwrap_or(&this.bits.smaller);
    let mut solver = SplitSolver {
        steps,
        layers,
        split: this.split,
        bits: ByMover {
            larger: &this.bits.larger,
            smaller: smaller_bits,
        },
        codes: ByMover {
            larger: ReachedMatrix::blank(&this.bits.larger),
            smaller: ReachedMatrix::blank(smaller_bits),
        },
        ones: Vec::new(),
        best: Vec::new(),
    };
    // In an even split, the transposed matrix is solved, too, because its rows are needed. Its
    // positions count only once.
    let counted = if this.split.is_even() { 0 } else { 1 };
    for (row, larger_pits) in steps.arrangements.all(this.split.larger).enumerate() {
        if row % 1024 == 0 && progress.cancelled() {
            return Err(SolveError::Interrupted);
        }
        // Alternate between the sides: the larger side's positions of a row need the smaller side's
        // of lower rows, and the smaller side's need the larger side's of the same row.
        let larger = solver.larger_row(row, &larger_pits);
        let smaller = solver.smaller_row(row, &larger_pits);
        if larger + smaller > 0 {
            progress.advance(larger + counted * smaller);
        }
    }
    Ok(ByMover {
        larger: Matrix::Reached(solver.codes.larger),
        smaller: match this.split.is_even() {
            true => Matrix::default(),
            false => Matrix::Reached(solver.codes.smaller),
        },
    })
}

/// The best moves of a position seen so far.
#[derive(Clone, Copy)]
struct Best {
    /// The least code of a child where the turn passes.
    least: u8,
    /// The greatest code of an extra turn.
    extra: u8,
}

impl Best {
    const NONE: Best = Best {
        least: u8::MAX,
        extra: 0,
    };

    /// Returns the position's code, with `seeds` seeds on the board.
    ///
    /// If no move passes the turn, `least` is still 255 and the saturating difference is 0.
    fn code(self, seeds: usize) -> u8 {
        (seeds as u8).saturating_sub(self.least).max(self.extra)
    }
}

/// Solves the rows of a split.
///
/// Both sides compute the same, but in a different order. A move of the larger side applies to all
/// columns, so its outer loop is over moves. The smaller side's moves depend on the column, so its
/// outer loop is over columns.
struct SplitSolver<'a> {
    steps: &'a Steps,
    layers: &'a Layers,
    split: Split,
    bits: ByMover<&'a Arc<BitMatrix>>,
    codes: ByMover<ReachedMatrix>,
    /// Scratch: the columns of a row's positions, and their best moves.
    ones: Vec<u32>,
    best: Vec<Best>,
}

impl SplitSolver<'_> {
    /// Returns the codes along a line of a lower layer, or a solved row of this split.
    ///
    /// In the latter case, `mover` is the side to move in that row.
    fn find(&self, line: PositionLine, mover: Mover, row: usize) -> Codes<'_> {
        if line.seeds() == self.split.seeds() {
            Codes::Reached(&self.codes[mover], Run::Row(row))
        } else {
            self.layers.codes(line)
        }
    }

    /// Solves a row's positions with the larger side to move; returns their number.
    fn larger_row(&mut self, row: usize, larger_pits: &Pits) -> u64 {
        if !self.bits.larger.ones_of_row(row, &mut self.ones) {
            return 0;
        }
        let seeds = self.split.seeds();
        let mut best = std::mem::take(&mut self.best);
        best.clear();
        best.resize(self.ones.len(), Best::NONE);
        for mv in larger_moves(self.steps, self.split, larger_pits) {
            match mv {
                LargerSideMove::Capture { lines, captures } => {
                    let find = |line: PositionLine| self.find(line, Mover::Smaller, line.fixed);
                    let children: Vec<Codes> = lines.all().map(find).collect();
                    for (&column, best) in self.ones.iter().zip(&mut best) {
                        self.layers.evict_if_needed();
                        let Captured { seeds, index } = captures.columns[column as usize];
                        let child = children[usize::from(seeds)].get(index as usize);
                        best.least = best.least.min(child);
                    }
                }
                // Nothing is scored, so nothing is dropped and each column leads to the same
                // column.
                LargerSideMove::Plain { line, .. } if line.seeds() == seeds => {
                    for (&column, best) in self.ones.iter().zip(&mut best) {
                        let row = line.fixed;
                        let child = self.codes.smaller.get(row, column as usize);
                        best.least = best.least.min(child);
                    }
                }
                LargerSideMove::Plain { line, dropped } => {
                    let child = self.layers.codes(line);
                    let tos = self.steps.dropped(self.split.smaller, dropped);
                    let gained = (seeds - line.seeds()) as u8;
                    for (&column, best) in self.ones.iter().zip(&mut best) {
                        self.layers.evict_if_needed();
                        let child = child.get(tos[column as usize] as usize);
                        if line.fixed_moves {
                            best.extra = best.extra.max(child.wrapping_add(gained));
                        } else {
                            best.least = best.least.min(child);
                        }
                    }
                }
            }
        }
        for (code, best) in self.codes.larger.row_mut(row).iter_mut().zip(&best) {
            *code = best.code(seeds);
        }
        self.best = best;
        self.ones.len() as u64
    }

    /// Solves a row's positions with the smaller side to move; returns their number.
    fn smaller_row(&mut self, row: usize, larger_pits: &Pits) -> u64 {
        if !self.bits.smaller.ones_of_row(row, &mut self.ones) {
            return 0;
        }
        let seeds = self.split.seeds();
        // The lines are the same for all columns, so look them up once for each kind of move.
        let children: Vec<(SmallerSideMove, Codes)> =
            smaller_moves(self.steps, self.split, larger_pits)
                .map(|mv| {
                    let along = self.find(mv.line, Mover::Larger, row);
                    (mv, along)
                })
                .collect();
        let columns = self.steps.columns(self.split.smaller);
        let code = |&column: &u32| {
            let mut best = Best::NONE;
            self.layers.evict_if_needed();
            for step in columns.steps_of(column as usize) {
                let (mv, along) = &children[step.kind as usize];
                let child = along.get(mv.place(step));
                if mv.line.fixed_moves {
                    best.least = best.least.min(child);
                } else {
                    let gained = (seeds - mv.line.seeds()) as u8;
                    best.extra = best.extra.max(child.wrapping_add(gained));
                }
            }
            best.code(seeds)
        };
        let codes: Vec<u8> = self.ones.iter().map(code).collect();
        self.codes.smaller.row_mut(row).copy_from_slice(&codes);
        self.ones.len() as u64
    }
}
