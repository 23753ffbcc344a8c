//! A chart of counts over depths as SVG, on a logarithmic scale.
//!
//! The chart is readable on light and dark pages and without colours: lines also differ by marker
//! and dashes.

use super::tenths;
use crate::text::count;
use maud::{Markup, html};
use std::ops::RangeInclusive;

/// The look of a line.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// The number of its colour and marker, less than [`LOOKS`].
    pub kind: usize,
    /// Whether the line is dashed, and its markers are hollow.
    pub is_hollow: bool,
}

/// The number of different colours and markers.
pub const LOOKS: usize = 5;

/// The points of a line, with its name in the legend.
pub struct Series {
    pub name: String,
    pub look: Look,
    /// Depths and values, from left to right; at least one.
    pub points: Vec<(u32, u64)>,
}

const WIDTH: f64 = 780.0;
const LEFT: f64 = 100.0;
const RIGHT: f64 = 750.0;
const TOP: f64 = 62.0;
const BOTTOM: f64 = 400.0;
const LEGEND: f64 = 462.0;

const STYLE: &str = ".p{fill:#fff}.i{fill:#1c2330}.s{fill:#5b6675}.g{stroke:#5b6675;stroke-opacity:.3}\
.k0{color:#333a45}.k1{color:#8a5a00}.k2{color:#0063a6}.k3{color:#00795a}.k4{color:#b8175a}\
@media(prefers-color-scheme:dark){.p{fill:#14181f}.i{fill:#e6e9ee}.s{fill:#9aa5b4}.g{stroke:#9aa5b4}\
.k0{color:#e6e9ee}.k1{color:#e3a94a}.k2{color:#6cb6ff}.k3{color:#3ecf9e}.k4{color:#ff7ab0}}";

/// Draws a chart of lines over depths, with a legend below it.
pub fn lines(title: &str, subtitle: &str, lines: &[Series]) -> String {
    let all = || lines.iter().flat_map(|line| line.points.iter().copied());
    let decades = decades(all().map(|point| point.1));
    let first = all().map(|point| point.0).min().unwrap_or(0);
    let last = all().map(|point| point.0).max().unwrap_or(1);
    let step = if last - first > 20 { 5 } else { 1 };
    let at = |(depth, value): (u32, u64)| {
        let across = f64::from(depth - first) / f64::from((last - first).max(1));
        let up = (value.max(1) as f64).log10() - f64::from(*decades.start());
        let up = up / f64::from(decades.end() - decades.start());
        let (x, y) = (LEFT + (RIGHT - LEFT) * across, BOTTOM - (BOTTOM - TOP) * up);
        (tenths(x), tenths(y))
    };
    // In the legend, a method with a table stands below the same method without one.
    let rows = lines.len().div_ceil(LOOKS).max(1);
    let height = LEGEND + 22.0 * rows as f64;
    let svg = html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (WIDTH) " " (height) } width=(WIDTH) height=(height)
            role="img" aria-label={ (title) ", " (subtitle) } font-family="system-ui, sans-serif" font-size="13" {
            style { (maud::PreEscaped(STYLE)) }
            rect class="p" width="100%" height="100%" {}
            text class="i" x="16" y="26" font-size="16" font-weight="bold" { (title) }
            text class="s" x="16" y="45" { (subtitle) }
            @for power in decades.clone().map(|power| 10u64.saturating_pow(power)) {
                @let y = at((first, power)).1;
                path class="g" d={ "M" (LEFT) " " (y) "H" (RIGHT) } {}
                text class="s" x=(LEFT - 8.0) y=(tenths(y + 4.5)) text-anchor="end" { (count(power)) }
            }
            @for depth in (first..=last).filter(|depth| depth.is_multiple_of(step)) {
                text class="s" x=(at((depth, 1)).0) y=(BOTTOM + 20.0) text-anchor="middle" { (depth) }
            }
            text class="s" x=((LEFT + RIGHT) / 2.0) y=(BOTTOM + 42.0) text-anchor="middle" { "moves ahead" }
            text class="s" text-anchor="middle" transform={ "translate(20 " ((TOP + BOTTOM) / 2.0) ") rotate(-90)" } { "nodes (logarithmic scale)" }
            @for (index, Series { name, look, points }) in lines.iter().enumerate() {
                @let (x, y) = (36.0 + 148.0 * (index / rows) as f64, LEGEND + 22.0 * (index % rows) as f64);
                g class={ "k" (look.kind) } {
                    (stroke(points.iter().copied().map(at), *look))
                    @for &point in points {
                        (marker(at(point), *look, &format!("{name}: {} at {}", count(point.1), point.0)))
                    }
                    (stroke([(x, y), (x + 30.0, y)].into_iter(), *look))
                    (marker((x + 15.0, y), *look, name))
                    text x=(x + 37.0) y=(y + 4.5) fill="currentColor" { (name) }
                }
            }
        }
    };
    svg.into_string() + "\n"
}

/// Returns the exponents of the powers of ten around some values: at least two.
fn decades(values: impl Iterator<Item = u64> + Clone) -> RangeInclusive<u32> {
    let lowest = values.clone().min().unwrap_or(1).max(1).ilog10();
    // The logarithm, rounded up.
    let below = values.max().unwrap_or(1).saturating_sub(1);
    let highest = below.checked_ilog10().map_or(0, |power| power + 1);
    lowest..=highest.max(lowest + 1)
}

fn stroke(points: impl Iterator<Item = (f64, f64)>, look: Look) -> Markup {
    let points: Vec<String> = points.map(|(x, y)| format!("{x} {y}")).collect();
    let dashes = look.is_hollow.then_some("6 4");
    html! { path d={ "M" (points.join("L")) } fill="none" stroke="currentColor" stroke-width="2" stroke-dasharray=[dashes] {} }
}

fn marker((x, y): (f64, f64), look: Look, title: &str) -> Markup {
    // Shapes are centred on the origin.
    let shape = match look.kind {
        0 => "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z",
        1 => "M-4 -4H4V4H-4z",
        2 => "M0 -5L5 4H-5z",
        3 => "M0 -5.5L5.5 0L0 5.5L-5.5 0z",
        _ => "M0 5L5 -4H-5z",
    };
    let class = look.is_hollow.then_some("p");
    let fill = (!look.is_hollow).then_some("currentColor");
    html! {
        path d=(shape) transform={ "translate(" (x) " " (y) ")" } class=[class] fill=[fill] stroke="currentColor" stroke-width="1.5" {
            title { (title) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decades_contain_all_values() {
        for (values, powers) in [
            (&[1, 10][..], 0..=1),
            (&[7], 0..=1),
            (&[10], 1..=2),
            (&[1000, 99], 1..=3),
            (&[0, 549_946], 0..=6),
            (&[u64::MAX], 19..=20),
        ] {
            assert_eq!(decades(values.iter().copied()), powers);
        }
    }
}
