//! Positions of Reversi as rows: the cells row by row, the side to move.

use super::notation::cells;
use super::{Move, Position, Reversi};
use crate::game::{Arrays, SIDE_COLUMN, cell_byte, side_of};
use crate::games::cells::{owners, sets};

impl Arrays<Reversi> for Reversi {
    fn columns(&self) -> Vec<String> {
        let cells = cells(self).map(|cell| cell.to_string());
        cells.chain([SIDE_COLUMN.into()]).collect()
    }

    fn write_row(&self, position: &Position, row: &mut [u8]) {
        for (cell, byte) in cells(self).zip(&mut *row) {
            *byte = cell_byte(position.owner(cell));
        }
        row[self.board.size() as usize] = position.side.index() as u8;
    }

    fn read_row(&self, row: &[u8]) -> Result<Position, String> {
        let bits = cells(self).map(|cell| cell.0.into());
        let [black, white] = sets(bits, owners(&row[..self.board.size() as usize])?);
        if self.shape().centre & !(black | white) != 0 {
            return Err(
                "a cell in the middle is empty, but these four have discs from the start on, in"
                    .into(),
            );
        }
        let side = side_of(row[self.board.size() as usize])?;
        Ok(Position { black, white, side })
    }

    fn all_moves(&self) -> Vec<Move> {
        Reversi::all_moves(self)
    }

    fn move_column(&self, mv: Move) -> Option<usize> {
        let placings = self.shape().cells & !self.shape().centre;
        Some(match mv {
            Move::Place(cell) => (placings & (cell.alone() - 1)).count_ones() as usize,
            Move::Pass => placings.count_ones() as usize,
        })
    }
}
