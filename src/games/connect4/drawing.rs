//! Pictures of the board.

use super::notation::LETTERS;
use super::{Column, Connect4, Position};
use crate::game::{Drawing, Picture, Piece, Side, Surface};

impl Drawing<Connect4> for Connect4 {
    fn picture(&self, position: &Position) -> Option<Picture> {
        let (columns, rows) = (self.board.columns, self.board.rows);
        let mut picture = Picture::grid(columns, rows, |column, row| {
            let owner = position.owner(&self.board, column, rows - 1 - row);
            Some(owner.map_or(Piece::Empty, |side| Piece::Letter(LETTERS[side.index()])))
        });
        // Only columns are labelled, since moves name no rows.
        picture.labels.truncate(columns as usize);
        for (number, label) in (1..).zip(&mut picture.labels) {
            label.text = number.to_string();
        }
        for (index, place) in (0..).zip(&mut picture.places) {
            place.name = name(index % columns, rows - 1 - index / columns);
        }
        picture.surface = Surface::Rack;
        Some(picture)
    }

    /// Returns the square that the stone falls to.
    fn places_of_move(&self, position: &Position, mv: Column) -> Option<Vec<String>> {
        let column = u32::from(mv.0);
        let cell = self.board.landing(position.all(), column);
        let row = cell.checked_ilog2()? - self.board.first_bit(column);
        Some(vec![name(column, row)])
    }

    fn side_name(&self, side: Side) -> Option<&'static str> {
        Some(match side {
            Side::First => "Red (X)",
            Side::Second => "Yellow (O)",
        })
    }

    /// Returns the stones of the winner's lines.
    fn deciding_places(&self, position: &Position) -> Vec<String> {
        let (board, stones) = (&self.board, position.own_and_other().1);
        let line = board.line_stones(stones);
        let cells = self
            .cells()
            .filter(|(column, row)| line >> (board.stride() * column + row) & 1 == 1);
        cells.map(|(column, row)| name(column, row)).collect()
    }
}

/// Returns a square's name: "4.1" is the lowest square of column 4.
fn name(column: u32, row: u32) -> String {
    format!("{}.{}", column + 1, row + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Notation;
    use crate::games::connect4::Parameters;

    #[test]
    fn a_move_is_marked_where_its_stone_falls() {
        let game = Connect4::new(Parameters::default()).unwrap();
        let position = game.parse_position("4453").unwrap();
        let picture = game.picture(&position).unwrap();
        let lies = |name: &str| {
            let mut places = picture.places.iter();
            places.find(|place| place.name == name).unwrap().piece
        };
        assert_eq!(lies("4.1"), Piece::Letter('X'));
        assert_eq!(lies("4.2"), Piece::Letter('O'));
        assert_eq!(lies("4.3"), Piece::Empty);
        let marked = game.places_of_move(&position, Column(3)).unwrap();
        assert_eq!(marked, ["4.3"]);
        let labels: Vec<&str> = picture.labels.iter().map(|label| &*label.text).collect();
        assert_eq!(labels, ["1", "2", "3", "4", "5", "6", "7"]);
    }
}
