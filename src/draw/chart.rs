//! Charts as SVG, between axes with round numbers: bars, and scores along a game or of one position.
//!
//! Colours are in `style.css`. Every chart also has its content in words.

use super::tenths;
use crate::game::Surface;
use crate::text::count;
use maud::{Markup, html};

/// A bar of a chart.
///
/// `at` is its place on the axis, `title` its content in words. `parts` are the heights of its
/// parts, from the bottom up, with the classes in `style.css` that fill them.
pub(crate) struct Bar {
    pub at: i64,
    pub title: String,
    pub parts: Vec<(f64, &'static str)>,
}

/// A chart of bars.
pub(crate) struct Bars<'a> {
    pub caption: &'a str,
    /// Names of the axes.
    pub across: &'a str,
    pub up: &'a str,
    /// Makes the vertical axis from the height of the highest bar.
    pub scale: fn(f64) -> Scale,
    pub bars: Vec<Bar>,
    /// The meaning of the parts, by class; empty if there is only one.
    pub legend: &'a [(&'static str, &'a str)],
}

/// The axes of a chart, their names, and the chart's content in one sentence.
pub(crate) struct Axes<'a> {
    pub scale: Scale,
    pub across: &'a str,
    pub up: &'a str,
    pub label: &'a str,
}

pub(crate) const LEFT: f64 = 72.0;
pub(crate) const RIGHT: f64 = 392.0;
pub(crate) const TOP: f64 = 12.0;
pub(crate) const BOTTOM: f64 = 216.0;
/// Width of the widest bar.
const WIDEST: f64 = 40.0;
/// Approximate width of a letter in a name.
const LETTER: f64 = 7.5;

impl Bar {
    fn height(&self) -> f64 {
        self.parts.iter().map(|part| part.0).sum()
    }
}

impl Bars<'_> {
    /// Returns the chart with its caption and the legend.
    pub fn figure(&self) -> Markup {
        let by_height = |one: &&Bar, other: &&Bar| one.height().total_cmp(&other.height());
        // Reversed, so that the first of several highest bars is chosen.
        let highest = self.bars.iter().rev().max_by(by_height);
        let title = highest.map_or("", |bar| &*bar.title);
        let axes = Axes {
            scale: (self.scale)(highest.map_or(0.0, Bar::height)),
            across: self.across,
            up: self.up,
            label: &format!("Bar chart: {}; most, {title}.", self.caption),
        };
        html! {
            figure class="chart" {
                figcaption { (self.caption) }
                (self.between(&axes))
                @if !self.legend.is_empty() { (legend(self.legend)) }
            }
        }
    }

    /// Draws bars side by side, each at its place on the axis.
    fn between(&self, axes: &Axes<'_>) -> Markup {
        let numbers = || self.bars.iter().map(|bar| bar.at);
        let (first, last) = (numbers().min().unwrap_or(0), numbers().max().unwrap_or(0));
        let (all, count) = ((last - first) as u64 + 1, self.bars.len() as u64);
        // With few numbers far apart, put the bars side by side instead.
        let is_sparse = all > 4 * count + 8;
        let slots = if is_sparse { count } else { all };
        let step = (RIGHT - LEFT) / slots.max(1) as f64;
        let wide = (0.78 * step).min(WIDEST);
        let every = every_name(slots, first, last);
        let placed = (0..).zip(&self.bars).map(|(index, bar)| {
            let (slot, number) = if is_sparse {
                (index, index)
            } else {
                (bar.at - first, bar.at)
            };
            (LEFT + step * (slot as f64 + 0.5), number % every == 0, bar)
        });
        let named = placed.clone().filter(|placed| placed.1);
        let names: Vec<(f64, i64)> = named.map(|(middle, _, bar)| (middle, bar.at)).collect();
        let content = html! {
            @for (middle, _, bar) in placed {
                g class="bar" {
                    title { (bar.title) }
                    @for (number, &(height, class)) in bar.parts.iter().enumerate().filter(|part| part.1.0 > 0.0) {
                        @let below: f64 = bar.parts[..number].iter().map(|part| part.0).sum();
                        @let (top, bottom) = (axes.down(below + height), axes.down(below));
                        rect class={ "part " (class) } x=(tenths(middle - wide / 2.0)) y=(top) width=(tenths(wide)) height=(tenths(bottom - top)) {}
                    }
                }
            }
        };
        axes.framed("img", &names, &content)
    }
}

impl Axes<'_> {
    /// Returns the distance of a value from the top.
    pub fn down(&self, value: f64) -> f64 {
        tenths(BOTTOM - (BOTTOM - TOP) * self.scale.height(value))
    }

    /// Returns the content between the axes, with names below it.
    ///
    /// `role` is "img", or "group" if the content has links.
    pub fn framed(&self, role: &str, names: &[(f64, i64)], content: &Markup) -> Markup {
        html! {
            svg xmlns="http://www.w3.org/2000/svg" class="plot" viewBox="0 0 400 264" role=(role) aria-label=(self.label)
                font-family="system-ui, sans-serif" font-size="12" text-anchor="middle" fill="currentColor" {
                @for tick in self.scale.ticks() {
                    @let down = self.down(tick);
                    line x1=(LEFT) x2=(RIGHT) y1=(down) y2=(down) stroke="currentColor" stroke-opacity=(if tick == 0.0 { ".8" } else { ".18" }) {}
                    text class="tick" x=(LEFT - 6.0) y=(down + 4.0) text-anchor="end" { (self.scale.label(tick)) }
                }
                (content)
                @for (x, name) in names { text x=(tenths(*x)) y=(BOTTOM + 17.0) { (name.to_string().replace('-', "\u{2212}")) } }
                text class="axis" x=(f64::midpoint(LEFT, RIGHT)) y=(BOTTOM + 40.0) font-weight="600" { (self.across) }
                text class="axis" transform={ "translate(14 " (f64::midpoint(TOP, BOTTOM)) ") rotate(-90)" } font-weight="600" { (self.up) }
            }
        }
    }
}

/// Returns the interval at which bars have names: each number that is a multiple has one.
///
/// `slots` is the number of bars side by side, from `first` to `last`.
pub(crate) fn every_name(slots: u64, first: i64, last: i64) -> i64 {
    let letters = first.to_string().len().max(last.to_string().len()) as f64;
    let room = ((RIGHT - LEFT) / (LETTER * (letters + 1.0))) as u64;
    every(slots, room) as i64
}

/// Returns the pattern for parts of the class `outcome`: stripes in the colour of mistakes.
///
/// A page with such parts includes it once.
pub(crate) fn stripes() -> Markup {
    html! {
        svg width="0" height="0" aria-hidden="true" {
            pattern id="stripes" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)" {
                rect class="part mistake" width="5" height="5" {}
                path class="stripe" d="M2.5 0v5" {}
            }
        }
    }
}

/// Returns the legend of a chart's parts.
fn legend(parts: &[(&str, &str)]) -> Markup {
    html! {
        ul class="legend" {
            @for (class, words) in parts {
                li {
                    svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" { rect class={ "part " (class) } x="1" y="1" width="18" height="18" {} }
                    (words)
                }
            }
        }
    }
}

/// Most steps from the lowest tick to the highest.
const MOST_STEPS: f64 = 6.0;

/// An axis through 0 in steps of 1, 2 or 5 times a power of ten.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Scale {
    /// 1, 2 or 5.
    mantissa: u32,
    /// The power of ten.
    exponent: i32,
    /// The lowest and the highest tick, in steps from 0; they differ.
    low: i32,
    high: i32,
    is_of_shares: bool,
}

impl Scale {
    /// Returns a scale for shares from 0 to 1: the finest that reaches `highest`.
    ///
    /// If `highest` is 0, it reaches 100%.
    pub fn of_shares(highest: f64) -> Scale {
        Scale::reaching(0.0, highest, None)
    }

    /// Returns a scale for whole numbers: the finest that reaches `highest`.
    #[cfg(feature = "serve")]
    pub fn of_counts(highest: f64) -> Scale {
        Scale::reaching(0.0, highest, Some(0))
    }

    /// Returns a scale for scores of both signs: the finest that reaches ±`highest`.
    pub fn of_scores(highest: f64) -> Scale {
        Scale::reaching(-highest, highest, Some(0))
    }

    /// Returns the finest scale; one of shares if there is no `least_exponent`.
    fn reaching(lowest: f64, highest: f64, least_exponent: Option<i32>) -> Scale {
        let unit = Scale {
            mantissa: 1,
            exponent: 0,
            low: 0,
            high: 1,
            is_of_shares: least_exponent.is_none(),
        };
        let most = highest.max(-lowest);
        if most <= 0.0 {
            return unit;
        }
        let mut exponent = most.log10().floor() as i32 - 1;
        exponent = exponent.max(least_exponent.unwrap_or(i32::MIN));
        loop {
            for mantissa in [1, 2, 5] {
                let scale = Scale {
                    mantissa,
                    exponent,
                    ..unit
                };
                // A rounding error must not add a step.
                let low = (lowest / scale.top() + 1e-9).floor();
                let high = (highest / scale.top() - 1e-9).ceil();
                if high - low <= MOST_STEPS {
                    let (low, high) = (low as i32, high as i32);
                    return Scale { low, high, ..scale };
                }
            }
            exponent += 1;
        }
    }

    fn tick(&self, number: i32) -> f64 {
        let digits = f64::from(self.mantissa) * f64::from(number);
        // Dividing gives the nearest binary number; multiplying by 0.1, for example, doesn't.
        match self.exponent {
            0.. => digits * 10f64.powi(self.exponent),
            _ => digits / 10f64.powi(-self.exponent),
        }
    }

    /// Returns all ticks, from the bottom to the top.
    pub fn ticks(&self) -> impl Iterator<Item = f64> {
        let scale = *self;
        (self.low..=self.high).map(move |number| scale.tick(number))
    }

    /// Returns the highest tick.
    pub fn top(&self) -> f64 {
        self.tick(self.high)
    }

    /// Returns the height of a value: 0 at the lowest tick, 1 at the highest.
    pub fn height(&self, value: f64) -> f64 {
        let bottom = self.tick(self.low);
        (value - bottom) / (self.top() - bottom)
    }

    /// Returns the text of a tick: a number, or a percentage with as many digits as needed.
    pub fn label(&self, tick: f64) -> String {
        if self.is_of_shares {
            let digits = usize::try_from(-self.exponent - 2).unwrap_or(0);
            return format!("{:.digits$}%", 100.0 * tick);
        }
        let sign = if tick < 0.0 { "\u{2212}" } else { "" };
        let number = match tick.abs() {
            number @ 1e9.. => format!("{:.1}G", number / 1e9),
            number @ 1e6.. => format!("{:.1}M", number / 1e6),
            number @ 1e4.. => format!("{:.0}k", number / 1e3),
            number => count(number as u64),
        };
        format!("{sign}{number}")
    }
}

/// Returns the smallest interval of 1, 2, 5, 10, … that leaves at most `room` numbers.
pub(crate) fn every(all: u64, room: u64) -> u64 {
    let room = room.max(1);
    let mut power = 1;
    loop {
        for step in [1, 2, 5] {
            if all.div_ceil(step * power) <= room {
                return step * power;
            }
        }
        power *= 10;
    }
}

/// A point of a game's chart.
pub(crate) struct Point {
    /// Score seen from the first player, or its sign in games that count plies.
    pub score: i32,
    /// Description for a tooltip and for screen readers.
    pub words: String,
    pub address: String,
    pub is_mistake: bool,
    /// Whether it is the position on the board.
    pub is_here: bool,
}

/// Returns the scores after each move of a game; `None` for those not known yet.
///
/// The first player's wins are above the axis, the second's below; `wins` has names for both.
pub(crate) fn along_game(
    points: &[Option<Point>],
    counts_plies: bool,
    wins: &[String; 2],
) -> Markup {
    let scores = points.iter().flatten().map(|point| point.score.abs());
    let highest = scores.max().unwrap_or(0).max(1);
    let axes = Axes {
        scale: Scale::of_scores(highest.into()),
        across: "moves made",
        up: if counts_plies { "outcome" } else { "score" },
        label: "Scores of the line, the first player's wins above",
    };
    let last = points.len().max(2) - 1;
    let step = (RIGHT - LEFT) / last as f64;
    let every = every_name(last as u64 + 1, 0, last as i64) as usize;
    let across = |number: usize| tenths(LEFT + step * number as f64);
    let names = (0..points.len()).step_by(every);
    let names: Vec<(f64, i64)> = names
        .map(|number| (across(number), number as i64))
        .collect();
    let known = points.iter().enumerate();
    let known: Vec<(f64, f64, &Point)> = known
        .filter_map(|(number, point)| {
            let point = point.as_ref()?;
            Some((across(number), axes.down(point.score.into()), point))
        })
        .collect();
    let line: Vec<String> = known.iter().map(|(x, y, _)| format!("{x} {y}")).collect();
    let middle = axes.down(0.0);
    let content = html! {
        rect class="first-half" x=(LEFT) y=(TOP) width=(RIGHT - LEFT) height=(middle - TOP) {}
        rect class="second-half" x=(LEFT) y=(middle) width=(RIGHT - LEFT) height=(BOTTOM - middle) {}
        text class="label" x=(LEFT + 8.0) y=(TOP + 15.0) text-anchor="start" { (wins[0]) }
        text class="label" x=(LEFT + 8.0) y=(BOTTOM - 8.0) text-anchor="start" { (wins[1]) }
        @if let (Some(first), Some(last)) = (known.first(), known.last()) {
            path class="area" d={ "M" (first.0) " " (middle) "L" (line.join("L")) "L" (last.0) " " (middle) "Z" } {}
            path class="curve" d={ "M" (line.join("L")) } {}
        }
        @for (x, ..) in known.iter().filter(|known| known.2.is_here) {
            path class="here" d={ "M" (x) " " (TOP) "V" (BOTTOM) } {}
        }
        @for &(x, y, point) in &known { (linked(point, (x, y), step)) }
    };
    html! {
        (axes.framed("group", &names, &content))
        p class="soft legend" { "Circles are positions, diamonds come after mistakes. Each leads to its position." }
    }
}

/// Returns a point at its place, with a link as wide as a `step`.
fn linked(point: &Point, (x, y): (f64, f64), step: f64) -> Markup {
    let (left, right) = ((x - step / 2.0).max(LEFT), (x + step / 2.0).min(RIGHT));
    let radius = (step / 2.0 - 1.0).clamp(2.0, 5.0);
    let (class, words) = match point.is_mistake {
        true => ("point mistake", format!("{}, a mistake", point.words)),
        false => ("point", point.words.clone()),
    };
    html! {
        a href=(point.address) class=(class) aria-current=[point.is_here.then_some("step")] aria-label=(words) {
            title { (point.words) }
            rect class="reach" x=(tenths(left)) y=(TOP) width=(tenths(right - left)) height=(BOTTOM - TOP) {}
            @if point.is_mistake {
                @let size = tenths(radius + 2.0);
                path d={ "M" (x) " " (tenths(y - size)) "l" (size) " " (size) " -" (size) " " (size) " -" (size) " -" (size) "z" } {}
            } @else {
                circle cx=(x) cy=(y) r=(tenths(radius)) {}
            }
        }
    }
}

/// Returns a bar that shows who wins: the longer a side's part, the more it wins by.
pub(crate) fn balance(score: i32, surface: Surface, players: [&str; 2]) -> Markup {
    // Small scores take most of the bar, because they matter more.
    let share = 50.0 + 46.0 * f64::from(score) / (f64::from(score.abs()) + 8.0);
    html! {
        div class={ "balance " (surface) } aria-hidden="true" {
            span { (players[0]) }
            svg viewBox="0 0 100 4" preserveAspectRatio="none" {
                rect class="second-part" width="100" height="4" {}
                rect class="first-part" width=(tenths(share)) height="4" {}
                rect class="middle" x="49.8" width="0.4" height="4" {}
            }
            span { (players[1]) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(highest: u64) -> Vec<f64> {
        Scale::of_counts(highest as f64).ticks().collect()
    }

    #[test]
    fn ticks_are_round_and_reach_the_highest() {
        assert_eq!(counts(0), [0.0, 1.0]);
        assert_eq!(counts(1), [0.0, 1.0]);
        assert_eq!(counts(3), [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(counts(6), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(counts(7), [0.0, 2.0, 4.0, 6.0, 8.0]);
        assert_eq!(counts(30), [0.0, 5.0, 10.0, 15.0, 20.0, 25.0, 30.0]);
        assert_eq!(counts(1000), [0.0, 200.0, 400.0, 600.0, 800.0, 1000.0]);
        assert_eq!(
            counts(1017),
            [0.0, 200.0, 400.0, 600.0, 800.0, 1000.0, 1200.0]
        );
        assert_eq!(
            counts(303_299),
            [0.0, 100_000.0, 200_000.0, 300_000.0, 400_000.0]
        );
    }

    #[test]
    fn any_scale_is_round_and_no_larger_than_it_must_be() {
        let counts = (0..3000).chain([u64::MAX, 999_999, 1_000_001]);
        let of_counts = counts.map(|count| (count as f64, Scale::of_counts(count as f64)));
        let shares = (0..=1000).map(|number| f64::from(number) / 1000.0);
        let shares = shares.chain([1e-7, 1.0 / 3.0, 0.1 + 0.2]);
        let of_shares = shares.map(|share| (share, Scale::of_shares(share)));
        for (highest, scale) in of_counts.chain(of_shares) {
            assert!([1, 2, 5].contains(&scale.mantissa), "{highest} {scale:?}");
            assert!((1..=6).contains(&scale.high), "{highest} {scale:?}");
            assert!(scale.top() >= highest * (1.0 - 1e-8), "{highest} {scale:?}");
            let next = scale.tick(scale.high - 1);
            assert!(highest == 0.0 || next < highest, "{highest} {scale:?}");
        }
        assert!((0..3000).all(|count| Scale::of_counts(count.into()).exponent >= 0));
    }

    #[test]
    fn scores_have_both_signs_and_0() {
        for (highest, labels) in [
            (3.0, "\u{2212}3 \u{2212}2 \u{2212}1 0 1 2 3"),
            (17.0, "\u{2212}20 \u{2212}10 0 10 20"),
        ] {
            let scale = Scale::of_scores(highest);
            let found: Vec<String> = scale.ticks().map(|tick| scale.label(tick)).collect();
            assert_eq!(found.join(" "), labels);
        }
    }

    #[test]
    fn percentages_have_the_digits_that_they_need() {
        let labels = |highest| {
            let scale = Scale::of_shares(highest);
            let labels = scale.ticks().map(|tick| scale.label(tick));
            labels.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(labels(0.0), "0% 100%");
        assert_eq!(labels(1.0), "0% 20% 40% 60% 80% 100%");
        assert_eq!(labels(0.722), "0% 20% 40% 60% 80%");
        assert_eq!(labels(0.3), "0% 5% 10% 15% 20% 25% 30%");
        assert_eq!(labels(0.011), "0.0% 0.2% 0.4% 0.6% 0.8% 1.0% 1.2%");
        assert_eq!(
            labels(0.000_03),
            "0.0000% 0.0005% 0.0010% 0.0015% 0.0020% 0.0025% 0.0030%"
        );
    }

    #[test]
    fn names_of_bars_are_thinned_out_by_round_numbers() {
        for (all, room, step) in [
            (9, 10, 1),
            (20, 10, 2),
            (21, 10, 5),
            (48, 10, 5),
            (1000, 7, 200),
        ] {
            assert_eq!(every(all, room), step, "{all} {room}");
        }
    }
}
