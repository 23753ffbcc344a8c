//! Reversi's board as SVG.

use super::{Move, Position, Reversi, notation};
use crate::game::drawing::{Mark, frame};
use crate::game::{Drawing, Marks, Notation, Side};
use maud::html;

const STEP: u32 = 34;
const MARGIN: u32 = 22;

impl Drawing<Reversi> for Reversi {
    fn draw(&self, position: &Position, marks: &Marks<Move>) -> Option<String> {
        Some(draw(self, position, marks))
    }
}

fn draw(game: &Reversi, position: &Position, marks: &Marks<Move>) -> String {
    let side = game.shape().side;
    let middle = |at: u32| MARGIN + STEP * at + STEP / 2;
    let pass = marks.of(Move::Pass);
    let content = html! {
        g font-size="10" fill-opacity=".7" {
            @for number in 0..side {
                text x=(middle(number)) y="14" { (char::from(b'a' + number as u8)) }
                text x="10" y=(middle(number) + 4) { (number + 1) }
            }
        }
        @for cell in notation::rows(game).flatten() {
            @let (x, y) = (middle(cell.column()), middle(cell.row()));
            @let mark = marks.of(Move::Place(cell));
            rect x=(x - STEP / 2) y=(y - STEP / 2) width=(STEP) height=(STEP) fill="#2f8f5b" stroke="currentColor" stroke-opacity=".4" {}
            @if let Some(owner) = position.owner(cell) {
                circle cx=(x) cy=(y) r="12" stroke="#555" fill=(if owner == Side::First { "#111" } else { "#fff" }) {}
            }
            @if let Some(mark) = mark {
                // On the green cells only a light ring can be seen.
                circle cx=(x) cy=(y) r="11" fill=(if mark == Mark::Bad { mark.color() } else { "none" }) stroke="#fff" stroke-width="3" stroke-dasharray=[mark.dashes()] {}
            }
        }
        @if pass.is_some() {
            text x=(middle(side / 2)) y=(MARGIN + STEP * side + 14) font-size="11" { "pass" }
        }
    };
    let size = (2 * MARGIN + STEP * side) as usize;
    frame(size, size, &game.format_position(position), &content)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::games::reversi::{Board, Start};

    #[test]
    fn every_cell_is_drawn() {
        for (board, cells) in [(Board::FourByFour, 16), (Board::Octagon, 24)] {
            let game = Reversi {
                board,
                start: Start::Cross,
            };
            let drawing = draw(&game, &game.start(), &Marks::default());
            assert_eq!(drawing.matches("<rect").count(), cells);
            assert_eq!(drawing.matches("<circle").count(), 4);
        }
    }
}
