//! Pictures of tic-tac-toe boards.

use super::board::GRID;
use super::{Position, TicTacToe};
use crate::game::{Drawing, Picture, Piece, Side};

impl Drawing<TicTacToe> for TicTacToe {
    fn picture(&self, position: &Position) -> Option<Picture> {
        Some(GRID.diagram(position.sets).picture(Piece::Letter))
    }

    fn side_name(&self, side: Side) -> Option<&'static str> {
        Some(["X", "O"][side.index()])
    }
}
