//! Pictures of the board.

use super::notation::{TextPlace, letter};
use super::{Dots, Move, Position};
use crate::game::{self, Drawing, Label, Notation, Picture, Piece};

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
