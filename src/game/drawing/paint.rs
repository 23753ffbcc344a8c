//! How boards, pieces and marks are painted. Colours come from the page, if it has any, so that
//! they go with its light or dark ground; nothing is told by colour alone.

use super::Mark;
use super::picture::{Piece, Place};
use crate::game::Side;
use maud::{Markup, html};

/// How a place is shaded that a mark points out.
struct Shade {
    fill: &'static str,
    line: &'static str,
    width: f64,
    dashes: Option<&'static str>,
    texture: Texture,
    /// A small sign: its path, and in which corner it stands, to the left or to the right.
    sign: Option<(&'static str, f64)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Texture {
    Plain,
    Stripes,
    Dots,
}

/// A question mark, about 8 high, its middle at the origin.
const QUESTION: &str = "M-2.5 -2.3a2.5 2.5 0 1 1 3.7 2.2q-1.2 .7 -1.2 2M0 3.9v.9";
/// A tick, about 8 high, its middle at the origin.
const TICK: &str = "M-4 .3l2.8 3.2l5 -7";

impl Mark {
    fn shade(self) -> Shade {
        match self {
            Mark::Mistake => Shade {
                fill: "var(--mistake-fill,#fbd5c5)",
                line: "var(--mistake,#b83208)",
                width: 3.0,
                dashes: None,
                texture: Texture::Stripes,
                sign: Some((QUESTION, 1.0)),
            },
            Mark::Made => Shade {
                fill: "var(--made-fill,#cfe0fb)",
                line: "var(--made,#1f5fbf)",
                width: 3.0,
                dashes: None,
                texture: Texture::Plain,
                sign: None,
            },
            Mark::Best => Shade {
                fill: "var(--best-fill,#c9f0dd)",
                line: "var(--best,#08724c)",
                width: 2.0,
                dashes: Some("6 3"),
                texture: Texture::Dots,
                sign: Some((TICK, -1.0)),
            },
            Mark::Last => Shade {
                fill: "var(--last-fill,#ece6cf)",
                line: "var(--last,#7a6a1f)",
                width: 2.0,
                dashes: Some("1 3"),
                texture: Texture::Plain,
                sign: None,
            },
        }
    }

    /// What it stands for and how to tell it without colours, for legends.
    fn explanation(self) -> &'static str {
        match self {
            Mark::Mistake => "the mistake that was made: striped, with a question mark",
            Mark::Made => "the move made: plain, with a solid border",
            Mark::Best => "a best move: with small dots, a dashed border and a tick",
            Mark::Last => "the move before: plain, with a dotted border",
        }
    }
}

/// What the marks mean, each with a piece of its shading.
pub(crate) fn legend(marks: &[Mark]) -> Markup {
    html! {
        ul class="legend" {
            @for &mark in marks {
                li {
                    svg viewBox="0 0 32 32" width="32" height="32" aria-hidden="true" {
                        (swatch(mark))
                    }
                    " " (mark.explanation())
                }
            }
        }
    }
}

fn swatch(mark: Mark) -> Markup {
    let place = Place::new("", (16.0, 16.0), Piece::Empty).rounded((28.0, 28.0), 0.0);
    let shading = Shading {
        place: &place,
        marks: vec![mark],
        signs: vec![mark],
    };
    html! {
        (shading.ground())
        (shading.sign())
    }
}

/// What is marked about a place.
pub(super) struct Shading<'a> {
    pub place: &'a Place,
    /// The most important first.
    pub marks: Vec<Mark>,
    /// Those of the marks that have their signs here: a move that has several places has its sign
    /// on the first.
    pub signs: Vec<Mark>,
}

impl Shading<'_> {
    /// The place itself, shaded.
    pub fn ground(&self) -> Markup {
        let place = self.place;
        let ((x, y), (width, height)) = (place.middle, place.size);
        let (left, top) = (x - width / 2.0, y - height / 2.0);
        html! {
            rect x=(left) y=(top) width=(width) height=(height) rx=(place.corner) fill="currentColor"
                fill-opacity=(if place.corner > 0.0 { ".09" } else { ".03" }) stroke="currentColor" stroke-opacity=".55" {}
            @if let Some(shade) = self.marks.first().map(|mark| mark.shade()) {
                rect x=(left + 1.0) y=(top + 1.0) width=(width - 2.0) height=(height - 2.0) rx=(place.corner) style={ "fill:" (shade.fill) } {}
                (texture(&shade, place))
            }
            @for (inset, mark) in [1.5, 5.0, 8.5].into_iter().zip(&self.marks) {
                (border(place, inset, &mark.shade()))
            }
        }
    }

    /// What lies on the place, and the signs of its marks.
    pub fn top(&self) -> Markup {
        let ((x, y), (width, height)) = (self.place.middle, self.place.size);
        html! {
            g {
                @if !self.marks.is_empty() {
                    title { (self.place.name) ": " (self.marks.iter().map(|mark| mark.name()).collect::<Vec<_>>().join(", ")) }
                    // So that the title shows wherever one points at the place.
                    rect x=(x - width / 2.0) y=(y - height / 2.0) width=(width) height=(height) fill-opacity="0" {}
                }
                (piece(self.place))
            }
            (self.sign())
        }
    }

    fn sign(&self) -> Markup {
        let ((x, y), (width, height)) = (self.place.middle, self.place.size);
        html! {
            @for (path, side) in self.signs.iter().filter_map(|mark| mark.shade().sign) {
                // On a ground of its own, so that stripes and dots don't blur it.
                @let at = (x + side * (width / 2.0 - 9.5), y - height / 2.0 + 10.0);
                g transform={ "translate(" (tenths(at.0)) " " (tenths(at.1)) ")" } fill="none" stroke-linecap="round" stroke-linejoin="round" {
                    path d=(path) style="stroke:var(--card,#fff)" stroke-width="5" {}
                    path d=(path) stroke="currentColor" stroke-width="2" {}
                }
            }
        }
    }
}

/// A line through the places of a move that has several.
pub(super) fn link(places: &[&Place], mark: Mark) -> Markup {
    let shade = mark.shade();
    let points: Vec<String> = places
        .iter()
        .map(|place| format!("{} {}", place.middle.0, place.middle.1))
        .collect();
    html! {
        @if points.len() > 1 {
            path d={ "M" (points.join("L")) } fill="none" style={ "stroke:" (shade.line) } stroke-width="4"
                stroke-linecap="round" stroke-dasharray=[shade.dashes.map(|_| "5 7")] {}
        }
    }
}

fn border(place: &Place, inset: f64, shade: &Shade) -> Markup {
    let ((x, y), (width, height)) = (place.middle, place.size);
    html! {
        rect x=(x - width / 2.0 + inset) y=(y - height / 2.0 + inset) width=(width - 2.0 * inset) height=(height - 2.0 * inset)
            rx=((place.corner - inset).max(0.0)) fill="none" style={ "stroke:" (shade.line) } stroke-width=(shade.width)
            stroke-dasharray=[shade.dashes] stroke-linecap=[(shade.dashes == Some("1 3")).then_some("round")] {}
    }
}

fn texture(shade: &Shade, place: &Place) -> Markup {
    let ((x, y), (width, height)) = (place.middle, place.size);
    html! {
        @match shade.texture {
            Texture::Plain => {},
            Texture::Stripes => {
                path d=(stripes(x - width / 2.0, y - height / 2.0, width, height, place.corner)) fill="none"
                    style={ "stroke:" (shade.line) } stroke-opacity=".45" stroke-width="1.5" {}
            },
            // Dots are short lines with round ends.
            Texture::Dots => {
                path d=(dots(place)) fill="none" style={ "stroke:" (shade.line) } stroke-opacity=".6" stroke-width="2" stroke-linecap="round" {}
            },
        }
    }
}

/// From one stripe or dot to the next.
const GAP: f64 = 7.0;

/// The path of slanting lines across a rectangle with rounded corners.
pub(crate) fn stripes(left: f64, top: f64, width: f64, height: f64, corner: f64) -> String {
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

fn dots(place: &Place) -> String {
    let ((x, y), (width, height)) = (place.middle, place.size);
    let counts = [width, height].map(|length| ((length / 2.0 - 5.0) / GAP) as i32);
    let mut path = String::new();
    for row in -counts[1]..=counts[1] {
        for column in -counts[0]..=counts[0] {
            let (right, down) = (f64::from(column) * GAP, f64::from(row) * GAP);
            let rim = width / 2.0 + height / 2.0 - 0.8 * place.corner;
            if right.abs() + down.abs() < rim {
                path.push_str(&format!("M{} {}h0", tenths(x + right), tenths(y + down)));
            }
        }
    }
    path
}

fn tenths(length: f64) -> f64 {
    (10.0 * length).round() / 10.0
}

fn piece(place: &Place) -> Markup {
    let ((x, y), (width, height)) = (place.middle, place.size);
    let radius = 0.34 * width.min(height);
    html! {
        @match place.piece {
            Piece::Empty => {},
            Piece::Letter(letter) => {
                text x=(x) y=(y + 9.5) font-size="27" font-weight="700" { (letter) }
            },
            Piece::Disc(owner) => {
                circle cx=(x) cy=(y) r=(tenths(radius)) fill=(if owner == Side::First { "#15181d" } else { "#fff" })
                    stroke="currentColor" stroke-width="1.5" {}
            },
            Piece::Number(number) => {
                text x=(x) y=(y + 6.5) font-size="18" font-weight=(if number > 0 { "600" } else { "400" })
                    fill-opacity=(if number > 0 { "1" } else { ".7" }) { (number) }
            },
            Piece::Block => {
                rect x=(x - width / 2.0 + 7.0) y=(y - height / 2.0 + 7.0) width=(width - 14.0) height=(height - 14.0) rx="3" fill-opacity=".75" {}
            },
        }
    }
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
            let shade = mark.shade();
            let look = (shade.texture as u8, shade.dashes, shade.sign);
            assert!(!seen.contains(&look), "{mark:?}");
            seen.push(look);
        }
    }
}
