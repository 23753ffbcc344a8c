//! Typical mistakes of players of Reversi in reading the side to move.

use super::{Position, Reversi};
use crate::game::{Checking, Game, Notation, Side};

impl Checking<Reversi> for Reversi {
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
