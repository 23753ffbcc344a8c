//! Finds the reachable classes, layer by layer downwards, one row at a time.
//!
//! Within a split, a move that scores nothing lowers the number of its own side's arrangement and
//! leaves the other side's unchanged. So rows are processed in descending order. When it is a row's
//! turn, all of its positions with the smaller side to move are known. Their moves complete the
//! row's positions with the larger side to move, and the moves of these complete lower rows.

use super::bits::{BitMatrix, ReachedLayer, ReachedSplit, or, or_exclusively};
use super::distributed::for_all;
use super::moves::{
    CaptureLines, Captured, Captures, LargerSideMove, PositionLine, Run, SmallerSideMove, Steps,
    larger_moves, smaller_moves,
};
use crate::game::{Progress, SolveError};
use crate::games::kalah::index::layout::Split;
use crate::games::kalah::{Pits, sum};
use crate::games::pages::Pages;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Returns blank layers, for 0 seeds on the board up to the total.
///
/// # Errors
/// [`SolveError::NoMemory`] if the system can't provide the memory.
pub fn blank(steps: &Steps) -> Result<Vec<ReachedLayer>, SolveError> {
    let arrangements = &steps.arrangements;
    let total = arrangements.max_seeds();
    // Once two pits' worth of seeds has left the board, hardly any page is without reachable
    // positions.
    let full = total - total / arrangements.pits();
    let layer = |seeds| {
        let pages = match seeds <= full {
            true => Pages::Large,
            false => Pages::Small,
        };
        let matrix = |rows, columns| BitMatrix::new(rows, columns, pages);
        ReachedLayer::of(arrangements, seeds, matrix)
    };
    (0..=total).map(layer).collect()
}

/// Marks the position with these pits.
pub fn mark(steps: &Steps, layers: &[ReachedLayer], mover: &Pits, opponent: &Pits) {
    let arrangements = &steps.arrangements;
    let start = PositionLine {
        fixed_seeds: sum(mover),
        fixed: arrangements.index(mover, sum(mover)),
        free_seeds: sum(opponent),
        fixed_moves: true,
    };
    let line = BitLine::find(layers, start);
    Marker::new(line).set(arrangements.index(opponent, sum(opponent)));
}

/// Marks all classes reachable from marked ones, in layers of up to `top` seeds.
///
/// Layers of more seeds must have been processed before. `done` receives the number of seeds of
/// each finished layer.
///
/// # Errors
/// [`SolveError::Interrupted`], [`SolveError::NoMemory`], and the errors of `done`.
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
        .map(|split| arrangements.count(split.larger))
        .sum();
    progress.phase("finding reachable positions", "", rows as u64);
    for seeds in (2..=top).rev() {
        let (below, this) = layers.split_at(seeds);
        for_all(&this[0].splits, progress, |split| {
            push_split(steps, below, split, progress)
        })?;
        done(seeds)?;
    }
    Ok(())
}

/// Marks the children of all positions of a split.
fn push_split(
    steps: &Steps,
    below: &[ReachedLayer],
    this: &ReachedSplit,
    progress: &dyn Progress,
) -> Result<(), SolveError> {
    let mirrored = this.mirrored()?;
    let mut push = Push {
        steps,
        below,
        this,
        smaller_bits: mirrored.as_ref().unwrap_or(&this.bits.smaller),
        ones: Vec::new(),
    };
    let rows = steps.arrangements.count(this.split.larger);
    let columns = steps.arrangements.count(this.split.smaller);
    let pause = (LONG / columns).clamp(1, 1024);
    for row in (0..rows).rev() {
        if row % pause == 0 {
            if progress.cancelled() {
                return Ok(());
            }
            progress.advance(pause.min(rows - row) as u64);
        }
        if is_empty(push.smaller_bits.row(row)) && is_empty(this.bits.larger.row(row)) {
            continue;
        }
        // The smaller side's moves mark positions of the larger side in the same row.
        let larger_pits = steps.arrangements.arrangement(row, this.split.larger);
        push.smaller_row(row, &larger_pits);
        push.larger_row(row, &larger_pits);
    }
    Ok(())
}

/// Number of slots to process between two checks for cancellation.
const LONG: usize = 1 << 16;

fn is_empty(row: &[AtomicU64]) -> bool {
    row.iter().all(|word| word.load(Relaxed) == 0)
}

/// Processes the rows of a split.
///
/// A single thread processes a split, so it sets the split's own bits without atomic operations.
/// Bits of lower layers need them.
struct Push<'a> {
    steps: &'a Steps,
    below: &'a [ReachedLayer],
    this: &'a ReachedSplit,
    /// The positions with the smaller side to move.
    ///
    /// This is the transposed matrix if the split is even.
    smaller_bits: &'a BitMatrix,
    /// Scratch: the columns of a row's positions.
    ones: Vec<u32>,
}

impl<'a> Push<'a> {
    /// Returns the line to mark if it is in a lower layer.
    fn below(&self, line: PositionLine) -> Option<BitLine<'a>> {
        (line.seeds() < self.this.split.seeds()).then(|| BitLine::find(self.below, line))
    }

    /// Marks the children of a row's positions with the smaller side to move.
    fn smaller_row(&mut self, row: usize, larger_pits: &Pits) {
        if !self.smaller_bits.ones_of_row(row, &mut self.ones) {
            return;
        }
        let mut children: Vec<(SmallerSideMove, Option<Marker>)> =
            smaller_moves(self.steps, self.this.split, larger_pits)
                .map(|mv| {
                    let below = self.below(mv.line).map(Marker::new);
                    (mv, below)
                })
                .collect();
        // Both matrices of an even split hold the same classes, so only the larger side's moves
        // mark lower layers.
        let even = self.this.split.is_even();
        let columns = self.steps.columns(self.this.split.smaller);
        for &column in &self.ones {
            for step in columns.steps_of(column as usize) {
                let (mv, below) = &mut children[step.kind as usize];
                match below {
                    None => self.this.bits.larger.set_exclusively(row, mv.place(step)),
                    Some(_) if even => {}
                    Some(line) => line.set(mv.place(step)),
                }
            }
        }
    }

    /// Marks the children of a row's positions with the larger side to move.
    fn larger_row(&mut self, row: usize, larger_pits: &Pits) {
        let larger_bits = &self.this.bits.larger;
        if !larger_bits.ones_of_row(row, &mut self.ones) {
            return;
        }
        for mv in larger_moves(self.steps, self.this.split, larger_pits) {
            let (line, dropped) = match mv {
                LargerSideMove::Plain { line, dropped } => (line, dropped),
                LargerSideMove::Capture { lines, captures } => {
                    self.push_captures(lines, captures);
                    continue;
                }
            };
            match self.below(line) {
                // Nothing is dropped, so each column leads to the same column: set 64 bits at a
                // time.
                None => {
                    let words = self.smaller_bits.row(line.fixed).iter();
                    words
                        .zip(larger_bits.row(row))
                        .for_each(|(word, new)| or_exclusively(word, new.load(Relaxed)));
                }
                Some(line) if dropped == 0 => line.set_all(larger_bits.row(row), &self.ones),
                Some(line) => {
                    let tos = self.steps.dropped(self.this.split.smaller, dropped);
                    let mut line = Marker::new(line);
                    for &column in &self.ones {
                        line.set(tos[column as usize] as usize);
                    }
                }
            }
        }
    }

    fn push_captures(&self, lines: CaptureLines, captures: &Captures) {
        let child = |line: PositionLine| (line.fixed, self.below(line).map(Marker::new));
        let mut children: Vec<(usize, Option<Marker>)> = lines.all().map(child).collect();
        for &column in &self.ones {
            let Captured { seeds, index } = captures.columns[column as usize];
            match &mut children[usize::from(seeds)] {
                (_, Some(line)) => line.set(index as usize),
                (row, None) => self.smaller_bits.set_exclusively(*row, column as usize),
            }
        }
    }
}

/// A line of bits to be set, found once for many columns.
#[derive(Clone, Copy)]
pub enum BitLine<'a> {
    /// A line without bits: its positions are finished, or its layer has no splits.
    None,
    /// The words of a row.
    Row(&'a [AtomicU64]),
    /// One bit of each row.
    Column {
        /// All words from the column's word in the first row on.
        words: &'a [AtomicU64],
        /// Number of words from one row to the next.
        words_a_row: usize,
        /// The bit within the word.
        bit: u64,
    },
}

impl<'a> BitLine<'a> {
    /// Returns a line of these layers, which are ordered by seeds on the board.
    pub fn find(layers: &'a [ReachedLayer], line: PositionLine) -> BitLine<'a> {
        let layer = &layers[line.seeds()];
        let Some(place) = line.place().filter(|_| !layer.splits.is_empty()) else {
            return BitLine::None;
        };
        let matrix = layer.matrix(place);
        match place.run {
            Run::Row(row) => BitLine::Row(matrix.row(row)),
            Run::Column(column) => BitLine::Column {
                words: &matrix.words()[column / 64..],
                words_a_row: matrix.words_a_row,
                bit: 1 << (column % 64),
            },
        }
    }

    /// Sets the bits of these arrangements, given both as words and as a list.
    pub fn set_all(self, ones: &[AtomicU64], list: &[u32]) {
        match self {
            BitLine::None => {}
            BitLine::Row(words) => {
                for (word, new) in words.iter().zip(ones) {
                    or(word, new.load(Relaxed));
                }
            }
            BitLine::Column {
                words,
                words_a_row,
                bit,
            } => {
                for &free in list {
                    or(&words[free as usize * words_a_row], bit);
                }
            }
        }
    }
}

/// Sets bits of a line one by one.
///
/// Consecutive bits of the same word are set together, the last of them on drop.
pub struct Marker<'a> {
    line: BitLine<'a>,
    word: usize,
    /// The bits of that word still to be set.
    ones: u64,
}

impl<'a> Marker<'a> {
    /// Returns a marker of this line.
    pub fn new(line: BitLine<'a>) -> Marker<'a> {
        Marker {
            line,
            word: 0,
            ones: 0,
        }
    }

    /// Sets the bit of one arrangement of the free side.
    #[inline]
    pub fn set(&mut self, free: usize) {
        match self.line {
            BitLine::None => {}
            BitLine::Row(words) => {
                if free / 64 != self.word {
                    self.flush(words);
                    (self.word, self.ones) = (free / 64, 0);
                }
                self.ones |= 1 << (free % 64);
            }
            BitLine::Column {
                words,
                words_a_row,
                bit,
            } => or(&words[free * words_a_row], bit),
        }
    }

    #[inline]
    fn flush(&self, words: &[AtomicU64]) {
        // Skip words without new bits: even reading them would take time.
        if self.ones != 0 {
            or(&words[self.word], self.ones);
        }
    }
}

impl Drop for Marker<'_> {
    fn drop(&mut self) {
        if let BitLine::Row(words) = self.line {
            self.flush(words);
        }
    }
}
