//! The report as a self-contained HTML page.
//!
//! The page loads nothing from elsewhere, and text from an AI is never treated as markup.
//! `style.css` has the layout, `charts` and `boards` have the pictures, and `rules` explains the
//! rules and scores. The other sections are in this module.

mod boards;
mod charts;
mod rules;
mod tournament;

use super::{PartReport, Report};
use crate::check::judge::Part;
use crate::game::drawing::surface;
use crate::text::{capitalised, harmless};
use boards::{refutation, worst};
use charts::mistakes;
use maud::{DOCTYPE, Markup, PreEscaped, Render, html};
#[cfg(feature = "serve")]
pub(crate) use rules::paragraphs;
use rules::rules_and_scores;
pub use tournament::tournament_page;

const STYLE: [&str; 2] = [surface::STYLE, include_str!("style.css")];

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
            @for figure in report.figures() {
                div class="card" {
                    div class="soft" { (figure.name) }
                    div class="big" { (figure.value) }
                    div class="soft" { (figure.about) }
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
