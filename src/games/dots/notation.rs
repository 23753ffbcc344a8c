//! Positions and moves as texts, array rows and pictures.
//!
//! A position is the board's rows from the top with `/` between them: rows of horizontal lines, `-`
//! or `.`, and between them rows of vertical lines, `|` or `.`, with the boxes between the lines. A
//! box is its owner, `1` or `2`, or `.`. OpenSpiel's drawing is read, too.
//!
//! A row has a byte for each line and box in the order of a position's text, and the side to move.

use super::{Dots, Move, Position};
use crate::game::{
    self, Arrays, Capabilities, Drawing, Game, Label, Notation, NotationError, Picture, Piece,
    SIDE_COLUMN, capabilities_of, side_of,
};
use crate::games::cells::{move_named, read_rows, unread};
use crate::text::counted;

impl Notation for Dots {
    const IS_TESTED: bool = true;

    fn capabilities(&self) -> Capabilities<'_, Self> {
        capabilities_of!(self: symmetry, solving, searching, checking, arrays, drawing)
    }

    fn name(&self) -> String {
        format!("dots-and-boxes({}x{})", self.board.rows, self.board.columns)
    }

    fn title(&self) -> String {
        format!(
            "Dots and Boxes with {}×{} boxes",
            self.board.rows, self.board.columns
        )
    }

    fn rules(&self) -> String {
        format!(
            "dots-and-boxes rows={} columns={}",
            self.board.rows, self.board.columns
        )
    }

    fn is_whole(&self, position: &Position) -> bool {
        self.board.complete(position.lines) == position.boxes[0] | position.boxes[1]
    }

    fn format_position(&self, position: &Position) -> String {
        // Write the owners only if all of them are known.
        let shown = self.shown(position);
        let letter = |place: &TextPlace| letter(&shown, *place);
        let places = self.places();
        let rows = places.iter().map(|row| row.iter().map(letter).collect());
        format!(
            "{} {}",
            rows.collect::<Vec<String>>().join("/"),
            position.side
        )
    }

    fn parse_position(&self, text: &str) -> Result<Position, NotationError> {
        self.read(text)
            .map_err(|problem| unread(self, text, problem))
    }

    /// Rewrites the drawing of [`Notation::board`].
    fn rewrite_position(&self, text: &str) -> Result<Option<String>, NotationError> {
        let lines = text.lines().skip_while(|line| !line.contains('+'));
        let width = 4 * self.board.columns + 5;
        let row = |line| {
            format!("{line:<width$}")
                .chars()
                .skip(4)
                .take(width - 4)
                .collect()
        };
        let rows: Vec<String> = lines.take(self.places().len()).map(row).collect();
        let side = ["first", "second"][usize::from(text.contains("second to move"))];
        let rows = undrawn(&rows.join("\n"), &self.places()).ok();
        Ok(rows.map(|rows| format!("{rows} {side}")))
    }

    fn format_move(&self, mv: Move) -> String {
        let (from, to) = self.board.ends[usize::from(mv.0)];
        format!("{from}-{to}")
    }

    fn parse_move(&self, text: &str) -> Result<Move, NotationError> {
        let problem = "a move is a line: two neighbouring dots, the left or upper one first, each a \
                       letter for its column and a number for its row from the top";
        move_named(self, text, problem)
    }

    fn move_noun(&self) -> &'static str {
        "line"
    }

    fn banked_name(&self) -> Option<&'static str> {
        Some("the difference of the boxes")
    }

    fn layer_name(&self) -> &'static str {
        "undrawn lines"
    }

    fn board(&self, position: &Position) -> String {
        let status = match self.final_score(position) {
            Some(_) => "the game is over".to_owned(),
            None => format!("{} to move", position.side),
        };
        let boxes = position.boxes.map(u32::count_ones);
        let owners = match self.is_whole(position) {
            true => format!("boxes {} to {}", boxes[0], boxes[1]),
            false => "owners left out".to_owned(),
        };
        let (notes, position) = ([status, owners], &self.shown(position));
        let mut notes = notes.iter().map(|note| format!("   {note}"));
        let letters = ('a'..).take(self.board.columns + 1);
        let mut text = letters.fold("   ".to_owned(), |text, letter| {
            format!("{text} {letter}  ")
        });
        for (index, row) in self.places().into_iter().enumerate() {
            let (mut line, between) = match index % 2 {
                0 => (format!("  {} +", index / 2 + 1), "+"),
                _ => ("    ".to_owned(), ""),
            };
            for (at, place) in row.into_iter().enumerate() {
                line += &match letter(position, place) {
                    '-' => "---".to_owned(),
                    '.' if index % 2 == 1 && at % 2 == 0 => " ".to_owned(),
                    '.' => "   ".to_owned(),
                    '|' => "|".to_owned(),
                    owner => format!(" {owner} "),
                };
                line += between;
            }
            line += &notes.next().unwrap_or_default();
            text = format!("{}\n{line}", text.trim_end_matches(' '));
        }
        text
    }
}

/// A place in a position's text.
#[derive(Clone, Copy)]
pub(super) enum TextPlace {
    /// A line, by its bit, and whether it is horizontal.
    Line(u8, bool),
    /// A box, by its number.
    Box(usize),
}

/// Returns the letter at a place.
pub(super) fn letter(position: &Position, place: TextPlace) -> char {
    match place {
        TextPlace::Line(line, _) if position.lines >> line & 1 == 0 => '.',
        TextPlace::Line(_, true) => '-',
        TextPlace::Line(_, false) => '|',
        TextPlace::Box(index) => match position.boxes.map(|boxes| boxes >> index & 1) {
            [1, _] => '1',
            [_, 1] => '2',
            _ => '.',
        },
    }
}

/// Puts the line or owner that a letter stands for at a place; an error is what was expected.
pub(super) fn put(
    position: &mut Position,
    place: TextPlace,
    letter: char,
) -> Result<(), &'static str> {
    match (place, letter) {
        (_, '.') => {}
        (TextPlace::Line(line, true), '-') | (TextPlace::Line(line, false), '|') => {
            position.lines |= 1 << line
        }
        (TextPlace::Box(index), '1') => position.boxes[0] |= 1 << index,
        (TextPlace::Box(index), '2') => position.boxes[1] |= 1 << index,
        (TextPlace::Line(_, true), _) => return Err("\"-\""),
        (TextPlace::Line(_, false), _) => return Err("\"|\""),
        (TextPlace::Box(_), _) => return Err("\"1\", \"2\""),
    }
    Ok(())
}

impl Dots {
    /// Returns the places of a position's text, row by row.
    pub(super) fn places(&self) -> Vec<Vec<TextPlace>> {
        let (rows, columns) = (self.board.rows, self.board.columns);
        let (horizontal, vertical) = self.board.in_order.split_at(columns * (rows + 1));
        let row = |number: usize| {
            let row = number / 2;
            if number.is_multiple_of(2) {
                let lines = horizontal[row * columns..][..columns].iter();
                return lines.map(|&line| TextPlace::Line(line, true)).collect();
            }
            let place = |at: usize| match at % 2 {
                0 => TextPlace::Line(vertical[row * (columns + 1) + at / 2], false),
                _ => TextPlace::Box(row * columns + at / 2),
            };
            (0..2 * columns + 1).map(place).collect()
        };
        (0..2 * rows + 1).map(row).collect()
    }

    fn read(&self, text: &str) -> Result<Position, String> {
        let words = text.trim_end().rsplit_once(char::is_whitespace);
        let (board, side) =
            words.ok_or("a position is the rows of the board and the side to move")?;
        let no_side =
            |_| format!("the side to move must be \"first\" or \"second\", not \"{side}\"");
        let side = side.parse().map_err(no_side)?;
        let places = self.places();
        let rows_of_letters;
        let board = match board.contains('┌') {
            true => {
                rows_of_letters = undrawn(board, &places)?;
                &rows_of_letters
            }
            false => board.trim(),
        };
        let widths: Vec<usize> = places.iter().map(Vec::len).collect();
        let mut position = Position::bare(0);
        let name = |row, column| format!("row {}, column {}", row + 1, column + 1);
        let mut left = places.iter().flatten();
        read_rows(board, &widths, name, |letter| {
            let read = left.next().map(|&place| put(&mut position, place, letter));
            read.unwrap_or(Ok(()))
                .map_err(|expected| format!("{expected} or \".\""))
        })?;
        self.check_owners(&position)?;
        Ok(Position { side, ..position })
    }

    /// Returns the position without owners if some of them are unknown.
    fn shown(&self, position: &Position) -> Position {
        match self.is_whole(position) {
            true => *position,
            false => Position {
                boxes: [0; 2],
                ..*position
            },
        }
    }

    /// Checks that the boxes with an owner are the complete ones, or that there are none.
    pub(super) fn check_owners(&self, position: &Position) -> Result<(), String> {
        let complete = self.board.complete(position.lines);
        let owned = position.boxes[0] | position.boxes[1];
        let name = |boxes: u32| {
            let top = self.board.boxes[boxes.trailing_zeros() as usize];
            let mut lines = self.board.in_order.iter();
            let top = lines.find(|&&line| top >> line & 1 == 1);
            top.map_or_else(String::new, |&line| {
                format!("the box below {}", self.format_move(Move(line)))
            })
        };
        if owned & !complete != 0 {
            let name = name(owned & !complete);
            return Err(format!(
                "{name} has an owner, but not all of its lines are drawn"
            ));
        }
        if owned != 0 && owned != complete {
            return Err(format!(
                "{} has no owner, but others have (leave out all owners to ask for the score to come)",
                name(complete & !owned)
            ));
        }
        Ok(())
    }
}

/// Converts OpenSpiel's drawing or ours, which have four columns a box, to rows of letters.
fn undrawn(drawing: &str, places: &[Vec<TextPlace>]) -> Result<String, String> {
    let drawing = &drawing[drawing.find('┌').unwrap_or_default()..];
    let shown = drawing.trim_end().trim_end_matches('/').split(['\n', '/']);
    let shown: Vec<Vec<char>> = shown.map(|row| row.chars().collect()).collect();
    if shown.len() != places.len() {
        let (found, needed) = (counted(shown.len(), "row"), places.len());
        return Err(format!("the drawing has {found} instead of {needed}"));
    }
    let rows = shown
        .iter()
        .zip(places)
        .enumerate()
        .map(|(index, (shown, places))| {
            // A row of lines has a dot before each line, and a line takes three columns.
            let (step, first) = if index % 2 == 0 { (4, 2) } else { (2, 0) };
            let width = 4 * places.len() + 1;
            if index % 2 == 0 && shown.len() != width {
                let found = counted(shown.len(), "column");
                return Err(format!(
                    "row {} of the drawing has {found} instead of {width}",
                    index + 1
                ));
            }
            let letter = |place| match shown.get(step * place + first) {
                Some('─' | '-') => '-',
                Some('│' | '|') => '|',
                None | Some(' ') => '.',
                Some(&other) => other,
            };
            Ok((0..places.len()).map(letter).collect())
        });
    Ok(rows.collect::<Result<Vec<String>, String>>()?.join("/"))
}

/// Returns the letters that bytes stand for: a line is 0 or 1, a box 0, 1 or 2.
fn letters(place: TextPlace) -> &'static str {
    match place {
        TextPlace::Line(_, true) => ".-",
        TextPlace::Line(_, false) => ".|",
        TextPlace::Box(_) => ".12",
    }
}

impl Arrays<Dots> for Dots {
    fn columns(&self) -> Vec<String> {
        let places = self
            .places()
            .into_iter()
            .flatten()
            .map(|place| match place {
                TextPlace::Line(line, _) => self.format_move(Move(line)),
                TextPlace::Box(index) => format!("box_{}", index + 1),
            });
        places.chain([SIDE_COLUMN.into()]).collect()
    }

    fn write_row(&self, position: &Position, row: &mut [u8]) {
        let places = self.places().into_iter().flatten();
        let byte = |place| {
            letters(place)
                .find(letter(position, place))
                .unwrap_or_default() as u8
        };
        let bytes = places.map(byte).chain([position.side.index() as u8]);
        row.iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte);
    }

    fn read_row(&self, row: &[u8]) -> Result<Position, String> {
        let mut position = Position::bare(0);
        for (place, &byte) in self.places().into_iter().flatten().zip(row) {
            let letter = letters(place).chars().nth(byte.into());
            let letter = letter.ok_or_else(|| {
                format!(
                    "a line must be 0 or 1 (drawn), and a box 0, 1 or 2 (its owner), not {byte}"
                )
            })?;
            put(&mut position, place, letter)?;
        }
        position.side = side_of(row[row.len() - 1])?;
        self.check_owners(&position).map(|()| position)
    }

    fn all_moves(&self) -> Vec<Move> {
        self.board.in_order.iter().copied().map(Move).collect()
    }
}

/// Distance between neighbouring dots.
const STEP: f64 = 84.0;
/// Distance from an edge to the first dot.
const MARGIN: f64 = 38.0;
/// Width and length of a line, and width of a box.
const WIDTH: f64 = 14.0;
const LENGTH: f64 = STEP - WIDTH;
const BOX: f64 = LENGTH - 4.0;

impl Drawing<Dots> for Dots {
    fn picture(&self, position: &Position) -> Option<Picture> {
        let at = |place: u32| MARGIN + STEP * f64::from(place);
        let mut picture = Picture::default();
        for column in 0..=self.board.columns as u32 {
            let letter = char::from(b'a' + column as u8);
            picture
                .labels
                .push(Label::new(letter, (at(column), MARGIN - 16.0)));
        }
        for row in 0..=self.board.rows as u32 {
            picture.labels.push(Label::new(
                (row + 1).to_string(),
                (MARGIN - 22.0, at(row) + 4.0),
            ));
        }
        for (row, places) in self.places().into_iter().enumerate() {
            for (column, place) in places.into_iter().enumerate() {
                let letter = letter(position, place);
                let piece = match letter {
                    '.' => Piece::Empty,
                    '1' | '2' => Piece::Letter(letter),
                    _ => Piece::Block,
                };
                let column = if row % 2 == 0 { 2 * column + 1 } else { column };
                let middle = [column, row].map(|at| MARGIN + STEP / 2.0 * at as f64);
                let (name, size) = match place {
                    TextPlace::Line(line, true) => (self.format_move(Move(line)), (LENGTH, WIDTH)),
                    TextPlace::Line(line, false) => (self.format_move(Move(line)), (WIDTH, LENGTH)),
                    TextPlace::Box(index) => (format!("box {}", index + 1), (BOX, BOX)),
                };
                let place = game::BoardPlace::new(name, middle.into(), piece);
                picture.places.push(place.rounded(size, WIDTH / 2.0));
            }
        }
        // Marks on lines that can be drawn lie above everything else.
        let is_box = |place: &game::BoardPlace| place.size.0 == place.size.1;
        let depth = |place: &game::BoardPlace| (!is_box(place), place.piece == Piece::Empty);
        picture.places.sort_by_key(depth);
        Some(picture)
    }
}
