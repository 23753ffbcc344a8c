//! What the board looks like.

use super::{Position, TicTacToe};
use crate::game::{Drawing, Picture, Piece, Side};

impl Drawing<TicTacToe> for TicTacToe {
    fn picture(&self, position: &Position) -> Option<Picture> {
        let picture = Picture::grid(3, 3, |column, row| {
            Some(match position.letter((3 * row + column) as usize) {
                '.' => Piece::Empty,
                letter => Piece::Letter(letter),
            })
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
