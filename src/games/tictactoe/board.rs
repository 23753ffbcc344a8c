//! The board as sets of cells: lines and numbers.

use crate::games::cells::{Cells, Grid, each};

/// Three rows of three cells.
pub const GRID: Grid = Grid {
    side: 3,
    cells: 0x07_0707,
    letters: ['X', 'O'],
};

/// Three rows, three columns, two diagonals.
pub const LINES: [Cells; 8] = [
    0x7, 0x700, 0x7_0000, 0x1_0101, 0x2_0202, 0x4_0404, 0x4_0201, 0x1_0204,
];

/// Whether a set of cells holds a line.
pub fn has_line(cells: Cells) -> bool {
    LINES.iter().any(|line| cells & line == *line)
}

/// The number whose base-3 digits are 1 for these cells and 0 elsewhere; `a1` is the highest digit.
pub fn base_3(cells: Cells) -> u16 {
    each(GRID.cells).fold(0, |number, cell| {
        3 * number + u16::from(cells & cell.alone() != 0)
    })
}
