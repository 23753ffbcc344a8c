//! Where in the game the AI goes wrong, as bars.

use super::{LayerReport, Report};
use crate::game::drawing::chart::{Bar, Bars, stripes};
use crate::game::drawing::scale::Scale;
use crate::text::{capitalised, count, percent};
use maud::{Markup, Render, html};

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
        @if report.mistakes.total > 0 { (bars(report)) }
        (layer_table(report))
        @if !report.by_loss.is_empty() { (loss_table(report)) }
    }
}

fn bars(report: &Report) -> Markup {
    html! {
        p {
            "The first two charts go by how far the game has come, counted by " b { (report.layer_name) } ". The higher a "
            "bar of the first, the more often the AI goes wrong there."
            (stripes())
        }
        div class="grid wide" {
            (mistakes_chart(report))
            (best_chart(report))
            @if !report.by_loss.is_empty() { (loss_chart(report)) }
        }
    }
}

fn share(part: u64, layer: &LayerReport) -> f64 {
    part as f64 / layer.tally.asked.max(1) as f64
}

fn mistakes_chart(report: &Report) -> Markup {
    let (outcome, score) = ("outcome", "fair");
    let bars = report.by_layer.iter().map(|layer| {
        let tally = &layer.tally;
        let (all, lost) = (tally.mistakes, tally.outcome_mistakes);
        Bar {
            at: layer.layer.into(),
            title: format!(
                "{} {}: {} mistakes in {} positions, {} of them lose the outcome",
                report.layer_name,
                layer.layer,
                count(all),
                count(tally.asked),
                count(lost)
            ),
            parts: vec![
                (share(lost, layer), outcome),
                (share(all - lost, layer), score),
            ],
        }
    });
    Bars {
        caption: "Mistakes: in what share of the positions asked the AI makes one",
        across: report.layer_name,
        up: "positions with a mistake",
        scale: Scale::of_shares,
        bars: bars.collect(),
        legend: &[
            (outcome, "loses the outcome (striped)"),
            (score, "loses only score (plain)"),
        ],
    }
    .figure()
}

fn best_chart(report: &Report) -> Markup {
    let bars = report.by_layer.iter().map(|layer| {
        let share = share(layer.tally.perfect_moves, layer);
        Bar {
            at: layer.layer.into(),
            title: format!(
                "{} {}: best move in {} of {} positions",
                report.layer_name,
                layer.layer,
                percent(share),
                count(layer.tally.asked)
            ),
            parts: vec![(share, "best")],
        }
    });
    Bars {
        caption: "Best moves: in what share of the positions asked none is better than the AI's",
        across: report.layer_name,
        up: "positions with a best move",
        scale: |_| Scale::of_shares(1.0),
        bars: bars.collect(),
        legend: &[],
    }
    .figure()
}

fn loss_chart(report: &Report) -> Markup {
    let bars = report.by_loss.iter().map(|(&lost, &mistakes)| Bar {
        at: lost.into(),
        title: format!("{} mistakes lost {lost}", count(mistakes)),
        parts: vec![(mistakes as f64, "mistake")],
    });
    Bars {
        caption: "Costs: how many mistakes lose how many points",
        across: "points lost by a mistake",
        up: "mistakes",
        scale: Scale::of_counts,
        bars: bars.collect(),
        legend: &[],
    }
    .figure()
}

/// The numbers behind the charts, for those who can't see them or want them exactly.
fn layer_table(report: &Report) -> Markup {
    let name = report.layer_name;
    let head = [
        &*capitalised(name),
        "Asked",
        "Best moves",
        "Mistakes",
        "Lose the outcome",
        "Points lost",
        "Regret",
    ];
    let rows = report.by_layer.iter().map(|layer| {
        let (tally, regret) = (&layer.tally, layer.regret);
        let cells = [
            count(tally.asked),
            percent(share(tally.perfect_moves, layer)),
            count(tally.mistakes),
            count(tally.outcome_mistakes),
            count(tally.score_lost),
            regret.map_or_else(String::new, |of| format!("{:.3}", of.mean)),
        ];
        (layer.layer.to_string(), cells)
    });
    html! {
        details open[report.mistakes.total == 0] {
            summary { "The numbers by " (name) ", as a table" }
            div class="card" { (table(&head, rows)) }
        }
    }
}

fn loss_table(report: &Report) -> Markup {
    let by_loss = report.by_loss.iter();
    let rows = by_loss.map(|(lost, &mistakes)| (lost.to_string(), [count(mistakes)]));
    html! {
        details {
            summary { "Mistakes by points lost, as a table" }
            div class="card" { (table(&["Points lost", "Mistakes"], rows)) }
        }
    }
}

/// A table with a row for each thing: its name and its numbers.
pub(crate) fn table<C: Render, const N: usize>(
    head: &[&str],
    rows: impl Iterator<Item = (String, [C; N])>,
) -> Markup {
    html! {
        table {
            thead { tr { @for name in head { th scope="col" { (name) } } } }
            tbody {
                @for (name, cells) in rows {
                    tr { th scope="row" { (name) } @for cell in cells { td { (cell) } } }
                }
            }
        }
    }
}
