//! Reads, writes and draws positions and moves of tic-tac-toe.

use super::board::{GRID, LINES};
use super::{Cell, Position, Scoring, TicTacToe};
use crate::game::{
    Arrays, Capabilities, Drawing, Game, Notation, NotationError, Picture, Piece, PiecesLeft, Side,
    capabilities_of, same_side,
};
use crate::games::cells::{Cells, each, move_named, owner_of, read_rows, status};

impl Notation for TicTacToe {
    fn name(&self) -> String {
        format!("tictactoe({})", self.scoring)
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        capabilities_of!(self: symmetry, arrays, drawing)
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
        let read = read_rows(text.trim(), &[9], owner_of(GRID.letters));
        let position = read.and_then(|owners| Position::of(GRID.sets(owners)));
        position.map_err(|problem| NotationError::new(text, problem, "X.O......"))
    }

    fn format_move(&self, mv: Cell) -> String {
        mv.to_string()
    }

    fn parse_move(&self, text: &str) -> Result<Cell, NotationError> {
        let problem = "a move is a cell: a column from a to c, then a row from 1 (the top) to 3";
        move_named(self, text, problem)
    }

    fn pieces_left(&self, position: &Position) -> Option<PiecesLeft> {
        let [x, o] = position.sets.map(Cells::count_ones);
        (self.scoring == Scoring::Shortest).then_some(PiecesLeft {
            noun: "mark",
            of: [5 - x, 4 - o],
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

impl Arrays<TicTacToe> for TicTacToe {
    fn columns(&self) -> Vec<String> {
        GRID.columns()
    }

    fn write_row(&self, position: &Position, row: &mut [u8]) {
        GRID.write_row(position.sets, self.side_to_move(position), row);
    }

    fn read_row(&self, row: &[u8]) -> Result<Position, String> {
        let (sets, side) = GRID.read_row(row)?;
        let position = Position::of(sets)?;
        same_side(side, self.side_to_move(&position)).map(|()| position)
    }

    fn all_moves(&self) -> Vec<Cell> {
        each(GRID.cells).collect()
    }
}

impl Drawing<TicTacToe> for TicTacToe {
    fn picture(&self, position: &Position) -> Option<Picture> {
        Some(GRID.diagram(position.sets).picture(Piece::Letter))
    }

    /// The marks of a line.
    fn deciding_places(&self, position: &Position) -> Vec<String> {
        let lines = LINES.into_iter();
        let made = lines.filter(|line| position.sets.iter().any(|set| set & line == *line));
        each(made.fold(0, |all, line| all | line))
            .map(|cell| cell.to_string())
            .collect()
    }

    fn side_name(&self, side: Side) -> Option<&'static str> {
        Some(["X", "O"][side.index()])
    }
}
