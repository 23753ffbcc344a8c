//! What the board looks like.

use super::notation::LETTERS;
use super::{Position, TicTacToe};
use crate::game::{Drawing, Picture, Piece, Side};

impl Drawing<TicTacToe> for TicTacToe {
    fn picture(&self, position: &Position) -> Option<Picture> {
        let picture = Picture::grid(3, 3, |column, row| {
            let owner = position.owner((3 * row + column) as usize);
            Some(owner.map_or(Piece::Empty, |side| Piece::Letter(LETTERS[side.index()])))
        });
        Some(picture)
    }

    fn side_name(&self, side: Side) -> Option<&'static str> {
        Some(match side {
            Side::First => "X",
            Side::Second => "O",
        })
    }
}
