//! Positions of Connect Four as array rows.
//!
//! A row has the squares, row by row from the top, and the side to move.

use super::{Column, Connect4, Position};
use crate::game::{Arrays, SIDE_COLUMN, cell_byte, same_side};
use crate::games::cells::owners;

impl Arrays<Connect4> for Connect4 {
    fn columns(&self) -> Vec<String> {
        let cells = self.cells();
        let cells = cells.map(|(column, row)| format!("column_{}_row_{}", column + 1, row + 1));
        cells.chain([SIDE_COLUMN.into()]).collect()
    }

    fn write_row(&self, position: &Position, row: &mut [u8]) {
        for ((column, height), byte) in self.cells().zip(&mut *row) {
            *byte = cell_byte(position.owner(&self.board, column, height));
        }
        row[self.board.cells() as usize] = position.side().index() as u8;
    }

    fn read_row(&self, row: &[u8]) -> Result<Position, String> {
        let owners = owners(&row[..self.board.cells() as usize])?;
        let position = self.placed(owners)?;
        same_side(row[self.board.cells() as usize], position.side()).map(|()| position)
    }

    fn all_moves(&self) -> Vec<Column> {
        (0..self.board.columns as u8).map(Column).collect()
    }
}
