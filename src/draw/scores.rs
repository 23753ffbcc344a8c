//! Charts of scores: along a game, and of one position.

use super::chart::{Axes, BOTTOM, LEFT, RIGHT, TOP, every_name};
use super::scale::Scale;
use super::tenths;
use crate::game::Surface;
use maud::{Markup, html};

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
