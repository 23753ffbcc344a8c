//! The boards as sets of cells: lines, where a stone would make one, and mirror images.
//!
//! A set of cells has bit `stride * column + row` for each, rows counted from the bottom. A column
//! takes one bit more than it has cells, so that no line goes over an edge, and so that a column's
//! stones and a bit on top of them say how high it is.

use crate::games::cells::Cells;

/// What the rules need to know of a board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Board {
    pub columns: u32,
    pub rows: u32,
    /// How many stones make a line.
    pub line: u32,
    /// The lowest cell of each column.
    pub bottom: Cells,
    /// All cells.
    pub full: Cells,
}

impl Board {
    /// A board whose columns, with a row to spare, fit 64 bits.
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

    /// The score of who has just won with so many stones on the board: half of the cells, rounded
    /// up for the first player and down for the second, plus 1, minus the winner's stones.
    #[inline(always)]
    pub fn winners_score(&self, stones: u32) -> i32 {
        (self.cells() as i32 + 2 - stones as i32) / 2
    }

    /// The number of a column's lowest bit.
    pub fn first_bit(&self, column: u32) -> u32 {
        self.stride() * column
    }

    /// The cells of a column.
    pub fn column(&self, column: u32) -> Cells {
        ((1 << self.rows) - 1) << (self.stride() * column)
    }

    /// The cell that a stone in a column falls to; none if the column is full. `all` are the cells
    /// with stones.
    pub fn landing(&self, all: Cells, column: u32) -> Cells {
        (all + (1 << (self.stride() * column))) & self.column(column)
    }

    /// The distances between neighbours in a column, a row and the two diagonals.
    pub fn distances(&self) -> [u32; 4] {
        [1, self.rows + 1, self.rows, self.rows + 2]
    }

    /// Whether there is a line at this distance.
    pub fn has_line_at(&self, stones: Cells, distance: u32) -> bool {
        let mut run = stones;
        for _ in 1..self.line {
            run &= run.unbounded_shr(distance);
        }
        run != 0
    }

    /// Whether there is any line.
    pub fn has_line(&self, stones: Cells) -> bool {
        self.distances()
            .into_iter()
            .any(|distance| self.has_line_at(stones, distance))
    }

    /// The set seen in a mirror: the first column becomes the last.
    pub fn mirrored(&self, cells: Cells) -> Cells {
        let stride = self.stride();
        let column = u64::MAX.unbounded_shr(u64::BITS - stride);
        let mut left = cells;
        let mut image: Cells = 0;
        for _ in 0..self.columns {
            image = image.unbounded_shl(stride) | left & column;
            left = left.unbounded_shr(stride);
        }
        image
    }
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

    /// Cell by cell, direction by direction.
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
                assert_eq!(board.mirrored(board.column(column)), image);
            }
            let mut random = Random::new(2);
            for _ in 0..100 {
                let cells = random.bits() & board.full;
                assert_eq!(board.mirrored(board.mirrored(cells)), cells);
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
}
