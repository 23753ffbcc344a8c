//! The board as sets of cells: lines, images and numbers.

use crate::games::cells;

/// How many cells the board has.
pub const CELLS: usize = 9;
/// All cells.
pub const FULL: u16 = (1 << CELLS) - 1;

/// Three rows, three columns, two diagonals; bit `3 * row + column`.
pub const LINES: [u16; 8] = [0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];

/// Whether a set of cells holds a line.
pub fn has_line(cells: u16) -> bool {
    LINES.iter().any(|line| cells & line == *line)
}

/// Where a symmetry takes a set of cells; see [`cells::image`].
pub fn image(symmetry: usize, cells: u16) -> u16 {
    let [first, second, third] = [0, 3, 6].map(|row| u64::from(cells) >> row & 7);
    let image = cells::image(3, symmetry, first | second << 8 | third << 16);
    (image & 7 | image >> 5 & 0o70 | image >> 10 & 0o700) as u16
}

/// The number whose base-3 digits are 1 for these cells and 0 elsewhere; `a1` is the highest digit.
pub fn base_3(cells: u16) -> u16 {
    (0..CELLS).fold(0, |number, cell| 3 * number + (cells >> cell & 1))
}
