//! The report as a self-contained HTML page.
//!
//! The page loads nothing from elsewhere, and text from an AI is never treated as markup.
//! `style.css` has the layout. Pictures are boards of the worst mistakes, the boards of a line that
//! punishes one, and a bar chart of the mistakes by layer.

use super::PartReport;
use crate::check::judge::Part;
use crate::check::options::Criterion;
use crate::check::report::{LineReport, MistakeReport, Report};
use crate::draw;
use crate::draw::chart::{Bar, Bars, Scale, stripes};
use crate::draw::pieces::{Mark, legend};
use crate::text::{capitalised, count, harmless};
use maud::{DOCTYPE, Markup, PreEscaped, Render, html};
#[cfg(not(target_family = "wasm"))]
pub use suite::scorecard_page;
pub(crate) use tournament::tournament_page;

#[cfg(not(target_family = "wasm"))]
mod suite;
mod tournament;

const STYLE: [&str; 2] = [draw::STYLE, include_str!("style.css")];

/// Renders a report as an HTML page.
#[must_use]
pub fn page(report: &Report) -> String {
    let title = format!("{} at {}: {}", report.ai, report.game_title, report.verdict);
    framed(&title, &head(report), &sections(report))
}

/// Renders a self-contained page: its head, links to the sections, and the sections.
pub(crate) fn framed(title: &str, head: &Markup, sections: &[Section]) -> String {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                // Forbid scripts and external resources, whatever follows.
                meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'";
                title { (title) }
                style { (PreEscaped(STYLE.concat())) }
            }
            body {
                main {
                    (head)
                    (contents(sections))
                    @for (id, heading, section) in sections {
                        h2 id=(id) { (heading) }
                        (section)
                    }
                }
            }
        }
    }
    .into_string()
}

fn head(report: &Report) -> Markup {
    html! {
        h1 { (report.ai) " at " (report.game_title) }
        p class="soft" { (report.game) ", checked move by move against exact scores" }
        p {
            span class={ "verdict " (report.verdict) } { (report.verdict) }
            " " (capitalised(&report.reason())) "; asked: " (report.what_was_asked()) "."
        }
        @for (name, what) in report.warnings() { p { b { (name) ": " } (what) "." } }
    }
}

/// Section of the page: its anchor, heading and content.
pub(crate) type Section = (&'static str, String, Markup);

/// Returns the sections that have content.
fn sections(report: &Report) -> Vec<Section> {
    let mut sections = Vec::new();
    let mut add = |id, heading: &str, section| sections.push((id, heading.to_owned(), section));
    add("numbers", "Numbers", numbers(report));
    if !report.fault_list.is_empty() {
        add("faults", "Faults", faults(report));
    }
    add("rules", "Rules and scores", rules_and_scores(report));
    if report.mistakes.total > 0 {
        add("charts", "Where it goes wrong", mistakes(report));
    }
    let tables = report.tables();
    if !tables.is_empty() {
        add("tables", "What was asked, by parts", parts(&tables));
    }
    if !report.worst.is_empty() {
        add("worst", "The worst mistakes", worst(report));
    }
    if let Some(line) = &report.refutation_line {
        let boards = refutation(line, report.has_pictures);
        add("refutation", "How it is punished", boards);
    }
    sections
}

/// Returns links to the sections, because the page is long.
fn contents(sections: &[Section]) -> Markup {
    html! {
        nav aria-label="On this page" {
            ul {
                @for (id, heading, _) in sections { li { a href={ "#" (id) } { (heading) } } }
            }
        }
    }
}

fn numbers(report: &Report) -> Markup {
    html! {
        div class="grid" {
            @for (name, value, about) in report.figures() {
                div class="card" {
                    div class="soft" { (name) }
                    div class="big" { (value) }
                    div class="soft" { (about) }
                }
            }
        }
        p class="soft" {
            "Scope: " (report.scope) ". Criterion: " (report.criterion) "."
            @for remark in report.remarks() { " " (remark) "." }
        }
    }
}

fn parts(tables: &[(&str, &[PartReport])]) -> Markup {
    html! {
        @for (by, parts) in tables {
            @let rows = parts.iter().map(|part| (part.part.to_string(), part.cells()));
            div class="card" { (table(&[&[*by], &PartReport::COLUMNS[..]].concat(), rows)) }
        }
    }
}

/// Renders a table with one row per item: its name and its numbers.
pub(crate) fn table<C: Render, R: IntoIterator<Item = C>>(
    head: &[&str],
    rows: impl Iterator<Item = (String, R)>,
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

fn faults(report: &Report) -> Markup {
    html! {
        div class="grid wide" {
            @for group in &report.fault_groups {
                @let fault = &group.fault;
                div class="card" {
                    div { span class="bad" { (group.fault.kind) } " " code { (group.times_and_places()) } }
                    div { "The AI " (fault.detail) "." }
                    @if let Some(sent) = &fault.sent { div class="soft" { "It was sent: " code { (sent) } } }
                    @if !fault.stderr.is_empty() { pre class="soft" { @for line in fault.stderr.lines() { (harmless(line)) "\n" } } }
                }
            }
        }
    }
}

/// Explains the game's rules and the meaning of its scores.
fn rules_and_scores(report: &Report) -> Markup {
    html! {
        div class="text" {
            (paragraphs(&report.game_rules))
            p {
                "A " b { "score" } " is the result if both sides play their best from there on, as the side to move sees it: "
                @if report.counts_plies {
                    "a win in as few plies as possible, a draw, or a loss in as many as possible."
                } @else {
                    "above 0 it wins, 0 is a draw, below 0 it loses."
                }
            }
            p {
                "A " b { "best move" } " loses nothing of the score. A move that " b { "preserves the outcome" } " keeps at least the "
                b { "outcome" } ": win, draw or loss. A " b { "mistake" }
                @if report.criterion == Criterion::Outcome {
                    " loses the outcome; moves that lose only " (report.unit()) " don't count as mistakes in this check. "
                } @else {
                    " is any other move than a best one. "
                }
                "The " b { "regret" } " is the score before the move minus the score after it"
                @if report.counts_plies { ", in plies, of moves that keep a win or a loss" }
                "."
            }
        }
    }
}

/// Renders text whose paragraphs are separated by empty lines.
///
/// Indented paragraphs are preformatted. Lines that begin with a star or a dash form a list.
pub(crate) fn paragraphs(text: &str) -> Markup {
    let paragraphs = text.split("\n\n").map(|text| text.trim_matches('\n'));
    html! {
        @for paragraph in paragraphs.filter(|text| !text.is_empty()) {
            (one_paragraph(paragraph.trim_end()))
        }
    }
}

fn one_paragraph(text: &str) -> Markup {
    let item = |line: &str| line.starts_with("* ") || line.starts_with("- ");
    html! {
        @if text.lines().all(|line| line.starts_with(' ')) {
            pre { (text) }
        } @else if item(text) {
            ul {
                @for line in items(text) { li { (line) } }
            }
        } @else {
            p { (text) }
        }
    }
}

/// Returns the items of a list, each joined to one line.
fn items(text: &str) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    for line in text.lines() {
        let begun = line.strip_prefix("* ").or(line.strip_prefix("- "));
        match (begun, items.last_mut()) {
            (None, Some(last)) => {
                last.push(' ');
                last.push_str(line.trim());
            }
            _ => items.push(begun.unwrap_or(line).to_owned()),
        }
    }
    items
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_lists_and_drawings_are_recognised() {
        let text = "One <b>.\nStill one.\n\n\n  4 3\n  1 2\n\n* first\n  goes on\n* second\n";
        assert_eq!(
            paragraphs(text).into_string(),
            "<p>One &lt;b&gt;.\nStill one.</p><pre>  4 3\n  1 2</pre>\
             <ul><li>first goes on</li><li>second</li></ul>"
        );
        assert_eq!(paragraphs("").into_string(), "");
    }
}
