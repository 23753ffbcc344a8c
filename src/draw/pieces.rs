//! Paints boards, pieces and marks.
//!
//! Colours are in `style.css`, by class, or those of the page. Shapes and words carry the same
//! information, and no mark differs from another by its colour alone.

use super::{pieces, tenths};
use crate::game::{BoardPlace, Picture, Piece, Surface};
use maud::{Markup, html};
use std::f64::consts::{FRAC_PI_2, TAU};

/// Width of a wooden board's rim around its pits.
pub(crate) const RIM: f64 = 8.0;

/// Returns the background below all places.
fn ground(surface: Surface, (left, top, right, bottom): (f64, f64, f64, f64)) -> Markup {
    let (class, edge, corner) = match surface {
        Surface::Wood => ("plank", RIM, 30.0),
        Surface::Rack => ("frame", 3.0, 10.0),
        Surface::Cloth => ("felt", 3.0, 6.0),
        _ => return html! {},
    };
    html! {
        rect class=(class) x=(tenths(left - edge)) y=(tenths(top - edge)) width=(tenths(right - left + 2.0 * edge))
            height=(tenths(bottom - top + 2.0 * edge)) rx=(corner) {}
    }
}

/// Paints a board: its background, its labels, and its places with their pieces.
///
/// `around` puts a place and its piece into an element; `above` paints over all places.
pub(crate) fn painted(
    picture: &Picture,
    around: impl Fn(&BoardPlace, &Markup) -> Markup,
    above: impl Fn(&BoardPlace) -> Markup,
) -> Markup {
    let surface = picture.surface;
    html! {
        (ground(surface, picture.edges()))
        @for label in &picture.labels {
            text class="label" x=(tenths(label.middle.0)) y=(tenths(label.middle.1)) { (label.text) }
        }
        @for place in &picture.places {
            (around(place, &html! {
                (spot(surface, place))
                @if place.piece != Piece::Empty { g class="piece" { (piece(surface, place)) } }
            }))
        }
        // Outside the elements, because numbers are not part of the names of links.
        @for place in &picture.places { (seed_number(surface, place)) (above(place)) }
    }
}

/// Returns a rectangle smaller than a place by `inset` on each side.
pub(crate) fn rect(class: &str, place: &BoardPlace, inset: f64, corner: f64) -> Markup {
    let ((x, y), (width, height)) = (place.middle, place.size);
    html! {
        rect class=(class) x=(tenths(x - width / 2.0 + inset)) y=(tenths(y - height / 2.0 + inset))
            width=(tenths(width - 2.0 * inset)) height=(tenths(height - 2.0 * inset)) rx=(tenths(corner)) {}
    }
}

/// Returns a place without its piece.
pub(crate) fn spot(surface: Surface, place: &BoardPlace) -> Markup {
    let ((x, y), width) = (place.middle, place.size.0);
    match surface {
        Surface::Rack => {
            html! { circle class="hole" cx=(tenths(x)) cy=(tenths(y)) r=(tenths(0.41 * width)) {} }
        }
        Surface::Wood => rect("pit", place, 0.0, width / 2.0),
        _ => rect("cell", place, 0.0, place.corner),
    }
}

/// Returns the piece on a place, without the number of seeds.
fn piece(surface: Surface, place: &BoardPlace) -> Markup {
    let ((x, y), (width, height)) = (place.middle, place.size);
    let (x, y) = (tenths(x), tenths(y));
    let radius = tenths(0.38 * width.min(height));
    html! {
        @match place.piece {
            Piece::Letter(letter) if surface == Surface::Wood => {
                text class="count" x=(x) y=(y + 6.0) { (letter) }
            },
            Piece::Letter(letter) if surface == Surface::Rack => {
                @let class = if letter == 'X' { "first" } else { "second" };
                circle class={ "disc " (class) } cx=(x) cy=(y) r=(tenths(0.41 * width)) {}
                circle class="ring" cx=(x) cy=(y) r=(tenths(0.29 * width)) {}
                text class={ "on-disc " (class) } x=(x) y=(y + 6.0) { (letter) }
            },
            Piece::Letter('X') => {
                path class="cross" d={ "M" (x - 11.0) " " (y - 11.0) "l22 22m0-22l-22 22" } {}
            },
            Piece::Letter('O') => { circle class="nought" cx=(x) cy=(y) r="12" {} },
            Piece::Letter(letter) => { text class="letter" x=(x) y=(y + 9.5) { (letter) } },
            Piece::Disc(owner) => { circle class={ "stone " (owner) } cx=(x) cy=(y) r=(radius) {} },
            Piece::Number(number) if surface == Surface::Wood => {
                (seeds(place, number))
            },
            Piece::Number(number) => { text class="letter" x=(x) y=(y + 6.5) { (number) } },
            Piece::Block => {
                @let inset = (0.12 * width.min(height)).min(5.0);
                (rect("block", place, inset, 4.0))
            },
            _ => {},
        }
    }
}

/// Most seeds that are drawn; nobody can tell more of them apart.
const MOST_SEEDS: u32 = 60;

/// Angle between consecutive seeds of a spiral; no two lie in the same direction.
const TURN: f64 = 2.399_963;

/// Paints seeds around the number in the middle: a few in a ring, many in a spiral.
fn seeds(place: &BoardPlace, number: u32) -> Markup {
    let ((x, y), (width, height)) = (place.middle, place.size);
    let shown = number.min(MOST_SEEDS);
    let all = f64::from(shown);
    let (across, down) = (width / 2.0 - 6.5, height / 2.0 - 6.5);
    let (innermost, turn) = if shown < 10 {
        (1.0, TAU / all)
    } else {
        (0.4, TURN)
    };
    let radius = (0.6 * (across * down / all).sqrt()).clamp(2.4, 4.2);
    html! {
        @for seed in (0..shown).map(f64::from) {
            @let out = (innermost + (1.0 - innermost) * (seed + 0.5) / all).sqrt();
            @let angle = turn * seed - FRAC_PI_2;
            circle class={ "seed s" (seed % 3.0) } cx=(tenths(x + across * out * angle.cos()))
                cy=(tenths(y + down * out * angle.sin())) r=(tenths(radius)) {}
        }
    }
}

/// Returns the number of seeds in the middle of a wooden pit.
fn seed_number(surface: Surface, place: &BoardPlace) -> Markup {
    html! {
        @if let (Surface::Wood, Piece::Number(number)) = (surface, place.piece) {
            text class={ "count" (if number == 0 { " none" } else { "" }) } x=(tenths(place.middle.0)) y=(tenths(place.middle.1 + 6.0)) { (number) }
        }
    }
}

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
/// The sign of a move with several places is on the last.
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
