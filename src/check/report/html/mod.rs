//! The report as one self-contained page: nothing is loaded from elsewhere, and whatever an AI
//! wrote is text, never markup.
//!
//! `style.css`, how it looks; `charts` and `boards`, its pictures; `rules`, what
//! one must know to read it; all the rest is here.

mod boards;
mod charts;
mod rules;

use super::{LayerReport, Report, StoppedBy, Verdict};
use crate::check::judge::statistics::{Estimate, Mean};
use crate::check::judge::{LayerTally, TopicReport};
use crate::game::drawing::surface;
use crate::text::{capitalised, count, harmless, percent, time};
use boards::{refutation, worst};
pub(crate) use charts::table;
use charts::{charts, heading};
use maud::{DOCTYPE, Markup, PreEscaped, html};
#[cfg(feature = "serve")]
pub(crate) use rules::paragraphs;
use rules::rules_and_scores;

const STYLE: [&str; 2] = [surface::STYLE, include_str!("style.css")];

/// The page.
#[must_use]
pub fn page(report: &Report) -> String {
    let title = format!(
        "{} at {}: {}",
        report.ai,
        report.game_title,
        report.verdict.name()
    );
    let sections = sections(report);
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                // Nothing may run and nothing may be loaded, whatever stands below.
                meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'";
                title { (title) }
                style { (PreEscaped(STYLE.concat())) }
            }
            body {
                main {
                    (head(report))
                    (contents(&sections))
                    @for (id, heading, section) in &sections {
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
        p { span class={ "verdict " (report.verdict.name()) } { (report.verdict.name()) } " " (sentence(report)) }
        @if let Some(cause) = &report.likely_cause { p { b { "Likely cause: " } (cause) "." } }
        @if let Some(how) = report.inconstancy() { p { b { "Answers vary: " } (how) "." } }
    }
}

/// A section's name in addresses, its heading, and what stands below that.
type Section = (&'static str, String, Markup);

/// The sections that there is something to show in.
fn sections(report: &Report) -> Vec<Section> {
    let mut sections = Vec::new();
    let mut add = |id, heading: &str, section| sections.push((id, heading.to_owned(), section));
    add("numbers", "Numbers", numbers(report));
    if !report.by_plays.is_empty() {
        let plays = report.by_plays.iter();
        let rows = plays.map(|of| (of.plays, of.tally, of.regret));
        add("plays", "By plays", counts("Positions from", rows));
    }
    if report.by_side.len() > 1 {
        let sides = report.by_side.iter();
        let rows = sides.map(|of| (of.side, of.tally, of.regret));
        add("sides", "By side", counts("Side to move", rows));
    }
    if !report.fault_list.is_empty() {
        add("faults", "Faults", faults(report));
    }
    add("rules", "Rules and scores", rules_and_scores(report));
    add(
        "knows-rules",
        "Does it know the rules?",
        knows_rules(report),
    );
    if !report.by_layer.is_empty() {
        add("charts", &heading(report), charts(report));
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

/// Ways to the sections, for a page that is long.
fn contents(sections: &[Section]) -> Markup {
    html! {
        nav aria-label="On this page" {
            ul {
                @for (id, heading, _) in sections { li { a href={ "#" (id) } { (heading) } } }
            }
        }
    }
}

fn sentence(report: &Report) -> String {
    let (asked, mistakes) = (count(report.asked), count(report.mistakes.total));
    let found = match report.verdict {
        Verdict::Perfect | Verdict::Unfinished => "No mistake".to_owned(),
        Verdict::Imperfect => format!("{mistakes} mistakes"),
        Verdict::Faulty => format!("{} faults and {mistakes} mistakes", report.faults.total()),
    };
    let (coverage, stopped) = (&report.coverage, stopped(report));
    format!("{found} in {asked} positions: {coverage}{stopped}.")
}

fn stopped(report: &Report) -> &'static str {
    match report.stopped_by {
        None if report.unsettled > 0 => "; not all were settled in time",
        None => "",
        Some(StoppedBy::Faults) => "; stopped early",
        Some(StoppedBy::Time) => "; stopped early, because the time was up",
        Some(StoppedBy::Interrupt) => "; stopped early, by an interrupt",
    }
}

fn numbers(report: &Report) -> Markup {
    let estimates = report.estimates.as_ref();
    let mistakes = &report.mistakes;
    let kinds = format!(
        "{} win to draw, {} win to loss, {} draw to loss, {} of score only",
        count(mistakes.win_to_draw),
        count(mistakes.win_to_loss),
        count(mistakes.draw_to_loss),
        count(mistakes.score_only)
    );
    html! {
        div class="grid" {
            (rate_card("Best moves", report.perfect_rate(), estimates.map(|of| (of.perfect_moves, of.over))))
            (rate_card("Good moves (outcome kept)", report.good_rate(), estimates.map(|of| (of.good_moves, of.over))))
            (card("Mistakes", &count(mistakes.total), Some(&kinds)))
            (card("Points lost", &count(report.score_lost), None))
            @if let Some(regret) = report.regret {
                (card("Regret (points lost a move)", &mean(regret.mean), interval(regret).as_deref()))
            }
            @if report.unsettled > 0 {
                (card("Not settled in time", &count(report.unsettled), Some("in no rate and no other count")))
            }
            @if let Some(seconds) = report.seconds_per_move {
                (card("Time per move", &time(seconds), None))
            }
        }
        p class="soft" {
            "Scope: " (report.scope) ". Standard: " (report.standard) "."
            @if report.costs_only_score() { " No mistake changes who wins: they cost only score." }
            @if let Some(excuse) = report.excuse() { " " (excuse) "." }
            @if let Some(of) = estimates { " Estimates of the true rates: " (of.method) "." }
        }
    }
}

/// A number with its name, and what is to be known about it.
fn card(name: &str, number: &str, about: Option<&str>) -> Markup {
    html! {
        div class="card" {
            div class="soft" { (name) }
            div class="big" { (number) }
            @if let Some(about) = about { div class="soft" { (about) } }
        }
    }
}

fn rate_card(name: &str, rate: f64, estimate: Option<(Estimate, &str)>) -> Markup {
    html! {
        div class="card" {
            div class="soft" { (name) }
            div class="big" { (percent(rate)) }
            div class="track" { i style={ "width:" (format!("{:.2}", 100.0 * rate)) "%" } {} }
            @if let Some((of, over)) = estimate {
                div class="soft" { (over) " " (percent(of.rate)) " (" (percent(of.low)) " to " (percent(of.high)) ")" }
            }
        }
    }
}

/// A mean with three places.
fn mean(mean: f64) -> String {
    format!("{mean:.3}")
}

/// A mean's interval, if it has one.
fn interval(of: Mean) -> Option<String> {
    let (low, high) = of.low.zip(of.high)?;
    Some(format!("{} to {}, 95%", mean(low), mean(high)))
}

/// A section with counts: what each row is about, its counts, and its regret.
fn counts<'a>(
    corner: &str,
    rows: impl Iterator<Item = (&'a str, LayerTally, Option<Mean>)>,
) -> Markup {
    let head = [
        corner,
        "Asked",
        "Best moves",
        "Outcome kept",
        "Mistakes",
        "Regret",
    ];
    let rows = rows.map(|(name, tally, regret)| {
        let share = |of: u64| percent(of as f64 / tally.asked.max(1) as f64);
        let cells = [
            html! { (count(tally.asked)) },
            html! { (share(tally.perfect_moves)) },
            html! { (share(tally.good_moves)) },
            html! { (count(tally.mistakes)) },
            html! {
                @if let Some(regret) = regret {
                    (mean(regret.mean))
                    @if let Some(interval) = interval(regret) { div class="soft" { (interval) } }
                }
            },
        ];
        (name.to_owned(), cells)
    });
    html! { div class="card" { (table(&head, rows)) } }
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

fn knows_rules(report: &Report) -> Markup {
    let rules = &report.rules;
    html! {
        p { (capitalised(&report.rules_sentence())) "." }
        div class="card" {
            table {
                caption { "Positions asked about each rule, and in how many of them its move was a best one" }
                thead {
                    tr { th scope="col" { "About" } th scope="col" { "Asked" } th scope="col" { "Best move" } }
                }
                tbody {
                    @for topic in [&rules.forced, &rules.simple].into_iter().chain(&rules.topics) {
                        (topic_row(topic))
                    }
                }
            }
        }
    }
}

fn topic_row(topic: &TopicReport) -> Markup {
    html! {
        tr {
            th scope="row" {
                @if topic.suspect { span class="bad" { (topic.topic) ": in doubt" } } @else { (topic.topic) }
                @if let (true, Some((position, mv))) = (topic.suspect, &topic.example) {
                    div class="soft" { "played " (mv) " in " code { (position) } }
                }
            }
            td { (topic.asked) }
            td { (topic.best) }
        }
    }
}
