//! Lines through a split's matrices: one side's arrangement fixed, the other's free.
//!
//! The sweeps go row by row and treat a whole row of positions at once. Its children are again
//! lines: the row side's arrangement becomes another fixed one, the column side's follows a table.
//! A child line runs along a row, or, where the move made the poor side the rich one, along a
//! column.

use super::steps::{Captures, Kind, Landing, Step, Steps, drop_on, own_step};
use crate::games::kalah::Pits;
use crate::games::kalah::index::layout::{Mover, Split};

/// Which positions a line holds.
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

/// Where a line lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// In which split.
    pub split: Split,
    /// In which of its two matrices; even splits have the rich side's only.
    pub mover: Mover,
    /// Along a row or along a column, and which.
    pub run: Run,
}

/// Along a row or along a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Run {
    /// Along the row with this number: the free side is the poor one.
    Row(usize),
    /// Along the column with this number: the free side is the rich one.
    Column(usize),
}

impl Line {
    /// The seeds on the board.
    #[must_use]
    pub fn seeds(self) -> usize {
        self.fixed_seeds + self.free_seeds
    }

    /// Where the line lies, or nothing if its positions are finished.
    #[must_use]
    pub fn place(self) -> Option<Place> {
        if self.fixed_seeds == 0 || self.free_seeds == 0 {
            return None;
        }
        let even = self.fixed_seeds == self.free_seeds;
        // In an even split the rows are the mover's.
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

    /// If its positions are finished: the seeds that the side to move gets, its own.
    #[must_use]
    pub fn final_code(self) -> u8 {
        debug_assert!(self.place().is_none());
        if self.fixed_moves {
            self.fixed_seeds as u8
        } else {
            self.free_seeds as u8
        }
    }
}

/// A move of the rich side, for all positions of a row at once. Its arrangement is the row's, so
/// that the children of all columns lie along few lines.
pub enum RichMove<'a> {
    /// One that captures nothing: the children lie along this line, where
    /// [`Steps::dropped`] says.
    Plain {
        /// The rich side moves again if it is to move along it.
        line: Line,
        /// Seeds dropped on the poor side.
        dropped: usize,
    },
    /// One that ends in an empty pit of its own: on which line a child lies depends on the seeds in
    /// the opposite pit, and so on the column.
    Capture {
        /// The lines for 0, 1, 2, … seeds in the opposite pit.
        lines: Vec<Line>,
        /// How many these are in each column, and the place along the line.
        captures: &'a Captures,
    },
}

/// The moves of the rich side in a row.
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
        let captured = |opposite: usize| match opposite > 0 || steps.empty_capture {
            true => Line {
                fixed_seeds: kind.seeds - 1,
                fixed: emptied as usize,
                free_seeds: line.free_seeds - opposite,
                ..line
            },
            false => line,
        };
        RichMove::Capture {
            lines: (0..=line.free_seeds).map(captured).collect(),
            captures: steps.captures(split.poor, dropped, pits - 1 - landed),
        }
    })
}

/// What the moves of one kind of the poor side lead to from a row.
pub struct PoorMove {
    /// Where the children lie; the poor side moves again if it is to move along it.
    pub line: Line,
    /// Whether the places along the line are [`Step::emptied`] instead of [`Step::index`].
    pub captures: bool,
}

impl PoorMove {
    /// The place along the line.
    #[inline]
    pub fn place(&self, step: &Step) -> usize {
        if self.captures {
            step.emptied as usize
        } else {
            step.index as usize
        }
    }
}

/// The moves of the poor side in a row, one entry for each kind of [`Steps::columns`]: which moves
/// there are depends on the column, but where one of a kind leads to only on the row.
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
