//! Texts and pictures of Dōbutsu shōgi, and its family.

use super::rules::{
    COLUMNS, KINDS, LETTERS, ROWS, SQUARES, code, held, in_hand, missing, seen_square,
};
use super::{Dobutsu, Move, Position};
use crate::game::{
    BoardPlace, Capabilities, Drawing, Family, Game, Label, NoGame, Notation, NotationError,
    Picture, Piece, Side, Values, capabilities_of,
};
use crate::games::cells::{Cell, Cells, Pieces, status, words};
use crate::games::grid::Diagram;

pub(super) const EXAMPLE: &str = "gle/.c./.C./ELG - first";

/// The cells of the board.
const CELLS: Cells = 0x0707_0707;

fn square(cell: Cell) -> usize {
    cell.row() as usize * COLUMNS + cell.column() as usize
}

fn cell(square: usize) -> Cell {
    Cell::at((square / COLUMNS) as u8, (square % COLUMNS) as u8)
}

fn letter(side: Side, code: u64) -> char {
    let letter = char::from(LETTERS[code as usize]);
    match side {
        Side::First => letter,
        Side::Second => letter.to_ascii_lowercase(),
    }
}

/// Returns the owner and the code of the piece with this letter.
fn piece(letter: char) -> Option<(Side, u64)> {
    let side = [Side::First, Side::Second][usize::from(letter.is_ascii_lowercase())];
    let code = (0..16).find(|&code| self::letter(side, code) == letter)?;
    Some((side, code))
}

fn diagram(position: &Position) -> Diagram {
    Diagram::of(COLUMNS as u32, ROWS as u32, |cell| {
        let [first, second] = [Side::First, Side::Second].map(|side| {
            let own = position.sets[side.index()];
            letter(side, code(own, seen_square(side, square(cell))))
        });
        if first == '.' { second } else { first }
    })
}

/// Returns the letters of the pieces in hand.
fn hands(position: &Position) -> String {
    let mut letters = String::new();
    for (side, own) in [Side::First, Side::Second].into_iter().zip(position.sets) {
        for (kind, code) in KINDS.into_iter().enumerate() {
            letters.extend((0..held(own, kind)).map(|_| letter(side, code)));
        }
    }
    if letters.is_empty() {
        "-".into()
    } else {
        letters
    }
}

fn read(text: &str) -> Result<Position, String> {
    let ([rows, hands], side) = words(text, "the rows of the board, the pieces in hand")?;
    let diagram = Diagram::read(rows, COLUMNS as u32, ROWS as u32, "LEGCHlegch.")?;
    let mut sets = [0; 2];
    for (cell, letter) in diagram.squares() {
        if let Some((side, code)) = piece(letter) {
            sets[side.index()] |= code << (4 * seen_square(side, square(cell)));
        }
    }
    for letter in hands.chars().filter(|_| hands != "-") {
        let kind = |code| KINDS.iter().position(|&kind| kind == code);
        let found = piece(letter).and_then(|(side, code)| Some((side, kind(code)?)));
        let (side, kind) = found.ok_or_else(|| {
            format!("the pieces in hand are \"-\" or some of CEGceg, not \"{letter}\"")
        })?;
        let own = &mut sets[side.index()];
        *own += u64::from(held(*own, kind) < 3) * in_hand(kind);
    }
    let is_whole = missing(sets) == Some([0; 3]);
    is_whole.then_some(Pieces { sets, side }).ok_or_else(|| {
        "there are a lion each, and two elephants, two giraffes and two chicks or hens on the \
         board and in hand"
            .into()
    })
}

fn read_move(text: &str) -> Option<Move> {
    let (from, to) = match text.split_once('*') {
        None => Cell::path(text, CELLS).map(|(from, to)| (square(from), to))?,
        Some((name, to)) => {
            let is_named = |&code: &u64| letter(Side::First, code).to_string() == name;
            let kind = KINDS.iter().position(is_named)?;
            (SQUARES + kind, Cell::named(to, CELLS)?)
        }
    };
    let (from, to) = (from as u8, square(to) as u8);
    Some(Move { from, to })
}

impl Notation for Dobutsu {
    const IS_TESTED: bool = true;

    fn rules(&self) -> String {
        "dobutsu".into()
    }

    fn title(&self) -> String {
        "Dōbutsu shōgi".into()
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        capabilities_of!(self: symmetry, solving, checking, drawing)
    }

    fn format_position(&self, position: &Position) -> String {
        let (rows, hands) = (diagram(position).text(), hands(position));
        format!("{rows} {hands} {}", position.side)
    }

    fn parse_position(&self, text: &str) -> Result<Position, NotationError> {
        read(text).map_err(|problem| NotationError::new(text, problem, EXAMPLE))
    }

    fn format_move(&self, mv: Move) -> String {
        let (from, to) = (usize::from(mv.from), cell(mv.to.into()));
        match from.checked_sub(SQUARES) {
            None => format!("{}-{to}", cell(from)),
            Some(kind) => format!("{}*{to}", letter(Side::First, KINDS[kind])),
        }
    }

    fn parse_move(&self, text: &str) -> Result<Move, NotationError> {
        let problem = "a move is a piece's old and new square, or the letter C, E or G of a piece in \
                       hand, a star and a square";
        let read = read_move(text.trim());
        read.ok_or_else(|| NotationError::new(text, problem, "b3-b2"))
    }

    fn board(&self, position: &Position) -> String {
        let status = status(
            [Side::First, Side::Second],
            position.side,
            self.final_score(position),
        );
        let hands = format!("in hand: {}", hands(position));
        diagram(position).drawn(&[status, hands])
    }
}

/// Distance between pieces in hand.
const HAND_STEP: f64 = 44.0;

/// Returns the name of the place of pieces in hand.
fn name_in_hand(side: Side, kind: usize) -> String {
    format!("{} in hand", letter(side, KINDS[kind]))
}

impl Drawing<Dobutsu> for Dobutsu {
    fn picture(&self, position: &Position) -> Option<Picture> {
        let mut picture = diagram(position).picture(Piece::Letter);
        picture.has_sides = true;
        let (width, height) = picture.size();
        // Each player's pieces in hand are beside the rows nearest to the player.
        for (side, own) in [Side::First, Side::Second].into_iter().zip(position.sets) {
            for (kind, code) in KINDS.into_iter().enumerate() {
                let down = HAND_STEP * (kind as f64 + 0.7);
                let y = [height - down, down][side.index()];
                let middle = (width + HAND_STEP / 2.0, y);
                let piece = match held(own, kind) {
                    0 => continue,
                    1 => Piece::Letter(letter(side, code)),
                    count => {
                        let beside = (middle.0 + HAND_STEP * 0.7, y + 4.0);
                        picture.labels.push(Label::new(format!("×{count}"), beside));
                        Piece::Letter(letter(side, code))
                    }
                };
                let place = BoardPlace::new(name_in_hand(side, kind), middle, piece);
                picture.places.push(place.rounded((38.0, 38.0), 8.0));
            }
        }
        Some(picture)
    }

    fn places_of_move(&self, position: &Position, mv: Move) -> Option<Vec<String>> {
        let from = match usize::from(mv.from).checked_sub(SQUARES) {
            None => cell(mv.from.into()).to_string(),
            Some(kind) => name_in_hand(position.side, kind),
        };
        Some(vec![from, cell(mv.to.into()).to_string()])
    }
}

impl Family for Dobutsu {
    type Game = Dobutsu;

    fn name(&self) -> &'static str {
        "dobutsu"
    }

    fn about(&self) -> &'static str {
        "Dōbutsu shōgi: catch the lion on 3×4 squares"
    }

    fn rules_in_words(&self) -> &'static str {
        include_str!("dobutsu.txt")
    }

    fn game(&self, _: &Values) -> Result<Dobutsu, NoGame> {
        Ok(Dobutsu)
    }
}
