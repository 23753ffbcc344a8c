//! Positions with what was played in them.

use super::{LineReport, MistakeReport, Report};
use crate::text::signed;
use maud::{Markup, PreEscaped, html};

pub(super) fn worst(report: &Report) -> Markup {
    html! {
        h2 { "The worst mistakes" }
        p class="soft" { "Marked: the move that it made, and dashed the best ones." }
        div class="grid wide" {
            @for mistake in &report.worst { (mistake_card(mistake)) }
        }
    }
}

fn mistake_card(mistake: &MistakeReport) -> Markup {
    html! {
        div class="card" {
            (PreEscaped(&mistake.drawing))
            div { code { (mistake.position) } }
            div {
                "played " span class="bad" { (mistake.mv) } " (" (signed(mistake.after)) "), best "
                span class="good" { (mistake.best.join(", ")) } " (" (signed(mistake.due)) ")"
            }
            div class="soft" {
                (mistake.lost) " lost" @if let Some(outcomes) = mistake.outcomes() { ", " (outcomes) }
            }
        }
    }
}

pub(super) fn refutation(line: &LineReport) -> Markup {
    html! {
        h2 { "How it is punished" }
        p {
            "The AI plays the " (line.side) " side. It could have had " (signed(line.due)) "; against best play it ends with " (signed(line.score)) "."
        }
        div class="film" {
            @for (number, step) in line.steps.iter().enumerate() {
                div class=(if number == line.mistake { "card marked" } else { "card" }) {
                    (PreEscaped(&step.drawing))
                    (number + 1) ". " (step.side) " plays " b { (step.mv) }
                    @if number == line.mistake { span class="bad" { ", the mistake" } }
                }
            }
            div class="card" {
                (PreEscaped(&line.drawing))
                "the end"
            }
        }
    }
}
