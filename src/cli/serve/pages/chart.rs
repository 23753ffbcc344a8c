//! Charts, painted as SVG; what they show is said in words, too.

use super::words;
use crate::game::drawing::surface::tenths;
use maud::{Markup, html};

/// A point of a game's chart.
pub struct Point {
    /// Seen from the first player.
    pub score: i32,
    /// What it is, for who points at it or can't see it.
    pub words: String,
    pub address: String,
    pub is_mistake: bool,
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 260.0;
/// Left of the chart, for the numbers at the axis.
const LEFT: f64 = 56.0;
const MARGIN: f64 = 18.0;

/// The scores of a game's positions, the first player's wins above and the second's below; nothing
/// where a score isn't known yet.
pub fn game(points: &[Option<Point>]) -> Markup {
    let highest = points.iter().flatten().map(|point| point.score.abs()).max();
    let highest = highest.unwrap_or(0).max(1);
    let step = (WIDTH - LEFT - MARGIN) / (points.len().max(2) - 1) as f64;
    let across = |number: usize| tenths(LEFT + step * number as f64);
    let down = |score: i32| {
        let half = HEIGHT / 2.0 - MARGIN;
        tenths(HEIGHT / 2.0 - half * f64::from(score) / f64::from(highest))
    };
    let middle = HEIGHT / 2.0;
    let known: Vec<(usize, &Point)> = points
        .iter()
        .enumerate()
        .filter_map(|(number, point)| Some((number, point.as_ref()?)))
        .collect();
    let line: Vec<String> = known
        .iter()
        .map(|(number, point)| format!("{} {}", across(*number), down(point.score)))
        .collect();
    let radius = (step / 2.0 - 1.0).clamp(2.5, 7.0);
    html! {
        svg class="chart" viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="group" aria-label="Scores of the game, seen from the first player" {
            rect class="first-half" x=(LEFT) y=(MARGIN) width=(WIDTH - LEFT - MARGIN) height=(middle - MARGIN) {}
            rect class="second-half" x=(LEFT) y=(middle) width=(WIDTH - LEFT - MARGIN) height=(middle - MARGIN) {}
            @for score in [highest, 0, -highest] {
                text class="label" x=(LEFT - 8.0) y=(down(score) + 4.0) text-anchor="end" { (words::signed(score)) }
            }
            text class="label" x=(LEFT + 8.0) y=(MARGIN + 15.0) { "first player wins" }
            text class="label" x=(LEFT + 8.0) y=(HEIGHT - MARGIN - 8.0) { "second player wins" }
            @if let (Some(first), Some(last)) = (known.first(), known.last()) {
                path class="area" d={ "M" (across(first.0)) " " (middle) "L" (line.join("L")) "L" (across(last.0)) " " (middle) "Z" } {}
            }
            path class="axis" d={ "M" (LEFT) " " (middle) "H" (WIDTH - MARGIN) } {}
            @if line.len() > 1 { path class="curve" d={ "M" (line.join("L")) } {} }
            @for (number, point) in &known {
                a href=(point.address) class={ "point" (if point.is_mistake { " mistake" } else { "" }) } aria-label={ (point.words) (if point.is_mistake { ", a mistake" } else { "" }) } {
                    title { (point.words) }
                    @let left = (across(*number) - step / 2.0).max(0.0);
                    @let right = (across(*number) + step / 2.0).min(WIDTH);
                    rect class="reach" x=(tenths(left)) y="0" width=(tenths(right - left)) height=(HEIGHT) {}
                    @if point.is_mistake {
                        path d=(diamond(across(*number), down(point.score), radius + 2.5)) {}
                    } @else {
                        circle cx=(across(*number)) cy=(down(point.score)) r=(tenths(radius)) {}
                    }
                }
            }
        }
        p class="soft legend" { "Circles are positions, diamonds come after mistakes. Each leads to its position." }
    }
}

fn diamond(x: f64, y: f64, size: f64) -> String {
    format!(
        "M{x} {}L{} {y}L{x} {}L{} {y}Z",
        tenths(y - size),
        tenths(x + size),
        tenths(y + size),
        tenths(x - size)
    )
}

/// A bar of a chart.
pub struct Bar {
    /// What stands below it.
    pub name: String,
    /// Its parts from below, each a class and a share of the chart's height.
    pub parts: Vec<(&'static str, f64)>,
    /// What it shows.
    pub words: String,
}

/// At most so many names stand below a chart.
const MOST_NAMES: usize = 13;

/// Bars beside each other; `top` is what the full height stands for, and `bottom` the floor.
pub fn bars(bars: impl Iterator<Item = Bar>, top: &str, bottom: &str) -> Markup {
    let bars: Vec<Bar> = bars.collect();
    let width = (WIDTH - LEFT - MARGIN) / bars.len().max(1) as f64;
    let height = HEIGHT - 3.0 * MARGIN;
    let floor = HEIGHT - 1.8 * MARGIN;
    let every = bars.len().div_ceil(MOST_NAMES).max(1);
    html! {
        svg class="chart" viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label={ (bars.len()) " bars; the table below has their numbers" } {
            text class="label" x=(LEFT - 8.0) y=(tenths(floor - height + 5.0)) text-anchor="end" { (top) }
            text class="label" x=(LEFT - 8.0) y=(tenths(floor)) text-anchor="end" { (bottom) }
            @for (number, bar) in bars.iter().enumerate() {
                @let left = LEFT + width * number as f64;
                g class="bar" {
                    title { (bar.words) }
                    @for (part, class) in bar.parts.iter().enumerate().map(|(part, of)| (part, of.0)) {
                        @let below: f64 = bar.parts[..part].iter().map(|of| of.1).sum();
                        @let own = bar.parts[part].1;
                        rect class=(class) x=(tenths(left + 0.08 * width)) width=(tenths(0.84 * width).max(0.5))
                            y=(tenths(floor - height * (below + own))) height=(tenths(height * own)) {}
                    }
                }
                @if number % every == 0 {
                    text class="label" x=(tenths(left + width / 2.0)) y=(HEIGHT - 12.0) text-anchor="middle" { (bar.name) }
                }
            }
            path class="axis" d={ "M" (LEFT) " " (tenths(floor)) "H" (WIDTH - MARGIN) } {}
        }
    }
}

/// Whose the game is: the longer a side's part of the bar, the more it wins by.
pub fn balance(score: i32) -> Markup {
    // Most of the bar is for small scores, which differ more.
    let share = 50.0 + 46.0 * f64::from(score) / (f64::from(score.abs()) + 8.0);
    html! {
        div class="balance" aria-hidden="true" {
            span { "first" }
            svg viewBox="0 0 100 4" preserveAspectRatio="none" {
                rect class="second-part" width="100" height="4" {}
                rect class="first-part" width=(tenths(share)) height="4" {}
                rect class="middle" x="49.8" width="0.4" height="4" {}
            }
            span { "second" }
        }
    }
}
