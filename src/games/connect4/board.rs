//! Boards as bit sets of squares: lines, winning squares and mirror images.
//!
//! The square in a column and row is bit `stride * column + row`; rows are counted from the bottom.
//! A column has one bit more than it has squares. So no line can wrap around an edge, and a bit on
//! top of a column's stones can mark its height.

use crate::games::cells::Cells;
use std::array::from_fn;

/// The size of a board, the length of a line, and sets of squares.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Board {
    pub columns: u32,
    pub rows: u32,
    /// Number of stones that make a line.
    pub line: u32,
    /// The lowest square of each column.
    pub bottom: Cells,
    pub full: Cells,
}

impl Board {
    /// Returns a board whose columns, with a spare row, must fit in 64 bits.
    pub fn new(columns: u32, rows: u32, line: u32) -> Board {
        let stride = rows + 1;
        let bottom = (0..columns).fold(0, |cells, column| cells | 1 << (stride * column));
        let column = (1 << rows) - 1;
        let full = (0..columns).fold(0, |cells, at| cells | column << (stride * at));
        Board {
            columns,
            rows,
            line,
            bottom,
            full,
        }
    }

    pub fn stride(&self) -> u32 {
        self.rows + 1
    }

    pub fn cells(&self) -> u32 {
        self.columns * self.rows
    }

    /// Returns the score of the side that has just won, with `stones` stones placed.
    ///
    /// This is half of the squares, rounded up for the first player and down for the second, plus
    /// 1, minus the winner's stones.
    #[inline(always)]
    pub fn winners_score(&self, stones: u32) -> i32 {
        (self.cells() as i32 + 2 - stones as i32) / 2
    }

    /// Returns the squares of a column.
    pub fn column(&self, column: u32) -> Cells {
        ((1 << self.rows) - 1) << (self.stride() * column)
    }

    /// Returns the squares that a stone can fall to, given the occupied squares.
    #[inline(always)]
    pub fn landings(&self, all: Cells) -> Cells {
        (all + self.bottom) & self.full
    }

    /// Returns the square that a stone in a column falls to; empty if the column is full.
    #[inline(always)]
    pub fn landing(&self, all: Cells, column: u32) -> Cells {
        self.landings(all) & self.column(column)
    }

    /// Returns the distances in bits between neighbours, in each direction.
    ///
    /// The directions are a column, a row and the two diagonals. A board whose distances are too long
    /// for a shift has one column, and no two stones 63 bits apart.
    #[inline(always)]
    pub fn distances(&self) -> [u32; 4] {
        [1, self.rows + 1, self.rows, self.rows + 2].map(|distance| distance.min(63))
    }

    /// Returns the first stones of the lines in the direction of each distance, at most 63.
    #[inline(always)]
    pub fn runs<const N: usize>(&self, stones: Cells, distances: [u32; N]) -> [Cells; N] {
        // All directions at once: the shifts of one needn't wait for those of another.
        let mut runs = [stones; N];
        for _ in 1..self.line {
            runs = from_fn(|at| runs[at] & runs[at] >> distances[at]);
        }
        runs
    }

    /// Returns whether there is a line in any direction.
    #[inline(always)]
    pub fn has_line(&self, stones: Cells) -> bool {
        let runs = self.runs(stones, self.distances());
        runs.iter().any(|&run| run != 0)
    }

    /// Returns the number of lines in any direction.
    pub fn lines(&self, stones: Cells) -> u32 {
        let runs = self.runs(stones, self.distances());
        runs.into_iter().map(Cells::count_ones).sum()
    }

    /// Returns the stones that are part of a line in any direction.
    pub fn line_stones(&self, stones: Cells) -> Cells {
        let runs = self.runs(stones, self.distances()).into_iter();
        let lines = runs.zip(self.distances()).map(|(first, distance)| {
            let shifted = |step| first.unbounded_shl(step * distance);
            (0..self.line).fold(0, |all, step| all | shifted(step))
        });
        lines.fold(0, |all, line| all | line)
    }

    /// Returns the mirror images of sets: the first column becomes the last.
    #[inline(always)]
    pub fn mirrored<const N: usize>(&self, mut left: [Cells; N]) -> [Cells; N] {
        // A column of 64 bits is alone, and shifted by 0.
        let stride = self.stride();
        let column = u64::MAX.unbounded_shr(u64::BITS - stride);
        let mut images: [Cells; N] = [0; N];
        for _ in 0..self.columns {
            images = from_fn(|at| images[at].wrapping_shl(stride) | left[at] & column);
            left = left.map(|left| left.wrapping_shr(stride));
        }
        images
    }
}

/// Returns the squares where a stone would complete a line of `line` stones.
///
/// A column has `stride` bits. Bits of occupied squares and off the board are undefined.
#[inline(always)]
pub fn wins(stones: Cells, stride: u32, line: u32) -> Cells {
    // In a column, a stone can only complete a line on top.
    let mut wins = stones << 1;
    for distance in 2..line {
        wins &= stones << distance;
    }
    for step in [stride - 1, stride, stride + 1] {
        wins |= wins_at(stones, step, line);
    }
    wins
}

/// Returns the squares that complete `line` stones in a row at this distance.
#[inline(always)]
fn wins_at(stones: Cells, step: u32, line: u32) -> Cells {
    let mut wins = 0;
    for before in 0..line {
        let mut cells = Cells::MAX;
        for distance in 1..=before {
            cells &= stones.unbounded_shl(distance * step);
        }
        for distance in 1..line - before {
            cells &= stones.unbounded_shr(distance * step);
        }
        wins |= cells;
    }
    wins
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    const BOARDS: [(u32, u32, u32); 9] = [
        (7, 6, 4),
        (8, 7, 4),
        (1, 63, 5),
        (32, 1, 3),
        (4, 4, 3),
        (9, 6, 5),
        (16, 3, 4),
        (5, 11, 2),
        (3, 3, 3),
    ];

    /// Finds lines square by square, direction by direction.
    fn has_line_slowly(board: &Board, stones: Cells) -> bool {
        let is_stone = |column: i32, row: i32| {
            let inside = (0..board.columns as i32).contains(&column)
                && (0..board.rows as i32).contains(&row);
            inside && stones >> (board.stride() as i32 * column + row) & 1 == 1
        };
        let line = board.line as i32;
        (0..board.columns as i32).any(|column| {
            (0..board.rows as i32).any(|row| {
                [(0, 1), (1, 0), (1, 1), (1, -1)]
                    .into_iter()
                    .any(|(right, up)| {
                        (0..line).all(|step| is_stone(column + step * right, row + step * up))
                    })
            })
        })
    }

    #[test]
    fn lines_are_found_as_a_walk_finds_them() {
        for (columns, rows, line) in BOARDS {
            let board = Board::new(columns, rows, line);
            assert_eq!(board.full.count_ones(), columns * rows);
            let mut random = Random::new(1);
            let mut found = [0; 2];
            for _ in 0..2000 {
                let stones = random.bits() & random.bits() & board.full;
                let stones = if random.below(2) == 0 {
                    stones
                } else {
                    stones | random.bits() & board.full
                };
                let has_line = has_line_slowly(&board, stones);
                assert_eq!(board.has_line(stones), has_line, "{board:?} {stones:#x}");
                found[usize::from(has_line)] += 1;
            }
            assert!(found[0] > 0 && found[1] > 0, "{board:?} {found:?}");
        }
    }

    #[test]
    fn a_mirror_reverses_the_columns() {
        for (columns, rows, line) in BOARDS {
            let board = Board::new(columns, rows, line);
            for column in 0..columns {
                let image = board.column(columns - 1 - column);
                assert_eq!(board.mirrored([board.column(column)]), [image]);
            }
            let mut random = Random::new(2);
            for _ in 0..100 {
                let cells = random.bits() & board.full;
                assert_eq!(board.mirrored(board.mirrored([cells])), [cells]);
            }
        }
    }

    #[test]
    fn stones_fall_to_the_lowest_free_cell() {
        let board = Board::new(8, 7, 4);
        let mut all = 0;
        for row in 0..7 {
            let cell = board.landing(all, 7);
            assert_eq!(cell, 1 << (56 + row));
            all |= cell;
        }
        assert_eq!(board.landing(all, 7), 0);
        assert_eq!(board.landing(all, 0), 1);
    }

    /// Checks that a square is found exactly if a stone there makes a new line.
    fn finds_wins(columns: u32, rows: u32, line: u32) {
        let board = Board::new(columns, rows, line);
        let mut random = Random::new(3);
        let mut found = 0;
        for _ in 0..3000 {
            let stones = random.bits() & random.bits() & board.full;
            if board.has_line(stones) {
                continue;
            }
            let wins = wins(stones, board.stride(), line);
            for bit in (0..64).filter(|bit| board.full & !stones & 1 << bit != 0) {
                // Skip squares below a stone: nothing lies above a free square in its column.
                let column = board.column(bit / board.stride());
                if stones & column & !((1 << bit) - 1) != 0 {
                    continue;
                }
                let is_win = board.has_line(stones | 1 << bit);
                assert_eq!(wins >> bit & 1 == 1, is_win, "{board:?} {stones:#x} {bit}");
                found += u32::from(is_win);
            }
        }
        assert!(found > 0, "{board:?}");
    }

    #[test]
    fn wins_are_where_a_stone_makes_a_line() {
        for (columns, rows, line) in [
            (7, 6, 4),
            (8, 7, 4),
            (8, 7, 3),
            (32, 1, 2),
            (3, 16, 5),
            (1, 63, 2),
        ] {
            finds_wins(columns, rows, line);
        }
    }
}
