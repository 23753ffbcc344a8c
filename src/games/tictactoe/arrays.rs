//! Positions of tic-tac-toe as rows: nine cells, the side to move.

use super::board::CELLS;
use super::{Cell, Position, TicTacToe};
use crate::game::{Arrays, Game, Notation, SIDE_COLUMN, Side, cell_byte, cell_owner, same_side};

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
            *byte = cell_byte(match position.letter(cell) {
                'X' => Some(Side::First),
                'O' => Some(Side::Second),
                _ => None,
            });
        }
        row[CELLS] = self.side_to_move(position).index() as u8;
    }

    fn read_row(&self, row: &[u8]) -> Result<Position, String> {
        let mut position = Position::default();
        for (cell, &byte) in row[..CELLS].iter().enumerate() {
            match cell_owner(byte)? {
                Some(Side::First) => position.x |= 1 << cell,
                Some(Side::Second) => position.o |= 1 << cell,
                None => {}
            }
        }
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
