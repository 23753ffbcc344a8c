//! Domineering on small boards.
//!
//! The players take turns to lay a domino on two empty squares: the first player vertically, the
//! second player horizontally. A player who can't lay a domino loses.
//!
//! A position is written row by row from the top, `#` for covered squares and `.` for empty ones,
//! with `/` between the rows, then the side to move: `#../#../... second`. A move is the domino's
//! upper or left square, its column a letter and its row a number from the top: `b1`.

use zermelo::game::{
    Capabilities, Drawing, Family, Game, NoGame, Notation, NotationError, Parameter, Picture,
    Piece, ScoreRange, Side, Values,
};

/// The size of the board, at most 5 by 5.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Domineering {
    columns: u32,
    rows: u32,
}

/// The covered squares (bit `columns * row + column`) and the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    covered: u32,
    side: Side,
}

/// The upper or left square of a domino.
pub type Cell = u32;

impl Domineering {
    fn cells(&self) -> u32 {
        self.columns * self.rows
    }

    /// Returns the two squares that a domino would cover, if it fits on the board.
    fn domino(&self, side: Side, cell: Cell) -> Option<u32> {
        let (column, row) = (cell % self.columns, cell / self.columns);
        let (next, fits) = match side {
            Side::First => (cell + self.columns, row + 1 < self.rows),
            Side::Second => (cell + 1, column + 1 < self.columns),
        };
        fits.then_some(1 << cell | 1 << next)
    }

    /// Mirrors a board left to right, top to bottom, both or not at all.
    fn image(&self, covered: u32, across: bool, down: bool) -> u32 {
        let mut image = 0;
        for cell in (0..self.cells()).filter(|cell| covered >> cell & 1 == 1) {
            let (mut column, mut row) = (cell % self.columns, cell / self.columns);
            if across {
                column = self.columns - 1 - column;
            }
            if down {
                row = self.rows - 1 - row;
            }
            image |= 1 << (self.columns * row + column);
        }
        image
    }
}

impl Game for Domineering {
    type Position = Position;
    type Move = Cell;

    fn start(&self) -> Position {
        Position {
            covered: 0,
            side: Side::First,
        }
    }

    fn side_to_move(&self, position: &Position) -> Side {
        position.side
    }

    fn moves(&self, position: &Position, moves: &mut Vec<Cell>) {
        moves.clear();
        moves.extend((0..self.cells()).filter(|&cell| {
            let domino = self.domino(position.side, cell);
            domino.is_some_and(|domino| domino & position.covered == 0)
        }));
    }

    fn play(&self, position: &Position, cell: Cell) -> Position {
        let domino = self.domino(position.side, cell).unwrap_or_default();
        Position {
            covered: position.covered | domino,
            side: position.side.other(),
        }
    }

    fn final_score(&self, position: &Position) -> Option<i32> {
        self.legal_moves(position).is_empty().then_some(-1)
    }

    fn score_range(&self) -> ScoreRange {
        // There are no draws, so -1 and 1 are adjacent scores.
        ScoreRange {
            lowest: -1,
            highest: 1,
            step: 2,
        }
    }

    fn canonical(&self, position: &Position) -> Position {
        let mirrors = [(false, false), (true, false), (false, true), (true, true)];
        let images = mirrors.map(|(across, down)| self.image(position.covered, across, down));
        Position {
            covered: images.into_iter().fold(u32::MAX, u32::min),
            side: position.side,
        }
    }

    fn key(&self, canonical: &Position) -> u128 {
        u128::from(canonical.covered) << 1 | canonical.side as u128
    }

    fn key_bits(&self) -> u32 {
        (self.cells() + 1).next_multiple_of(8)
    }

    fn position_of_key(&self, key: u128) -> Option<Position> {
        let side = [Side::First, Side::Second][(key & 1) as usize];
        let covered = u32::try_from(key >> 1).ok()?;
        let position = Position { covered, side };
        let is_right = covered >> self.cells() == 0
            && self.canonical(&position) == position
            && self.final_score(&position).is_none();
        is_right.then_some(position)
    }

    fn layer(&self, canonical: &Position) -> u32 {
        canonical.covered.count_ones() / 2
    }
}

/// Draws the boards on the page of `check-ai --report`.
impl Drawing<Domineering> for Domineering {
    fn picture(&self, position: &Position) -> Option<Picture> {
        let picture = Picture::grid(self.columns, self.rows, |column, row| {
            let is_covered = position.covered >> (self.columns * row + column) & 1 == 1;
            Some(if is_covered {
                Piece::Block
            } else {
                Piece::Empty
            })
        });
        Some(picture)
    }

    fn places_of_move(&self, position: &Position, cell: Cell) -> Option<Vec<String>> {
        let domino = self.domino(position.side, cell)?;
        let cells = (0..self.cells()).filter(|cell| domino >> cell & 1 == 1);
        Some(cells.map(|cell| self.format_move(cell)).collect())
    }

    /// Both squares of a domino.
    fn unordered_places(&self) -> usize {
        2
    }

    fn side_name(&self, side: Side) -> Option<&'static str> {
        Some(match side {
            Side::First => "Upright",
            Side::Second => "Flat",
        })
    }
}

impl Notation for Domineering {
    fn rules(&self) -> String {
        format!("domineering columns={} rows={}", self.columns, self.rows)
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        Capabilities {
            drawing: self,
            ..Capabilities::default()
        }
    }

    fn name(&self) -> String {
        format!("domineering({}x{})", self.columns, self.rows)
    }

    fn title(&self) -> String {
        format!("Domineering on {}×{} squares", self.columns, self.rows)
    }

    fn format_position(&self, position: &Position) -> String {
        let mut text = String::new();
        for cell in 0..self.cells() {
            if cell > 0 && cell.is_multiple_of(self.columns) {
                text.push('/');
            }
            let is_covered = position.covered >> cell & 1 == 1;
            text.push(if is_covered { '#' } else { '.' });
        }
        format!("{text} {}", position.side)
    }

    fn parse_position(&self, text: &str) -> Result<Position, NotationError> {
        let example = self.format_position(&self.start());
        let fail = |problem| NotationError::new(text, problem, example.clone());
        let words: Vec<&str> = text.split_whitespace().collect();
        let [board, side] = words[..] else {
            return Err(fail("a position is the board and whose turn it is"));
        };
        let Ok(side) = side.parse() else {
            return Err(fail("it is the first or the second player's turn"));
        };
        let mut covered = 0u32;
        for (cell, letter) in board.chars().filter(|&letter| letter != '/').enumerate() {
            match letter {
                '#' if cell < 32 => covered |= 1 << cell,
                '.' => {}
                _ => return Err(fail("a square is # or .")),
            }
        }
        let position = Position { covered, side };
        // The players alternate, so the number of dominoes determines the side to move.
        let dominoes = covered.count_ones();
        let due = [Side::First, Side::Second][(dominoes / 2 % 2) as usize];
        if self.format_position(&position) != format!("{board} {side}") {
            return Err(fail("the board has another size than in"));
        }
        if !dominoes.is_multiple_of(2) || side != due {
            return Err(fail(
                "the number of covered squares doesn't go with the side",
            ));
        }
        Ok(position)
    }

    fn format_move(&self, cell: Cell) -> String {
        let column = char::from(b'a' + (cell % self.columns) as u8);
        format!("{column}{}", cell / self.columns + 1)
    }

    fn parse_move(&self, text: &str) -> Result<Cell, NotationError> {
        let named = (0..self.cells()).find(|&cell| self.format_move(cell) == text.trim());
        named.ok_or_else(|| NotationError::new(text, "a move is a square of the board", "a1"))
    }

    fn move_noun(&self) -> &'static str {
        "square"
    }

    fn layer_name(&self) -> &'static str {
        "dominoes laid"
    }

    fn board(&self, position: &Position) -> String {
        let letters = (b'a'..).take(self.columns as usize).map(char::from);
        let columns: Vec<String> = letters.map(String::from).collect();
        let mut lines = vec![format!("     {}", columns.join(" "))];
        for row in 0..self.rows {
            let cells = (0..self.columns).map(|column| {
                let is_covered = position.covered >> (self.columns * row + column) & 1 == 1;
                if is_covered { "#" } else { "." }
            });
            let cells: Vec<&str> = cells.collect();
            lines.push(format!("  {}  {}", row + 1, cells.join(" ")));
        }
        format!("{}\n  {} to move", lines.join("\n"), position.side)
    }
}

/// Domineering on boards of 1×2 to 5×5.
pub struct DomineeringFamily;

impl Family for DomineeringFamily {
    type Game = Domineering;

    fn name(&self) -> &'static str {
        "domineering"
    }

    fn about(&self) -> &'static str {
        "Domineering: lay dominoes, upright or flat; who can't loses"
    }

    fn rules_in_words(&self) -> &'static str {
        "The players in turn lay a domino on two empty squares, the first player upright, the second \
         flat. Who can't lay one loses: a score is 1 for a win and -1 for a loss of the side to \
         move.\n\n\
         A position is the rows from the top, # for a covered square and a dot for an empty one, then \
         whose turn it is: \"#.../#.../..../.... second\". A move is the domino's upper or left \
         square, its column a letter and its row a number from the top: b1."
    }

    fn parameters(&self) -> &'static [Parameter] {
        const PARAMETERS: [Parameter; 2] = [
            Parameter::number("columns", 4, "Columns of the board, 1 to 5"),
            Parameter::number("rows", 4, "Rows of the board, 2 to 5"),
        ];
        &PARAMETERS
    }

    fn game(&self, values: &Values) -> Result<Domineering, NoGame> {
        let (columns, rows) = (values.need("columns")?, values.need("rows")?);
        match (columns, rows) {
            (1..=5, 2..=5) => Ok(Domineering { columns, rows }),
            _ => Err(NoGame(format!(
                "a board of {columns} columns and {rows} rows is too small or too large: 1 to 5 \
                 columns and 2 to 5 rows are possible"
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_keep_their_promises() {
        for (columns, rows) in [(1, 2), (3, 3), (4, 4), (5, 5)] {
            let game = Domineering { columns, rows };
            zermelo::conformance::check(&game, 5000).unwrap();
        }
    }
}
