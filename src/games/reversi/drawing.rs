//! Pictures of Reversi boards.

use super::{Position, Reversi};
use crate::game::{Drawing, Picture, Piece, Side, Surface};

impl Drawing<Reversi> for Reversi {
    fn picture(&self, position: &Position) -> Option<Picture> {
        let mut picture = self.grid().picture(position.sets(), Piece::Disc);
        picture.surface = Surface::Cloth;
        Some(picture)
    }

    fn side_name(&self, side: Side) -> Option<&'static str> {
        Some(match side {
            Side::First => "Black",
            Side::Second => "White",
        })
    }
}
