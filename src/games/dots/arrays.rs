//! Positions of Dots and Boxes as array rows.
//!
//! A row has a byte for each line and box in the order of a position's text, and the side to move.

use super::notation::{Place, letter, put};
use super::{Dots, Move, Position};
use crate::game::{Arrays, Notation, SIDE_COLUMN, side_of};

/// The letters that bytes stand for: a line is 0 or 1, a box 0, 1 or 2.
fn letters(place: Place) -> &'static str {
    match place {
        Place::Line(_, true) => ".-",
        Place::Line(_, false) => ".|",
        Place::Box(_) => ".12",
    }
}

impl Arrays<Dots> for Dots {
    fn columns(&self) -> Vec<String> {
        let places = self
            .places()
            .into_iter()
            .flatten()
            .map(|place| match place {
                Place::Line(line, _) => self.format_move(Move(line)),
                Place::Box(index) => format!("box_{}", index + 1),
            });
        places.chain([SIDE_COLUMN.into()]).collect()
    }

    fn write_row(&self, position: &Position, row: &mut [u8]) {
        let places = self.places().into_iter().flatten();
        let byte = |place| {
            letters(place)
                .find(letter(position, place))
                .unwrap_or_default() as u8
        };
        let bytes = places.map(byte).chain([position.side.index() as u8]);
        row.iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte);
    }

    fn read_row(&self, row: &[u8]) -> Result<Position, String> {
        let mut position = Position::bare(0);
        for (place, &byte) in self.places().into_iter().flatten().zip(row) {
            let letter = letters(place).chars().nth(byte.into());
            let letter = letter.ok_or_else(|| {
                format!(
                    "a line must be 0 or 1 (drawn), and a box 0, 1 or 2 (its owner), not {byte}"
                )
            })?;
            put(&mut position, place, letter)?;
        }
        position.side = side_of(row[row.len() - 1])?;
        self.check_owners(&position).map(|()| position)
    }

    fn all_moves(&self) -> Vec<Move> {
        self.board.in_order.iter().copied().map(Move).collect()
    }
}
