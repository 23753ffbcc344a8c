//! Pictures of Reversi boards.

use super::board::LETTERS;
use super::{Position, Reversi};
use crate::game::{Drawing, Picture, Piece, Side, Surface};

fn disc(letter: char) -> Piece {
    let is_black = letter == LETTERS[0];
    Piece::Disc(if is_black { Side::First } else { Side::Second })
}

impl Drawing<Reversi> for Reversi {
    fn picture(&self, position: &Position) -> Option<Picture> {
        let mut picture = self.grid().diagram(position.sets).picture(disc);
        picture.surface = Surface::Cloth;
        Some(picture)
    }

    fn side_name(&self, side: Side) -> Option<&'static str> {
        Some(["Black", "White"][side.index()])
    }
}
