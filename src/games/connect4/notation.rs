//! Positions and moves of Connect Four as texts, array rows and pictures.
//!
//! A row has the squares, row by row from the top, and the side to move.

use super::{Column, Connect4, Position};
use crate::game::{
    Arrays, Capabilities, Drawing, Game, Notation, NotationError, Picture, Piece, PiecesLeft,
    SIDE_COLUMN, Side, Surface, capabilities_of, cell_byte, same_side,
};
use crate::games::cells::{
    Letters, letter, move_named, owner_of, owners, read_rows, status, unread,
};
use crate::text::counted;

pub(super) const LETTERS: Letters = ['X', 'O'];

/// The notation of the empty board as columns played.
const NONE_PLAYED: &str = "-";

/// The most columns whose numbers are all one digit.
const ONE_DIGIT: u32 = 9;

impl Notation for Connect4 {
    const IS_TESTED: bool = true;

    fn rules(&self) -> String {
        let size = self.parameters();
        let (columns, rows, line) = (size.columns, size.rows, size.line);
        let rules = format!("connect4 columns={columns} rows={rows} connect={line}");
        match self.up_to() {
            Some(up_to) => format!("{rules} up-to={up_to}"),
            None => rules,
        }
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        capabilities_of!(self: symmetry, solving, searching, checking, arrays, drawing)
    }

    fn name(&self) -> String {
        let size = self.parameters();
        let mut name = format!("connect4({},{}", size.columns, size.rows);
        if size.line != 4 {
            name += &format!(",{}", size.line);
        }
        if let Some(up_to) = self.up_to() {
            name += &format!(",up-to={up_to}");
        }
        name + ")"
    }

    fn title(&self) -> String {
        let size = self.parameters();
        let columns = counted(size.columns, "column");
        let rows = counted(size.rows, "row");
        let board = format!("Connect Four with {columns} and {rows}");
        match size.line {
            4 => board,
            line => format!("{board}, {line} in line"),
        }
    }

    fn format_position(&self, position: &Position) -> String {
        let rows: Vec<String> = rows(self, position).collect();
        rows.join("/")
    }

    fn parse_position(&self, text: &str) -> Result<Position, NotationError> {
        let word = text.trim();
        let read = if word == NONE_PLAYED {
            Ok(self.start())
        } else if word.contains(['/', '.', 'X', 'O', 'x', 'o']) {
            picture(self, word)
        } else {
            columns_played(self, word)
        };
        read.map_err(|problem| unread(self, text, problem))
    }

    fn format_move(&self, mv: Column) -> String {
        (mv.0 + 1).to_string()
    }

    fn parse_move(&self, text: &str) -> Result<Column, NotationError> {
        let last = self.board.columns;
        let problem = format!("a move is a column, a number from 1 to {last}");
        move_named(self, text, &problem)
    }

    fn move_noun(&self) -> &'static str {
        "column"
    }

    fn pieces_left(&self, position: &Position) -> Option<PiecesLeft> {
        let (cells, stones) = (self.board.cells(), position.stones());
        Some(PiecesLeft {
            noun: "disc",
            of: [
                cells.div_ceil(2) - stones.div_ceil(2),
                cells / 2 - stones / 2,
            ],
        })
    }

    fn layer_name(&self) -> &'static str {
        "discs on the board"
    }

    fn board(&self, position: &Position) -> String {
        let width = self.board.columns.to_string().len() + 1;
        let numbers: String = (1..=self.board.columns)
            .map(|number| format!("{number:>width$}"))
            .collect();
        let row = |letters: String| -> String {
            let cells = letters.chars().map(|letter| format!("{letter:>width$}"));
            format!("  {}", cells.collect::<String>())
        };
        let mut lines: Vec<String> = rows(self, position).map(row).collect();
        let status = status(LETTERS, position.side(), self.final_score(position));
        let middle = lines.len() / 2;
        lines[middle].push_str("   ");
        lines[middle].push_str(&status);
        lines.insert(0, format!("  {numbers}"));
        lines.join("\n")
    }
}

/// Returns the board's rows, top row first, with a letter for each square.
fn rows(game: &Connect4, position: &Position) -> impl Iterator<Item = String> {
    let letter = move |column, row| letter(LETTERS, position.owner(&game.board, column, row));
    let rows = (0..game.board.rows).rev();
    rows.map(move |row| {
        let columns = 0..game.board.columns;
        columns.map(|column| letter(column, row)).collect()
    })
}

/// Reads a position written as rows.
fn picture(game: &Connect4, text: &str) -> Result<Position, String> {
    let widths = vec![game.board.columns as usize; game.board.rows as usize];
    let name = |row, column| format!("column {}, row {} from the top", column + 1, row + 1);
    game.placed(read_rows(text, &widths, name, owner_of(LETTERS))?)
}

/// Reads the columns played from the empty board.
///
/// They are one digit each, or numbers separated by commas.
fn columns_played(game: &Connect4, text: &str) -> Result<Position, String> {
    let words: Vec<&str> = if text.contains(',') || game.board.columns > ONE_DIGIT {
        text.split(',').map(str::trim).collect()
    } else {
        text.split("").filter(|letter| !letter.is_empty()).collect()
    };
    let is_number =
        |word: &&str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    if words.is_empty() || !words.iter().all(is_number) {
        let example = match game.board.columns {
            ..=ONE_DIGIT => "112",
            _ => "10,3,3",
        };
        return Err(format!(
            "a position is the rows from the top with \"/\" between them, or the columns played, such \
             as {example}"
        ));
    }
    let mut position = game.start();
    for (number, word) in (1..).zip(words) {
        let Ok(mv) = game.parse_move(word) else {
            let last = game.board.columns;
            return Err(format!(
                "move {number} is column {word}, but columns are numbers from 1 to {last}"
            ));
        };
        if game.final_score(&position).is_some() {
            return Err(format!("the game is over before move {number}"));
        }
        position = game
            .try_play(&position, mv)
            .ok_or_else(|| format!("column {word} is full before move {number}"))?;
    }
    Ok(position)
}

impl Arrays<Connect4> for Connect4 {
    fn columns(&self) -> Vec<String> {
        let cells = self.cells();
        let cells = cells.map(|(column, row)| format!("column_{}_row_{}", column + 1, row + 1));
        cells.chain([SIDE_COLUMN.into()]).collect()
    }

    fn write_row(&self, position: &Position, row: &mut [u8]) {
        for ((column, height), byte) in self.cells().zip(&mut *row) {
            *byte = cell_byte(position.owner(&self.board, column, height));
        }
        row[self.board.cells() as usize] = position.side().index() as u8;
    }

    fn read_row(&self, row: &[u8]) -> Result<Position, String> {
        let owners = owners(&row[..self.board.cells() as usize])?;
        let position = self.placed(owners)?;
        same_side(row[self.board.cells() as usize], position.side()).map(|()| position)
    }

    fn all_moves(&self) -> Vec<Column> {
        (0..self.board.columns as u8).map(Column).collect()
    }
}

impl Drawing<Connect4> for Connect4 {
    fn picture(&self, position: &Position) -> Option<Picture> {
        let (columns, rows) = (self.board.columns, self.board.rows);
        let mut picture = Picture::grid(columns, rows, |column, row| {
            let owner = position.owner(&self.board, column, rows - 1 - row);
            Some(owner.map_or(Piece::Empty, |side| Piece::Letter(LETTERS[side.index()])))
        });
        // Only columns are labelled, since moves name no rows.
        picture.labels.truncate(columns as usize);
        for (number, label) in (1..).zip(&mut picture.labels) {
            label.text = number.to_string();
        }
        for (index, place) in (0..).zip(&mut picture.places) {
            place.name = name(index % columns, rows - 1 - index / columns);
        }
        picture.surface = Surface::Rack;
        Some(picture)
    }

    /// Returns the square that the stone falls to.
    fn places_of_move(&self, position: &Position, mv: Column) -> Option<Vec<String>> {
        let column = u32::from(mv.0);
        let cell = self.board.landing(position.all(), column);
        let row = cell.checked_ilog2()? % self.board.stride();
        Some(vec![name(column, row)])
    }

    fn side_name(&self, side: Side) -> Option<&'static str> {
        Some(match side {
            Side::First => "Red (X)",
            Side::Second => "Yellow (O)",
        })
    }

    /// Returns the stones of the winner's lines.
    fn deciding_places(&self, position: &Position) -> Vec<String> {
        let (board, stones) = (&self.board, position.own_and_other()[1]);
        let line = board.line_stones(stones);
        let cells = self
            .cells()
            .filter(|(column, row)| line >> (board.stride() * column + row) & 1 == 1);
        cells.map(|(column, row)| name(column, row)).collect()
    }
}

/// Returns a square's name: "4.1" is the lowest square of column 4.
fn name(column: u32, row: u32) -> String {
    format!("{}.{}", column + 1, row + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Notation;
    use crate::games::connect4::Parameters;

    #[test]
    fn a_move_is_marked_where_its_stone_falls() {
        let game = Connect4::new(Parameters::default()).unwrap();
        let position = game.parse_position("4453").unwrap();
        let picture = game.picture(&position).unwrap();
        let lies = |name: &str| {
            let mut places = picture.places.iter();
            places.find(|place| place.name == name).unwrap().piece
        };
        assert_eq!(lies("4.1"), Piece::Letter('X'));
        assert_eq!(lies("4.2"), Piece::Letter('O'));
        assert_eq!(lies("4.3"), Piece::Empty);
        let marked = game.places_of_move(&position, Column(3)).unwrap();
        assert_eq!(marked, ["4.3"]);
        let labels: Vec<&str> = picture.labels.iter().map(|label| &*label.text).collect();
        assert_eq!(labels, ["1", "2", "3", "4", "5", "6", "7"]);
    }
}
