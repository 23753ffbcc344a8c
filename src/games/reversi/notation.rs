//! Reads, writes and draws positions and moves of Reversi, and names one family per board.

use super::board::LETTERS;
use super::{Board, Move, Position, Reversi, Start};
use crate::game::{
    Arrays, Capabilities, Drawing, Family, Game, NoGame, Notation, NotationError, Parameter,
    Picture, Piece, Side, Surface, Values, capabilities_of, side_of,
};
use crate::games::cells::{Cells, each, move_named, unread};

/// Text of the move that places no disc.
impl Notation for Reversi {
    const IS_TESTED: bool = true;

    fn capabilities(&self) -> Capabilities<'_, Self> {
        capabilities_of!(self: symmetry, solving, checking, arrays, drawing)
    }

    fn name(&self) -> String {
        format!("{}({})", self.board.name(), self.start)
    }

    fn title(&self) -> String {
        let board = match self.board {
            Board::FourByFour => "4×4 squares",
            Board::Octagon => "an octagon of 24 squares",
        };
        format!("Reversi on {board}, {} start", self.start)
    }

    fn rules(&self) -> String {
        format!("{} start={}", self.board.name(), self.start)
    }

    fn format_position(&self, position: &Position) -> String {
        let rows = self.grid().diagram(position.sets).text();
        format!("{rows} {}", LETTERS[position.side.index()])
    }

    fn parse_position(&self, text: &str) -> Result<Position, NotationError> {
        self.read(text)
            .map_err(|problem| unread(self, text, problem))
    }

    fn format_move(&self, mv: Move) -> String {
        match mv {
            Move::Place(cell) => cell.to_string(),
            Move::Pass => "pass".into(),
        }
    }

    fn parse_move(&self, text: &str) -> Result<Move, NotationError> {
        let problem = "a move is a square of the board outside its middle, its column a letter and its \
                       row a number from the top, or \"pass\"";
        move_named(self, text, problem)
    }

    fn board(&self, position: &Position) -> String {
        let mover = LETTERS[position.side.index()];
        let status = if self.final_score(position).is_some() {
            "the game is over".to_owned()
        } else if self.placings(position) == 0 {
            format!("{mover} must pass")
        } else {
            format!("{mover} to move")
        };
        let [black, white] = position.sets.map(Cells::count_ones);
        let discs = format!("B {black}, W {white}");
        self.grid().diagram(position.sets).drawn(&[status, discs])
    }

    fn layer_name(&self) -> &'static str {
        "discs on the board"
    }
}

impl Reversi {
    fn read(&self, text: &str) -> Result<Position, String> {
        let words = text.trim().split_once(char::is_whitespace);
        let (rows, side) = words
            .ok_or("a position is the rows of the board, a space and whose turn it is, B or W")?;
        let side = match side.trim_start() {
            "B" => Side::First,
            "W" => Side::Second,
            _ => {
                return Err(format!(
                    "the side to move is \"B\" or \"W\", not \"{side}\""
                ));
            }
        };
        self.checked(self.grid().read(rows)?, side)
    }

    /// Returns the position with these discs if the middle has all of its four.
    fn checked(&self, sets: [Cells; 2], side: Side) -> Result<Position, String> {
        let missing = self.shape().centre & !(sets[0] | sets[1]);
        match each(missing).next() {
            None => Ok(Position { sets, side }),
            Some(cell) => Err(format!(
                "{cell} is empty, but the four cells in the middle have discs from the start on"
            )),
        }
    }
}

impl Arrays<Reversi> for Reversi {
    fn columns(&self) -> Vec<String> {
        self.grid().columns()
    }

    fn write_row(&self, position: &Position, row: &mut [u8]) {
        self.grid().write_row(position.sets, position.side, row);
    }

    fn read_row(&self, row: &[u8]) -> Result<Position, String> {
        let (sets, side) = self.grid().read_row(row)?;
        self.checked(sets, side_of(side)?)
    }

    fn all_moves(&self) -> Vec<Move> {
        let placings = each(self.shape().cells & !self.shape().centre);
        placings.map(Move::Place).chain([Move::Pass]).collect()
    }
}

impl Drawing<Reversi> for Reversi {
    fn picture(&self, position: &Position) -> Option<Picture> {
        let disc = |letter| {
            let is_black = letter == LETTERS[0];
            Piece::Disc(if is_black { Side::First } else { Side::Second })
        };
        let mut picture = self.grid().diagram(position.sets).picture(disc);
        picture.surface = Surface::Cloth;
        Some(picture)
    }

    fn side_name(&self, side: Side) -> Option<&'static str> {
        Some(["Black", "White"][side.index()])
    }
}

/// Reversi on a board, with either start.
impl Family for Board {
    type Game = Reversi;

    fn name(&self) -> &'static str {
        match self {
            Board::FourByFour => "reversi4",
            Board::Octagon => "reversi24",
        }
    }

    fn common_names(&self) -> &'static [&'static str] {
        &["othello", "reversi"]
    }

    fn about(&self) -> &'static str {
        match self {
            Board::FourByFour => "Reversi on 4×4 squares",
            Board::Octagon => "Reversi on an octagon of 24 squares",
        }
    }

    fn rules_in_words(&self) -> &'static str {
        match self {
            Board::FourByFour => include_str!("reversi4.txt"),
            Board::Octagon => include_str!("reversi24.txt"),
        }
    }

    fn details(&self) -> &'static str {
        match self {
            Board::FourByFour => "",
            Board::Octagon => {
                "Solving it asks for 9 GB of memory from the cross, of which it takes about 6, and \
                 for 11 GB from the parallel start."
            }
        }
    }

    fn parameters(&self) -> &'static [Parameter] {
        const PARAMETERS: [Parameter; 1] = [Parameter::choice(
            "start",
            &[
                ("cross", "White and black over black and white"),
                ("parallel", "White and black over white and black"),
            ],
            "How the four discs in the middle lie at the start",
        )];
        &PARAMETERS
    }

    fn game(&self, values: &Values) -> Result<Reversi, NoGame> {
        let start = match values.get("start") {
            Some("parallel") => Start::Parallel,
            _ => Start::Cross,
        };
        let board = *self;
        Ok(Reversi { board, start })
    }
}
