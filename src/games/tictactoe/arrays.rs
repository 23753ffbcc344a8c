//! Positions of tic-tac-toe as rows: nine cells, the side to move.

use super::board::CELLS;
use super::{Cell, Position, TicTacToe};
use crate::game::{Arrays, Game, Notation, SIDE_COLUMN, cell_byte, same_side};
use crate::games::cells::owners;

impl Arrays<TicTacToe> for TicTacToe {
    fn columns(&self) -> Vec<String> {
        let cells = self
            .all_moves()
            .into_iter()
            .map(|cell| self.format_move(cell));
        cells.chain([SIDE_COLUMN.into()]).collect()
    }

    fn write_row(&self, position: &Position, row: &mut [u8]) {
        for (cell, byte) in row[..CELLS].iter_mut().enumerate() {
            *byte = cell_byte(position.owner(cell));
        }
        row[CELLS] = self.side_to_move(position).index() as u8;
    }

    fn read_row(&self, row: &[u8]) -> Result<Position, String> {
        let position = Position::placed(owners(&row[..CELLS])?);
        match position.impossibility() {
            Some(problem) => Err(problem),
            None => same_side(row[CELLS], self.side_to_move(&position)).map(|()| position),
        }
    }

    fn all_moves(&self) -> Vec<Cell> {
        (0..CELLS as u8).map(Cell).collect()
    }

    fn move_column(&self, mv: Cell) -> Option<usize> {
        Some(usize::from(mv.0))
    }
}
