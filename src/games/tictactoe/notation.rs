//! How positions and moves of tic-tac-toe are written, read and drawn.

use super::board::CELLS;
use super::{Cell, Position, Scoring, TicTacToe};
use crate::game::{Capabilities, Game, Notation, NotationError};
use crate::games::cells::{Letters, letter, owner_of, status};

pub(super) const LETTERS: Letters = ['X', 'O'];

impl Notation for TicTacToe {
    fn name(&self) -> String {
        format!("tictactoe({})", self.scoring.name())
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        Capabilities {
            symmetry: self,
            checking: self,
            arrays: self,
            #[cfg(feature = "cli")]
            drawing: self,
            ..Capabilities::default()
        }
    }

    fn title(&self) -> String {
        match self.scoring {
            Scoring::Shortest => "Tic-tac-toe".into(),
            Scoring::Outcome => "Tic-tac-toe, scored by outcome".into(),
        }
    }

    fn rules(&self) -> String {
        format!("tictactoe scoring={}", self.scoring.name())
    }

    fn format_position(&self, position: &Position) -> String {
        (0..CELLS)
            .map(|cell| letter(LETTERS, position.owner(cell)))
            .collect()
    }

    fn parse_position(&self, text: &str) -> Result<Position, NotationError> {
        let fail = |problem: String| NotationError::new(text, problem, "X.O......");
        let text = text.trim();
        let length = text.chars().count();
        if length != CELLS {
            return Err(fail(format!(
                "{length} letters instead of nine, one for each cell, in"
            )));
        }
        let owners = text.chars().map(|letter| owner_of(LETTERS, letter));
        let owners = owners.collect::<Result<Vec<_>, _>>().map_err(fail)?;
        let position = Position::placed(owners);
        match position.impossibility() {
            Some(problem) => Err(fail(problem)),
            None => Ok(position),
        }
    }

    fn format_move(&self, mv: Cell) -> String {
        let column = char::from(b'a' + mv.0 % 3);
        let row = mv.0 / 3 + 1;
        format!("{column}{row}")
    }

    fn parse_move(&self, text: &str) -> Result<Cell, NotationError> {
        match text.trim().as_bytes() {
            [column @ b'a'..=b'c', row @ b'1'..=b'3'] => {
                Ok(Cell(3 * (row - b'1') + (column - b'a')))
            }
            _ => Err(NotationError::new(
                text,
                "a move is a cell: a column from a to c, then a row from 1 (the top) to 3",
                "b2",
            )),
        }
    }

    fn move_noun(&self) -> &'static str {
        "cell"
    }

    fn board(&self, position: &Position) -> String {
        let mut lines = vec!["     a b c".to_owned()];
        for row in 0..3 {
            let cells = [0, 1, 2]
                .map(|column| letter(LETTERS, position.owner(3 * row + column)).to_string());
            lines.push(format!("  {}  {}", row + 1, cells.join(" ")));
        }
        let status = status(
            LETTERS,
            self.side_to_move(position),
            self.final_score(position),
        );
        lines[2].push_str("   ");
        lines[2].push_str(&status);
        lines.join("\n")
    }

    fn layer_name(&self) -> &'static str {
        "marks on the board"
    }
}
