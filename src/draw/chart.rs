//! Charts as SVG, between axes with round numbers.
//!
//! Colours are in `style.css`. Every chart also has its content in words.

use super::scale::{Scale, every};
use super::tenths;
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

    /// Bars side by side, each at its place on the axis.
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
    /// Distance of a value from the top.
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

/// The interval at which bars have names: each number that is a multiple has one.
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
