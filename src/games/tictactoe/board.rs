//! Bitboards of tic-tac-toe: lines, and numbers of sets.

use crate::games::cells::{Cells, each};
use crate::games::grid::Grid;

/// Three rows of three squares.
pub const GRID: Grid = Grid {
    side: 3,
    cells: 0x07_0707,
    letters: ['X', 'O'],
};

/// Three rows, three columns, two diagonals.
pub const LINES: [Cells; 8] = [
    0x7, 0x700, 0x7_0000, 0x1_0101, 0x2_0202, 0x4_0404, 0x4_0201, 0x1_0204,
];

/// Whether a set of squares contains a line.
pub fn has_line(cells: Cells) -> bool {
    LINES.iter().any(|line| cells & line == *line)
}

/// The number with base-3 digit 1 for each square of a set; `a1` is highest.
pub fn base_3(cells: Cells) -> u16 {
    each(GRID.cells).fold(0, |number, cell| {
        3 * number + u16::from(cells & cell.alone() != 0)
    })
}
