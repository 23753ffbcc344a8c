//! Positions and moves of Connect Four as texts and as array rows.
//!
//! A row has the squares, row by row from the top, and the side to move.

use super::{Column, Connect4, Parameters, Position};
use crate::game::{
    Arrays, Capabilities, Game, Notation, NotationError, PiecesLeft, SIDE_COLUMN, capabilities_of,
    cell_byte, same_side,
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
    fn rules(&self) -> String {
        let Parameters {
            columns,
            rows,
            line,
        } = self.parameters();
        let rules = format!("connect4 columns={columns} rows={rows} connect={line}");
        match self.up_to() {
            Some(up_to) => format!("{rules} up-to={up_to}"),
            None => rules,
        }
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        capabilities_of!(self: symmetry, solving, searching, arrays, drawing)
    }

    fn name(&self) -> String {
        let Parameters {
            columns,
            rows,
            line,
        } = self.parameters();
        let line = match line {
            4 => String::new(),
            line => format!(",{line}"),
        };
        let up_to = self.up_to().map(|up_to| format!(",up-to={up_to}"));
        let up_to = up_to.unwrap_or_default();
        format!("connect4({columns},{rows}{line}{up_to})")
    }

    fn title(&self) -> String {
        let Parameters {
            columns,
            rows,
            line,
        } = self.parameters();
        let columns = counted(columns, "column");
        let board = format!("Connect Four with {columns} and {}", counted(rows, "row"));
        match line {
            4 => board,
            _ => format!("{board}, {line} in line"),
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
        "stones on the board"
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
    game.placed(read_rows(text, &widths, owner_of(LETTERS))?)
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
