//! Lines through a split's matrices: one side's arrangement fixed, the other's free.
//!
//! The sweeps go row by row and treat a whole row of positions at once. Its children are again
//! lines: the row side's arrangement becomes another fixed one, the column side's follows a table.
//! A child line runs along a row, or, where the move made the poor side the rich one, along a
//! column.

use super::steps::{Kind, Landing, OwnStep, Steps, drop_on};
use crate::games::kalah::Pits;
use crate::games::kalah::index::layout::Split;

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
    pub rich_moves: bool,
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
            rich_moves: even || fixed_is_rich == self.fixed_moves,
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

/// The child line of a row when the rich side makes a step that captures nothing; the columns
/// follow [`Steps::dropped`].
#[must_use]
pub fn rich_child(step: &OwnStep, index: u32, poor: usize) -> Line {
    Line {
        fixed_seeds: step.seeds,
        fixed: index as usize,
        free_seeds: poor + step.dropped,
        fixed_moves: step.landing == Landing::Store,
    }
}

/// The child line of a row when the rich side's step ends in an empty pit of its own and the
/// opposite pit holds `opposite` seeds; the columns follow [`Steps::captured`].
#[must_use]
pub fn rich_capture(
    step: &OwnStep,
    (index, emptied): (u32, u32),
    poor: usize,
    opposite: usize,
    empty_capture: bool,
) -> Line {
    let captures = opposite > 0 || empty_capture;
    Line {
        fixed_seeds: step.seeds - usize::from(captures),
        fixed: if captures { emptied } else { index } as usize,
        free_seeds: poor + step.dropped - opposite,
        fixed_moves: false,
    }
}

/// The child line of a row when the poor side makes a move of some kind, and whether the columns
/// follow [`super::steps::Step::emptied`] instead of [`super::steps::Step::index`].
#[must_use]
pub fn poor_child(steps: &Steps, rich_pits: &Pits, rich: usize, kind: Kind) -> (Line, bool) {
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
    (line, captures)
}
