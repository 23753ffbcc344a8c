//! The board as sets of cells: lines, images and numbers, tabulated.

/// How many cells the board has.
pub const CELLS: usize = 9;
/// All cells.
pub const FULL: u16 = (1 << CELLS) - 1;

/// Three rows, three columns, two diagonals; bit `3 * row + column`.
pub const LINES: [u16; 8] = [0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];

/// For each set of cells, whether it holds a line.
pub const HAS_LINE: [bool; 1 << CELLS] = {
    let mut table = [false; 1 << CELLS];
    let mut cells = 0;
    while cells < table.len() {
        let mut line = 0;
        while line < LINES.len() {
            table[cells] |= cells as u16 & LINES[line] == LINES[line];
            line += 1;
        }
        cells += 1;
    }
    table
};

/// How many symmetries the board has.
pub const SYMMETRIES: usize = 8;

/// Where each symmetry takes each cell: bit 2 of the symmetry swaps rows with columns, then
/// bit 0 reverses the columns and bit 1 the rows.
pub const CELL_IMAGE: [[u8; CELLS]; SYMMETRIES] = {
    let mut table = [[0; CELLS]; SYMMETRIES];
    let mut symmetry = 0;
    while symmetry < SYMMETRIES {
        let mut cell = 0;
        while cell < CELLS {
            let (mut row, mut column) = (cell / 3, cell % 3);
            if symmetry & 4 != 0 {
                (row, column) = (column, row);
            }
            if symmetry & 1 != 0 {
                column = 2 - column;
            }
            if symmetry & 2 != 0 {
                row = 2 - row;
            }
            table[symmetry][cell] = (3 * row + column) as u8;
            cell += 1;
        }
        symmetry += 1;
    }
    table
};

/// Where each symmetry takes each set of cells.
pub const IMAGE: [[u16; 1 << CELLS]; SYMMETRIES] = {
    let mut table = [[0; 1 << CELLS]; SYMMETRIES];
    let mut symmetry = 0;
    while symmetry < SYMMETRIES {
        let mut cells = 0;
        while cells < 1 << CELLS {
            let mut cell = 0;
            while cell < CELLS {
                if cells >> cell & 1 == 1 {
                    table[symmetry][cells] |= 1 << CELL_IMAGE[symmetry][cell];
                }
                cell += 1;
            }
            cells += 1;
        }
        symmetry += 1;
    }
    table
};

/// For each set of cells, the number whose base-3 digits are 1 there and 0 elsewhere; `a1` is the
/// highest digit.
pub const BASE_3: [u16; 1 << CELLS] = {
    let mut table = [0; 1 << CELLS];
    let mut cells = 0;
    while cells < table.len() {
        let mut cell = 0;
        while cell < CELLS {
            table[cells] = 3 * table[cells] + (cells >> cell & 1) as u16;
            cell += 1;
        }
        cells += 1;
    }
    table
};
