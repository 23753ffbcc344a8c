//! Positions of Connect Four as rows: the cells row by row from the top, the side to move.

use super::notation::checked;
use super::{Column, Connect4, Position};
use crate::game::{Arrays, SIDE_COLUMN, Side, cell_byte, cell_owner, same_side};

impl Connect4 {
    /// The column and row of each cell, row by row from the top; rows are counted from the bottom.
    fn cells(&self) -> impl Iterator<Item = (u32, u32)> + use<> {
        let columns = self.board.columns;
        let rows = (0..self.board.rows).rev();
        rows.flat_map(move |row| (0..columns).map(move |column| (column, row)))
    }
}

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
        let mut position = Position::default();
        for ((column, height), &byte) in self.cells().zip(row) {
            let cell = 1 << (self.board.stride() * column + height);
            match cell_owner(byte)? {
                Some(Side::First) => position.first |= cell,
                Some(Side::Second) => position.second |= cell,
                None => {}
            }
        }
        let position = checked(self, position)?;
        same_side(row[self.board.cells() as usize], position.side()).map(|()| position)
    }

    fn all_moves(&self) -> Vec<Column> {
        (0..self.board.columns as u8).map(Column).collect()
    }

    fn move_column(&self, mv: Column) -> Option<usize> {
        Some(usize::from(mv.0))
    }
}
