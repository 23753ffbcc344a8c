//! Tic-tac-toe, on bitboards.
//!
//! X moves first. A position is written as nine letters `X`, `O` and `.`, row by row; whose turn it
//! is follows from the numbers of stones. Moves are cells, `a1` (top left) to `c3` (bottom right).
//!
//! Positions that rotations and reflections of the board turn into each other are one class; the
//! one with the smallest key represents it.

mod family;

pub use family::TicTacToeFamily;

#[cfg(feature = "cli")]
use crate::game::drawing::{Mark, frame};
use crate::game::{
    Capabilities, Checking, Game, Notation, NotationError, ScoreRange, Side, Symmetry,
};
#[cfg(feature = "cli")]
use crate::game::{Drawing, Marks};
#[cfg(feature = "cli")]
use maud::{Markup, html};

const CELLS: usize = 9;
const FULL: u16 = (1 << CELLS) - 1;

/// Three rows, three columns, two diagonals; bit `3 * row + column`.
const LINES: [u16; 8] = [0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];

/// For each set of cells, whether it holds a line.
const HAS_LINE: [bool; 1 << CELLS] = {
    let mut table = [false; 1 << CELLS];
    let mut cells = 0;
    while cells < table.len() {
        let mut line = 0;
        while line < LINES.len() {
            table[cells] |= cells as u16 & LINES[line] == LINES[line];
            line += 1;
        }
        cells += 1;
    }
    table
};

const SYMMETRIES: usize = 8;

/// Where each symmetry takes each cell: bit 2 of the symmetry swaps rows with columns, then
/// bit 0 reverses the columns and bit 1 the rows.
const CELL_IMAGE: [[u8; CELLS]; SYMMETRIES] = {
    let mut table = [[0; CELLS]; SYMMETRIES];
    let mut symmetry = 0;
    while symmetry < SYMMETRIES {
        let mut cell = 0;
        while cell < CELLS {
            let (mut row, mut column) = (cell / 3, cell % 3);
            if symmetry & 4 != 0 {
                (row, column) = (column, row);
            }
            if symmetry & 1 != 0 {
                column = 2 - column;
            }
            if symmetry & 2 != 0 {
                row = 2 - row;
            }
            table[symmetry][cell] = (3 * row + column) as u8;
            cell += 1;
        }
        symmetry += 1;
    }
    table
};

/// Where each symmetry takes each set of cells.
const IMAGE: [[u16; 1 << CELLS]; SYMMETRIES] = {
    let mut table = [[0; 1 << CELLS]; SYMMETRIES];
    let mut symmetry = 0;
    while symmetry < SYMMETRIES {
        let mut cells = 0;
        while cells < 1 << CELLS {
            let mut cell = 0;
            while cell < CELLS {
                if cells >> cell & 1 == 1 {
                    table[symmetry][cells] |= 1 << CELL_IMAGE[symmetry][cell];
                }
                cell += 1;
            }
            cells += 1;
        }
        symmetry += 1;
    }
    table
};

/// For each set of cells, the number whose base-3 digits are 1 there and 0 elsewhere; `a1` is the
/// highest digit.
const BASE_3: [u16; 1 << CELLS] = {
    let mut table = [0; 1 << CELLS];
    let mut cells = 0;
    while cells < table.len() {
        let mut cell = 0;
        while cell < CELLS {
            table[cells] = 3 * table[cells] + (cells >> cell & 1) as u16;
            cell += 1;
        }
        cells += 1;
    }
    table
};

/// What a win is worth.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Scoring {
    /// Every win scores 1 and every loss -1.
    Outcome,
    /// Winning sooner scores more: 3 with one's third stone, 2 with the fourth, 1 with the fifth.
    #[default]
    Shortest,
}

impl Scoring {
    /// Its name in rules strings and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Scoring::Outcome => "outcome",
            Scoring::Shortest => "shortest",
        }
    }
}

/// The game with its parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TicTacToe {
    /// What a win is worth.
    pub scoring: Scoring,
}

/// A state of the game: who has stones where.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Position {
    x: u16,
    o: u16,
}

impl Position {
    fn stones(self) -> u32 {
        (self.x | self.o).count_ones()
    }

    fn is_finished(self) -> bool {
        HAS_LINE[usize::from(self.x)] || HAS_LINE[usize::from(self.o)] || self.x | self.o == FULL
    }

    fn key(self) -> u16 {
        BASE_3[usize::from(self.x)] + 2 * BASE_3[usize::from(self.o)]
    }

    fn image(self, symmetry: usize) -> Position {
        let image = &IMAGE[symmetry];
        Position {
            x: image[usize::from(self.x)],
            o: image[usize::from(self.o)],
        }
    }

    fn canonical(self) -> Position {
        (1..SYMMETRIES)
            .map(|symmetry| self.image(symmetry))
            .fold(self, |least, image| {
                if image.key() < least.key() {
                    image
                } else {
                    least
                }
            })
    }

    fn letter(self, cell: usize) -> char {
        match (self.x >> cell & 1, self.o >> cell & 1) {
            (1, _) => 'X',
            (_, 1) => 'O',
            _ => '.',
        }
    }

    /// Why no play can lead here, if none can.
    fn impossibility(self) -> Option<String> {
        let (x, o) = (self.x.count_ones(), self.o.count_ones());
        if x != o && x != o + 1 {
            return Some(format!(
                "{x} X and {o} O can't arise: X moves first and the turns alternate, so X has as many stones as O or one more, in"
            ));
        }
        let (x_line, o_line) = (HAS_LINE[usize::from(self.x)], HAS_LINE[usize::from(self.o)]);
        match (x_line, o_line) {
            (true, true) => Some("both X and O have three in a line, in".into()),
            (true, false) if x == o => {
                Some("O has moved although X already had three in a line, in".into())
            }
            (false, true) if x > o => {
                Some("X has moved although O already had three in a line, in".into())
            }
            _ => None,
        }
    }
}

/// A cell, counted row by row from 0 at the top left. Written `a1` to `c3`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Cell(pub u8);

impl Game for TicTacToe {
    type Position = Position;
    type Move = Cell;

    fn start(&self) -> Position {
        Position::default()
    }

    fn side_to_move(&self, position: &Position) -> Side {
        match position.stones() % 2 {
            0 => Side::First,
            _ => Side::Second,
        }
    }

    fn moves(&self, position: &Position, moves: &mut Vec<Cell>) {
        moves.clear();
        if position.is_finished() {
            return;
        }
        let mut free = FULL & !(position.x | position.o);
        while free != 0 {
            moves.push(Cell(free.trailing_zeros() as u8));
            free &= free - 1;
        }
    }

    fn is_legal(&self, position: &Position, mv: Cell) -> bool {
        usize::from(mv.0) < CELLS
            && (position.x | position.o) >> mv.0 & 1 == 0
            && !position.is_finished()
    }

    fn play(&self, position: &Position, mv: Cell) -> Position {
        let stone = 1 << mv.0;
        let mut after = *position;
        match self.side_to_move(position) {
            Side::First => after.x |= stone,
            Side::Second => after.o |= stone,
        }
        after
    }

    fn final_score(&self, position: &Position) -> Option<i32> {
        if !position.is_finished() {
            return None;
        }
        // A line belongs to whoever moved last, so the side to move has lost.
        let line = HAS_LINE[usize::from(position.x)] || HAS_LINE[usize::from(position.o)];
        Some(match (line, self.scoring) {
            (false, _) => 0,
            (true, Scoring::Outcome) => -1,
            // (11 - n) / 2 for X, who wins after an odd number n of stones; (10 - n) / 2 for O.
            (true, Scoring::Shortest) => -((11 - position.stones() as i32) / 2),
        })
    }

    fn score_range(&self) -> ScoreRange {
        let highest = match self.scoring {
            Scoring::Outcome => 1,
            Scoring::Shortest => 3,
        };
        ScoreRange {
            lowest: -highest,
            highest,
            step: 1,
        }
    }

    fn canonical(&self, position: &Position) -> Position {
        position.canonical()
    }

    fn key(&self, canonical: &Position) -> u128 {
        u128::from(canonical.key())
    }

    fn key_bits(&self) -> u32 {
        16
    }

    fn position_of_key(&self, key: u128) -> Option<Position> {
        let mut digits = u16::try_from(key).ok()?;
        let mut position = Position::default();
        for cell in (0..CELLS).rev() {
            match digits % 3 {
                1 => position.x |= 1 << cell,
                2 => position.o |= 1 << cell,
                _ => {}
            }
            digits /= 3;
        }
        let names_one = digits == 0
            && position.impossibility().is_none()
            && !position.is_finished()
            && position.canonical() == position;
        names_one.then_some(position)
    }

    fn layer(&self, canonical: &Position) -> u32 {
        canonical.stones()
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        Capabilities {
            symmetry: self,
            checking: self,
            #[cfg(feature = "cli")]
            drawing: self,
            ..Capabilities::default()
        }
    }
}

impl Notation for TicTacToe {
    fn name(&self) -> String {
        format!("tictactoe({})", self.scoring.name())
    }

    fn rules(&self) -> String {
        format!("tictactoe scoring={}", self.scoring.name())
    }

    fn format_position(&self, position: &Position) -> String {
        (0..CELLS).map(|cell| position.letter(cell)).collect()
    }

    fn parse_position(&self, text: &str) -> Result<Position, NotationError> {
        let fail = |problem: String| NotationError {
            input: text.to_owned(),
            problem,
            example: "X.O......".into(),
        };
        let text = text.trim();
        let length = text.chars().count();
        if length != CELLS {
            return Err(fail(format!(
                "{length} letters instead of nine, one for each cell, in"
            )));
        }
        let mut position = Position::default();
        for (cell, letter) in text.chars().enumerate() {
            match letter {
                'X' => position.x |= 1 << cell,
                'O' => position.o |= 1 << cell,
                '.' => {}
                _ => {
                    return Err(fail(format!(
                        "a cell is \"X\", \"O\" or \".\", not \"{letter}\", in"
                    )));
                }
            }
        }
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
            _ => Err(NotationError {
                input: text.to_owned(),
                problem: "a move is a cell: a column from a to c, then a row from 1 (the top) to 3"
                    .into(),
                example: "b2".into(),
            }),
        }
    }

    fn move_noun(&self) -> &'static str {
        "cell"
    }

    fn board(&self, position: &Position) -> String {
        let mut lines = vec!["     a b c".to_owned()];
        for row in 0..3 {
            let cells = [0, 1, 2].map(|column| position.letter(3 * row + column).to_string());
            lines.push(format!("  {}  {}", row + 1, cells.join(" ")));
        }
        let status = match (self.final_score(position), self.side_to_move(position)) {
            (None, Side::First) => "X to move",
            (None, Side::Second) => "O to move",
            (Some(0), _) => "drawn",
            (Some(_), Side::First) => "O has won",
            (Some(_), Side::Second) => "X has won",
        };
        lines[2].push_str("   ");
        lines[2].push_str(status);
        lines.join("\n")
    }

    fn layer_name(&self) -> &'static str {
        "stones set"
    }
}

impl Symmetry<TicTacToe> for TicTacToe {
    fn order(&self) -> usize {
        SYMMETRIES
    }

    fn apply(&self, symmetry: usize, position: &Position) -> Position {
        position.image(symmetry)
    }

    fn apply_to_move(&self, symmetry: usize, mv: Cell) -> Cell {
        Cell(CELL_IMAGE[symmetry][usize::from(mv.0)])
    }
}

impl Checking<TicTacToe> for TicTacToe {
    fn rule_topics(&self) -> &'static [&'static str] {
        &["three in a row", "three in a column", "three in a diagonal"]
    }

    fn topics_of_move(&self, position: &Position, mv: Cell) -> u32 {
        let stones = match self.side_to_move(position) {
            Side::First => position.x,
            Side::Second => position.o,
        };
        let after = stones | 1 << mv.0;
        // Rows, columns and diagonals in the order of `LINES`.
        let kinds = [0, 0, 0, 1, 1, 1, 2, 2];
        LINES
            .iter()
            .zip(kinds)
            .filter(|&(&line, _)| after & line == line && stones & line != line)
            .fold(0, |topics, (_, kind)| topics | 1 << kind)
    }
}

#[cfg(feature = "cli")]
impl Drawing<TicTacToe> for TicTacToe {
    fn draw(&self, position: &Position, marks: &Marks<Cell>) -> Option<String> {
        let content = html! {
            g stroke="currentColor" stroke-opacity=".5" stroke-width="2" {
                path d="M58 14V152M104 14V152M12 60H150M12 106H150" {}
            }
            @for cell in 0..CELLS {
                (draw_cell(position.letter(cell), 35 + 46 * (cell % 3), 37 + 46 * (cell / 3), marks.of(Cell(cell as u8))))
            }
        };
        Some(frame(162, 166, &self.format_position(position), &content))
    }
}

#[cfg(feature = "cli")]
fn draw_cell(letter: char, x: usize, y: usize, mark: Option<Mark>) -> Markup {
    html! {
        @if let Some(mark) = mark {
            circle cx=(x) cy=(y) r="17" fill="none" stroke=(mark.color()) stroke-width="3" stroke-dasharray=[mark.dashes()] {}
        }
        @match letter {
            'X' => path d={ "M" (x - 11) " " (y - 11) "l22 22m0-22l-22 22" } stroke="currentColor" stroke-width="4" {},
            'O' => circle cx=(x) cy=(y) r="12" fill="none" stroke="currentColor" stroke-width="4" {},
            _ => {},
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            ("X.O", "3 letters instead of nine"),
            ("X.O......X", "10 letters instead of nine"),
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
        assert_eq!(game.format_move(Cell(7)), "b3");
        for wrong in ["", "d1", "a4", "1a", "A1", "a11"] {
            let error = game.parse_move(wrong).unwrap_err();
            assert!(error.to_string().contains("a move is a cell"), "{error}");
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
    fn moves_have_the_lines_that_they_complete() {
        let game = TicTacToe::default();
        for (position, cell, topics) in [
            (".........", "a1", 0b000),
            ("XX.OO....", "c1", 0b001),
            ("XX.OO.X..", "c2", 0b001),
            ("XO.XO....", "a3", 0b010),
            ("XO..XO...", "c3", 0b100),
            ("XX.OXOXOO", "c1", 0b101),
            ("XX.OO....", "c3", 0b000),
        ] {
            let parsed = game.parse_position(position).unwrap();
            let mv = game.parse_move(cell).unwrap();
            assert_eq!(
                game.capabilities().checking.topics_of_move(&parsed, mv),
                topics,
                "{position} {cell}"
            );
        }
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
}
