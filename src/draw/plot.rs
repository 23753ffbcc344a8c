//! Charts of counts as SVG, on logarithmic scales: lines over depths, and bars.
//!
//! The charts are readable on light and dark pages and without colours: lines also differ by marker
//! and dashes, and each has its name at the right edge.

use super::tenths;
use crate::text::count;
use maud::{Markup, html};

/// The look of a line or a bar.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// The number of its colour and marker, less than [`LOOKS`].
    pub kind: usize,
    /// Whether lines are dashed, and markers and bars hollow.
    pub is_hollow: bool,
}

/// The number of different colours and markers.
pub const LOOKS: usize = 5;

/// A line, or with one point a bar.
pub struct Series {
    pub name: String,
    pub look: Look,
    /// Depths and values, from left to right; at least one.
    pub points: Vec<(u32, u64)>,
}

/// The texts around a chart.
pub struct Words {
    pub title: String,
    pub subtitle: String,
    /// The name of the depths or bars.
    pub across: &'static str,
    /// The name of the counted unit.
    pub counted: &'static str,
}

const WIDTH: f64 = 780.0;
const TOP: f64 = 62.0;
const RIGHT: f64 = 640.0;
const LEFT: f64 = 100.0;

const STYLE: &str = ".p{fill:#fff}.i{fill:#1c2330}.s{fill:#5b6675}.g{stroke:#5b6675;stroke-opacity:.3}\
.k0{color:#333a45}.k1{color:#8a5a00}.k2{color:#0063a6}.k3{color:#00795a}.k4{color:#b8175a}\
@media(prefers-color-scheme:dark){.p{fill:#14181f}.i{fill:#e6e9ee}.s{fill:#9aa5b4}.g{stroke:#9aa5b4}\
.k0{color:#e6e9ee}.k1{color:#e3a94a}.k2{color:#6cb6ff}.k3{color:#3ecf9e}.k4{color:#ff7ab0}}";

/// Draws a chart of lines over depths.
pub fn lines(words: &Words, lines: &[Series]) -> String {
    let (bottom, legend) = (400.0, 462.0);
    let all = || lines.iter().flat_map(|line| &line.points);
    let values = Decades::of(all().map(|&(_, value)| value));
    let first = all().map(|&(depth, _)| depth).min().unwrap_or(0);
    let last = all().map(|&(depth, _)| depth).max().unwrap_or(1);
    let x = |depth: u32| {
        LEFT + (RIGHT - LEFT) * f64::from(depth - first) / f64::from((last - first).max(1))
    };
    let y = |value: u64| bottom - (bottom - TOP) * values.share(value);
    let step = if last - first > 20 { 5 } else { 1 };
    let ticks = (first..=last).filter(|depth| depth.is_multiple_of(step));
    let ends = lines.iter().filter_map(|line| line.points.last());
    let labels = label_heights(&ends.map(|&(_, value)| y(value)).collect::<Vec<_>>());
    // In the legend, a method with a table stands below the same method without one.
    let rows = lines.len().div_ceil(LOOKS).max(1);
    let height = legend + 22.0 * rows as f64;
    frame(
        words,
        height,
        &html! {
            @for power in values.powers() {
                (grid_line(LEFT, RIGHT, y(power), y(power)))
                text class="s" x=(tenths(LEFT - 8.0)) y=(tenths(y(power) + 4.5)) text-anchor="end" { (count(power)) }
            }
            @for depth in ticks {
                text class="s" x=(tenths(x(depth))) y=(tenths(bottom + 20.0)) text-anchor="middle" { (depth) }
            }
            text class="s" x=(tenths((LEFT + RIGHT) / 2.0)) y=(tenths(bottom + 42.0)) text-anchor="middle" { (words.across) }
            text class="s" text-anchor="middle" transform={ "translate(20 " (tenths((TOP + bottom) / 2.0)) ") rotate(-90)" } { (words.counted) }
            @for (line, label) in lines.iter().zip(labels) {
                @let at: Vec<(f64, f64)> = line.points.iter().map(|&(depth, value)| (x(depth), y(value))).collect();
                g class={ "k" (line.look.kind) } {
                    (stroke(&at, line.look))
                    @for (&(x, y), (depth, value)) in at.iter().zip(&line.points) {
                        (marker(x, y, line.look, &format!("{}: {} at {depth}", line.name, count(*value))))
                    }
                    @if let Some(&(x, y)) = at.last() {
                        path d={ "M" (tenths(x + 7.0)) " " (tenths(y)) "L" (tenths(RIGHT + 20.0)) " " (tenths(label)) } stroke="currentColor" stroke-opacity="0.5" fill="none" {}
                        text x=(tenths(RIGHT + 24.0)) y=(tenths(label + 4.5)) fill="currentColor" { (line.name) }
                    }
                }
            }
            @for (index, line) in lines.iter().enumerate() {
                @let (column, row) = (index / rows, index % rows);
                @let (x, y) = (36.0 + 148.0 * column as f64, legend + 22.0 * row as f64);
                g class={ "k" (line.look.kind) } {
                    (stroke(&[(x, y), (x + 30.0, y)], line.look))
                    (marker(x + 15.0, y, line.look, &line.name))
                    text x=(tenths(x + 37.0)) y=(tenths(y + 4.5)) fill="currentColor" { (line.name) }
                }
            }
        },
    )
}

/// Draws a chart of bars, one below the other: the last value of each series.
pub fn bars(words: &Words, bars: &[Series]) -> String {
    let bottom = TOP + 30.0 * bars.len() as f64;
    // The scale starts at 1, so that the lengths of bars are comparable.
    let value = |bar: &Series| bar.points.last().map_or(0, |point| point.1);
    let values = Decades::of(bars.iter().map(value).chain([1]));
    let x = |value: u64| LEFT + (RIGHT - LEFT) * values.share(value);
    frame(
        words,
        bottom + 56.0,
        &html! {
            @for power in values.powers() {
                (grid_line(x(power), x(power), TOP - 6.0, bottom))
                text class="s" x=(tenths(x(power))) y=(tenths(bottom + 20.0)) text-anchor="middle" { (count(power)) }
            }
            text class="s" x=(tenths((LEFT + RIGHT) / 2.0)) y=(tenths(bottom + 42.0)) text-anchor="middle" { (words.counted) }
            @for (index, bar) in bars.iter().enumerate() {
                @let (y, value) = (TOP + 30.0 * index as f64, value(bar));
                g class={ "k" (bar.look.kind) } {
                    text x=(tenths(LEFT - 8.0)) y=(tenths(y + 15.0)) text-anchor="end" fill="currentColor" { (bar.name) }
                    rect x=(tenths(LEFT)) y=(tenths(y)) width=(tenths((x(value) - LEFT).max(1.0))) height="20" fill="currentColor" fill-opacity=(if bar.look.is_hollow { "0.25" } else { "1" }) stroke="currentColor" {
                        title { (bar.name) ": " (count(value)) }
                    }
                }
                text class="i" x=(tenths(x(value) + 7.0)) y=(tenths(y + 15.0)) { (count(value)) }
            }
        },
    )
}

/// The powers of ten around some values, as exponents.
struct Decades {
    lowest: u32,
    highest: u32,
}

impl Decades {
    fn of(values: impl Iterator<Item = u64> + Clone) -> Decades {
        let lowest = values.clone().min().unwrap_or(1).max(1).ilog10();
        // The logarithm, rounded up.
        let below = values.max().unwrap_or(1).saturating_sub(1);
        let highest = below.checked_ilog10().map_or(0, |power| power + 1);
        Decades {
            lowest,
            highest: highest.max(lowest + 1),
        }
    }

    fn powers(&self) -> impl Iterator<Item = u64> + use<> {
        (self.lowest..=self.highest).map(|power| 10u64.saturating_pow(power))
    }

    /// Returns the position of a value between the lowest and the highest power, from 0 to 1.
    fn share(&self, value: u64) -> f64 {
        let decades = f64::from(self.highest - self.lowest);
        ((value.max(1) as f64).log10() - f64::from(self.lowest)) / decades
    }
}

/// Returns the heights of the names at the right edge, for lines that end at these heights.
///
/// No name overlaps another.
fn label_heights(ends: &[f64]) -> Vec<f64> {
    const APART: f64 = 16.0;
    let mut order: Vec<usize> = (0..ends.len()).collect();
    order.sort_by(|&one, &other| ends[one].total_cmp(&ends[other]));
    // From the highest down, each moves down until it doesn't overlap. Then all move up by their
    // average shift.
    let mut heights = ends.to_vec();
    for pair in order.windows(2) {
        heights[pair[1]] = heights[pair[1]].max(heights[pair[0]] + APART);
    }
    let moved: f64 = order.iter().map(|&name| heights[name] - ends[name]).sum();
    let room = order.first().map_or(0.0, |&name| ends[name] - TOP + 8.0);
    let back = (moved / ends.len() as f64).min(room).max(0.0);
    heights.iter().map(|height| height - back).collect()
}

fn frame(words: &Words, height: f64, content: &Markup) -> String {
    let label = format!("{}, {}", words.title, words.subtitle);
    let svg = html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (tenths(WIDTH)) " " (tenths(height)) } width=(tenths(WIDTH)) height=(tenths(height))
            role="img" aria-label=(label) font-family="system-ui, sans-serif" font-size="13" {
            style { (maud::PreEscaped(STYLE)) }
            rect class="p" width="100%" height="100%" {}
            text class="i" x="16" y="26" font-size="16" font-weight="bold" { (words.title) }
            text class="s" x="16" y="45" { (words.subtitle) }
            (content)
        }
    };
    svg.into_string() + "\n"
}

fn grid_line(from_x: f64, to_x: f64, from_y: f64, to_y: f64) -> Markup {
    html! { path class="g" d={ "M" (tenths(from_x)) " " (tenths(from_y)) "L" (tenths(to_x)) " " (tenths(to_y)) } {} }
}

fn stroke(points: &[(f64, f64)], look: Look) -> Markup {
    let points: Vec<String> = points
        .iter()
        .map(|&(x, y)| format!("{} {}", tenths(x), tenths(y)))
        .collect();
    let dashes = look.is_hollow.then_some("6 4");
    html! { path d={ "M" (points.join("L")) } fill="none" stroke="currentColor" stroke-width="2" stroke-dasharray=[dashes] {} }
}

fn marker(x: f64, y: f64, look: Look, title: &str) -> Markup {
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
        path d=(shape) transform={ "translate(" (tenths(x)) " " (tenths(y)) ")" } class=[class] fill=[fill] stroke="currentColor" stroke-width="1.5" {
            title { (title) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_powers_of_ten_round_all_values() {
        for (values, powers) in [
            (&[1, 10][..], &[1, 10][..]),
            (&[7], &[1, 10]),
            (&[10], &[10, 100]),
            (&[1000, 99], &[10, 100, 1000]),
            (
                &[0, 549_946],
                &[1, 10, 100, 1000, 10_000, 100_000, 1_000_000],
            ),
        ] {
            let decades = Decades::of(values.iter().copied());
            assert_eq!(decades.powers().collect::<Vec<_>>(), powers);
            assert!(
                values
                    .iter()
                    .all(|&value| (0.0..=1.0).contains(&decades.share(value)))
            );
        }
        assert!(Decades::of([u64::MAX].into_iter()).powers().count() > 1);
    }

    #[test]
    fn names_at_the_same_end_keep_apart() {
        let mut heights = label_heights(&[300.0, 300.0, 299.0, 395.0]);
        heights.sort_by(f64::total_cmp);
        assert_eq!(heights.len(), 4);
        assert!(
            heights.windows(2).all(|pair| pair[1] - pair[0] >= 15.9),
            "{heights:?}"
        );
    }
}
