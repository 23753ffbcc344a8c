//! Shared code of games on boards of squares: bitboards, and notation for pieces.
//!
//! [`Grid`] and its symmetries are for square boards.

use crate::game::{NotationError, SIDE_COLUMN, Side, cell_byte, cell_owner};
#[cfg(feature = "cli")]
use crate::game::{Picture, Piece};
use crate::text::counted;
use std::fmt;

/// A set of squares as bits.
pub type Cells = u64;

/// Indices of the set bits, in ascending order.
#[inline]
pub fn ones(mut cells: Cells) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = cells.trailing_zeros() as usize;
        (cells != 0).then(|| {
            cells &= cells - 1;
            bit
        })
    })
}

/// A square of a board with bit `8 * row + column` for each square.
///
/// Written as its column, a letter, and its row, a number counted from the top: `a1`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Cell(pub u8);

impl Cell {
    /// The square in this row and column.
    #[must_use]
    pub fn at(row: u8, column: u8) -> Cell {
        Cell(8 * row + column)
    }

    /// Column, 0 at the left.
    #[must_use]
    pub fn column(self) -> u32 {
        u32::from(self.0 % 8)
    }

    /// Row, 0 at the top.
    #[must_use]
    pub fn row(self) -> u32 {
        u32::from(self.0 / 8)
    }

    pub(super) fn alone(self) -> Cells {
        1 << self.0
    }

    /// Number of the set's squares before this one.
    pub(super) fn index_in(self, cells: Cells) -> usize {
        (cells & (self.alone() - 1)).count_ones() as usize
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let column = char::from(b'a' + self.0 % 8);
        write!(f, "{column}{}", self.row() + 1)
    }
}

/// The squares of a set, row by row.
pub fn each(cells: Cells) -> impl Iterator<Item = Cell> {
    ones(cells).map(|bit| Cell(bit as u8))
}

/// A board of squares.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    /// Number of rows, and of columns in the longest row.
    pub side: u32,
    /// All squares.
    pub cells: Cells,
    /// Letters of the pieces.
    pub letters: Letters,
}

impl Grid {
    /// The board's squares, row by row.
    pub fn rows(self) -> impl Iterator<Item = Vec<Cell>> {
        (0..self.side).map(move |row| each(self.cells & 0xff << (8 * row)).collect())
    }

    /// Letter of a square, given the squares of both players.
    pub fn letter(self, sets: [Cells; 2], cell: Cell) -> char {
        letter(self.letters, owner(sets, cell.0.into()))
    }

    /// The squares of both players, given each square's owner row by row.
    pub fn sets(self, owners: impl IntoIterator<Item = Option<Side>>) -> [Cells; 2] {
        sets(each(self.cells).map(|cell| cell.0.into()), owners)
    }

    /// Names of a row's columns: the squares and the side to move.
    pub fn columns(self) -> Vec<String> {
        let cells = each(self.cells).map(|cell| cell.to_string());
        cells.chain([SIDE_COLUMN.into()]).collect()
    }

    /// Writes the owner of each square and the side to move to a row.
    pub fn write_row(self, sets: [Cells; 2], side: Side, row: &mut [u8]) {
        for (cell, byte) in each(self.cells).zip(&mut *row) {
            *byte = cell_byte(owner(sets, cell.0.into()));
        }
        row[self.cells.count_ones() as usize] = side.index() as u8;
    }

    /// The squares of both players in a row, and the byte of the side to move.
    pub fn read_row(self, row: &[u8]) -> Result<([Cells; 2], u8), String> {
        let (cells, side) = row.split_at(self.cells.count_ones() as usize);
        Ok((self.sets(owners(cells)?), side[0]))
    }

    /// The board as text in a few lines, with notes beside the middle ones.
    pub fn drawn(self, sets: [Cells; 2], notes: &[String]) -> String {
        let columns = (b'a'..).take(self.side as usize);
        let columns: Vec<String> = columns.map(|letter| char::from(letter).into()).collect();
        let mut lines = vec![format!("     {}", columns.join(" "))];
        for (number, cells) in (1..).zip(self.rows()) {
            let mut row = vec![" ".to_owned(); self.side as usize];
            for cell in cells {
                row[cell.column() as usize] = self.letter(sets, cell).into();
            }
            lines.push(format!("  {number}  {}", row.join(" ")));
        }
        let middle = self.side.div_ceil(2) as usize;
        for (line, note) in lines[middle..].iter_mut().zip(notes) {
            line.push_str(&format!("   {note}"));
        }
        let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
        lines.join("\n")
    }

    /// A picture of the board with the pieces of both players.
    #[cfg(feature = "cli")]
    pub fn picture(self, sets: [Cells; 2], piece: impl Fn(Side) -> Piece) -> Picture {
        Picture::grid(self.side, self.side, |column, row| {
            let bit = 8 * row + column;
            let owner = owner(sets, bit).map_or(Piece::Empty, &piece);
            (self.cells >> bit & 1 == 1).then_some(owner)
        })
    }
}

/// Number of symmetries of a square board.
pub const SYMMETRIES: usize = 8;

/// Image of a set of squares under a symmetry, `0..SYMMETRIES`.
///
/// The board has `side` rows and columns, and bit `8 * row + column` for each square. Bit 2 of the
/// symmetry swaps rows and columns, then bit 0 reverses the columns and bit 1 the rows.
pub fn image(side: u32, symmetry: usize, mut cells: Cells) -> Cells {
    if symmetry & 4 != 0 {
        cells = transposed(cells);
    }
    if symmetry & 1 != 0 {
        // Reverse 8 columns, then shift the board back to the left.
        cells = cells.reverse_bits().swap_bytes() >> (8 - side);
    }
    if symmetry & 2 != 0 {
        cells = cells.swap_bytes() >> (8 * (8 - side));
    }
    cells
}

/// Swaps rows and columns.
fn transposed(mut cells: Cells) -> Cells {
    // Swap ever larger blocks on both sides of the diagonal.
    for (distance, mask) in [
        (7, 0x00aa_00aa_00aa_00aa),
        (14, 0x0000_cccc_0000_cccc),
        (28, 0x0000_0000_f0f0_f0f0),
    ] {
        let moved = (cells ^ cells >> distance) & mask;
        cells ^= moved ^ moved << distance;
    }
    cells
}

/// Owner of the square with this bit, given the squares of both players.
#[inline]
pub fn owner(sets: [Cells; 2], bit: u32) -> Option<Side> {
    let has = sets.map(|cells| cells >> bit & 1 == 1);
    match has {
        [true, _] => Some(Side::First),
        [_, true] => Some(Side::Second),
        _ => None,
    }
}

/// Note beside the board: the side to move or the winner, who moved last.
///
/// `score` is the final score if the position is finished.
pub fn status(letters: Letters, mover: Side, score: Option<i32>) -> String {
    match score {
        None => format!("{} to move", letters[mover.index()]),
        Some(0) => "drawn".to_owned(),
        Some(_) => format!("{} has won", letters[mover.other().index()]),
    }
}

/// Letters of the first and the second player's pieces.
pub type Letters = [char; 2];

/// Letter of a square.
pub fn letter(letters: Letters, owner: Option<Side>) -> char {
    owner.map_or('.', |side| letters[side.index()])
}

/// Owner of a square, given its letter and the column of the text in which the letter is.
pub fn owner_of(letters: Letters, letter: char, column: usize) -> Result<Option<Side>, String> {
    let [first, second] = letters;
    match letter {
        '.' => Ok(None),
        _ if letter == first => Ok(Some(Side::First)),
        _ if letter == second => Ok(Some(Side::Second)),
        _ => Err(format!(
            "a cell is \"{first}\", \"{second}\" or \".\", not \"{letter}\" as in column {column}"
        )),
    }
}

/// Owners of a board's squares, given rows separated by `/`.
///
/// `widths` are the numbers of squares in the rows. Errors call the board `board` and a row
/// `row(number)`.
pub fn read_rows(
    text: &str,
    letters: Letters,
    widths: &[usize],
    board: &str,
    row: impl Fn(usize) -> String,
) -> Result<Vec<Option<Side>>, String> {
    let rows: Vec<&str> = text.split('/').collect();
    if rows.len() != widths.len() {
        return Err(format!(
            "{} with \"/\" between them, but {board} has {}",
            counted(rows.len(), "row"),
            widths.len()
        ));
    }
    let mut owners = Vec::new();
    for (number, (cells, &width)) in (1..).zip(rows.iter().zip(widths)) {
        let length = cells.chars().count();
        if length != width {
            return Err(format!(
                "{} has {} instead of {width}",
                row(number),
                counted(length, "cell")
            ));
        }
        let start = NotationError::column(text, cells);
        for (column, letter) in (start..).zip(cells.chars()) {
            owners.push(owner_of(letters, letter, column)?);
        }
    }
    Ok(owners)
}

/// Squares of the first and the second player, given all squares' bits and owners.
pub fn sets(
    bits: impl Iterator<Item = u32>,
    owners: impl IntoIterator<Item = Option<Side>>,
) -> [Cells; 2] {
    let mut sets = [0; 2];
    for (bit, owner) in bits.zip(owners) {
        if let Some(side) = owner {
            sets[side.index()] |= 1 << bit;
        }
    }
    sets
}

/// Explains why X and O, who place pieces in turn until one has a line, can't have these.
///
/// Given are the numbers of their pieces, and who has a line. `pieces` and `line` name what the
/// game has of them. `None` if nothing is wrong. The explanation precedes the position.
pub fn impossible_turns(
    [x, o]: [u32; 2],
    has_line: [bool; 2],
    pieces: &str,
    line: fmt::Arguments<'_>,
) -> Option<String> {
    if x != o && x != o + 1 {
        return Some(format!(
            "{x} X and {o} O can't arise: X moves first and the turns alternate, so X has as many \
             {pieces} as O or one more, in"
        ));
    }
    match has_line {
        [true, true] => Some(format!("both X and O have {line}, in")),
        [true, false] if x == o => Some(format!("O has moved although X already had {line}, in")),
        [false, true] if x > o => Some(format!("X has moved although O already had {line}, in")),
        _ => None,
    }
}

/// Owners of the squares in a row of bytes.
pub fn owners(row: &[u8]) -> Result<Vec<Option<Side>>, String> {
    row.iter().map(|&byte| cell_owner(byte)).collect()
}
