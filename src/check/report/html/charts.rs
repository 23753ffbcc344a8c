//! Bar chart of the mistakes by layer of the game.

use super::{Part, Report};
use crate::draw::chart::{Bar, Bars, stripes};
use crate::draw::scale::Scale;
use crate::text::count;
use maud::{Markup, html};

pub(super) fn mistakes(report: &Report) -> Markup {
    let (outcome, score) = ("outcome", "fair");
    let only = format!("loses only {} (plain)", report.unit());
    let name = report.layer_name;
    let bars = report.by_layer.iter().filter_map(|part| {
        let Part::Layer(layer) = part.part else {
            return None;
        };
        let (all, lost) = (part.tally.mistakes, part.tally.outcome_mistakes);
        let share = |of: u64| of as f64 / part.tally.asked.max(1) as f64;
        Some(Bar {
            at: layer.into(),
            title: format!(
                "{name} {layer}: {} mistakes in {} positions, {} of them lose the outcome",
                count(all),
                count(part.tally.asked),
                count(lost)
            ),
            parts: vec![(share(lost), outcome), (share(all - lost), score)],
        })
    });
    let chart = Bars {
        caption: "Mistakes: in what share of the positions asked the AI makes one",
        across: name,
        up: "positions with a mistake",
        scale: Scale::of_shares,
        bars: bars.collect(),
        legend: &[(outcome, "loses the outcome (striped)"), (score, &only)],
    };
    html! {
        p {
            "The chart goes by how far the game has come, counted by " b { (name) } ". The higher a bar, the more "
            "often the AI goes wrong there."
            (stripes())
        }
        (chart.figure())
    }
}
