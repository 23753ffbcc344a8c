//! Which lines a move flips along.

use super::rules::each;
use super::{Move, Position, Reversi, board};
use crate::game::{Checking, Game, Notation, Side};

impl Checking<Reversi> for Reversi {
    fn rule_topics(&self) -> &'static [&'static str] {
        &TOPICS
    }

    fn topics_of_move(&self, position: &Position, mv: Move) -> u32 {
        let Move::Place(placed) = mv else {
            return 0;
        };
        let (own, other) = position.own_and_other();
        let flipped = board::flipped(own, other, placed.alone());
        each(flipped).fold(0, |topics, cell| {
            let topic = match (cell.row() == placed.row(), cell.column() == placed.column()) {
                (true, _) => 0,
                (_, true) => 1,
                _ => 2,
            };
            topics | 1 << topic
        })
    }

    fn misreadings(&self) -> &'static [&'static str] {
        &[
            "plays as if Black were always to move: the last letter of a position says whose turn \
             it is",
        ]
    }

    fn is_right_if_misread(&self, position: &Position, answer: &str, _misreading: usize) -> bool {
        let misread = Position {
            side: Side::First,
            ..*position
        };
        self.parse_move(answer)
            .is_ok_and(|mv| self.is_legal(&misread, mv))
    }
}

/// What a move can flip along, in the order of the bits.
const TOPICS: [&str; 3] = [
    "flipping along a row",
    "flipping along a column",
    "flipping along a diagonal",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::reversi::{Board, Start};

    #[test]
    fn moves_flip_along_rows_columns_and_diagonals() {
        let game = Reversi {
            board: Board::FourByFour,
            start: Start::Cross,
        };
        for (position, mv, topics_of) in [
            ("..../.WB./.BW./.... B", "a2", 0b001),
            ("..../.WB./.BW./.... B", "b1", 0b010),
            ("..../.BB./.BW./...B W", "pass", 0),
            ("..../.BB./.BW./.... B", "d4", 0b100),
            ("..../.WW./.BB./.... B", "b1", 0b010),
        ] {
            let parsed = game.parse_position(position).unwrap();
            let mv = game.parse_move(mv).unwrap();
            assert_eq!(game.topics_of_move(&parsed, mv), topics_of, "{position}");
        }
    }
}
