//! Positions and moves of tic-tac-toe as texts and pictures, and its family.

use super::rules::{GRID, LINES};
use super::{Position, Scoring, TicTacToe};
use crate::game::{
    Arrays, Capabilities, Drawing, Family, Game, NoGame, Notation, NotationError, Parameter,
    Picture, Piece, PiecesLeft, Side, Values, capabilities_of, same_side,
};
use crate::games::cells::{Cell, Cells, each, move_named, owner_of, read_rows, status};

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

    /// Returns the marks of a line.
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

/// Tic-tac-toe with either scoring.
#[derive(Clone, Copy, Debug)]
pub struct TicTacToeFamily;

impl Family for TicTacToeFamily {
    type Game = TicTacToe;

    fn name(&self) -> &'static str {
        "tictactoe"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["ttt"]
    }

    fn about(&self) -> &'static str {
        "Tic-tac-toe on 3×3 squares"
    }

    fn rules_in_words(&self) -> &'static str {
        include_str!("tictactoe.txt")
    }

    fn parameters(&self) -> &'static [Parameter] {
        const PARAMETERS: [Parameter; 1] = [Parameter::choice(
            "scoring",
            &[
                (
                    "shortest",
                    "Winning sooner scores more: 1, and 1 for each mark that the winner has left",
                ),
                ("outcome", "A win scores +1, a draw 0, a loss -1"),
            ],
            "What a win scores",
        )];
        &PARAMETERS
    }

    fn game(&self, values: &Values) -> Result<TicTacToe, NoGame> {
        let scoring = match values.get("scoring") {
            Some("outcome") => Scoring::Outcome,
            _ => Scoring::Shortest,
        };
        Ok(TicTacToe { scoring })
    }

    fn table_name(&self, game: &TicTacToe) -> String {
        match game.scoring {
            Scoring::Shortest => "ttt.bin".to_owned(),
            Scoring::Outcome => "ttt-outcome.bin".to_owned(),
        }
    }
}
