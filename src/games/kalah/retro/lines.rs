//! Lines through a split's matrices, with one side's arrangement fixed.
//!
//! The solvers process a whole row of positions at once. The children of a row also form lines: the
//! row side's arrangement becomes another fixed one, and a table maps the column side's
//! arrangements. A child line runs along a row, or along a column if the move made the smaller side
//! the larger one.

use super::steps::{Captures, Kind, Landing, Step, Steps, drop_on, own_step};
use crate::games::kalah::Pits;
use crate::games::kalah::index::layout::{Mover, Split};

/// A line of positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line {
    /// Seeds of the side whose arrangement is fixed.
    pub fixed_seeds: usize,
    /// The number of that arrangement.
    pub fixed: usize,
    /// Seeds of the side whose arrangement is free.
    pub free_seeds: usize,
    /// Whether the fixed side is to move.
    pub fixed_moves: bool,
}

/// The location of a line in the matrices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The split.
    pub split: Split,
    /// The matrix of the split; an even split has only the larger side's.
    pub mover: Mover,
    /// The row or column.
    pub run: Run,
}

/// A row or a column of a matrix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Run {
    /// The row with this number: the free side is the smaller one.
    Row(usize),
    /// The column with this number: the free side is the larger one.
    Column(usize),
}

impl Line {
    /// Returns the number of seeds on the board.
    pub fn seeds(self) -> usize {
        self.fixed_seeds + self.free_seeds
    }

    /// Returns the line's location, or `None` if its positions are finished.
    pub fn place(self) -> Option<Place> {
        if self.fixed_seeds == 0 || self.free_seeds == 0 {
            return None;
        }
        let even = self.fixed_seeds == self.free_seeds;
        // In an even split, the rows are the arrangements of the side to move.
        let fixed_is_rich = if even {
            self.fixed_moves
        } else {
            self.fixed_seeds > self.free_seeds
        };
        let (rich, poor, run) = if fixed_is_rich {
            (self.fixed_seeds, self.free_seeds, Run::Row(self.fixed))
        } else {
            (self.free_seeds, self.fixed_seeds, Run::Column(self.fixed))
        };
        Some(Place {
            split: Split { rich, poor },
            mover: if even || fixed_is_rich == self.fixed_moves {
                Mover::Rich
            } else {
                Mover::Poor
            },
            run,
        })
    }

    /// Returns the code of finished positions: the seeds of the side to move.
    pub fn final_code(self) -> u8 {
        debug_assert!(self.place().is_none());
        if self.fixed_moves {
            self.fixed_seeds as u8
        } else {
            self.free_seeds as u8
        }
    }
}

/// A move of the larger side, for all positions of a row at once.
///
/// Its arrangement is the same in the whole row, so the children of all columns lie along few
/// lines.
pub enum RichMove<'a> {
    /// A move that captures nothing.
    ///
    /// [`Steps::dropped`] maps columns to places along the line.
    Plain {
        /// The line of the children.
        ///
        /// If its fixed side is to move, the larger side moves again.
        line: Line,
        /// Seeds dropped on the smaller side's pits.
        dropped: usize,
    },
    /// A move that ends in an empty pit of its own side.
    ///
    /// The line of a child depends on the seeds in the opposite pit, and so on the column.
    Capture {
        lines: CaptureLines,
        /// For each number of opposite seeds, the columns and their places along the line.
        captures: &'a Captures,
    },
}

/// The lines of a capture's children by the seeds in the opposite pit.
#[derive(Clone, Copy)]
pub struct CaptureLines {
    /// The line without a capture.
    line: Line,
    /// The fixed arrangement after a capture.
    emptied: usize,
    empty_capture: bool,
}

impl CaptureLines {
    /// Returns the lines for 0, 1, 2, … seeds in the opposite pit.
    #[inline]
    pub fn all(self) -> impl Iterator<Item = Line> {
        let CaptureLines {
            line,
            emptied,
            empty_capture,
        } = self;
        let captured = move |opposite: usize| match opposite > 0 || empty_capture {
            true => Line {
                fixed_seeds: line.fixed_seeds - 1,
                fixed: emptied,
                free_seeds: line.free_seeds - opposite,
                ..line
            },
            false => line,
        };
        (0..=line.free_seeds).map(captured)
    }
}

/// Returns the moves of the larger side in a row.
#[inline]
pub fn rich_moves<'a>(
    steps: &'a Steps,
    split: Split,
    rich_pits: &'a Pits,
) -> impl Iterator<Item = RichMove<'a>> {
    let pits = steps.arrangements.pits();
    let moves = (0..pits).filter(|&pit| rich_pits[pit] > 0);
    moves.map(move |pit| {
        let (kind, after) = own_step(pits, rich_pits, split.rich, pit);
        let (index, emptied) = steps.indexes(kind, &after);
        let dropped = kind.dropped;
        let line = Line {
            fixed_seeds: kind.seeds,
            fixed: index as usize,
            free_seeds: split.poor + dropped,
            fixed_moves: kind.landing == Landing::Store,
        };
        let Landing::Empty(landed) = kind.landing else {
            return RichMove::Plain { line, dropped };
        };
        RichMove::Capture {
            lines: CaptureLines {
                line,
                emptied: emptied as usize,
                empty_capture: steps.empty_capture,
            },
            captures: steps.captures(split.poor, dropped, pits - 1 - landed),
        }
    })
}

/// The moves of one kind of the smaller side, from all positions of a row.
pub struct PoorMove {
    /// The line of the children.
    ///
    /// If its free side is to move, the smaller side moves again.
    pub line: Line,
    /// Whether [`Step::emptied`] is the place along the line, not [`Step::index`].
    pub captures: bool,
}

impl PoorMove {
    /// Returns the place along the line.
    #[inline]
    pub fn place(&self, step: &Step) -> usize {
        if self.captures {
            step.emptied as usize
        } else {
            step.index as usize
        }
    }
}

/// Returns the smaller side's moves in a row, one for each kind of its columns.
///
/// The kinds are those of [`Steps::columns`].
///
/// The legal moves depend on the column, but the line of a kind's children only on the row.
#[inline]
pub fn poor_moves(
    steps: &Steps,
    split: Split,
    rich_pits: &Pits,
) -> impl ExactSizeIterator<Item = PoorMove> {
    let kinds = &steps.columns(split.poor).kinds;
    kinds
        .iter()
        .map(move |&kind| poor_move(steps, rich_pits, split.rich, kind))
}

fn poor_move(steps: &Steps, rich_pits: &Pits, rich: usize, kind: Kind) -> PoorMove {
    let arrangements = &steps.arrangements;
    let pits = arrangements.pits();
    let mut after = *rich_pits;
    drop_on(pits, &mut after, kind.dropped);
    let mut line = Line {
        fixed_seeds: rich + kind.dropped,
        fixed: 0,
        free_seeds: kind.seeds,
        fixed_moves: kind.landing != Landing::Store,
    };
    let mut captures = false;
    if let Landing::Empty(pit) = kind.landing {
        let opposite = &mut after[pits - 1 - pit];
        captures = *opposite > 0 || steps.empty_capture;
        if captures {
            line.fixed_seeds -= usize::from(std::mem::take(opposite));
            line.free_seeds -= 1;
        }
    }
    line.fixed = arrangements.index(&after, line.fixed_seeds);
    PoorMove { line, captures }
}
