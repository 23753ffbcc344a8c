//! Positions of tic-tac-toe as rows: nine squares, then the side to move.

use super::board::GRID;
use super::{Cell, Position, TicTacToe};
use crate::game::{Arrays, Game, same_side};
use crate::games::cells::each;

impl Arrays<TicTacToe> for TicTacToe {
    fn columns(&self) -> Vec<String> {
        GRID.columns()
    }

    fn write_row(&self, position: &Position, row: &mut [u8]) {
        GRID.write_row(position.sets, self.side_to_move(position), row);
    }

    fn read_row(&self, row: &[u8]) -> Result<Position, String> {
        let (sets, side) = GRID.read_row(row)?;
        let position = Position { sets };
        match position.impossibility() {
            Some(problem) => Err(problem),
            None => same_side(side, self.side_to_move(&position)).map(|()| position),
        }
    }

    fn all_moves(&self) -> Vec<Cell> {
        each(GRID.cells).collect()
    }

    fn move_column(&self, mv: Cell) -> Option<usize> {
        Some(mv.index_in(GRID.cells))
    }
}
