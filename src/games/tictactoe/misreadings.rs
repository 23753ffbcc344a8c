//! Typical mistakes of players of tic-tac-toe in writing `b2`.

use super::{Cell, Position, TicTacToe};
use crate::game::{Checking, Game};

/// The mistakes, by index.
const SENTENCES: [&str; 6] = [
    "numbers the cells from 0 to 8: a cell is a column from a to c and a row from 1 to 3",
    "numbers the cells from 1 to 9: a cell is a column from a to c and a row from 1 to 3",
    "writes row and column as numbers from 0: a cell is a column from a to c and a row from 1 to 3",
    "writes row and column as numbers from 1: a cell is a column from a to c and a row from 1 to 3",
    "writes column and row as numbers from 0: a cell is a column from a to c and a row from 1 to 3",
    "writes column and row as numbers from 1: a cell is a column from a to c and a row from 1 to 3",
];

impl Checking<TicTacToe> for TicTacToe {
    fn misreadings(&self) -> &'static [&'static str] {
        &SENTENCES
    }

    fn is_right_if_misread(&self, position: &Position, answer: &str, misreading: usize) -> bool {
        // Ignore everything around the numbers: "1", "(0, 2)", "1 3".
        if answer.chars().any(char::is_alphabetic) {
            return false;
        }
        let digits: Vec<u8> = answer.bytes().filter(u8::is_ascii_digit).collect();
        let from = (misreading % 2) as u8;
        let number = |digit: u8, most: u8| (digit - b'0').checked_sub(from).filter(|&of| of < most);
        let cell = match (&digits[..], misreading) {
            (&[cell], 0 | 1) => number(cell, 9),
            (&[row, column], 2 | 3) | (&[column, row], 4 | 5) => number(row, 3)
                .zip(number(column, 3))
                .map(|(row, column)| 3 * row + column),
            _ => None,
        };
        cell.is_some_and(|cell| self.is_legal(position, Cell::at(cell / 3, cell % 3)))
    }
}
