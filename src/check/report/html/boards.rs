//! Boards of the worst mistakes and of a line that punishes one.

use crate::check::report::{LineReport, MistakeReport, Report};
use crate::draw::marks::{Mark, legend};
use maud::{Markup, PreEscaped, html};

/// Returns the column width for a list of boards: the widest drawing, in pixels.
fn columns<'a>(drawings: impl Iterator<Item = &'a str>) -> String {
    let width = |drawing: &str| {
        let (_, rest) = drawing.split_once(" width=\"")?;
        rest.split('"').next()?.parse::<usize>().ok()
    };
    let widest = drawings.filter_map(width).max().unwrap_or(0);
    format!("--board:{widest}px")
}

pub(super) fn worst(report: &Report) -> Markup {
    let columns = columns(report.worst.iter().map(|mistake| &*mistake.drawing));
    html! {
        p {
            "Each board shows a position before the AI's move. In brackets: the "
            a href="#rules" { "score" } " after the move, as the AI's side sees it."
        }
        @if report.has_pictures { (legend(&[Mark::Mistake, Mark::Best])) }
        ol class="boards" style=(columns) {
            @for mistake in &report.worst { li { (mistake_card(report, mistake)) } }
        }
    }
}

fn mistake_card(report: &Report, worst: &MistakeReport) -> Markup {
    let mistake = &worst.mistake;
    html! {
        figure class="card" {
            (PreEscaped(&worst.drawing))
            figcaption {
                div {
                    "played " span class="bad" { (mistake.mv) } " (" (report.said(mistake.after)) "), best "
                    span class="good" { (mistake.best.join(", ")) } " (" (report.said(mistake.target)) ")"
                }
                div class="soft" { (report.cost(worst)) }
                div { code { (mistake.position) } }
            }
        }
    }
}

pub(super) fn refutation(line: &LineReport, has_pictures: bool) -> Markup {
    let steps = line.steps.iter().map(|step| &*step.drawing);
    let columns = columns(steps.chain([&*line.drawing]));
    html! {
        p { (line.story()) }
        p { "Each board shows a position and the move that is made in it." }
        @if has_pictures { (legend(&[Mark::Made, Mark::Mistake, Mark::Best, Mark::Last])) }
        ol class="boards" style=(columns) {
            @for (number, step) in line.steps.iter().enumerate() {
                li {
                    figure class=(if number == line.mistake { "card marked" } else { "card" }) {
                        (PreEscaped(&step.drawing))
                        figcaption {
                            (number + 1) ". " (step.side) " plays " b { (step.mv) }
                            @if number == line.mistake { span class="bad" { ", the mistake" } }
                        }
                    }
                }
            }
            li {
                figure class="card" {
                    (PreEscaped(&line.drawing))
                    figcaption { "the end" (line.repetition()) }
                }
            }
        }
    }
}
