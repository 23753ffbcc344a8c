//! Tic-tac-toe, on bitboards.
//!
//! X moves first. A position is written as nine letters `X`, `O` and `.`, row by row. The side to
//! move follows from the number of marks. Moves are squares, `a1` (top left) to `c3` (bottom
//! right).
//!
//! Positions are in one class if a rotation or reflection of the board turns them into each other.
//! The canonical position is the one with the smallest key.

use crate::game::{
    Arrays, Capabilities, Checking, Drawing, Family, Game, Misreading, NoGame, Notation,
    NotationError, Parameter, Picture, Piece, PiecesLeft, ScoreRange, Side, Symmetry, Values,
    boxed, capabilities_of, same_side,
};

use crate::games::cells::{
    Cell, Cells, SYMMETRIES, cell_at, check_turns, each, image, move_named, owner_of, read_rows,
    status,
};
use crate::games::grid::Grid;

/// Three rows of three squares.
const GRID: Grid = Grid {
    side: 3,
    cells: 0x07_0707,
    letters: ['X', 'O'],
};

/// Three rows, three columns, two diagonals.
const LINES: [Cells; 8] = [
    0x7, 0x700, 0x7_0000, 0x1_0101, 0x2_0202, 0x4_0404, 0x4_0201, 0x1_0204,
];

/// Returns whether a set of squares contains a line.
fn has_line(cells: Cells) -> bool {
    LINES.iter().any(|line| cells & line == *line)
}

/// Returns the number with base-3 digit 1 for each square of a set; `a1` is highest.
fn base_3(cells: Cells) -> u16 {
    each(GRID.cells).fold(0, |number, cell| {
        3 * number + u16::from(cells & cell.alone() != 0)
    })
}

/// The score of a win.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scoring {
    /// A win scores 1 and a loss -1.
    Outcome,
    /// A sooner win scores more: 1, plus 1 for each unused mark of the winner.
    ///
    /// X has five marks and O has four.
    #[default]
    Shortest,
}

crate::text::display_as_serialized!(Scoring);

/// The game with its parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TicTacToe {
    /// The score of a win.
    pub scoring: Scoring,
}

/// A state of the game: the marks of both players.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Position {
    /// The marks of X and those of O.
    pub(super) sets: [Cells; 2],
}

impl Position {
    fn marks(self) -> u32 {
        9 - self.free().count_ones()
    }

    /// Returns the squares without a mark.
    fn free(self) -> Cells {
        GRID.cells & !(self.sets[0] | self.sets[1])
    }

    fn has_line(self) -> bool {
        self.sets.into_iter().any(has_line)
    }

    fn is_finished(self) -> bool {
        self.has_line() || self.free() == 0
    }

    /// Returns the position with these marks, or why no game can reach it.
    pub(super) fn of(sets: [Cells; 2]) -> Result<Position, String> {
        let (marks, lines) = (sets.map(Cells::count_ones), sets.map(has_line));
        check_turns(marks, lines, "marks", format_args!("three in a line"))?;
        Ok(Position { sets })
    }
}

impl TicTacToe {
    /// Returns the score of a finished position for the side to move.
    ///
    /// The player who moved last made the line, if there is one, so the side to move has lost.
    fn score_after(&self, position: &Position, has_line: bool) -> i32 {
        match (has_line, self.scoring) {
            (false, _) => 0,
            (true, Scoring::Outcome) => -1,
            // X wins with an odd number n of marks and scores (11 - n) / 2; O scores (10 - n) / 2.
            (true, Scoring::Shortest) => -((11 - position.marks() as i32) / 2),
        }
    }
}

impl Game for TicTacToe {
    type Position = Position;
    type Move = Cell;

    fn start(&self) -> Position {
        Position::default()
    }

    fn side_to_move(&self, position: &Position) -> Side {
        Side::after(position.marks())
    }

    fn moves(&self, position: &Position, moves: &mut Vec<Cell>) {
        moves.clear();
        if position.is_finished() {
            return;
        }
        moves.extend(each(position.free()));
    }

    fn play(&self, position: &Position, mv: Cell) -> Position {
        let mut after = *position;
        after.sets[self.side_to_move(position).index()] |= mv.alone();
        after
    }

    fn final_score(&self, position: &Position) -> Option<i32> {
        if !position.is_finished() {
            return None;
        }
        Some(self.score_after(position, position.has_line()))
    }

    fn score_range(&self) -> ScoreRange {
        let highest = match self.scoring {
            Scoring::Outcome => 1,
            Scoring::Shortest => 3,
        };
        ScoreRange::up_to(highest, 1)
    }

    fn canonical(&self, position: &Position) -> Position {
        let images = (0..SYMMETRIES).map(|symmetry| self.apply(symmetry, position));
        images
            .min_by_key(|image| self.key(image))
            .unwrap_or(*position)
    }

    fn key(&self, canonical: &Position) -> u128 {
        let [x, o] = canonical.sets.map(base_3);
        u128::from(x + 2 * o)
    }

    fn key_bits(&self) -> u32 {
        16
    }

    fn position_of_key(&self, key: u128) -> Option<Position> {
        let mut digits = u16::try_from(key).ok()?;
        let mut position = Position::default();
        let cells: Vec<Cell> = each(GRID.cells).collect();
        for cell in cells.into_iter().rev() {
            match usize::from(digits % 3) {
                0 => {}
                digit => position.sets[digit - 1] |= cell.alone(),
            }
            digits /= 3;
        }
        let names_one = digits == 0
            && Position::of(position.sets).is_ok()
            && !position.is_finished()
            && self.canonical(&position) == position;
        names_one.then_some(position)
    }

    fn layer(&self, canonical: &Position) -> u32 {
        canonical.marks()
    }
}

impl Symmetry<TicTacToe> for TicTacToe {
    fn order(&self) -> usize {
        SYMMETRIES
    }

    fn apply(&self, symmetry: usize, position: &Position) -> Position {
        let sets = position.sets.map(|marks| image(GRID.side, symmetry, marks));
        Position { sets }
    }
}

impl Notation for TicTacToe {
    fn name(&self) -> String {
        format!("tictactoe({})", self.scoring)
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        capabilities_of!(self: symmetry, checking, arrays, drawing)
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
        let name = |_, column| cell_at(column / 3, column % 3);
        let cells = text.trim().replace('/', "");
        let read = read_rows(&cells, &[9], name, owner_of(GRID.letters));
        let position = read.and_then(|owners| Position::of(GRID.sets(owners)));
        position.map_err(|problem| NotationError::new(text, problem, "X.O......"))
    }

    fn format_move(&self, mv: Cell) -> String {
        mv.to_string()
    }

    fn parse_move(&self, text: &str) -> Result<Cell, NotationError> {
        let problem = "a move is a square: a column from a to c, then a row from 1 (the top) to 3";
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
        "square"
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

    fn common_names(&self) -> &'static [&'static str] {
        &["noughts and crosses"]
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

/// Rules in which other lines count, or a line loses.
struct OtherLines {
    sentence: &'static str,
    lines: &'static [Cells],
    wins: bool,
}

impl Checking<TicTacToe> for TicTacToe {
    fn misreadings(&self) -> Vec<Box<dyn Misreading<TicTacToe>>> {
        let other = |sentence, lines, wins| OtherLines {
            sentence,
            lines,
            wins,
        };
        boxed([
            other("diagonals were no lines", &LINES[..6], true),
            other("only rows were lines", &LINES[..3], true),
            other("only columns were lines", &LINES[3..6], true),
            other("only diagonals were lines", &LINES[6..], true),
            other("whoever makes a line lost", &LINES, false),
        ])
    }
}

impl OtherLines {
    fn has_line(&self, position: &Position) -> bool {
        let mut lines = self.lines.iter();
        lines.any(|line| position.sets.iter().any(|cells| cells & line == *line))
    }
}

impl Misreading<TicTacToe> for OtherLines {
    fn sentence(&self) -> String {
        self.sentence.to_owned()
    }

    fn moves(&self, _: &TicTacToe, position: &Position) -> Vec<Cell> {
        match self.has_line(position) {
            true => Vec::new(),
            false => each(position.free()).collect(),
        }
    }

    fn final_score(&self, game: &TicTacToe, position: &Position) -> Option<i32> {
        let has_line = self.has_line(position);
        (has_line || position.free() == 0).then(|| {
            let score = game.score_after(position, has_line);
            if self.wins { score } else { -score }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, Notation};

    fn game(scoring: Scoring) -> TicTacToe {
        TicTacToe { scoring }
    }

    fn final_score(scoring: Scoring, position: &str) -> Option<i32> {
        let game = game(scoring);
        game.final_score(&game.parse_position(position).unwrap())
    }

    #[test]
    fn a_line_ends_the_game_and_sooner_is_worth_more() {
        for (position, outcome, shortest) in [
            ("XXXOO....", Some(-1), Some(-3)),
            ("OOOXX.X..", Some(-1), Some(-2)),
            ("XXXOO.X.O", Some(-1), Some(-2)),
            ("OXXXOOX.O", Some(-1), Some(-1)),
            ("XOXOXOOXX", Some(-1), Some(-1)),
            ("XOXXOOOXX", Some(0), Some(0)),
            ("XX.OO....", None, None),
        ] {
            assert_eq!(
                final_score(Scoring::Outcome, position),
                outcome,
                "{position}"
            );
            assert_eq!(
                final_score(Scoring::Shortest, position),
                shortest,
                "{position}"
            );
        }
    }

    #[test]
    fn impossible_positions_are_refused_with_the_reason() {
        for (text, reason) in [
            ("X.O", "has 3 squares instead of 9"),
            ("X.O......X", "has 10 squares instead of 9"),
            ("X.0......", "not \"0\""),
            ("XXXXXOO..", "5 X and 2 O"),
            ("O........", "0 X and 1 O"),
            ("XXXOOO...", "both X and O have three in a line"),
            ("XXXOO.O..", "O has moved although X"),
            ("OOOXX.XX.", "X has moved although O"),
        ] {
            let error = TicTacToe::default().parse_position(text).unwrap_err();
            assert!(error.to_string().contains(reason), "{error}");
            assert!(error.to_string().contains(text), "{error}");
        }
    }

    #[test]
    fn cells_are_named_by_column_letter_and_row_from_the_top() {
        let game = TicTacToe::default();
        let after = game.play(&game.start(), game.parse_move("c1").unwrap());
        assert_eq!(game.format_position(&after), "..X......");
        assert_eq!(game.format_move(Cell::at(2, 1)), "b3");
        for wrong in ["", "d1", "a4", "1a", "A1", "a11"] {
            let error = game.parse_move(wrong).unwrap_err();
            assert!(error.to_string().contains("a move is a square"), "{error}");
        }
    }

    #[test]
    fn the_board_says_whose_turn_it_is_or_who_has_won() {
        let game = TicTacToe::default();
        let board = |text| game.board(&game.parse_position(text).unwrap());
        assert_eq!(
            board("X.O......"),
            "     a b c\n  1  X . O\n  2  . . .   X to move\n  3  . . ."
        );
        assert!(board("X........").contains("O to move"));
        assert!(board("XXXOO....").contains("X has won"));
        assert!(board("OOOXX.X..").contains("O has won"));
        assert!(board("XOXXOOOXX").contains("drawn"));
    }

    #[test]
    fn keys_are_base_three_with_the_first_cell_highest() {
        let game = TicTacToe::default();
        let canonical = game.canonical(&game.parse_position("X.O......").unwrap());
        assert_eq!(game.format_position(&canonical), "......X.O");
        assert_eq!(game.key(&canonical), 11);
        assert_eq!(game.position_of_key(11), Some(canonical));
        // Another image of the same class; both sides having a line; more than nine digits.
        for text in ["X.O......", "......O.X"] {
            let key = game.key(&game.parse_position(text).unwrap());
            assert_eq!(game.position_of_key(key), None, "{text}");
        }
        let both_lines = 13 * 729 + 26 * 27;
        for key in [both_lines, 19_683, 1 << 16] {
            assert_eq!(game.position_of_key(key), None, "{key}");
        }
    }

    #[test]
    fn the_free_cells_of_the_board_are_legal() {
        let game = TicTacToe::default();
        let position = game.parse_position("X...O....").unwrap();
        let legal = (0..64)
            .map(Cell)
            .filter(|&cell| game.is_legal(&position, cell));
        let legal: Vec<String> = legal.map(|cell| cell.to_string()).collect();
        assert_eq!(legal, ["b1", "c1", "a2", "c2", "a3", "b3", "c3"]);
        assert_eq!(game.layer(&position), 2, "marks on the board");
    }
}
