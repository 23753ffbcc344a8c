//! Where in the game the AI goes wrong, as bars.

use super::scale::{Scale, every};
use super::{LayerReport, Report};
use crate::game::drawing::{frame, stripes};
use crate::text::{capitalised, count, percent};
use maud::{Markup, PreEscaped, html};

/// What the section is called.
pub(super) fn heading(report: &Report) -> String {
    if report.mistakes.total > 0 {
        "Where it goes wrong".into()
    } else {
        format!("What was asked, by {}", report.layer_name)
    }
}

pub(super) fn charts(report: &Report) -> Markup {
    html! {
        h2 id="charts" { (heading(report)) }
        @if report.mistakes.total > 0 { (bars(report)) }
        (layer_table(report))
        @if !report.by_loss.is_empty() { (loss_table(report)) }
    }
}

fn bars(report: &Report) -> Markup {
    let layers = &report.by_layer;
    html! {
        p {
            "The first two charts go by how far the game has come, counted by " b { (report.layer_name) } ". The higher a "
            "bar of the first, the more often the AI goes wrong there."
        }
        div class="grid wide" {
            figure class="card chart" {
                figcaption { "Mistakes: in what share of the positions asked the AI makes one" }
                (PreEscaped(layer_chart(layers, report.layer_name)))
                ul class="legend" {
                    li { (swatch(Fill::Striped("var(--mistake)"))) "loses the outcome (striped)" }
                    li { (swatch(Fill::Plain("var(--fair)"))) "loses only score (plain)" }
                }
            }
            figure class="card chart" {
                figcaption { "Best moves: in what share of the positions asked none is better than the AI's" }
                (PreEscaped(best_chart(layers, report.layer_name)))
            }
            @if !report.by_loss.is_empty() {
                figure class="card chart" {
                    figcaption { "Costs: how many mistakes lose how many points" }
                    (PreEscaped(loss_chart(report)))
                }
            }
        }
    }
}

/// What a part of a bar is filled with; two parts differ by more than their colours.
#[derive(Clone, Copy)]
enum Fill {
    Plain(&'static str),
    Striped(&'static str),
}

/// A rectangle that is filled so.
fn filled(x: f64, y: f64, width: f64, height: f64, fill: Fill) -> Markup {
    let (Fill::Plain(color) | Fill::Striped(color)) = fill;
    html! {
        rect x=(number(x)) y=(number(y)) width=(number(width)) height=(number(height)) style={ "fill:" (color) } {}
        @if let Fill::Striped(_) = fill {
            path d=(stripes(x, y, width, height, 0.0)) style="stroke:var(--card,#fff)" stroke-opacity=".6" stroke-width="1.5" {}
        }
    }
}

fn swatch(fill: Fill) -> Markup {
    html! {
        svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" { (filled(1.0, 1.0, 18.0, 18.0, fill)) }
    }
}

/// A bar: what it stands for, what it shows, and the heights of its parts from the bottom up.
struct Bar {
    at: i64,
    title: String,
    parts: Vec<(f64, Fill)>,
}

/// What stands beside the axes.
struct Axes<'a> {
    scale: Scale,
    tick: &'a dyn Fn(f64) -> String,
    across: &'a str,
    up: &'a str,
    /// The whole chart, in a sentence.
    label: String,
}

const WIDTH: f64 = 400.0;
const HEIGHT: f64 = 264.0;
const LEFT: f64 = 72.0;
const RIGHT: f64 = 392.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 216.0;
const WIDEST: f64 = 40.0;
/// About how wide a letter of a bar's name is.
const LETTER: f64 = 7.5;

/// Bars side by side, each at its place on the axis.
fn bar_chart(bars: &[Bar], axes: &Axes<'_>) -> String {
    let first = bars.iter().map(|bar| bar.at).min().unwrap_or(0);
    let last = bars.iter().map(|bar| bar.at).max().unwrap_or(0);
    let all = (last - first) as u64 + 1;
    // Bars that are few and far between stand side by side.
    let is_sparse = all > 4 * bars.len() as u64 + 8;
    let slots = if is_sparse { bars.len() as u64 } else { all };
    let step = (RIGHT - LEFT) / slots.max(1) as f64;
    let wide = (0.78 * step).min(WIDEST);
    let y = |value: f64| BOTTOM - (BOTTOM - TOP) * value / axes.scale.top();
    let letters = first.to_string().len().max(last.to_string().len()) as f64;
    let room = ((RIGHT - LEFT) / (LETTER * (letters + 1.0))) as u64;
    let every = every(slots, room);
    let content = html! {
        g font-size="12" stroke="none" {
            @for tick in axes.scale.ticks() {
                line x1=(LEFT) x2=(RIGHT) y1=(number(y(tick))) y2=(number(y(tick))) stroke="currentColor"
                    stroke-opacity=(if tick > 0.0 { ".18" } else { ".8" }) {}
                text class="tick" x=(LEFT - 6.0) y=(number(y(tick) + 4.0)) text-anchor="end" { ((axes.tick)(tick)) }
            }
            @for (index, bar) in bars.iter().enumerate() {
                @let slot = if is_sparse { index as u64 } else { (bar.at - first) as u64 };
                @let middle = LEFT + step * (slot as f64 + 0.5);
                g {
                    title { (bar.title) }
                    @for (from, to, fill) in stacked(&bar.parts) {
                        (filled(middle - wide / 2.0, y(to), wide, y(from) - y(to), fill))
                    }
                }
                @if (if is_sparse { slot } else { bar.at.unsigned_abs() }).is_multiple_of(every) {
                    text x=(number(middle)) y=(BOTTOM + 17.0) { (bar.at) }
                }
            }
            text class="axis" x=((LEFT + RIGHT) / 2.0) y=(BOTTOM + 40.0) font-weight="600" { (axes.across) }
            text class="axis" transform={ "translate(14 " ((TOP + BOTTOM) / 2.0) ") rotate(-90)" } font-weight="600" { (axes.up) }
        }
    };
    frame(
        "bars",
        WIDTH as usize,
        HEIGHT as usize,
        &axes.label,
        &content,
    )
}

/// The parts of a bar, each with where it begins and ends.
fn stacked(parts: &[(f64, Fill)]) -> Vec<(f64, f64, Fill)> {
    let mut from = 0.0;
    let mut stacked = Vec::new();
    for &(height, fill) in parts {
        if height > 0.0 {
            stacked.push((from, from + height, fill));
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

/// The first of the layers with the highest or lowest share, in words: "72.2% (stones set: 3)".
fn peak(layers: &[LayerReport], name: &str, share: impl Fn(&LayerReport) -> f64) -> String {
    let peak = layers
        .iter()
        .rev()
        .max_by(|one, other| share(one).total_cmp(&share(other)));
    peak.map_or_else(String::new, |layer| {
        format!("{} ({name}: {})", percent(share(layer)), layer.layer)
    })
}

fn layer_chart(layers: &[LayerReport], name: &str) -> String {
    let bars: Vec<Bar> = layers
        .iter()
        .map(|layer| {
            let (all, outcome) = (layer.tally.mistakes, layer.tally.outcome_mistakes);
            Bar {
                at: layer.layer.into(),
                title: format!(
                    "{name} {}: {} mistakes in {} positions, {} of them lose the outcome",
                    layer.layer,
                    count(all),
                    count(layer.tally.asked),
                    count(outcome)
                ),
                parts: vec![
                    (share(outcome, layer), Fill::Striped("var(--mistake)")),
                    (share(all - outcome, layer), Fill::Plain("var(--fair)")),
                ],
            }
        })
        .collect();
    let of_layer = |layer: &LayerReport| share(layer.tally.mistakes, layer);
    let scale = Scale::of_shares(layers.iter().map(of_layer).fold(0.0, f64::max));
    let peak = peak(layers, name, of_layer);
    let axes = Axes {
        scale,
        tick: &|tick| scale.percent(tick),
        across: name,
        up: "positions with a mistake",
        label: format!("Bar chart: share of positions with a mistake by {name}; most, {peak}."),
    };
    bar_chart(&bars, &axes)
}

fn best_chart(layers: &[LayerReport], name: &str) -> String {
    let of_layer = |layer: &LayerReport| share(layer.tally.perfect_moves, layer);
    let bars: Vec<Bar> = layers
        .iter()
        .map(|layer| Bar {
            at: layer.layer.into(),
            title: format!(
                "{name} {}: best move in {} of {} positions",
                layer.layer,
                percent(of_layer(layer)),
                count(layer.tally.asked)
            ),
            parts: vec![(of_layer(layer), Fill::Plain("var(--best)"))],
        })
        .collect();
    let scale = Scale::of_shares(1.0);
    let peak = peak(layers, name, of_layer);
    let axes = Axes {
        scale,
        tick: &|tick| scale.percent(tick),
        across: name,
        up: "positions with a best move",
        label: format!("Bar chart: share of best moves by {name}; most, {peak}."),
    };
    bar_chart(&bars, &axes)
}

fn loss_chart(report: &Report) -> String {
    let bars: Vec<Bar> = report
        .by_loss
        .iter()
        .map(|(&lost, &mistakes)| Bar {
            at: lost.into(),
            title: format!("{} mistakes lost {lost}", count(mistakes)),
            parts: vec![(mistakes as f64, Fill::Plain("var(--mistake)"))],
        })
        .collect();
    let most = report
        .by_loss
        .iter()
        .rev()
        .max_by_key(|&(_, &mistakes)| mistakes);
    let (&lost, &mistakes) = most.unwrap_or((&0, &0));
    let axes = Axes {
        scale: Scale::of_counts(mistakes),
        tick: &|tick| count(tick as u64),
        across: "points lost by a mistake",
        up: "mistakes",
        label: format!(
            "Bar chart: number of mistakes by the points that they lose; most, {}, lose {lost}.",
            count(mistakes)
        ),
    };
    bar_chart(&bars, &axes)
}

/// The numbers behind the charts, for those who can't see them or want them exactly.
fn layer_table(report: &Report) -> Markup {
    let (layers, name) = (&report.by_layer, report.layer_name);
    html! {
        details open[report.mistakes.total == 0] {
            summary { "The numbers by " (name) ", as a table" }
            div class="card" {
                table {
                    thead {
                        tr {
                            th scope="col" { (capitalised(name)) }
                            th scope="col" { "Asked" }
                            th scope="col" { "Best moves" }
                            th scope="col" { "Mistakes" }
                            th scope="col" { "Lose the outcome" }
                            th scope="col" { "Points lost" }
                            th scope="col" { "Regret" }
                        }
                    }
                    tbody {
                        @for layer in layers {
                            @let tally = &layer.tally;
                            tr {
                                th scope="row" { (layer.layer) }
                                td { (count(tally.asked)) }
                                td { (percent(share(tally.perfect_moves, layer))) }
                                td { (count(tally.mistakes)) }
                                td { (count(tally.outcome_mistakes)) }
                                td { (count(tally.score_lost)) }
                                td { @if let Some(of) = layer.regret { (format!("{:.3}", of.mean)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn loss_table(report: &Report) -> Markup {
    html! {
        details {
            summary { "Mistakes by points lost, as a table" }
            div class="card" {
                table {
                    thead {
                        tr { th scope="col" { "Points lost" } th scope="col" { "Mistakes" } }
                    }
                    tbody {
                        @for (lost, &mistakes) in &report.by_loss {
                            tr { th scope="row" { (lost) } td { (count(mistakes)) } }
                        }
                    }
                }
            }
        }
    }
}
