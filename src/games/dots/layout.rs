//! The numbering of the classes for tables.
//!
//! A segment has the sets with the same lines on the board's cut, and the same numbers of lines to
//! the left and to the right of it. Its rows are the sets to the left, its columns those to the
//! right. Sets that complete an even number of boxes come first: then neighbours nearly always have
//! scores of the same parity.

use super::board::{Board, Lines, Position};
use crate::game::{Ranking, Segment, Slot};

/// The sets of lines on one side of the cut.
struct Half {
    /// By number of lines, the sets in the order of rows or columns.
    sets: Vec<Vec<Lines>>,
    /// The row or column of a set.
    places: Vec<u32>,
}

impl Half {
    /// Returns the sets of `count` lines from bit `low` on, if the lines `cut` are drawn on the
    /// cut.
    fn new(board: &Board, low: u32, count: u32, cut: Lines) -> Half {
        let part = ((1 << count) - 1) << low;
        let mut half = Half {
            sets: vec![Vec::new(); count as usize + 1],
            places: vec![0; 1 << count],
        };
        for lines in (0..1 << count).map(|lines| lines << low) {
            if board.is_folded_within(part, lines) {
                half.sets[lines.count_ones() as usize].push(lines);
            }
        }
        let complete = |lines| board.complete(lines | cut).count_ones();
        for sets in &mut half.sets {
            sets.sort_by_key(|&lines| (complete(lines) % 2, lines));
            for (place, lines) in (0..).zip(sets) {
                half.places[(*lines >> low) as usize] = place;
            }
        }
        half
    }
}

/// The numbering of a board's classes.
#[derive(Default)]
pub struct Layout {
    parts: [u32; 2],
    all: Lines,
    segments: Vec<Segment>,
    /// The halves to the right and to the left, by the lines on the cut.
    ///
    /// `None` if no canonical set has these lines on the cut.
    halves: Vec<Option<[Half; 2]>>,
    /// Index of the first segment, by the lines on the cut.
    firsts: Vec<u32>,
    /// The lines on the cut, by segment.
    cuts: Vec<Lines>,
}

impl Layout {
    pub fn new(board: &Board) -> Layout {
        let parts = board.parts;
        let [right, left] = parts;
        let scores = board.scores();
        let mut layout = Layout {
            parts,
            all: board.all(),
            ..Layout::default()
        };
        for cut in 0..1 << board.rows {
            let lines = cut << (left + right);
            layout.firsts.push(layout.segments.len() as u32);
            if board.is_lower_reflected(lines) {
                layout.halves.push(None);
                continue;
            }
            let halves =
                [(0, right), (right, left)].map(|(low, count)| Half::new(board, low, count, lines));
            for (rows, to_the_left) in (0..).zip(&halves[1].sets) {
                for (columns, to_the_right) in (0..).zip(&halves[0].sets) {
                    layout.cuts.push(lines);
                    layout.segments.push(Segment {
                        rows: to_the_left.len() as u32,
                        columns: to_the_right.len() as u32,
                        scores,
                        layer: rows + columns + lines.count_ones(),
                        derived: false,
                    });
                }
            }
            layout.halves.push(Some(halves));
        }
        layout
    }

    /// Returns the sets of a segment's rows and columns, and the lines on the cut.
    pub fn sets(&self, segment: u32) -> ([&[Lines]; 2], Lines) {
        let [right, left] = self.parts;
        let lines = self.cuts[segment as usize];
        let cut = (lines >> (left + right)) as usize;
        let Some(halves) = &self.halves[cut] else {
            unreachable!("a cut without canonical sets has no segments");
        };
        let within = (segment - self.firsts[cut]) as usize;
        let columns = right as usize + 1;
        let rows = &halves[1].sets[within / columns];
        ([rows, &halves[0].sets[within % columns]], lines)
    }
}

impl Ranking<Position> for Layout {
    fn segments(&self) -> &[Segment] {
        &self.segments
    }

    #[inline]
    fn slot(&self, canonical: &Position) -> Option<Slot> {
        let lines = canonical.lines;
        let [right, left] = self.parts;
        let cut = (lines >> (left + right)) as usize;
        let halves = self.halves.get(cut)?.as_ref()?;
        if lines == self.all {
            return None;
        }
        let [to_the_right, to_the_left] = [
            lines & ((1 << right) - 1),
            lines >> right & ((1 << left) - 1),
        ];
        Some(Slot {
            segment: self.firsts[cut]
                + to_the_left.count_ones() * (right + 1)
                + to_the_right.count_ones(),
            row: halves[1].places[to_the_left as usize],
            column: halves[0].places[to_the_right as usize],
        })
    }

    fn position(&self, slot: Slot) -> Position {
        let ([rows, columns], cut) = self.sets(slot.segment);
        Position::bare(rows[slot.row as usize] | columns[slot.column as usize] | cut)
    }
}
