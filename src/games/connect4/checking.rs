//! Which lines a move makes, and how players misread columns.

use super::{Column, Connect4, Position};
use crate::game::{Checking, Game};

impl Checking<Connect4> for Connect4 {
    fn rule_topics(&self) -> &'static [&'static str] {
        &[
            "a line in a column",
            "a line in a row",
            "a line in a diagonal",
        ]
    }

    fn topics_of_move(&self, position: &Position, mv: Column) -> u32 {
        let stone = self.board.landing(position.all(), mv.0.into());
        let after = position.own_and_other().0 | stone;
        let [column, row, down, up] = self
            .board
            .distances()
            .map(|distance| self.board.has_line_at(after, distance));
        u32::from(column) | u32::from(row) << 1 | u32::from(down || up) << 2
    }

    fn misreadings(&self) -> &'static [&'static str] {
        &["numbers the columns from 0: they are numbered from 1"]
    }

    fn is_right_if_misread(&self, position: &Position, answer: &str, _misreading: usize) -> bool {
        let column = answer.trim().parse().map(Column);
        column.is_ok_and(|column| self.is_legal(position, column))
    }
}
