//! Boards of squares as text and pictures: [`Diagram`], and [`Grid`] for square boards.

use super::cells::{
    Cell, Cells, Letters, cell_at, each, letter, owner, owner_of, owners, read_rows, sets,
};
use crate::game::{Picture, Piece, SIDE_COLUMN, Side, cell_byte};

/// A board as rows of letters, from the top.
///
/// A dot is an empty square. A space is no square.
#[derive(Debug)]
pub struct Diagram(Vec<String>);

impl Diagram {
    /// Returns the board with these numbers of columns and rows, given each square's letter.
    pub fn of(columns: u32, rows: u32, letter: impl Fn(Cell) -> char) -> Diagram {
        let cell = |row, column| letter(Cell::at(row as u8, column as u8));
        let row = |row| (0..columns).map(|column| cell(row, column)).collect();
        Diagram((0..rows).map(row).collect())
    }

    /// Reads rows separated by `/`, in which each letter is one of `letters`.
    pub fn read(text: &str, columns: u32, rows: u32, letters: &str) -> Result<Diagram, String> {
        let widths = vec![columns as usize; rows as usize];
        let known = |letter| letters.contains(letter).then_some(letter);
        let read = |letter| known(letter).ok_or_else(|| format!("one of \"{letters}\""));
        let all = read_rows(text, &widths, cell_at, read)?;
        let rows = all.chunks(columns as usize);
        Ok(Diagram(rows.map(|row| row.iter().collect()).collect()))
    }

    /// Returns the squares and their letters, row by row.
    pub fn squares(&self) -> impl Iterator<Item = (Cell, char)> {
        (0..).zip(&self.0).flat_map(|(row, letters)| {
            let cells = (0..).map(move |column| Cell::at(row, column));
            cells.zip(letters.chars())
        })
    }

    /// Returns the squares with this letter.
    pub fn set(&self, of: char) -> Cells {
        let squares = self.squares().filter(|&(_, letter)| letter == of);
        squares.fold(0, |set, (cell, _)| set | cell.alone())
    }

    /// Returns the rows with `/` between them.
    pub fn text(&self) -> String {
        self.0.join("/").replace(' ', "")
    }

    /// Returns the board in a few lines, with notes beside the lower half.
    pub fn drawn(&self, notes: &[String]) -> String {
        let spaced =
            |row: &str| -> String { row.chars().flat_map(|letter| [' ', letter]).collect() };
        let columns: String = ('a'..).take(self.0[0].chars().count()).collect();
        let mut lines: Vec<String> = vec![format!("    {}", spaced(&columns))];
        lines.extend(
            (1..)
                .zip(&self.0)
                .map(|(number, row)| format!("  {number} {}", spaced(row))),
        );
        let middle = self.0.len().div_ceil(2);
        for (line, note) in lines[middle..].iter_mut().zip(notes) {
            line.push_str(&format!("   {note}"));
        }
        let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
        lines.join("\n")
    }

    /// Returns a picture of the board, given the piece that a letter stands for.
    pub fn picture(&self, piece: impl Fn(char) -> Piece) -> Picture {
        let rows: Vec<Vec<char>> = self.0.iter().map(|row| row.chars().collect()).collect();
        let (columns, count) = (rows[0].len() as u32, rows.len() as u32);
        Picture::grid(columns, count, |column, row| {
            match rows[row as usize][column as usize] {
                ' ' => None,
                '.' => Some(Piece::Empty),
                letter => Some(piece(letter)),
            }
        })
    }
}

/// A board of squares.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    /// Number of rows, and of columns in the longest row.
    pub side: u32,
    /// Squares that are on the board.
    pub cells: Cells,
    /// Letters of the pieces.
    pub letters: Letters,
}

impl Grid {
    /// Returns a square board with this number of rows.
    pub fn square(side: u32, letters: Letters) -> Grid {
        let cells = (0..side).map(|row| ((1 << side) - 1) << (8 * row)).sum();
        Grid {
            side,
            cells,
            letters,
        }
    }

    /// Reads rows separated by `/`; returns the squares of the first and the second player.
    pub fn read(self, text: &str) -> Result<[Cells; 2], String> {
        let row = |row: u32| (self.cells >> (8 * row) & 0xff).count_ones() as usize;
        let widths: Vec<usize> = (0..self.side).map(row).collect();
        Ok(self.sets(read_rows(text, &widths, cell_at, owner_of(self.letters))?))
    }

    /// Returns the letter of a square, given the squares of both players.
    pub fn letter(self, sets: [Cells; 2], cell: Cell) -> char {
        letter(self.letters, owner(sets, cell.0.into()))
    }

    /// Returns the squares of both players, given each square's owner row by row.
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

    /// Returns the squares of both players in a row, and the byte of the side to move.
    pub fn read_row(self, row: &[u8]) -> Result<([Cells; 2], u8), String> {
        let (cells, side) = row.split_at(self.cells.count_ones() as usize);
        Ok((self.sets(owners(cells)?), side[0]))
    }

    /// Returns the board as letters.
    pub fn diagram(self, sets: [Cells; 2]) -> Diagram {
        Diagram::of(self.side, self.side, |cell| {
            match self.cells & cell.alone() {
                0 => ' ',
                _ => self.letter(sets, cell),
            }
        })
    }
}
