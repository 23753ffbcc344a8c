//! Charts of counts as SVG, on logarithmic scales: lines over depths, and bars.
//!
//! The charts are readable on light and dark pages and without colours: lines also differ by marker
//! and dashes, and each has its name at its end.

use crate::text::count;
use maud::{Markup, html};

/// The look of a line or a bar.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// The number of its colour and marker, below [`LOOKS`].
    pub kind: usize,
    /// Whether lines are dashed, and markers and bars hollow.
    pub is_hollow: bool,
}

/// The number of different colours and markers.
pub const LOOKS: usize = 5;

/// A line: its name, its look, and its points from left to right.
pub struct Line {
    pub name: String,
    pub look: Look,
    pub points: Vec<(u32, u64)>,
}

/// A bar: its name, its look, and its value.
pub struct Bar {
    pub name: String,
    pub look: Look,
    pub value: u64,
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
pub fn lines(words: &Words, lines: &[Line]) -> String {
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
    let labels = label_heights(lines, x, y);
    // In the legend, a method with a table stands below the same method without one.
    let rows = lines.len().div_ceil(LOOKS).max(1);
    let height = legend + 22.0 * rows as f64;
    frame(
        words,
        height,
        &html! {
            @for power in values.powers() {
                (grid_line(LEFT, RIGHT, y(power), y(power)))
                text class="s" x=(num(LEFT - 8.0)) y=(num(y(power) + 4.5)) text-anchor="end" { (count(power)) }
            }
            @for depth in ticks {
                text class="s" x=(num(x(depth))) y=(num(bottom + 20.0)) text-anchor="middle" { (depth) }
            }
            text class="s" x=(num((LEFT + RIGHT) / 2.0)) y=(num(bottom + 42.0)) text-anchor="middle" { (words.across) }
            text class="s" text-anchor="middle" transform={ "translate(20 " (num((TOP + bottom) / 2.0)) ") rotate(-90)" } { (words.counted) }
            @for (line, label) in lines.iter().zip(labels) {
                @let at: Vec<(f64, f64)> = line.points.iter().map(|&(depth, value)| (x(depth), y(value))).collect();
                g class={ "k" (line.look.kind % LOOKS) } {
                    (stroke(&at, line.look))
                    @for (&(x, y), (depth, value)) in at.iter().zip(&line.points) {
                        (marker(x, y, line.look, &format!("{}: {} at {depth}", line.name, count(*value))))
                    }
                    @if let (Some(&(x, y)), Some(label)) = (at.last(), label) {
                        path d={ "M" (num(x + 7.0)) " " (num(y)) "L" (num(x + 20.0)) " " (num(label)) } stroke="currentColor" stroke-opacity="0.5" fill="none" {}
                        text x=(num(x + 24.0)) y=(num(label + 4.5)) fill="currentColor" { (line.name) }
                    }
                }
            }
            @for (index, line) in lines.iter().enumerate() {
                @let (column, row) = (index / rows, index % rows);
                @let (x, y) = (36.0 + 148.0 * column as f64, legend + 22.0 * row as f64);
                g class={ "k" (line.look.kind % LOOKS) } {
                    (stroke(&[(x, y), (x + 30.0, y)], line.look))
                    (marker(x + 15.0, y, line.look, &line.name))
                    text x=(num(x + 37.0)) y=(num(y + 4.5)) fill="currentColor" { (line.name) }
                }
            }
        },
    )
}

/// Draws a chart of bars, one below the other.
pub fn bars(words: &Words, bars: &[Bar]) -> String {
    let bottom = TOP + 30.0 * bars.len() as f64;
    // The scale starts at 1, so that the lengths of bars are comparable.
    let values = Decades::of(bars.iter().map(|bar| bar.value).chain([1]));
    let x = |value: u64| LEFT + (RIGHT - LEFT) * values.share(value);
    frame(
        words,
        bottom + 56.0,
        &html! {
            @for power in values.powers() {
                (grid_line(x(power), x(power), TOP - 6.0, bottom))
                text class="s" x=(num(x(power))) y=(num(bottom + 20.0)) text-anchor="middle" { (count(power)) }
            }
            text class="s" x=(num((LEFT + RIGHT) / 2.0)) y=(num(bottom + 42.0)) text-anchor="middle" { (words.counted) }
            @for (index, bar) in bars.iter().enumerate() {
                @let y = TOP + 30.0 * index as f64;
                g class={ "k" (bar.look.kind % LOOKS) } {
                    text x=(num(LEFT - 8.0)) y=(num(y + 15.0)) text-anchor="end" fill="currentColor" { (bar.name) }
                    rect x=(num(LEFT)) y=(num(y)) width=(num((x(bar.value) - LEFT).max(1.0))) height="20" fill="currentColor" fill-opacity=(if bar.look.is_hollow { "0.25" } else { "1" }) stroke="currentColor" {
                        title { (bar.name) ": " (count(bar.value)) }
                    }
                }
                text class="i" x=(num(x(bar.value) + 7.0)) y=(num(y + 15.0)) { (count(bar.value)) }
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
        let most = values.max().unwrap_or(1).max(1);
        let highest = most.ilog10() + u32::from(!is_power_of_ten(most));
        Decades {
            lowest,
            highest: highest.max(lowest + 1),
        }
    }

    fn powers(&self) -> impl Iterator<Item = u64> + use<> {
        (self.lowest..=self.highest).map(|power| 10u64.saturating_pow(power))
    }

    /// The position of a value between the lowest and the highest power, from 0 to 1.
    fn share(&self, value: u64) -> f64 {
        let decades = f64::from(self.highest - self.lowest);
        ((value.max(1) as f64).log10() - f64::from(self.lowest)) / decades
    }
}

fn is_power_of_ten(value: u64) -> bool {
    10u64.checked_pow(value.ilog10()) == Some(value)
}

/// Returns the height of each line's name: at the line's end, without overlaps.
///
/// A line without points has none.
fn label_heights(
    lines: &[Line],
    x: impl Fn(u32) -> f64,
    y: impl Fn(u64) -> f64,
) -> Vec<Option<f64>> {
    const APART: f64 = 16.0;
    let ends: Vec<Option<(f64, f64)>> = lines
        .iter()
        .map(|line| {
            line.points
                .last()
                .map(|&(depth, value)| (x(depth), y(value)))
        })
        .collect();
    let mut heights: Vec<Option<f64>> = ends.iter().map(|end| end.map(|(_, y)| y)).collect();
    let mut order: Vec<usize> = (0..lines.len())
        .filter(|&line| ends[line].is_some())
        .collect();
    order.sort_by(|&one, &other| {
        let key = |line: usize| ends[line].map_or((0.0, 0.0), |(x, y)| (x, y));
        key(one)
            .partial_cmp(&key(other))
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    // Place the names at the same end from the highest down. Each moves down until it doesn't
    // overlap, then all move up by their average shift.
    let same_end = |&one: &usize, &other: &usize| {
        ends[one].map(|end| end.0.to_bits()) == ends[other].map(|end| end.0.to_bits())
    };
    for names in order.chunk_by_mut(same_end) {
        let wanted: Vec<f64> = names.iter().filter_map(|&name| heights[name]).collect();
        let mut placed: Vec<f64> = Vec::new();
        for &height in &wanted {
            let above = placed.last().map_or(f64::MIN, |last| last + APART);
            placed.push(height.max(above));
        }
        let moved: f64 = placed.iter().zip(&wanted).map(|(to, from)| to - from).sum();
        let back = (moved / placed.len() as f64)
            .min(placed[0] - TOP + 8.0)
            .max(0.0);
        for (&name, height) in names.iter().zip(placed) {
            heights[name] = Some(height - back);
        }
    }
    heights
}

fn frame(words: &Words, height: f64, content: &Markup) -> String {
    let label = format!("{}, {}", words.title, words.subtitle);
    let svg = html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (num(WIDTH)) " " (num(height)) } width=(num(WIDTH)) height=(num(height))
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
    html! { path class="g" d={ "M" (num(from_x)) " " (num(from_y)) "L" (num(to_x)) " " (num(to_y)) } {} }
}

fn stroke(points: &[(f64, f64)], look: Look) -> Markup {
    let points: Vec<String> = points
        .iter()
        .map(|&(x, y)| format!("{} {}", num(x), num(y)))
        .collect();
    let dashes = look.is_hollow.then_some("6 4");
    html! { path d={ "M" (points.join("L")) } fill="none" stroke="currentColor" stroke-width="2" stroke-dasharray=[dashes] {} }
}

fn marker(x: f64, y: f64, look: Look, title: &str) -> Markup {
    // Shapes are centred on the origin.
    let shape = match look.kind % LOOKS {
        0 => "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z",
        1 => "M-4 -4H4V4H-4z",
        2 => "M0 -5L5 4H-5z",
        3 => "M0 -5.5L5.5 0L0 5.5L-5.5 0z",
        _ => "M0 5L5 -4H-5z",
    };
    let class = look.is_hollow.then_some("p");
    let fill = (!look.is_hollow).then_some("currentColor");
    html! {
        path d=(shape) transform={ "translate(" (num(x)) " " (num(y)) ")" } class=[class] fill=[fill] stroke="currentColor" stroke-width="1.5" {
            title { (title) }
        }
    }
}

/// Formats a coordinate to a tenth of a pixel.
fn num(number: f64) -> String {
    let text = format!("{number:.1}");
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
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
        let line = |value| Line {
            name: String::new(),
            look: Look {
                kind: 0,
                is_hollow: false,
            },
            points: vec![(1, 1), (2, value)],
        };
        let lines = [line(100), line(100), line(101), line(5)];
        let heights = label_heights(&lines, f64::from, |value| 400.0 - value as f64);
        let mut heights: Vec<f64> = heights.into_iter().flatten().collect();
        heights.sort_by(f64::total_cmp);
        assert_eq!(heights.len(), 4);
        assert!(
            heights.windows(2).all(|pair| pair[1] - pair[0] >= 15.9),
            "{heights:?}"
        );
    }
}
