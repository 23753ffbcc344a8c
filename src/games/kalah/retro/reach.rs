//! Which classes can be reached from the start, layer by layer downwards, a row of positions at a
//! time.
//!
//! Within a split, a move that scores nothing lowers the number of the mover's arrangement and
//! leaves the other's. So the rows are taken from the highest number down: when a row's turn comes,
//! all positions in it with the poor side to move are known; their moves complete the row's
//! positions with the rich side to move; and these complete lower rows.

use super::bits::{BitMatrix, ReachedLayer, ReachedSplit, or};
use super::lines::{Line, PoorMove, RichMove, Run, poor_moves, rich_moves};
use super::splits::for_all;
use super::steps::{Captured, Captures, Steps};
use crate::game::{Progress, SolveError};
use crate::games::kalah::index::layout::Split;
use crate::games::kalah::{Pits, sum};
use crate::games::words::Pages;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The layers in which nothing is marked, an entry for each number of seeds on the board, `0..=`
/// all.
///
/// # Errors
/// [`SolveError::NoMemory`] if the system doesn't give as much.
pub fn blank(steps: &Steps) -> Result<Vec<ReachedLayer>, SolveError> {
    let arrangements = &steps.arrangements;
    let total = arrangements.max_seeds();
    // When as many seeds have left the board as two pits had, hardly a page is without positions
    // that can be reached.
    let full = total - total / arrangements.pits();
    let pages = |seeds| match seeds <= full {
        true => Pages::Large,
        false => Pages::Small,
    };
    (0..=total)
        .map(|seeds| ReachedLayer::new(arrangements, seeds, pages(seeds)))
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
    let line = BitLine::find(layers, start);
    Marker::new(line).set(arrangements.index(opponent, sum(opponent)));
}

/// Marks all classes that can be reached from those that are marked, in the layers of `top` seeds
/// and fewer; those of more must have been gone through before. Tells after each layer with how
/// many seeds it is done.
///
/// # Errors
/// [`SolveError::Interrupted`], [`SolveError::NoMemory`], and those of `done`.
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
        poor_bits: mirrored.as_ref().unwrap_or(&this.bits.poor),
        ones: Vec::new(),
    };
    let rows = steps.arrangements.count(this.split.rich);
    let columns = steps.arrangements.count(this.split.poor);
    let pause = (LONG / columns).clamp(1, 1024);
    for row in (0..rows).rev() {
        if row % pause == 0 {
            if progress.cancelled() {
                return Ok(());
            }
            progress.advance(pause.min(rows - row) as u64);
        }
        if is_empty(push.poor_bits.row(row)) && is_empty(this.bits.rich.row(row)) {
            continue;
        }
        let rich_pits = steps.arrangements.arrangement(row, this.split.rich);
        push.poor_row(row, &rich_pits);
        push.rich_row(row, &rich_pits);
    }
    Ok(())
}

/// So many slots are gone through without a look at whether to go on.
const LONG: usize = 1 << 16;

fn is_empty(row: &[AtomicU64]) -> bool {
    row.iter().all(|word| word.load(Relaxed) == 0)
}

/// Goes through the rows of a split. One thread does, so its own bits are set without others in the
/// way; those of lower layers are not.
struct Push<'a> {
    steps: &'a Steps,
    below: &'a [ReachedLayer],
    this: &'a ReachedSplit,
    /// The positions with the poor side to move; mirrored, if the split is even.
    poor_bits: &'a BitMatrix,
    /// Scratch: the columns of a row's positions.
    ones: Vec<u32>,
}

impl<'a> Push<'a> {
    /// The line to mark, if it is one of a lower layer.
    fn below(&self, line: Line) -> Option<BitLine<'a>> {
        (line.seeds() < self.this.split.seeds()).then(|| BitLine::find(self.below, line))
    }

    /// Marks the children of a row's positions with the poor side to move.
    fn poor_row(&mut self, row: usize, rich_pits: &Pits) {
        if !self.poor_bits.ones_of_row(row, &mut self.ones) {
            return;
        }
        let mut children: Vec<(PoorMove, Option<Marker>)> =
            poor_moves(self.steps, self.this.split, rich_pits)
                .map(|mv| {
                    let below = self.below(mv.line).map(Marker::new);
                    (mv, below)
                })
                .collect();
        // Both matrices of an even split hold the same classes: moves out of it are left to the
        // other one.
        let even = self.this.split.is_even();
        let columns = self.steps.columns(self.this.split.poor);
        for &column in &self.ones {
            for step in columns.steps_of(column as usize) {
                let (mv, below) = &mut children[step.kind as usize];
                match below {
                    None => self.this.bits.rich.set_exclusively(row, mv.place(step)),
                    Some(_) if even => {}
                    Some(line) => line.set(mv.place(step)),
                }
            }
        }
    }

    /// Marks the children of a row's positions with the rich side to move.
    fn rich_row(&mut self, row: usize, rich_pits: &Pits) {
        let rich_bits = &self.this.bits.rich;
        if !rich_bits.ones_of_row(row, &mut self.ones) {
            return;
        }
        for mv in rich_moves(self.steps, self.this.split, rich_pits) {
            let (line, dropped) = match mv {
                RichMove::Plain { line, dropped } => (line, dropped),
                RichMove::Capture { lines, captures } => {
                    self.push_captures(&lines, captures);
                    continue;
                }
            };
            match self.below(line) {
                // Nothing dropped: column goes to column, 64 of them at a time.
                None => {
                    let ones = rich_bits.row(row);
                    self.poor_bits.set_all_exclusively(line.fixed, ones);
                }
                Some(line) if dropped == 0 => line.set_all(rich_bits.row(row), &self.ones),
                Some(line) => {
                    let tos = self.steps.dropped(self.this.split.poor, dropped);
                    let mut line = Marker::new(line);
                    for &column in &self.ones {
                        line.set(tos[column as usize] as usize);
                    }
                }
            }
        }
    }

    fn push_captures(&self, lines: &[Line], captures: &Captures) {
        let child = |line: &Line| (line.fixed, self.below(*line).map(Marker::new));
        let mut children: Vec<(usize, Option<Marker>)> = lines.iter().map(child).collect();
        for &column in &self.ones {
            let Captured { seeds, index } = captures.columns[column as usize];
            match &mut children[usize::from(seeds)] {
                (_, Some(line)) => line.set(index as usize),
                (row, None) => self.poor_bits.set_exclusively(*row, column as usize),
            }
        }
    }
}

/// A line of bits to be set, found once for many columns.
#[derive(Clone, Copy)]
pub enum BitLine<'a> {
    /// Of finished positions, which have no bits, or in a layer that is without its splits.
    None,
    /// The words of a row.
    Row(&'a [AtomicU64]),
    /// A bit of each row.
    Column {
        /// The words of all rows from the column's in the first row on.
        words: &'a [AtomicU64],
        /// From one row to the next.
        words_a_row: usize,
        /// The bit in the word.
        bit: u64,
    },
}

impl<'a> BitLine<'a> {
    /// The line in the layers, by seeds on the board.
    #[must_use]
    pub fn find(layers: &'a [ReachedLayer], line: Line) -> BitLine<'a> {
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

    /// Sets the bits of these arrangements of the free side, given as words and as a list.
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

/// Sets bits of a line one by one. Those of a word that follow each other it sets together, the
/// last of them when it goes.
pub struct Marker<'a> {
    line: BitLine<'a>,
    word: usize,
    /// The bits of that word which are to be set.
    ones: u64,
}

impl<'a> Marker<'a> {
    /// For a line.
    #[must_use]
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
}

impl Marker<'_> {
    #[inline]
    fn flush(&self, words: &[AtomicU64]) {
        // Even a look would take time where nothing is marked yet.
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
