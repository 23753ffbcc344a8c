//! Moves from all positions of a row at once.
//!
//! Everything about a move except the capture depends only on its own side's arrangement: where the
//! last seed lands, how many seeds go to the store, and how many are *dropped* on the opponent.
//! Seeds are dropped one by one from the opponent's pit 1 on. The opponent's arrangement changes
//! only by the dropped seeds and the capture. So a move is a pair of [`Step`]s, one on each axis of a
//! split's matrix. Steps are tabulated once for each arrangement instead of once for each position.
//!
//! The solvers process a whole row of positions at once. The children of a row form lines: the row
//! side's arrangement becomes another fixed one, and a table maps the column side's arrangements. A
//! child line runs along a row, or along a column if the move made the smaller side the larger one.

use crate::games::kalah::Pits;
use crate::games::kalah::index::Arrangements;
use crate::games::kalah::index::layout::{Mover, Split};
use crate::games::kalah::sowing::{Order, Sowings, pits_of, seeds_at, sum_of, word};
use std::sync::Arc;

/// The place where the last seed of a move lands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Landing {
    /// The store of the side that moves, which then moves again.
    Store,
    /// An empty pit of the side that moves: a capture, if the opposite pit allows it.
    Empty(usize),
    /// Any other place.
    Plain,
}

/// A kind of move: everything about it that concerns the other side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kind {
    /// Place where the last seed lands.
    pub landing: Landing,
    /// Seeds dropped on the other side.
    pub dropped: usize,
    /// Seeds of the side that moves after sowing, before any capture.
    pub seeds: usize,
}

/// Returns a move's kind, and its side's pits after sowing, before any capture.
///
/// `pit` must hold seeds.
pub fn own_step(pits_per_side: usize, own: &Pits, own_seeds: usize, pit: usize) -> (Kind, Pits) {
    let in_hand = own[pit];
    let sowing = Sowings::of(pits_per_side, Order::FromTheLeft, false).get(pit, in_hand);
    let pits = pits_of(word(own) - seeds_at(in_hand, pit) + sowing.own);
    let last = usize::from(sowing.last);
    let landing = if last == pits_per_side {
        Landing::Store
    } else if last < pits_per_side && pits[last] == 1 {
        Landing::Empty(last)
    } else {
        Landing::Plain
    };
    let dropped = sum_of(sowing.other) as usize;
    let seeds = own_seeds - usize::from(sowing.stored) - dropped;
    let kind = Kind {
        landing,
        dropped,
        seeds,
    };
    (kind, pits)
}

/// Adds seeds dropped by the opponent, one by one from the first pit on.
pub fn drop_on(pits_per_side: usize, pits: &mut Pits, dropped: usize) {
    let (rounds, rest) = (dropped / pits_per_side, dropped % pits_per_side);
    for (pit, seeds) in pits[..pits_per_side].iter_mut().enumerate() {
        *seeds += (rounds + usize::from(pit < rest)) as u8;
    }
}

/// The effect of capturing one pit, for all arrangements.
#[derive(Debug)]
pub struct Captures {
    /// The effect on each arrangement.
    pub columns: Vec<Captured>,
    /// Arrangements and their numbers after the capture, by the seeds in the pit.
    pub by_seeds: Vec<Vec<Pair>>,
}

/// The effect of capturing one pit of one arrangement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Captured {
    /// The seeds that were in the captured pit.
    pub seeds: u8,
    /// The number of the arrangement with that pit emptied.
    ///
    /// It is the number among arrangements of the remaining seeds.
    pub index: u32,
}

/// The effect of one move on its own side's arrangement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// The index of the move's kind in [`Columns::kinds`].
    pub kind: u32,
    /// The number of the arrangement after sowing.
    pub index: u32,
    /// The number after capturing the last seed, too; `index` if that can't be.
    pub emptied: u32,
}

/// All moves of all arrangements of some number of seeds: a matrix's columns.
#[derive(Debug, Default)]
pub struct Columns {
    /// The kinds of move that occur.
    pub kinds: Vec<Kind>,
    /// The moves of arrangement `i` are `steps[starts[i]..starts[i + 1]]`.
    pub starts: Vec<u32>,
    pub steps: Vec<Step>,
    /// The same moves by kind.
    pub by_kind: Vec<KindMoves>,
}

/// The numbers of an arrangement before and after a step.
pub type Pair = [u32; 2];

/// All moves of one kind, ordered by pit and then by arrangement.
///
/// With this order, a loop that updates an entry per move rarely updates the same entry twice in a
/// row, which would make each update wait for the previous one.
#[derive(Debug, Default)]
pub struct KindMoves {
    /// The arrangement and [`Step::index`].
    pub sown: Vec<Pair>,
    /// The arrangement and [`Step::emptied`]; empty if the last seed can't capture.
    pub emptied: Vec<Pair>,
}

impl Columns {
    /// Returns the moves of one arrangement.
    #[inline]
    pub fn steps_of(&self, index: usize) -> &[Step] {
        &self.steps[self.starts[index] as usize..self.starts[index + 1] as usize]
    }
}

/// Tabulated steps for the smaller side of every split of a board.
#[derive(Debug)]
pub struct Steps {
    /// The numbering of arrangements.
    pub arrangements: Arc<Arrangements>,
    /// Whether a last seed in an empty pit is captured even opposite an empty pit.
    pub empty_capture: bool,
    /// `dropped[smaller][d]`: numbers of arrangements of `smaller` seeds after dropping `d`.
    dropped: Vec<Vec<Vec<u32>>>,
    /// `captures[smaller][laps][pit]`: captures after dropping `laps` full rounds.
    captures: Vec<[Vec<Captures>; 2]>,
    /// `columns[smaller]`: the moves of each arrangement of `smaller` seeds.
    columns: Vec<Columns>,
}

impl Steps {
    /// Tabulates the steps of arrangements of up to half of the numbering's seeds.
    pub fn new(arrangements: Arc<Arrangements>, empty_capture: bool) -> Steps {
        let total = arrangements.max_seeds();
        let pits = arrangements.pits();
        let most_seeds = total / 2;
        let mut steps = Steps {
            arrangements,
            empty_capture,
            dropped: Vec::new(),
            captures: Vec::new(),
            columns: Vec::new(),
        };
        for smaller in 0..=most_seeds {
            let all: Vec<Pits> = steps.arrangements.all(smaller).collect();
            // The other side drops most seeds if all of its seeds are in its last pit.
            let mut heap = [0; crate::games::kalah::MAX_PITS];
            heap[pits - 1] = (total - smaller) as u8;
            let most = own_step(pits, &heap, total - smaller, pits - 1).0.dropped;
            steps.dropped.push(
                (0..=most)
                    .map(|dropped| steps.dropped_on(&all, smaller, dropped))
                    .collect(),
            );
            let lap = |laps: usize| {
                (0..pits)
                    .map(|pit| steps.captures_of(&all, smaller, laps * pits, pit))
                    .collect()
            };
            // A lap from the last pit to the first takes one seed for the store, one for each
            // opposite pit, and one for the first pit.
            let laps_possible = total - smaller > pits + 1;
            let captures = [lap(0), if laps_possible { lap(1) } else { Vec::new() }];
            steps.captures.push(captures);
            let columns = steps.columns_of(&all, smaller);
            steps.columns.push(columns);
        }
        steps
    }

    /// Returns these arrangements after dropping seeds on them.
    ///
    /// The result is empty if there aren't enough seeds.
    fn after_dropped<'a>(
        &self,
        all: &'a [Pits],
        seeds: usize,
        dropped: usize,
    ) -> impl Iterator<Item = Pits> + 'a {
        let pits = self.arrangements.pits();
        let is_possible = seeds + dropped <= self.arrangements.max_seeds();
        let all = if is_possible { all } else { &[] };
        all.iter().map(move |&arrangement| {
            let mut after = arrangement;
            drop_on(pits, &mut after, dropped);
            after
        })
    }

    fn dropped_on(&self, all: &[Pits], smaller: usize, dropped: usize) -> Vec<u32> {
        let after = self.after_dropped(all, smaller, dropped);
        let index = |after: Pits| self.arrangements.index(&after, smaller + dropped) as u32;
        after.map(index).collect()
    }

    fn captures_of(&self, all: &[Pits], smaller: usize, dropped: usize, pit: usize) -> Captures {
        let after = self.after_dropped(all, smaller, dropped);
        let captured = after.map(|mut after| {
            let seeds = std::mem::take(&mut after[pit]);
            let left = smaller + dropped - usize::from(seeds);
            let index = self.arrangements.index(&after, left) as u32;
            Captured { seeds, index }
        });
        let columns: Vec<Captured> = captured.collect();
        let most = columns.iter().map(|captured| captured.seeds).max();
        let mut by_seeds = vec![Vec::new(); most.map_or(0, |most| usize::from(most) + 1)];
        for (from, captured) in columns.iter().enumerate() {
            by_seeds[usize::from(captured.seeds)].push([from as u32, captured.index]);
        }
        Captures { columns, by_seeds }
    }

    fn columns_of(&self, all: &[Pits], smaller: usize) -> Columns {
        let pits = self.arrangements.pits();
        let mut columns = Columns {
            starts: vec![0],
            ..Columns::default()
        };
        // List the moves of each arrangement, and number the kinds as they occur.
        let mut by_pit = Vec::new();
        for (number, arrangement) in all.iter().enumerate() {
            for pit in (0..pits).filter(|&pit| arrangement[pit] > 0) {
                let (of, after) = own_step(pits, arrangement, smaller, pit);
                let kind = columns
                    .kinds
                    .iter()
                    .position(|known| *known == of)
                    .unwrap_or_else(|| {
                        columns.kinds.push(of);
                        columns.by_kind.push(KindMoves::default());
                        columns.kinds.len() - 1
                    });
                let (index, emptied) = self.indexes(of, &after);
                let step = Step {
                    kind: kind as u32,
                    index,
                    emptied,
                };
                by_pit.push((pit, number as u32, step));
                columns.steps.push(step);
            }
            columns.starts.push(columns.steps.len() as u32);
        }
        // List the moves by kind, ordered by pit.
        by_pit.sort_by_key(|&(pit, _, _)| pit);
        for (_, from, step) in by_pit {
            let moves = &mut columns.by_kind[step.kind as usize];
            moves.sown.push([from, step.index]);
            if let Landing::Empty(_) = columns.kinds[step.kind as usize].landing {
                moves.emptied.push([from, step.emptied]);
            }
        }
        columns
    }

    /// Returns the arrangement's number after sowing, and after the capture, too.
    pub fn indexes(&self, kind: Kind, after: &Pits) -> (u32, u32) {
        let index = self.arrangements.index(after, kind.seeds) as u32;
        let emptied = match kind.landing {
            Landing::Empty(pit) => {
                let mut emptied = *after;
                emptied[pit] = 0;
                self.arrangements.index(&emptied, kind.seeds - 1) as u32
            }
            _ => index,
        };
        (index, emptied)
    }

    /// Returns the numbers of arrangements of `smaller` seeds after dropping seeds.
    pub fn dropped(&self, smaller: usize, dropped: usize) -> &[u32] {
        &self.dropped[smaller][dropped]
    }

    /// Returns captures of `pit` from arrangements of `smaller` seeds, after dropping.
    ///
    /// `dropped` is 0 or one full round.
    pub fn captures(&self, smaller: usize, dropped: usize, pit: usize) -> &Captures {
        &self.captures[smaller][usize::from(dropped > 0)][pit]
    }

    /// Returns the moves of arrangements of `smaller` seeds.
    pub fn columns(&self, smaller: usize) -> &Columns {
        &self.columns[smaller]
    }
}

/// A line of positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PositionLine {
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
pub struct LinePlace {
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

impl PositionLine {
    /// Returns the number of seeds on the board.
    pub fn seeds(self) -> usize {
        self.fixed_seeds + self.free_seeds
    }

    /// Returns the line's location, or `None` if its positions are finished.
    pub fn place(self) -> Option<LinePlace> {
        if self.fixed_seeds == 0 || self.free_seeds == 0 {
            return None;
        }
        let even = self.fixed_seeds == self.free_seeds;
        // In an even split, the rows are the arrangements of the side to move.
        let fixed_is_larger = if even {
            self.fixed_moves
        } else {
            self.fixed_seeds > self.free_seeds
        };
        let (larger, smaller, run) = if fixed_is_larger {
            (self.fixed_seeds, self.free_seeds, Run::Row(self.fixed))
        } else {
            (self.free_seeds, self.fixed_seeds, Run::Column(self.fixed))
        };
        Some(LinePlace {
            split: Split { larger, smaller },
            mover: if even || fixed_is_larger == self.fixed_moves {
                Mover::Larger
            } else {
                Mover::Smaller
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
pub enum LargerSideMove<'a> {
    /// A move that captures nothing.
    ///
    /// [`Steps::dropped`] maps columns to places along the line.
    Plain {
        /// The line of the children.
        ///
        /// If its fixed side is to move, the larger side moves again.
        line: PositionLine,
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
    line: PositionLine,
    /// The fixed arrangement after a capture.
    emptied: usize,
    empty_capture: bool,
}

impl CaptureLines {
    /// Returns the lines for 0, 1, 2, … seeds in the opposite pit.
    #[inline]
    pub fn all(self) -> impl Iterator<Item = PositionLine> {
        let CaptureLines {
            line,
            emptied,
            empty_capture,
        } = self;
        let captured = move |opposite: usize| match opposite > 0 || empty_capture {
            true => PositionLine {
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
pub fn larger_moves<'a>(
    steps: &'a Steps,
    split: Split,
    larger_pits: &'a Pits,
) -> impl Iterator<Item = LargerSideMove<'a>> {
    let pits = steps.arrangements.pits();
    let moves = (0..pits).filter(|&pit| larger_pits[pit] > 0);
    moves.map(move |pit| {
        let (kind, after) = own_step(pits, larger_pits, split.larger, pit);
        let (index, emptied) = steps.indexes(kind, &after);
        let dropped = kind.dropped;
        let line = PositionLine {
            fixed_seeds: kind.seeds,
            fixed: index as usize,
            free_seeds: split.smaller + dropped,
            fixed_moves: kind.landing == Landing::Store,
        };
        let Landing::Empty(landed) = kind.landing else {
            return LargerSideMove::Plain { line, dropped };
        };
        LargerSideMove::Capture {
            lines: CaptureLines {
                line,
                emptied: emptied as usize,
                empty_capture: steps.empty_capture,
            },
            captures: steps.captures(split.smaller, dropped, pits - 1 - landed),
        }
    })
}

/// The moves of one kind of the smaller side, from all positions of a row.
pub struct SmallerSideMove {
    /// The line of the children.
    ///
    /// If its free side is to move, the smaller side moves again.
    pub line: PositionLine,
    /// Whether [`Step::emptied`] is the place along the line, not [`Step::index`].
    pub captures: bool,
}

impl SmallerSideMove {
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
pub fn smaller_moves(
    steps: &Steps,
    split: Split,
    larger_pits: &Pits,
) -> impl ExactSizeIterator<Item = SmallerSideMove> {
    let kinds = &steps.columns(split.smaller).kinds;
    kinds
        .iter()
        .map(move |&kind| smaller_move(steps, larger_pits, split.larger, kind))
}

fn smaller_move(steps: &Steps, larger_pits: &Pits, larger: usize, kind: Kind) -> SmallerSideMove {
    let arrangements = &steps.arrangements;
    let pits = arrangements.pits();
    let mut after = *larger_pits;
    drop_on(pits, &mut after, kind.dropped);
    let mut line = PositionLine {
        fixed_seeds: larger + kind.dropped,
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
    SmallerSideMove { line, captures }
}
