//! Reads, writes and draws positions and moves of tic-tac-toe.

use super::board::GRID;
use super::{Cell, Position, Scoring, TicTacToe};
use crate::game::{Capabilities, Game, Notation, NotationError, capabilities_of};
use crate::games::cells::{each, owner_of, status};

impl Notation for TicTacToe {
    fn name(&self) -> String {
        format!("tictactoe({})", self.scoring)
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        capabilities_of!(self: symmetry, checking, arrays; drawing)
    }

    fn title(&self) -> String {
        match self.scoring {
            Scoring::Shortest => "Tic-tac-toe".into(),
            Scoring::Outcome => "Tic-tac-toe, scored by outcome".into(),
        }
    }

    fn rules(&self) -> String {
        format!("tictactoe scoring={}", self.scoring)
    }

    fn format_position(&self, position: &Position) -> String {
        each(GRID.cells)
            .map(|cell| GRID.letter(position.sets, cell))
            .collect()
    }

    fn parse_position(&self, text: &str) -> Result<Position, NotationError> {
        let fail = |problem: String| NotationError::new(text, problem, "X.O......");
        let text = text.trim();
        let length = text.chars().count();
        if length != 9 {
            return Err(fail(format!(
                "{length} letters instead of nine, one for each cell"
            )));
        }
        let owners = (1..)
            .zip(text.chars())
            .map(|(column, letter)| owner_of(GRID.letters, letter, column));
        let owners = owners.collect::<Result<Vec<_>, _>>().map_err(fail)?;
        let sets = GRID.sets(owners);
        let position = Position { sets };
        match position.impossibility() {
            Some(problem) => Err(fail(problem)),
            None => Ok(position),
        }
    }

    fn format_move(&self, mv: Cell) -> String {
        mv.to_string()
    }

    fn parse_move(&self, text: &str) -> Result<Cell, NotationError> {
        let word = text.trim();
        Cell::named(word, GRID.cells).ok_or_else(|| {
            let problem =
                "a move is a cell: a column from a to c, then a row from 1 (the top) to 3";
            NotationError::new(text, problem, "b2")
        })
    }

    fn move_noun(&self) -> &'static str {
        "cell"
    }

    fn board(&self, position: &Position) -> String {
        let score = self.final_score(position);
        let status = status(GRID.letters, self.side_to_move(position), score);
        GRID.diagram(position.sets).drawn(&[status])
    }

    fn layer_name(&self) -> &'static str {
        "marks on the board"
    }
}
