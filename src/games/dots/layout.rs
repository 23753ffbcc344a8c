//! The numbering of the classes for tables.
//!
//! A segment has the sets with the same numbers of inner lines and of border lines. Its rows are sets of
//! inner lines, one of each class, and its columns are sets of border lines. The inner lines of a
//! canonical set are canonical themselves, so each class has a slot.
//!
//! Rows and columns are in the order of the boxes that they fill. Neighbours then differ in few boxes,
//! and nearly always have scores of the same parity: that halves the table.

use super::board::{Board, Lines, Position};
use crate::game::{Ranking, Segment, Slot};

/// The numbering of a board's classes.
pub struct Layout {
    border: u32,
    /// The sets of the rows and of the columns, by number of lines.
    pub sets: [Vec<Vec<Lines>>; 2],
    /// For each set of inner lines, its class's row and the symmetry that leads there, in 3 bits.
    rows: Vec<u32>,
    /// The column of each set of border lines.
    columns: Vec<u16>,
    /// The segments, those with the fewest undrawn lines first.
    segments: Vec<Segment>,
    /// The numbers of inner lines and of border lines, by segment.
    counts: Vec<[usize; 2]>,
    /// The segment, by these numbers.
    numbers: Vec<Vec<usize>>,
}

impl Layout {
    pub fn new(board: &Board) -> Layout {
        let (border, inner) = (board.border, board.ends.len() as u32 - board.border);
        let inner_sets = (0..1 << inner).map(|lines: Lines| lines << border);
        let inner_sets = inner_sets.filter(|&lines| board.canonical(lines) == lines);
        let border_sets = (0..1 << border).filter(|&lines| board.folded(lines) == lines);
        let border_lines = (1 << border) - 1;
        let rows = by_count(board, inner_sets, board.all() ^ border_lines);
        let columns = by_count(board, border_sets, border_lines);
        let mut layout = Layout {
            border,
            rows: vec![0; 1 << inner],
            columns: vec![0; 1 << border],
            segments: Vec::new(),
            counts: Vec::new(),
            numbers: vec![vec![0; columns.len()]; rows.len()],
            sets: [rows, columns],
        };
        for sets in &layout.sets[0] {
            for (row, &lines) in sets.iter().enumerate() {
                let images = board.folded_images(lines);
                for (symmetry, image) in images[..board.turns.len()].iter().enumerate() {
                    let row = row << 3 | board.inverse(symmetry);
                    layout.rows[(image >> border) as usize] = row as u32;
                }
            }
        }
        for sets in &layout.sets[1] {
            for (column, &lines) in (0..).zip(sets) {
                layout.columns[lines as usize] = column;
            }
        }
        for layer in 0..=board.ends.len() {
            let drawn = board.ends.len() - layer;
            for count in (0..=drawn.min(inner as usize)).rev() {
                if drawn - count <= border as usize {
                    layout.add([count, drawn - count], layer, board);
                }
            }
        }
        layout
    }

    /// Adds a segment with these numbers of inner lines and of border lines.
    fn add(&mut self, counts: [usize; 2], layer: usize, board: &Board) {
        self.numbers[counts[0]][counts[1]] = self.segments.len();
        self.counts.push(counts);
        let [rows, columns] = self.sets_of(counts).map(|sets| sets.len() as u32);
        self.segments.push(Segment {
            rows,
            columns,
            scores: board.scores(),
            layer: layer as u32,
            derived: false,
        });
    }

    /// Returns the sets of the rows and of the columns with these numbers of lines.
    pub fn sets_of(&self, [inner, border]: [usize; 2]) -> [&[Lines]; 2] {
        [&self.sets[0][inner], &self.sets[1][border]]
    }

    /// Returns the numbers of inner lines and of border lines of a segment's sets.
    pub fn counts(&self, segment: usize) -> [usize; 2] {
        self.counts[segment]
    }

    /// Returns the segment of sets with these numbers of inner lines and of border lines, if there is
    /// one.
    pub fn segment(&self, [inner, border]: [usize; 2]) -> Option<usize> {
        self.numbers.get(inner)?.get(border).copied()
    }

    /// Returns the row of the class of some inner lines, and the symmetry that leads there.
    #[inline]
    pub fn row(&self, inner: Lines) -> (usize, usize) {
        let row = self.rows[(inner >> self.border) as usize] as usize;
        (row >> 3, row & 7)
    }

    /// Returns the column of a folded set of border lines.
    #[inline]
    pub fn column(&self, border: Lines) -> u16 {
        self.columns[border as usize]
    }
}

/// Sorts sets of lines in `part` of a board by number of lines, and then by the boxes of which they have
/// all lines in that part.
fn by_count(board: &Board, sets: impl Iterator<Item = Lines>, part: Lines) -> Vec<Vec<Lines>> {
    let mut by_count = vec![Vec::new(); part.count_ones() as usize + 1];
    sets.for_each(|lines| by_count[lines.count_ones() as usize].push(lines));
    let filled = |&lines: &Lines| {
        let boxes = board.boxes.iter();
        let filled = boxes.fold(0, |all, of| all << 1 | u32::from(of & part & !lines == 0));
        (filled, lines)
    };
    for sets in &mut by_count {
        sets.sort_by_cached_key(filled);
    }
    by_count
}

impl Ranking<Position> for Layout {
    fn segments(&self) -> &[Segment] {
        &self.segments
    }

    #[inline]
    fn slot(&self, canonical: &Position) -> Option<Slot> {
        let border = canonical.lines & ((1 << self.border) - 1);
        let inner = canonical.lines ^ border;
        let counts = [inner, border].map(|lines| lines.count_ones() as usize);
        let segment = self.segment(counts).filter(|&segment| segment > 0)?;
        Some(Slot {
            segment: segment as u32,
            row: self.row(inner).0 as u32,
            column: self.column(border).into(),
        })
    }

    fn position(&self, slot: Slot) -> Position {
        let [rows, columns] = self.sets_of(self.counts(slot.segment as usize));
        Position::bare(rows[slot.row as usize] | columns[slot.column as usize])
    }
}
