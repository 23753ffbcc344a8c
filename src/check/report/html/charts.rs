//! Where in the game the AI goes wrong, as bars.

use super::{LayerReport, Report};
use crate::game::drawing::frame;
use crate::text::{count, percent};
use maud::{Markup, PreEscaped, html};

pub(super) fn charts(report: &Report) -> Markup {
    html! {
        h2 { "Where it goes wrong" }
        div class="grid wide" {
            div class="card" {
                div class="soft" { "Share of positions with a mistake, by " (report.layer_name) }
                (PreEscaped(layer_chart(&report.by_layer, report.layer_name)))
                (legend(&[("var(--bad)", "outcome lost"), ("var(--fair)", "only score lost")]))
            }
            div class="card" {
                div class="soft" { "Share of best moves, by " (report.layer_name) }
                (PreEscaped(best_chart(&report.by_layer, report.layer_name)))
            }
            @if !report.by_loss.is_empty() {
                div class="card" {
                    div class="soft" { "Mistakes by points lost" }
                    (PreEscaped(loss_chart(report)))
                }
            }
        }
    }
}

fn legend(entries: &[(&str, &str)]) -> Markup {
    html! {
        div class="soft" {
            @for (color, name) in entries {
                span style={ "color:" (color) } { "\u{25a0} " } (name) " "
            }
        }
    }
}

/// A bar: its name, and the heights of its parts from the bottom up, each with its colour.
struct Bar {
    name: String,
    title: String,
    parts: Vec<(f64, &'static str)>,
}

const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 56.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 190.0;

/// Bars side by side; `highest` is the top of the scale.
fn bar_chart(bars: &[Bar], highest: f64, scale: impl Fn(f64) -> String, label: &str) -> String {
    let highest = if highest > 0.0 { highest } else { 1.0 };
    let step = (WIDTH - LEFT - 8.0) / bars.len().max(1) as f64;
    let y = |value: f64| BOTTOM - (BOTTOM - TOP) * value / highest;
    // Names that would overlap are left out.
    let every = (34.0 / step).ceil().max(1.0) as usize;
    let content = html! {
        g font-size="11" stroke="none" {
            @for tick in 0..=4 {
                @let value = highest * f64::from(tick) / 4.0;
                line x1=(LEFT) x2=(WIDTH) y1=(number(y(value))) y2=(number(y(value))) stroke="currentColor" stroke-opacity=".15" {}
                text x=(LEFT - 8.0) y=(number(y(value) + 4.0)) text-anchor="end" fill-opacity=".7" { (scale(value)) }
            }
            @for (index, bar) in bars.iter().enumerate() {
                @let x = LEFT + step * index as f64;
                g {
                    title { (bar.title) }
                    @for (from, to, color) in stacked(&bar.parts) {
                        rect x=(number(x + 0.12 * step)) width=(number(0.76 * step)) y=(number(y(to)))
                            height=(number(y(from) - y(to))) style={ "fill:" (color) } {}
                    }
                }
                @if index % every == 0 {
                    text x=(number(x + step / 2.0)) y=(number(BOTTOM + 18.0)) fill-opacity=".7" { (bar.name) }
                }
            }
        }
    };
    frame(WIDTH as usize, HEIGHT as usize, label, &content)
}

/// The parts of a bar, each with where it begins and ends.
fn stacked(parts: &[(f64, &'static str)]) -> Vec<(f64, f64, &'static str)> {
    let mut from = 0.0;
    let mut stacked = Vec::new();
    for &(height, color) in parts {
        if height > 0.0 {
            stacked.push((from, from + height, color));
        }
        from += height;
    }
    stacked
}

fn number(value: f64) -> String {
    format!("{value:.1}")
}

fn share(part: u64, layer: &LayerReport) -> f64 {
    part as f64 / layer.tally.asked.max(1) as f64
}

fn layer_chart(layers: &[LayerReport], name: &str) -> String {
    let bars: Vec<Bar> = layers
        .iter()
        .map(|layer| {
            let (all, outcome) = (layer.tally.mistakes, layer.tally.outcome_mistakes);
            Bar {
                name: layer.layer.to_string(),
                title: format!(
                    "{} {name}: {} mistakes in {} positions, {} of them lose the outcome",
                    layer.layer,
                    count(all),
                    count(layer.tally.asked),
                    count(outcome)
                ),
                parts: vec![
                    (share(outcome, layer), "var(--bad)"),
                    (share(all - outcome, layer), "var(--fair)"),
                ],
            }
        })
        .collect();
    let highest = layers
        .iter()
        .map(|layer| share(layer.tally.mistakes, layer))
        .fold(0.0, f64::max);
    bar_chart(&bars, highest, percent, "mistakes by layer")
}

fn best_chart(layers: &[LayerReport], name: &str) -> String {
    let bars: Vec<Bar> = layers
        .iter()
        .map(|layer| {
            let best = share(layer.tally.perfect_moves, layer);
            Bar {
                name: layer.layer.to_string(),
                title: format!(
                    "{} {name}: best move in {} of {} positions",
                    layer.layer,
                    percent(best),
                    count(layer.tally.asked)
                ),
                parts: vec![(best, "var(--good)")],
            }
        })
        .collect();
    bar_chart(&bars, 1.0, percent, "best moves by layer")
}

fn loss_chart(report: &Report) -> String {
    let bars: Vec<Bar> = report
        .by_loss
        .iter()
        .map(|(lost, &mistakes)| Bar {
            name: lost.to_string(),
            title: format!("{} mistakes lost {lost}", count(mistakes)),
            parts: vec![(mistakes as f64, "var(--bad)")],
        })
        .collect();
    let highest = report.by_loss.values().max().copied().unwrap_or(0);
    // A scale of whole numbers.
    let highest = highest.div_ceil(4) * 4;
    bar_chart(
        &bars,
        highest as f64,
        |value| count(value as u64),
        "mistakes by points lost",
    )
}
