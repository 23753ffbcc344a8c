//! The board as SVG.

use super::board::CELLS;
use super::{Cell, Position, TicTacToe};
use crate::game::drawing::{Mark, frame};
use crate::game::{Drawing, Marks, Notation};
use maud::{Markup, html};

impl Drawing<TicTacToe> for TicTacToe {
    fn draw(&self, position: &Position, marks: &Marks<Cell>) -> Option<String> {
        let content = html! {
            g stroke="currentColor" stroke-opacity=".5" stroke-width="2" {
                path d="M58 14V152M104 14V152M12 60H150M12 106H150" {}
            }
            @for cell in 0..CELLS {
                (draw_cell(position.letter(cell), 35 + 46 * (cell % 3), 37 + 46 * (cell / 3), marks.of(Cell(cell as u8))))
            }
        };
        Some(frame(162, 166, &self.format_position(position), &content))
    }
}

fn draw_cell(letter: char, x: usize, y: usize, mark: Option<Mark>) -> Markup {
    html! {
        @if let Some(mark) = mark {
            circle cx=(x) cy=(y) r="17" fill="none" stroke=(mark.color()) stroke-width="3" stroke-dasharray=[mark.dashes()] {}
        }
        @match letter {
            'X' => path d={ "M" (x - 11) " " (y - 11) "l22 22m0-22l-22 22" } stroke="currentColor" stroke-width="4" {},
            'O' => circle cx=(x) cy=(y) r="12" fill="none" stroke="currentColor" stroke-width="4" {},
            _ => {},
        }
    }
}
