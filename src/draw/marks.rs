//! Paints marks on boards.
//!
//! Colours are those of the page. No mark differs from another by its colour alone.

use super::{pieces, tenths};
use crate::game::{BoardPlace, Piece, Surface};
use maud::{Markup, html};

/// The mark of one move, most important first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Mark {
    /// A move that was made and is a mistake.
    Mistake,
    /// A move that was made.
    Made,
    /// A best move that was not made.
    Best,
    /// The move that led to the position.
    Last,
}

/// The name of a mark, and the outline of a marked place.
pub(super) struct Outline {
    pub name: &'static str,
    /// Meaning of the mark and its look without colours, for legends.
    explanation: &'static str,
    class: &'static str,
    dashes: Option<&'static str>,
    /// Path of a small sign, and its corner: to the left or to the right.
    sign: Option<(&'static str, f64)>,
}

/// A question mark, about 8 high, centred at the origin.
const QUESTION: &str = "M-2.5 -2.3a2.5 2.5 0 1 1 3.7 2.2q-1.2 .7 -1.2 2M0 3.9v.9";
/// A tick, about 8 high, centred at the origin.
const TICK: &str = "M-4 .3l2.8 3.2l5 -7";

impl Mark {
    pub(super) fn outline(self) -> Outline {
        match self {
            Mark::Mistake => Outline {
                name: "mistake",
                explanation: "the mistake that was made: a solid border and a question mark",
                class: "is-mistake",
                dashes: None,
                sign: Some((QUESTION, 1.0)),
            },
            Mark::Made => Outline {
                name: "move made",
                explanation: "the move made: a solid border",
                class: "is-made",
                dashes: None,
                sign: None,
            },
            Mark::Best => Outline {
                name: "best move",
                explanation: "a best move: a dashed border and a tick",
                class: "is-best-move",
                dashes: Some("6 3"),
                sign: Some((TICK, -1.0)),
            },
            Mark::Last => Outline {
                name: "move before",
                explanation: "the move before: a dotted border",
                class: "is-last",
                dashes: Some("1 5"),
                sign: None,
            },
        }
    }
}

/// A mark of a place, and whether the place has its sign.
///
/// The sign of a move with several places is on the first.
pub(super) type Placed = (Mark, bool);

/// Returns the legend of marks, each with an example.
pub(crate) fn legend(marks: &[Mark]) -> Markup {
    let place = BoardPlace::new("", (16.0, 16.0), Piece::Empty).rounded((28.0, 28.0), 0.0);
    html! {
        ul class="legend" {
            @for &mark in marks {
                li {
                    svg class="paper" viewBox="0 0 32 32" width="32" height="32" aria-hidden="true" {
                        (pieces::spot(Surface::Paper, &place)) (outlines(Surface::Paper, &place, &[(mark, true)]))
                    }
                    " " (mark.outline().explanation)
                }
            }
        }
    }
}

/// Returns a border per mark, one inside the other, and the signs above them.
pub(super) fn outlines(surface: Surface, place: &BoardPlace, marks: &[Placed]) -> Markup {
    let ((x, y), (width, height)) = (place.middle, place.size);
    let corner = match surface {
        Surface::Wood => width / 2.0,
        Surface::Rack => 8.0,
        _ => place.corner,
    };
    let outlines = marks.iter().map(|mark| mark.0.outline());
    let signs = marks.iter().filter(|mark| mark.1);
    html! {
        @for (inset, outline) in [1.5, 6.0, 10.5].into_iter().zip(outlines) {
            @let corner = (corner - inset).max(0.0);
            g class={ "mark " (outline.class) } stroke-dasharray=[outline.dashes] {
                // On a halo, so that it is visible on any board.
                (pieces::rect("halo", place, inset, corner)) (pieces::rect("border", place, inset, corner))
            }
        }
        @for outline in signs.map(|mark| mark.0.outline()) {
            @if let Some((path, side)) = outline.sign {
                @let at = (x + side * (width / 2.0 - 8.0), y - height / 2.0 + 8.0);
                g class={ "sign " (outline.class) } transform={ "translate(" (tenths(at.0)) " " (tenths(at.1)) ")" } {
                    circle r="9" {}
                    path d=(path) {}
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_differ_without_their_colours() {
        let marks = [Mark::Mistake, Mark::Made, Mark::Best, Mark::Last];
        let mut seen = Vec::new();
        for mark in marks {
            let outline = mark.outline();
            let look = (outline.dashes, outline.sign);
            assert!(!seen.contains(&look), "{mark:?}");
            seen.push(look);
        }
    }
}
