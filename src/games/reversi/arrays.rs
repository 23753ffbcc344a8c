//! Positions of Reversi as rows: the squares row by row, then the side to move.

use super::{Move, Position, Reversi};
use crate::game::{Arrays, side_of};

impl Arrays<Reversi> for Reversi {
    fn columns(&self) -> Vec<String> {
        self.grid().columns()
    }

    fn write_row(&self, position: &Position, row: &mut [u8]) {
        self.grid().write_row(position.sets, position.side, row);
    }

    fn read_row(&self, row: &[u8]) -> Result<Position, String> {
        let (sets, side) = self.grid().read_row(row)?;
        if self.shape().centre & !(sets[0] | sets[1]) != 0 {
            return Err(
                "a cell in the middle is empty, but these four have discs from the start on".into(),
            );
        }
        let side = side_of(side)?;
        Ok(Position { sets, side })
    }

    fn all_moves(&self) -> Vec<Move> {
        Reversi::all_moves(self)
    }

    fn move_column(&self, mv: Move) -> Option<usize> {
        let placings = self.shape().cells & !self.shape().centre;
        Some(match mv {
            Move::Place(cell) => cell.index_in(placings),
            Move::Pass => placings.count_ones() as usize,
        })
    }
}
