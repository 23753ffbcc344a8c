//! How marks are painted on boards. Colours are those of the page; nothing is told by colour alone.

use super::picture::{Piece, Place, Surface};
use super::surface::{self, tenths};
use maud::{Markup, html};

/// What is pointed out about one move, the most important first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Mark {
    /// Made, and a mistake.
    Mistake,
    /// Made.
    Made,
    /// One of the best, not made.
    Best,
    /// Made just before.
    Last,
}

/// How a mark is told in words, and how a place is outlined that it points out.
pub(super) struct Outline {
    pub name: &'static str,
    /// What it stands for and how to tell it without colours, for legends.
    explanation: &'static str,
    class: &'static str,
    dashes: Option<&'static str>,
    /// A small sign: its path, and in which corner it stands, to the left or to the right.
    sign: Option<(&'static str, f64)>,
}

/// A question mark, about 8 high, its middle at the origin.
const QUESTION: &str = "M-2.5 -2.3a2.5 2.5 0 1 1 3.7 2.2q-1.2 .7 -1.2 2M0 3.9v.9";
/// A tick, about 8 high, its middle at the origin.
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

/// What the marks mean, each with a place that has it.
pub(crate) fn legend(marks: &[Mark]) -> Markup {
    let place = Place::new("", (16.0, 16.0), Piece::Empty).rounded((28.0, 28.0), 0.0);
    let marking = |&mark| Marking {
        surface: Surface::Paper,
        place: &place,
        marks: vec![mark],
        signs: vec![mark],
    };
    html! {
        ul class="legend" {
            @for (mark, marking) in marks.iter().zip(marks.iter().map(marking)) {
                li {
                    svg class="paper" viewBox="0 0 32 32" width="32" height="32" aria-hidden="true" {
                        (marking.ground()) (marking.outlines()) (marking.sign())
                    }
                    " " (mark.outline().explanation)
                }
            }
        }
    }
}

/// What is marked about a place.
pub(super) struct Marking<'a> {
    pub surface: Surface,
    pub place: &'a Place,
    /// The most important first.
    pub marks: Vec<Mark>,
    /// Those of the marks that have their signs here: a move that has several places has its sign
    /// on the first.
    pub signs: Vec<Mark>,
}

impl Marking<'_> {
    /// The place itself.
    pub fn ground(&self) -> Markup {
        surface::spot(self.surface, self.place)
    }

    /// What lies on the place, and the marks.
    pub fn top(&self) -> Markup {
        let ((x, y), (width, height)) = (self.place.middle, self.place.size);
        html! {
            g {
                @if !self.marks.is_empty() {
                    title { (self.place.name) ": " (self.marks.iter().map(|mark| mark.outline().name).collect::<Vec<_>>().join(", ")) }
                    // So that the title shows wherever one points at the place.
                    rect x=(x - width / 2.0) y=(y - height / 2.0) width=(width) height=(height) fill-opacity="0" {}
                }
                (surface::piece(self.surface, self.place))
                (surface::seed_number(self.surface, self.place))
            }
            (self.outlines())
            (self.sign())
        }
    }

    /// A border for each mark, one inside the other.
    fn outlines(&self) -> Markup {
        let ((x, y), (width, height)) = (self.place.middle, self.place.size);
        let corner = match self.surface {
            Surface::Wood => width / 2.0,
            Surface::Rack => 8.0,
            _ => self.place.corner,
        };
        html! {
            @for (inset, outline) in [1.5, 6.0, 10.5].into_iter().zip(self.marks.iter().map(|mark| mark.outline())) {
                g class={ "mark " (outline.class) } {
                    // On a ground of its own, so that it is seen on any board.
                    @for (class, dashes) in [("halo", None), ("border", outline.dashes)] {
                        rect class=(class) x=(x - width / 2.0 + inset) y=(y - height / 2.0 + inset) width=(width - 2.0 * inset)
                            height=(height - 2.0 * inset) rx=((corner - inset).max(0.0)) stroke-dasharray=[dashes] {}
                    }
                }
            }
        }
    }

    fn sign(&self) -> Markup {
        let ((x, y), (width, height)) = (self.place.middle, self.place.size);
        html! {
            @for outline in self.signs.iter().map(|mark| mark.outline()) {
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
}

/// A line through the places of a move that has several.
pub(super) fn link(places: &[&Place], mark: Mark) -> Markup {
    let outline = mark.outline();
    let points: Vec<String> = places
        .iter()
        .map(|place| format!("{} {}", place.middle.0, place.middle.1))
        .collect();
    html! {
        @if points.len() > 1 {
            g class={ "mark " (outline.class) } {
                path class="way" d={ "M" (points.join("L")) } stroke-dasharray=[outline.dashes.map(|_| "5 7")] {}
            }
        }
    }
}

/// From one stripe to the next.
const GAP: f64 = 7.0;

/// The path of slanting lines across a rectangle with rounded corners.
pub(super) fn stripes(left: f64, top: f64, width: f64, height: f64, corner: f64) -> String {
    let (x, y) = (left + width / 2.0, top + height / 2.0);
    let (half_width, half_height) = (width / 2.0, height / 2.0);
    // Corners are cut off straight, a little further in than their arcs.
    let rim = half_width + half_height - 0.7 * corner;
    let last = (rim / GAP) as i32;
    let mut path = String::new();
    for number in -last..=last {
        // The line of the points (offset + along, along - offset).
        let offset = f64::from(number) * GAP / 2.0;
        let from = (-half_width - offset)
            .max(offset - half_height)
            .max(-rim / 2.0);
        let to = (half_width - offset)
            .min(offset + half_height)
            .min(rim / 2.0);
        if to > from {
            path.push_str(&format!(
                "M{} {}L{} {}",
                tenths(x + offset + from),
                tenths(y + from - offset),
                tenths(x + offset + to),
                tenths(y + to - offset)
            ));
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stripes_stay_inside() {
        for (width, height, corner) in [(44.0, 44.0, 0.0), (46.0, 46.0, 16.0), (30.0, 120.0, 0.0)] {
            let path = stripes(10.0, 20.0, width, height, corner);
            let numbers: Vec<f64> = path
                .split(['M', 'L', ' '])
                .filter(|word| !word.is_empty())
                .map(|word| word.parse().unwrap())
                .collect();
            assert!(numbers.len() >= 4 * 5, "{path}");
            for point in numbers.chunks(2) {
                assert!((10.0..=10.0 + width).contains(&point[0]), "{path}");
                assert!((20.0..=20.0 + height).contains(&point[1]), "{path}");
            }
        }
    }

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
