//! The lines, boxes and symmetries of a board.

use crate::game::{ScoreRange, Side};
use crate::games::cells::{Cell, ones};
use std::array;
use std::fmt;

/// A set of lines, one bit each.
pub type Lines = u64;

/// The most lines of a board.
pub const MOST_LINES: usize = 60;
/// The most rows, and columns, of boxes. The dots have one more.
pub const MOST_SIDE: usize = 7;
/// The lines of a box that isn't there: no set contains them.
pub const NO_BOX: Lines = !0;

/// The dots at the ends of a line, the left or upper one first.
type Ends = (Cell, Cell);

/// A value for each set of eight lines, by eighth of the lines. A set's value is the union of theirs.
type Eighths<const N: usize> = Vec<[[Lines; N]; 256]>;

/// A board of some rows and columns of boxes.
///
/// The *border lines*, which border a single box, have the lowest bits. The others are *inner lines*.
pub struct Board {
    pub rows: usize,
    pub columns: usize,
    /// The ends of each line.
    pub ends: Vec<Ends>,
    /// The lines in the order of their notation: horizontal ones row by row, then vertical ones.
    pub in_order: Vec<u8>,
    /// The lines of each box, row by row.
    pub boxes: Vec<Lines>,
    /// For each line, the other lines of its one or two boxes, and the boxes.
    pub sides: Vec<[(Lines, usize); 2]>,
    /// Number of border lines.
    pub border: u32,
    /// The boxes of which a set of lines has the top, bottom, left and right line.
    borders: Eighths<4>,
    /// The images under all rotations and reflections, in the order of `turns`, folded: lines that are
    /// alike are in the same eighth.
    ///
    /// A board that isn't square has four. They come twice, so that each set has eight.
    images: Eighths<8>,
    /// Lines that border the same single box, if there are several.
    pub alike: Vec<Lines>,
    /// All rotations and reflections as the new bit of each line, the identity first.
    pub turns: Vec<Vec<u8>>,
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}×{}", self.rows, self.columns)
    }
}

/// The lines drawn, the boxes of each player, and the side to move.
///
/// If nobody owns the complete boxes, the score is that to come.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    pub(super) lines: Lines,
    /// The first and the second player's boxes, one bit each, row by row.
    pub(super) boxes: [u32; 2],
    pub(super) side: Side,
}

/// A line, by its bit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Move(pub(super) u8);

impl Position {
    /// Returns the position with these lines, in which nobody owns a box and the first player is to
    /// move.
    pub(super) fn bare(lines: Lines) -> Position {
        Position {
            lines,
            boxes: [0; 2],
            side: Side::First,
        }
    }
}

/// The boxes that lack a number of lines, one bit each.
#[derive(Clone, Copy)]
pub struct Lacking {
    pub one: Lines,
    pub two: Lines,
}

/// Returns the line from a dot to the next one below it (`down` is 1) or to the right of it (0).
fn line(row: usize, column: usize, down: usize) -> Ends {
    let dot = |row, column| Cell::at(row as u8, column as u8);
    (dot(row, column), dot(row + down, column + 1 - down))
}

/// Returns the value of each set of eight lines, given that of each line.
fn eighths<const N: usize>(of: &[[Lines; N]]) -> Eighths<N> {
    let eighth = |of: &[[Lines; N]]| {
        array::from_fn(|lines| {
            let values = ones(lines as Lines).filter_map(|line| of.get(line));
            values.fold([0; N], |all, of| {
                array::from_fn(|index| all[index] | of[index])
            })
        })
    };
    of.chunks(8).map(eighth).collect()
}

/// Returns the value of a set of lines.
#[inline(always)]
fn value<const N: usize>(eighths: &Eighths<N>, lines: Lines) -> [Lines; N] {
    let mut value = [0; N];
    for (index, eighth) in eighths.iter().enumerate() {
        let of = &eighth[(lines >> (8 * index)) as usize & 255];
        value = array::from_fn(|at| value[at] | of[at]);
    }
    value
}

/// Returns the set with these bits.
fn set(bits: impl IntoIterator<Item = usize>) -> Lines {
    bits.into_iter().fold(0, |set, bit| set | 1 << bit)
}

/// Returns the set of the lines' images.
fn moved(symmetry: &[u8], lines: Lines) -> Lines {
    set(ones(lines).map(|line| symmetry[line].into()))
}

/// Returns all lines of a board, horizontal ones row by row, then vertical ones.
fn listed(rows: usize, columns: usize) -> Vec<Ends> {
    let lines = |rows: usize, columns: usize, down| {
        (0..rows).flat_map(move |row| (0..columns).map(move |column| line(row, column, down)))
    };
    lines(rows + 1, columns, 0)
        .chain(lines(rows, columns + 1, 1))
        .collect()
}

/// Returns the order of lines by bit: those of the border first, those of a corner side by side.
fn order(rows: usize, columns: usize) -> impl Fn(&Ends) -> (bool, usize, u32, u32) {
    let corners = [(0, 0), (rows, 0), (0, columns), (rows, columns)];
    let corners = corners.map(|(row, column)| Cell::at(row as u8, column as u8));
    move |&(from, to)| {
        let at = corners
            .iter()
            .position(|&corner| corner == from || corner == to);
        let is_inner = match from.row() == to.row() {
            true => ![0, rows].contains(&(from.row() as usize)),
            false => ![0, columns].contains(&(from.column() as usize)),
        };
        // If there is one column of boxes, the lines on its left and right are side by side.
        let column = from.column() % columns as u32;
        (is_inner, at.unwrap_or(corners.len()), column, from.row())
    }
}

/// Returns, for each line, the other lines of its boxes, and the boxes.
fn sides(boxes: &[Lines], count: usize) -> Vec<[(Lines, usize); 2]> {
    let sides = (0..count).map(|line| {
        let mut of = (0..boxes.len()).filter(|&index| boxes[index] >> line & 1 == 1);
        let mut side = || {
            let index = of.next();
            index.map_or((NO_BOX, 0), |index| (boxes[index] & !(1 << line), index))
        };
        [side(), side()]
    });
    sides.collect()
}

/// Returns the rotations and reflections as the new bit of each line.
fn turns(rows: usize, columns: usize, ends: &[Ends]) -> Vec<Vec<u8>> {
    let turn = |symmetry: u32| {
        let dot = |dot: Cell| {
            let (mut row, mut column) = (dot.row() as u8, dot.column() as u8);
            if symmetry & 4 != 0 {
                (row, column) = (column, row);
            }
            if symmetry & 1 != 0 {
                column = columns as u8 - column;
            }
            if symmetry & 2 != 0 {
                row = rows as u8 - row;
            }
            Cell::at(row, column)
        };
        let image = |&(from, to): &Ends| {
            let (from, to) = (dot(from), dot(to));
            let is_it = |ends: &Ends| *ends == (from, to) || *ends == (to, from);
            ends.iter().position(is_it).unwrap_or_default() as u8
        };
        ends.iter().map(image).collect()
    };
    let count = if rows == columns { 8 } else { 4 };
    (0..count).map(turn).collect()
}

impl Board {
    pub fn new(rows: usize, columns: usize) -> Board {
        let listed = listed(rows, columns);
        let order = order(rows, columns);
        let mut ends = listed.clone();
        ends.sort_by_key(&order);
        let bit = |of: Ends| ends.iter().position(|&ends| ends == of).unwrap_or_default();
        let borders = (0..rows * columns).map(|index| {
            let (row, column) = (index / columns, index % columns);
            let [top, left] = [0, 1].map(|down| bit(line(row, column, down)));
            [
                top,
                bit(line(row + 1, column, 0)),
                left,
                bit(line(row, column + 1, 1)),
            ]
        });
        let borders: Vec<[usize; 4]> = borders.collect();
        let boxes = borders.iter().map(|lines| set(*lines)).collect::<Vec<_>>();
        let sides = sides(&boxes, ends.len());
        let bordered = |line, which: usize| {
            set((0..boxes.len()).filter(|&index| borders[index][which] == line))
        };
        let bordered: Vec<[Lines; 4]> = (0..ends.len())
            .map(|line| array::from_fn(|which| bordered(line, which)))
            .collect();
        let outer = |&lines: &Lines| set(ones(lines).filter(|&line| sides[line][1].0 == NO_BOX));
        let alike = boxes
            .iter()
            .map(outer)
            .filter(|lines| lines.count_ones() > 1);
        let alike: Vec<Lines> = alike.collect();
        let turns = turns(rows, columns, &ends);
        let image = |line: usize| array::from_fn(|turn| 1 << turns[turn % turns.len()][line]);
        let mut images = eighths(&(0..ends.len()).map(image).collect::<Vec<_>>());
        for image in images.as_flattened_mut().as_flattened_mut() {
            *image = alike
                .iter()
                .fold(*image, |image, &alike| fold(image, alike));
        }
        Board {
            rows,
            columns,
            in_order: listed.iter().map(|&of| bit(of) as u8).collect(),
            border: ends.iter().filter(|of| !order(of).0).count() as u32,
            borders: eighths(&bordered),
            images,
            turns,
            alike,
            boxes,
            sides,
            ends,
        }
    }

    /// Returns the number of classes of unfinished positions, by Burnside's lemma.
    pub fn classes(&self) -> u64 {
        let alike = |line: usize| self.alike.iter().find(|&&lines| lines >> line & 1 == 1);
        // A number of lines among those that are alike, or whether another line is drawn.
        let first = |line| alike(line).map_or(line, |lines| lines.trailing_zeros() as usize);
        let choices = |line| alike(line).map_or(2, |lines| lines.count_ones() + 1);
        let unchanged = |turn: &Vec<u8>| {
            let mut seen: Lines = 0;
            let mut count = 1_u64;
            for line in (0..self.ends.len()).filter(|&line| first(line) == line) {
                let mut next = line;
                if seen >> line & 1 == 0 {
                    count *= u64::from(choices(line));
                }
                while seen >> next & 1 == 0 {
                    seen |= 1 << next;
                    next = first(turn[next].into());
                }
            }
            count
        };
        let sum: u64 = self.turns.iter().map(unchanged).sum();
        sum / self.turns.len() as u64 - 1
    }

    /// Returns the images of lines, and of both players' boxes, under a symmetry.
    pub fn image(&self, symmetry: usize, lines: Lines, boxes: [u32; 2]) -> (Lines, [u32; 2]) {
        let symmetry = &self.turns[symmetry];
        let place = |index: usize| {
            let image = moved(symmetry, self.boxes[index]);
            self.boxes
                .iter()
                .position(|&lines| lines == image)
                .unwrap_or_default()
        };
        let image = |owned: u32| ones(owned.into()).fold(0, |set, index| set | 1 << place(index));
        (moved(symmetry, lines), boxes.map(image))
    }

    /// Returns the possible scores.
    ///
    /// An odd number of boxes to come has odd scores, an even one even scores.
    pub fn scores(&self) -> ScoreRange {
        ScoreRange::up_to(self.boxes.len() as i32, 1)
    }

    /// Returns the set of all lines.
    #[inline]
    pub fn all(&self) -> Lines {
        (1 << self.ends.len()) - 1
    }

    /// Returns the boxes whose four lines are drawn.
    #[inline]
    pub fn complete(&self, lines: Lines) -> u32 {
        let [top, bottom, left, right] = value(&self.borders, lines);
        (top & bottom & left & right) as u32
    }

    /// Returns the number of boxes that are not complete.
    #[inline]
    pub fn open_boxes(&self, lines: Lines) -> i32 {
        (self.boxes.len() as u32 - self.complete(lines).count_ones()) as i32
    }

    /// Returns the boxes that lack one line, and those that lack two.
    #[inline]
    pub fn lacking(&self, lines: Lines) -> Lacking {
        let [top, bottom, left, right] = value(&self.borders, lines);
        // Add the four bits of each box.
        let (level, upright) = (top ^ bottom, left ^ right);
        let odd = level ^ upright;
        let two = (top & bottom) ^ (left & right) ^ (level & upright);
        Lacking {
            one: odd & two,
            two: !odd & two,
        }
    }

    /// Returns the canonical set of a set's class.
    #[inline]
    pub fn canonical(&self, lines: Lines) -> Lines {
        self.folded_images(lines)
            .into_iter()
            .fold(Lines::MAX, Lines::min)
    }

    /// Returns the images of a set, folded.
    #[inline]
    pub fn folded_images(&self, lines: Lines) -> [Lines; 8] {
        value(&self.images, lines)
    }

    /// Replaces lines by those of the lowest bits among lines that are alike.
    pub fn folded(&self, lines: Lines) -> Lines {
        self.folded_images(lines)[0]
    }

    /// Returns the number of the symmetry that undoes another one.
    pub fn inverse(&self, symmetry: usize) -> usize {
        let turn = &self.turns[symmetry];
        let undoes = |other: &Vec<u8>| {
            let mut lines = (0..).zip(turn);
            lines.all(|(line, &image)| other[usize::from(image)] == line)
        };
        self.turns.iter().position(undoes).unwrap_or_default()
    }
}

/// Replaces the lines of a set that are in `alike` by as many with the lowest bits.
fn fold(lines: Lines, alike: Lines) -> Lines {
    let count = (lines & alike).count_ones() as usize;
    ones(alike)
        .take(count)
        .fold(lines & !alike, |set, line| set | 1 << line)
}
