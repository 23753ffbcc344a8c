//! Kalah's board as SVG.

use super::{Kalah, Move, Position};
use crate::game::drawing::{Mark, frame};
use crate::game::{Drawing, Game, Marks, Notation, Side};
use maud::{Markup, html};

/// From one pit's middle to the next one's.
const STEP: usize = 46;
/// From a side's edge to the middle of its first pit.
const MARGIN: usize = 84;
const HEIGHT: usize = 148;

impl Drawing<Kalah> for Kalah {
    fn draw(&self, position: &Position, marks: &Marks<Move>) -> Option<String> {
        Some(draw(self, position, marks))
    }
}

fn draw(game: &Kalah, position: &Position, marks: &Marks<Move>) -> String {
    let pits = game.pits();
    let width = 2 * MARGIN + (pits - 1) * STEP;
    let content = html! {
        rect x="1" y="1" width=(width - 2) height=(HEIGHT - 2) rx="24" fill="none" stroke="currentColor" stroke-opacity=".35" {}
        (store(8, position.stores[1], "second"))
        (store(width - 48, position.stores[0], "first"))
        // The second player sits on the far side, so that their row runs from right to left.
        @for pit in 0..pits {
            (draw_pit(game, position, Side::Second, pit, MARGIN + (pits - 1 - pit) * STEP, 48, marks))
            (draw_pit(game, position, Side::First, pit, MARGIN + pit * STEP, 100, marks))
        }
    };
    frame(width, HEIGHT, &game.format_position(position), &content)
}

fn store(x: usize, seeds: u8, owner: &str) -> Markup {
    html! {
        rect x=(x) y="26" width="40" height="96" rx="20" fill="currentColor" fill-opacity=".1" {}
        text x=(x + 20) y="81" font-size="20" font-weight="600" { (seeds) }
        text x=(x + 20) y="138" font-size="9" fill-opacity=".7" { (owner) }
    }
}

fn draw_pit(
    game: &Kalah,
    position: &Position,
    side: Side,
    pit: usize,
    x: usize,
    y: usize,
    marks: &Marks<Move>,
) -> Markup {
    let seeds = position.pits[side.index()][pit];
    let to_move = position.side == side && game.final_score(position).is_none();
    let mark = marks.of(Move(pit as u8)).filter(|_| to_move);
    let label = match side {
        Side::First => y + 36,
        Side::Second => y - 27,
    };
    html! {
        circle cx=(x) cy=(y) r="20" fill="currentColor" fill-opacity=(if seeds > 0 { ".14" } else { ".05" })
            stroke=[mark.map(Mark::color)] stroke-width="3" stroke-dasharray=[mark.and_then(Mark::dashes)] {}
        text x=(x) y=(y + 6) font-size="17" fill-opacity=(if seeds > 0 { "1" } else { ".45" }) { (seeds) }
        // Only the mover's pits have numbers: those are the moves.
        @if to_move {
            text x=(x) y=(label) font-size="10" fill-opacity=".8" { (pit + 1) }
        }
    }
}
