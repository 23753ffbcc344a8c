//! Scores of the reachable positions only, for layers of which few positions can be reached.
//!
//! The bits of the reachable positions number them within their row; each row remembers where its
//! codes start. Order and codes are those of [`super::dense`].

use super::bits::{BitMatrix, ReachedSplit};
use super::layers::Layers;
use super::lines::{Line, PoorMove, RichMove, Run, poor_moves, rich_moves};
use super::matrix::{Codes, Matrix};
use super::matrix_of_reached::ReachedMatrix;
use super::splits::for_all;
use super::steps::{Captured, Steps};
use crate::game::{Progress, SolveError};
use crate::games::kalah::Pits;
use crate::games::kalah::index::layout::{ByMover, Mover, Split};
use std::sync::Arc;

/// Computes the codes of the reachable positions of these splits, in the order of the poor side's
/// seeds, of the next layer.
///
/// # Errors
/// [`SolveError::Interrupted`], [`SolveError::NoMemory`].
pub fn solve_splits(
    steps: &Steps,
    layers: &Layers,
    splits: &[&ReachedSplit],
    progress: &dyn Progress,
) -> Result<Vec<ByMover<Matrix>>, SolveError> {
    for_all(splits, progress, |split| {
        solve_split(steps, layers, split, progress)
    })
}

fn solve_split(
    steps: &Steps,
    layers: &Layers,
    this: &ReachedSplit,
    progress: &dyn Progress,
) -> Result<ByMover<Matrix>, SolveError> {
    let mirrored = this.mirrored()?;
    let poor_bits = mirrored.as_ref().unwrap_or(&this.bits.poor);
    let mut sweep = SplitSweep {
        steps,
        layers,
        split: this.split,
        bits: ByMover {
            rich: &this.bits.rich,
            poor: poor_bits,
        },
        codes: ByMover {
            rich: ReachedMatrix::blank(&this.bits.rich),
            poor: ReachedMatrix::blank(poor_bits),
        },
        ones: Vec::new(),
        best: Vec::new(),
    };
    // Of an even split the mirrored matrix is solved, too, because its rows are needed, but its
    // positions count once.
    let counted = if this.split.is_even() { 0 } else { 1 };
    for (row, rich_pits) in steps.arrangements.all(this.split.rich).enumerate() {
        if row % 1024 == 0 && progress.cancelled() {
            return Err(SolveError::Interrupted);
        }
        // The rich side's positions of a row need the poor side's of rows before it, and the poor
        // side's the rich side's of the same row: neither can be done by itself.
        let rich = sweep.rich_row(row, &rich_pits);
        let poor = sweep.poor_row(row, &rich_pits);
        if rich + poor > 0 {
            progress.advance(rich + counted * poor);
        }
    }
    Ok(ByMover {
        rich: Matrix::Reached(sweep.codes.rich),
        poor: match this.split.is_even() {
            true => Matrix::default(),
            false => Matrix::Reached(sweep.codes.poor),
        },
    })
}

/// What the moves of a position are worth, those seen so far.
#[derive(Clone, Copy)]
struct Best {
    /// The least code of a child where the turn passes.
    least: u8,
    /// The most that an extra turn brings.
    extra: u8,
}

impl Best {
    const NONE: Best = Best {
        least: u8::MAX,
        extra: 0,
    };

    /// The position's code, with so many seeds on the board. Where no move passes the turn, the
    /// least is still 255, and the saturating difference 0.
    fn code(self, seeds: usize) -> u8 {
        (seeds as u8).saturating_sub(self.least).max(self.extra)
    }
}

/// Goes through the rows of a split. The two sides' halves are alike in what they compute, but not
/// in the order: a move of the rich side is one for all columns, so moves are the outer loop; which
/// moves the poor side has depends on the column, so columns are.
struct SplitSweep<'a> {
    steps: &'a Steps,
    layers: &'a Layers,
    split: Split,
    bits: ByMover<&'a Arc<BitMatrix>>,
    codes: ByMover<ReachedMatrix>,
    /// Scratch: the columns of a row's positions, and what their moves are worth.
    ones: Vec<u32>,
    best: Vec<Best>,
}

impl SplitSweep<'_> {
    /// The codes along a line of a lower layer, or along a row of this split that is done: then
    /// `mover` is who moves there.
    fn find(&self, line: Line, mover: Mover, row: usize) -> Codes<'_> {
        if line.seeds() == self.split.seeds() {
            Codes::Reached(&self.codes[mover], Run::Row(row))
        } else {
            self.layers.codes(line)
        }
    }

    /// Adds the codes of a row's positions with the rich side to move; says how many.
    fn rich_row(&mut self, row: usize, rich_pits: &Pits) -> u64 {
        if !self.bits.rich.ones_of_row(row, &mut self.ones) {
            return 0;
        }
        let seeds = self.split.seeds();
        let mut best = std::mem::take(&mut self.best);
        best.clear();
        best.resize(self.ones.len(), Best::NONE);
        for mv in rich_moves(self.steps, self.split, rich_pits) {
            match mv {
                RichMove::Capture { lines, captures } => {
                    let find = |line: Line| self.find(line, Mover::Poor, line.fixed);
                    let children: Vec<Codes> = lines.into_iter().map(find).collect();
                    for (&column, best) in self.ones.iter().zip(&mut best) {
                        self.layers.look();
                        let Captured { seeds, index } = captures.columns[column as usize];
                        let child = children[usize::from(seeds)].get(index as usize);
                        best.least = best.least.min(child);
                    }
                }
                // Nothing is scored, so nothing is dropped: column goes to column.
                RichMove::Plain { line, .. } if line.seeds() == seeds => {
                    for (&column, best) in self.ones.iter().zip(&mut best) {
                        let row = line.fixed;
                        let child = self.codes.poor.get(row, column as usize);
                        best.least = best.least.min(child);
                    }
                }
                RichMove::Plain { line, dropped } => {
                    let child = self.layers.codes(line);
                    let tos = self.steps.dropped(self.split.poor, dropped);
                    let gained = (seeds - line.seeds()) as u8;
                    for (&column, best) in self.ones.iter().zip(&mut best) {
                        self.layers.look();
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
        for (code, best) in self.codes.rich.row_mut(row).iter_mut().zip(&best) {
            *code = best.code(seeds);
        }
        self.best = best;
        self.ones.len() as u64
    }

    /// Adds the codes of a row's positions with the poor side to move; says how many.
    fn poor_row(&mut self, row: usize, rich_pits: &Pits) -> u64 {
        if !self.bits.poor.ones_of_row(row, &mut self.ones) {
            return 0;
        }
        let seeds = self.split.seeds();
        // The same for all columns of the row, so looked up once for each kind of move.
        let children: Vec<(PoorMove, Codes)> = poor_moves(self.steps, self.split, rich_pits)
            .map(|mv| {
                let along = self.find(mv.line, Mover::Rich, row);
                (mv, along)
            })
            .collect();
        let columns = self.steps.columns(self.split.poor);
        let code = |&column: &u32| {
            let mut best = Best::NONE;
            self.layers.look();
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
        self.codes.poor.row_mut(row).copy_from_slice(&codes);
        self.ones.len() as u64
    }
}
