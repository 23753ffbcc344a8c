//! Reversi's board as SVG, and which lines a move flips along.

use super::{Cell, Move, Position, Reversi, board, notation};
use crate::game::drawing::{Mark, frame};
use crate::game::{Marks, Notation, Side};
use maud::html;

const STEP: u32 = 34;
const MARGIN: u32 = 22;

pub(super) fn draw(game: &Reversi, position: &Position, marks: &Marks<Move>) -> String {
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

/// What a move can flip along, in the order of the bits of [`topics`].
pub(super) const TOPICS: [&str; 3] = [
    "flipping along a row",
    "flipping along a column",
    "flipping along a diagonal",
];

pub(super) fn topics(position: &Position, mv: Move) -> u32 {
    let Move::Place(placed) = mv else {
        return 0;
    };
    let (own, other) = position.own_and_other();
    let flipped = board::flipped(own, other, placed.alone());
    (0..64)
        .map(Cell)
        .filter(|cell| flipped & cell.alone() != 0)
        .fold(0, |topics, cell| {
            let topic = match (cell.row() == placed.row(), cell.column() == placed.column()) {
                (true, _) => 0,
                (_, true) => 1,
                _ => 2,
            };
            topics | 1 << topic
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
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
            assert_eq!(topics(&parsed, mv), topics_of, "{position}");
        }
    }

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
