//! Common misreadings of column numbers.

use super::{Column, Connect4, Position};
use crate::game::{Checking, Game};

impl Checking<Connect4> for Connect4 {
    fn misreadings(&self) -> &'static [&'static str] {
        &["numbers the columns from 0: they are numbered from 1"]
    }

    fn is_right_if_misread(&self, position: &Position, answer: &str, _misreading: usize) -> bool {
        let column = answer.trim().parse().map(Column);
        column.is_ok_and(|column| self.is_legal(position, column))
    }
}
