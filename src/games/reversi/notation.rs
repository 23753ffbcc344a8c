//! How positions and moves of Reversi are written, read and drawn.

use super::rules::each;
use super::{Board, Cell, Move, Position, Reversi};
use crate::game::{Capabilities, Game, Notation, NotationError, Side};
use crate::games::cells::{Letters, letter, read_rows, sets};

const LETTERS: Letters = ['B', 'W'];

/// The move that places no disc.
const PASS: &str = "pass";

impl Notation for Reversi {
    fn family(&self) -> String {
        match self.board {
            Board::FourByFour => "reversi4".into(),
            Board::Octagon => "reversi24".into(),
        }
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        Capabilities {
            symmetry: self,
            solving: self,
            checking: self,
            arrays: self,
            #[cfg(feature = "cli")]
            drawing: self,
            ..Capabilities::default()
        }
    }

    fn name(&self) -> String {
        format!("{}({})", self.family(), self.start.name())
    }

    fn title(&self) -> String {
        let board = match self.board {
            Board::FourByFour => "4×4 cells",
            Board::Octagon => "an octagon of 24 cells",
        };
        format!("Reversi on {board}, {} start", self.start.name())
    }

    fn rules(&self) -> String {
        format!("{} start={}", self.family(), self.start.name())
    }

    fn format_position(&self, position: &Position) -> String {
        let letter_of = |cell| letter(LETTERS, position.owner(cell));
        let rows: Vec<String> = rows(self)
            .map(|cells| cells.into_iter().map(letter_of).collect())
            .collect();
        format!("{} {}", rows.join("/"), LETTERS[position.side.index()])
    }

    fn parse_position(&self, text: &str) -> Result<Position, NotationError> {
        let fail = |problem: String| {
            NotationError::new(text, problem, self.format_position(&self.start()))
        };
        let words: Vec<&str> = text.split_whitespace().collect();
        let [discs, side] = words[..] else {
            return Err(fail(
                "a position is the rows of the board, a space and whose turn it is, B or W, unlike"
                    .into(),
            ));
        };
        let side = match side {
            "B" => Side::First,
            "W" => Side::Second,
            _ => {
                return Err(fail(format!(
                    "the side to move is \"B\" or \"W\", not \"{side}\", in"
                )));
            }
        };
        let widths: Vec<usize> = rows(self).map(|cells| cells.len()).collect();
        let board = format!("the board of {}", self.family());
        let row = |number| format!("row {number}");
        let owners = read_rows(discs, LETTERS, &widths, &board, row).map_err(fail)?;
        let [black, white] = sets(cells(self).map(|cell| cell.0.into()), owners);
        let missing = self.shape().centre & !(black | white);
        if let Some(cell) = each(missing).next() {
            return Err(fail(format!(
                "{cell} is empty, but the four cells in the middle have discs from the start on, in"
            )));
        }
        Ok(Position { black, white, side })
    }

    fn format_move(&self, mv: Move) -> String {
        match mv {
            Move::Place(cell) => cell.to_string(),
            Move::Pass => PASS.into(),
        }
    }

    fn parse_move(&self, text: &str) -> Result<Move, NotationError> {
        let word = text.trim();
        if word == PASS {
            return Ok(Move::Pass);
        }
        let moves = self.all_moves();
        let read = moves.iter().find(|&&mv| self.format_move(mv) == word);
        read.copied().ok_or_else(|| {
            let problem = "a move is a cell of the board outside its middle, its column a letter and its \
                           row a number from the top, or \"pass\"";
            NotationError::new(text, problem, self.format_move(moves[0]))
        })
    }

    fn board(&self, position: &Position) -> String {
        let side = self.shape().side;
        let columns: Vec<String> = (b'a'..)
            .take(side as usize)
            .map(|letter| char::from(letter).to_string())
            .collect();
        let mut lines = vec![format!("     {}", columns.join(" "))];
        for (number, cells) in (1..).zip(rows(self)) {
            let mut row = vec![" ".to_owned(); side as usize];
            for cell in cells {
                row[cell.column() as usize] = letter(LETTERS, position.owner(cell)).to_string();
            }
            lines.push(format!("  {number}  {}", row.join(" ")));
        }
        let mover = LETTERS[position.side.index()];
        let status = if self.final_score(position).is_some() {
            "the game is over".to_owned()
        } else if self.placings(position) == 0 {
            format!("{mover} must pass")
        } else {
            format!("{mover} to move")
        };
        let [black, white] = [Side::First, Side::Second].map(|side| position.discs(side));
        let middle = side as usize / 2;
        lines[middle].push_str(&format!("   {status}"));
        lines[middle + 1].push_str(&format!("   B {black}, W {white}"));
        let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
        lines.join("\n")
    }

    fn layer_name(&self) -> &'static str {
        "discs on the board"
    }
}

/// The board's cells, row by row.
pub(super) fn rows(game: &Reversi) -> impl Iterator<Item = Vec<Cell>> {
    let shape = game.shape();
    (0..shape.side).map(move |row| {
        let first = 8 * row + shape.first_column(row);
        (first..first + shape.width(row))
            .map(|bit| Cell(bit as u8))
            .collect()
    })
}

/// All cells, row by row.
pub(super) fn cells(game: &Reversi) -> impl Iterator<Item = Cell> {
    rows(game).flatten()
}
