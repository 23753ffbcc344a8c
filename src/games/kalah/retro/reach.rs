//! Which classes can be reached from the start, layer by layer downwards, a row of positions at a
//! time.
//!
//! Within a split, a move that scores nothing lowers the number of the mover's arrangement and
//! leaves the other's. So the rows are taken from the highest number down: when a row is come to,
//! all positions in it with the poor side to move are known; their moves complete the row's
//! positions with the rich side to move; and these complete lower rows.

use super::bits::{BitLine, BitMatrix, ReachedLayer, ReachedSplit};
use super::lines::{Line, poor_child, rich_capture, rich_child};
use super::steps::{Landing, Steps, own_step};
use crate::game::{Progress, SolveError};
use crate::games::kalah::index::layout::Split;
use crate::games::kalah::{Pits, sum};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The layers in which nothing is marked, an entry for each number of seeds on the board, `0..=`
/// all.
#[must_use]
pub fn blank(steps: &Steps) -> Vec<ReachedLayer> {
    let arrangements = &steps.arrangements;
    (0..=arrangements.max_seeds())
        .map(|seeds| ReachedLayer::new(arrangements, seeds))
        .collect()
}

/// Marks the position with these pits.
pub fn mark(steps: &Steps, layers: &[ReachedLayer], mover: &Pits, opponent: &Pits) {
    let arrangements = &steps.arrangements;
    let start = Line {
        fixed_seeds: sum(mover),
        fixed: arrangements.index(mover, sum(mover)),
        free_seeds: sum(opponent),
        fixed_moves: true,
    };
    BitLine::find(layers, start).set(arrangements.index(opponent, sum(opponent)));
}

/// Marks all classes that can be reached from those that are marked, in the layers of `top` seeds
/// and fewer; those of more must have been gone through before. Tells after each layer with how
/// many seeds it is done.
///
/// # Errors
/// [`SolveError::Interrupted`], and those of `done`.
pub fn reach(
    steps: &Steps,
    layers: &[ReachedLayer],
    top: usize,
    progress: &dyn Progress,
    mut done: impl FnMut(usize) -> Result<(), SolveError>,
) -> Result<(), SolveError> {
    let arrangements = &steps.arrangements;
    let rows: usize = (2..=top)
        .flat_map(Split::of_layer)
        .map(|split| arrangements.count(split.rich))
        .sum();
    progress.phase("finding reachable positions", "rows", rows as u64);
    for seeds in (2..=top).rev() {
        let (below, this) = layers.split_at(seeds);
        rayon::scope_fifo(|scope| {
            for split in &this[0].splits {
                scope.spawn_fifo(move |_| push_split(steps, below, split, progress));
            }
        });
        if progress.cancelled() {
            return Err(SolveError::Interrupted);
        }
        done(seeds)?;
    }
    Ok(())
}

/// Marks the children of all positions of a split.
fn push_split(steps: &Steps, below: &[ReachedLayer], this: &ReachedSplit, progress: &dyn Progress) {
    let arrangements = &steps.arrangements;
    let rows = arrangements.count(this.split.rich);
    let mirrored;
    let poor_moves = if this.split.is_even() {
        mirrored = this.rich_moves.transposed(rows, rows);
        &mirrored
    } else {
        &this.poor_moves
    };
    let mut ones = Vec::new();
    for row in (0..rows).rev() {
        if row % 1024 == 0 {
            if progress.cancelled() {
                return;
            }
            progress.advance(1024.min(rows - row) as u64);
        }
        if is_empty(poor_moves.row(row)) && is_empty(this.rich_moves.row(row)) {
            continue;
        }
        let rich_pits = arrangements.arrangement(row, this.split.rich);
        push_poor_moves(steps, below, this, poor_moves, row, &rich_pits, &mut ones);
        push_rich_moves(steps, below, this, poor_moves, row, &rich_pits, &mut ones);
    }
}

fn is_empty(row: &[AtomicU64]) -> bool {
    row.iter().all(|word| word.load(Relaxed) == 0)
}

fn push_poor_moves(
    steps: &Steps,
    below: &[ReachedLayer],
    this: &ReachedSplit,
    poor_moves: &BitMatrix,
    row: usize,
    rich_pits: &Pits,
    ones: &mut Vec<u32>,
) {
    ones.clear();
    poor_moves.ones_of_row(row, ones);
    if ones.is_empty() {
        return;
    }
    let columns = steps.columns(this.split.poor);
    let seeds = this.split.seeds();
    // Where each kind of move leads from this row: within it, or to a line of a lower layer.
    let children: Vec<(Option<BitLine>, bool)> = columns
        .kinds
        .iter()
        .map(|&kind| {
            let (line, captures) = poor_child(steps, rich_pits, this.split.rich, kind);
            let below = (line.seeds() < seeds).then(|| BitLine::find(below, line));
            (below, captures)
        })
        .collect();
    // Both matrices of an even split hold the same classes: moves out of it are left to the other
    // one.
    let even = this.split.is_even();
    for &column in ones.iter() {
        for step in columns.steps_of(column as usize) {
            match &children[step.kind as usize] {
                (None, _) => this.rich_moves.set_exclusively(row, step.index as usize),
                (Some(_), _) if even => {}
                (Some(line), false) => line.set(step.index as usize),
                (Some(line), true) => line.set(step.emptied as usize),
            }
        }
    }
}

fn push_rich_moves(
    steps: &Steps,
    below: &[ReachedLayer],
    this: &ReachedSplit,
    poor_moves: &BitMatrix,
    row: usize,
    rich_pits: &Pits,
    ones: &mut Vec<u32>,
) {
    ones.clear();
    this.rich_moves.ones_of_row(row, ones);
    if ones.is_empty() {
        return;
    }
    let pits = steps.arrangements.pits();
    let split = this.split;
    for pit in (0..pits).filter(|&pit| rich_pits[pit] > 0) {
        let step = own_step(pits, rich_pits, split.rich, pit);
        let indexes = steps.indexes(&step);
        if let Landing::Empty(landed) = step.landing {
            let captured = steps.captured(split.poor, step.dropped, pits - 1 - landed);
            let children: Vec<Option<BitLine>> = (0..=split.poor + step.dropped)
                .map(|opposite| {
                    let line =
                        rich_capture(&step, indexes, split.poor, opposite, steps.empty_capture);
                    (line.seeds() < split.seeds()).then(|| BitLine::find(below, line))
                })
                .collect();
            for &column in ones.iter() {
                let captured = captured[column as usize];
                match &children[usize::from(captured.seeds)] {
                    Some(line) => line.set(captured.index as usize),
                    None => poor_moves.set_exclusively(indexes.0 as usize, column as usize),
                }
            }
            continue;
        }
        let line = rich_child(&step, indexes.0, split.poor);
        if line.seeds() == split.seeds() && step.dropped == 0 {
            poor_moves.set_all_exclusively(line.fixed, this.rich_moves.row(row));
        } else if step.dropped == 0 {
            BitLine::find(below, line).set_all(this.rich_moves.row(row), ones);
        } else {
            let line = BitLine::find(below, line);
            let dropped = steps.dropped(split.poor, step.dropped);
            for &column in ones.iter() {
                line.set(dropped[column as usize] as usize);
            }
        }
    }
}
