//! The report as a self-contained HTML page.
//!
//! The page loads nothing from elsewhere, and text from an AI is never treated as markup.
//! `style.css` has the layout, and `charts` and `boards` have the pictures. The other sections are
//! in this module.

mod boards;
mod charts;
mod tournament;

use super::{PartReport, Report};
use crate::check::judge::Part;
use crate::check::options::Criterion;
use crate::draw;
use crate::text::{capitalised, harmless};
use boards::{refutation, worst};
use charts::mistakes;
use maud::{DOCTYPE, Markup, PreEscaped, Render, html};
pub(crate) use tournament::tournament_page;

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
    let knows_rules = html! {
        p { (capitalised(&report.rules_sentence())) "." }
        @for doubt in report.doubts() { p class="bad" { (doubt) "." } }
    };
    add("knows-rules", "Does it know the rules?", knows_rules);
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

/// Links to the sections, because the page is long.
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
