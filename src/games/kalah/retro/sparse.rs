//! Scores of the reachable positions only, for layers of which few positions can be reached.
//!
//! The bits of the reachable positions number them within their row; each row remembers where its
//! codes start. Order and codes are those of [`super::dense`].

use super::bits::{BitMatrix, ReachedLayer, ReachedSplit};
use super::dense::{Codes, DenseLayer};
use super::lines::{Line, Place, Run, poor_child, rich_capture, rich_child};
use super::steps::{Landing, Steps, own_step};
use crate::game::{Progress, SolveError};
use crate::games::kalah::index::layout::Split;
use rayon::prelude::*;
use std::sync::atomic::Ordering::Relaxed;

/// The codes of one matrix's reachable positions, in the order of their bits.
#[derive(Debug, Default)]
pub struct SparseMatrix {
    starts: Vec<u64>,
    codes: Vec<u8>,
}

impl SparseMatrix {
    /// Room for the codes of these positions.
    fn new(reached: &BitMatrix) -> SparseMatrix {
        SparseMatrix {
            starts: Vec::with_capacity(reached.rows() + 1),
            codes: Vec::with_capacity(reached.count() as usize),
        }
    }

    /// A zero for each of these positions.
    fn blank(reached: &BitMatrix) -> SparseMatrix {
        let mut starts = vec![0];
        let mut count = 0;
        for row in 0..reached.rows() {
            let ones = reached.row(row).iter();
            count += ones
                .map(|word| u64::from(word.load(Relaxed).count_ones()))
                .sum::<u64>();
            starts.push(count);
        }
        SparseMatrix {
            starts,
            codes: vec![0; count as usize],
        }
    }

    /// The codes of one row's reachable positions.
    #[must_use]
    pub fn row(&self, row: usize) -> &[u8] {
        let end = self
            .starts
            .get(row + 1)
            .map_or(self.codes.len(), |&end| end as usize);
        &self.codes[self.starts[row] as usize..end]
    }

    fn get(&self, reached: &BitMatrix, row: usize, column: usize) -> u8 {
        debug_assert!(reached.get(row, column));
        self.codes[self.starts[row] as usize + reached.ones_before(row, column)]
    }
}

/// The codes of one split's reachable positions.
#[derive(Debug)]
pub struct SparseSplit {
    /// Those with the rich side to move.
    pub rich_moves: SparseMatrix,
    /// Those with the poor side to move; empty if the split is even.
    pub poor_moves: SparseMatrix,
}

/// The codes of one layer's reachable positions.
#[derive(Debug)]
pub struct SparseLayer {
    /// One entry a split, by the poor side's seeds from 1 on.
    pub splits: Vec<SparseSplit>,
}

/// All layers solved so far: dense ones from the bottom up, then sparse ones.
#[derive(Debug, Default)]
pub struct Layers {
    /// The layers of 0, 1, 2, … seeds.
    pub dense: Vec<DenseLayer>,
    /// Those that follow.
    pub sparse: Vec<SparseLayer>,
}

/// The codes along a line, dense or sparse.
#[derive(Clone, Copy)]
enum AnyCodes<'a> {
    Dense(Codes<'a>),
    Sparse(&'a SparseMatrix, &'a BitMatrix, Run),
}

impl<'a> AnyCodes<'a> {
    fn find(layers: &'a Layers, reached: &'a [ReachedLayer], line: Line) -> AnyCodes<'a> {
        match line.place() {
            Some(place) if line.seeds() >= layers.dense.len() => {
                let layer = &layers.sparse[line.seeds() - layers.dense.len()];
                let matrix = layer.matrix(place);
                AnyCodes::Sparse(matrix, reached[line.seeds()].matrix(place), place.run)
            }
            _ => AnyCodes::Dense(Codes::find(&layers.dense, line)),
        }
    }

    fn get(&self, free: usize) -> u8 {
        match *self {
            AnyCodes::Dense(codes) => codes.get(free),
            AnyCodes::Sparse(matrix, reached, Run::Row(row)) => matrix.get(reached, row, free),
            AnyCodes::Sparse(matrix, reached, Run::Column(column)) => {
                matrix.get(reached, free, column)
            }
        }
    }
}

impl SparseLayer {
    /// A layer with the code 0 for each of these positions.
    #[must_use]
    pub fn blank(reached: &ReachedLayer) -> SparseLayer {
        let splits = reached
            .splits
            .par_iter()
            .map(|split| SparseSplit {
                rich_moves: SparseMatrix::blank(&split.rich_moves),
                poor_moves: SparseMatrix::blank(&split.poor_moves),
            })
            .collect();
        SparseLayer { splits }
    }

    /// All codes, a matrix after the other.
    pub fn codes(&self) -> impl Iterator<Item = &[u8]> {
        self.splits
            .iter()
            .flat_map(|split| [&split.rich_moves.codes[..], &split.poor_moves.codes])
    }

    /// The same to be written to.
    pub fn codes_mut(&mut self) -> impl Iterator<Item = &mut [u8]> {
        self.splits
            .iter_mut()
            .flat_map(|split| [&mut split.rich_moves.codes[..], &mut split.poor_moves.codes])
    }

    fn matrix(&self, place: Place) -> &SparseMatrix {
        let split = &self.splits[place.split.poor - 1];
        if place.rich_moves {
            &split.rich_moves
        } else {
            &split.poor_moves
        }
    }
}

/// Computes the codes of the reachable positions of the layer above `layers`.
///
/// # Errors
/// [`SolveError::Interrupted`].
pub fn solve_layer(
    steps: &Steps,
    layers: &Layers,
    reached: &[ReachedLayer],
    progress: &dyn Progress,
) -> Result<SparseLayer, SolveError> {
    let seeds = layers.dense.len() + layers.sparse.len();
    let these = &reached[seeds].splits;
    let mut splits: Vec<Option<SparseSplit>> = these.iter().map(|_| None).collect();
    rayon::scope_fifo(|scope| {
        for (this, result) in these.iter().zip(&mut splits).rev() {
            scope.spawn_fifo(move |_| {
                *result = Some(solve_split(steps, layers, reached, this, progress));
            });
        }
    });
    if progress.cancelled() {
        return Err(SolveError::Interrupted);
    }
    Ok(SparseLayer {
        splits: splits.into_iter().flatten().collect(),
    })
}

fn solve_split(
    steps: &Steps,
    layers: &Layers,
    reached: &[ReachedLayer],
    this: &ReachedSplit,
    progress: &dyn Progress,
) -> SparseSplit {
    let arrangements = &steps.arrangements;
    let Split { rich, poor } = this.split;
    let pits = arrangements.pits();
    let seeds = this.split.seeds();
    let rows = arrangements.count(rich);
    let mirrored;
    let poor_reached = if this.split.is_even() {
        mirrored = this.rich_moves.transposed(rows, rows);
        &mirrored
    } else {
        &this.poor_moves
    };
    let columns = steps.columns(poor);
    let mut rich_moves = SparseMatrix::new(&this.rich_moves);
    let mut poor_moves = SparseMatrix::new(poor_reached);
    let mut ones = Vec::new();
    let mut best: Vec<(u8, u8)> = Vec::new();
    let conclude = |&(least, extra): &(u8, u8)| (seeds as u8).saturating_sub(least).max(extra);
    for (row, rich_pits) in arrangements.all(rich).enumerate() {
        if row % 1024 == 0 && progress.cancelled() {
            break;
        }
        rich_moves.starts.push(rich_moves.codes.len() as u64);
        poor_moves.starts.push(poor_moves.codes.len() as u64);

        ones.clear();
        this.rich_moves.ones_of_row(row, &mut ones);
        if !ones.is_empty() {
            best.clear();
            best.resize(ones.len(), (u8::MAX, 0));
            for pit in (0..pits).filter(|&pit| rich_pits[pit] > 0) {
                let step = own_step(pits, &rich_pits, rich, pit);
                let indexes = steps.indexes(&step);
                if let Landing::Empty(landed) = step.landing {
                    let captured = steps.captured(poor, step.dropped, pits - 1 - landed);
                    let children: Vec<Option<AnyCodes>> = (0..=poor + step.dropped)
                        .map(|opposite| {
                            let empty = steps.empty_capture;
                            let line = rich_capture(&step, indexes, poor, opposite, empty);
                            (line.seeds() < seeds).then(|| AnyCodes::find(layers, reached, line))
                        })
                        .collect();
                    for (&column, best) in ones.iter().zip(&mut best) {
                        let captured = captured[column as usize];
                        let child = match &children[usize::from(captured.seeds)] {
                            Some(child) => child.get(captured.index as usize),
                            None => {
                                poor_moves.get(poor_reached, indexes.0 as usize, column as usize)
                            }
                        };
                        best.0 = best.0.min(child);
                    }
                    continue;
                }
                let line = rich_child(&step, indexes.0, poor);
                if line.seeds() == seeds {
                    for (&column, best) in ones.iter().zip(&mut best) {
                        let child = poor_moves.get(poor_reached, line.fixed, column as usize);
                        best.0 = best.0.min(child);
                    }
                    continue;
                }
                let child = AnyCodes::find(layers, reached, line);
                let dropped = steps.dropped(poor, step.dropped);
                let gained = (seeds - line.seeds()) as u8;
                for (&column, best) in ones.iter().zip(&mut best) {
                    let child = child.get(dropped[column as usize] as usize);
                    if step.landing == Landing::Store {
                        best.1 = best.1.max(child + gained);
                    } else {
                        best.0 = best.0.min(child);
                    }
                }
            }
            rich_moves.codes.extend(best.iter().map(conclude));
            progress.advance(ones.len() as u64);
        }

        ones.clear();
        poor_reached.ones_of_row(row, &mut ones);
        if !ones.is_empty() {
            let children: Vec<(Option<AnyCodes>, bool, Option<u8>)> = columns
                .kinds
                .iter()
                .map(|&kind| {
                    let (line, captures) = poor_child(steps, &rich_pits, rich, kind);
                    let gained = (seeds - line.seeds()) as u8;
                    let child =
                        (line.seeds() < seeds).then(|| AnyCodes::find(layers, reached, line));
                    let extra = (kind.landing == Landing::Store).then_some(gained);
                    (child, captures, extra)
                })
                .collect();
            for &column in &ones {
                let mut best = (u8::MAX, 0);
                for step in columns.steps_of(column as usize) {
                    let (child, captures, extra) = &children[step.kind as usize];
                    let to = if *captures { step.emptied } else { step.index } as usize;
                    let child = match child {
                        Some(child) => child.get(to),
                        None => rich_moves.get(&this.rich_moves, row, to),
                    };
                    match extra {
                        Some(gained) => best.1 = best.1.max(child + gained),
                        None => best.0 = best.0.min(child),
                    }
                }
                poor_moves.codes.push(conclude(&best));
            }
            if !this.split.is_even() {
                progress.advance(ones.len() as u64);
            }
        }
    }
    rich_moves.starts.push(rich_moves.codes.len() as u64);
    poor_moves.starts.push(poor_moves.codes.len() as u64);
    if this.split.is_even() {
        poor_moves = SparseMatrix::default();
    }
    SparseSplit {
        rich_moves,
        poor_moves,
    }
}
