//! What the board looks like.

use super::{Position, Reversi, notation};
use crate::game::{Drawing, Picture, Piece, Side, Surface};

impl Drawing<Reversi> for Reversi {
    fn picture(&self, position: &Position) -> Option<Picture> {
        let side = self.shape().side;
        let rows: Vec<_> = notation::rows(self).collect();
        let mut picture = Picture::grid(side, side, |column, row| {
            let mut cells = rows[row as usize].iter();
            let cell = cells.find(|cell| cell.column() == column)?;
            Some(position.owner(*cell).map_or(Piece::Empty, Piece::Disc))
        });
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
