//! The pages about a game: its rules, and the statistics of its table in charts and numbers.

use super::frame::page as framed;
use super::{parts, words};
use crate::check::html::{paragraphs, table};
use crate::cli::info::{Distances, Report};
use crate::cli::serve::api::{ONLY_TABLES, report as report_on};
use crate::cli::serve::host::blocking;
use crate::cli::serve::problem::Problem;
use crate::cli::serve::visit::Visit;
use crate::draw::chart::{Bar, Bars, Scale};
use crate::game::Points;
use crate::text::{bytes, count, percent, plies};
use axum::response::Response;
use maud::{Markup, html};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Returns the page of a table's statistics.
pub async fn statistics(visit: Visit) -> Result<Response, Problem> {
    let table = Arc::clone(visit.table(ONLY_TABLES)?);
    blocking(move || {
        let report = report_on(&*table)?;
        let example = table.view(Some(&table.start()), &[])?;
        let title = table.title();
        let contents = html! {
            h1 { (title) }
            (facts(&report))
            div class="charts" {
                (outcomes(&report))
                @match &report.distances {
                    Some(by) => (distances(by)),
                    // The scores of classes leave out points already won.
                    None => (scores(&report, example.banked.is_none())),
                }
            }
            (table_of_layers(&report))
        };
        let title = format!("Statistics: {title}");
        Ok(framed(&visit, "statistics", &title, None, &contents))
    })
    .await
}

fn share(part: u64, of: u64) -> f64 {
    part as f64 / of.max(1) as f64
}

fn facts(report: &Report) -> Markup {
    let of = |part: u64| percent(share(part, report.classes));
    html! {
        ul class="figures" {
            li { b { (count(report.classes)) } span { "classes of positions" } }
            li { b { (bytes(report.bytes)) } span { (format!("{:.2}", report.bits_per_class)) " bits per class" } }
            li { b class="win" { (of(report.outcomes.wins)) } span { "the side to move wins" } }
            li { b class="draw" { (of(report.outcomes.draws)) } span { "drawn" } }
            li { b class="loss" { (of(report.outcomes.losses)) } span { "the side to move loses" } }
        }
    }
}

fn outcomes(report: &Report) -> Markup {
    let classes = ["win", "draw", "loss"];
    let bars = report.by_layer.iter().map(|layer| {
        let outcomes = &layer.outcomes;
        let counts = [outcomes.wins, outcomes.draws, outcomes.losses];
        let shares = counts.map(|count| share(count, layer.classes));
        let [wins, draws, losses] = shares.map(percent);
        Bar {
            at: layer.layer.into(),
            title: format!(
                "{} {}: {wins} won, {draws} drawn, {losses} lost",
                layer.layer, report.layer_name
            ),
            parts: shares.into_iter().zip(classes).collect(),
        }
    });
    let [win, draw, loss] = classes;
    Bars {
        caption: &format!("Outcomes for the side to move, by {}", report.layer_name),
        across: &report.layer_name,
        up: "share of the classes",
        scale: Scale::of_shares,
        bars: bars.collect(),
        legend: &[(win, "wins"), (draw, "draws"), (loss, "losses")],
    }
    .figure()
}

/// Returns the chart of scores. `are_whole` says that they are scores of whole games.
fn scores(report: &Report, are_whole: bool) -> Markup {
    let mut sums: BTreeMap<Points, u64> = BTreeMap::new();
    let points = report
        .by_layer
        .iter()
        .filter_map(|layer| layer.points.as_ref());
    let counts = points.flat_map(|points| &points.scores);
    counts.for_each(|(&score, &number)| *sums.entry(score).or_default() += number);
    let bars = sums.into_iter().map(|(score, number)| Bar {
        at: score.units.into(),
        title: format!(
            "score {}: {} classes",
            words::signed(score.value()),
            count(number)
        ),
        parts: vec![(number as f64, parts::class_of(score.units))],
    });
    let rest = if are_whole {
        ""
    } else {
        " of the rest of the game"
    };
    Bars {
        caption: &format!("Scores{rest}, for the side to move"),
        across: "score",
        up: "classes",
        scale: Scale::of_counts,
        bars: bars.collect(),
        legend: &[],
    }
    .figure()
}

/// Returns the chart of distances.
fn distances(by: &Distances) -> Markup {
    let (wins, losses) = (&by.wins_by_distance, &by.losses_by_distance);
    let all: BTreeSet<u32> = wins.keys().chain(losses.keys()).copied().collect();
    let bars = all.into_iter().map(|distance| {
        let [wins, losses] = [wins, losses].map(|of| of.get(&distance).copied().unwrap_or(0));
        Bar {
            at: distance.into(),
            title: format!(
                "{}: {} won and {} lost classes",
                plies(distance),
                count(wins),
                count(losses)
            ),
            parts: vec![(wins as f64, "win"), (losses as f64, "loss")],
        }
    });
    Bars {
        caption: "Distances of wins and losses, for the side to move",
        across: "plies to the end",
        up: "classes",
        scale: Scale::of_counts,
        bars: bars.collect(),
        legend: &[("win", "wins"), ("loss", "losses")],
    }
    .figure()
}

fn table_of_layers(report: &Report) -> Markup {
    let head = [&[&*report.layer_name], &report.columns()[..]].concat();
    let rows = report.by_layer.iter().map(|layer| {
        let cells = layer.cells().into_iter();
        let cells = cells.map(|cell| cell.replace('-', "\u{2212}"));
        (layer.layer.to_string(), cells)
    });
    html! {
        h2 { "The numbers" }
        div class="scroll" tabindex="0" role="region" aria-label="Numbers by layer" { (table(&head, rows)) }
        p class="soft" { "Rules: " code { (report.rules) } }
    }
}

/// Returns the page of a game's rules.
pub async fn rules(visit: Visit) -> Result<Response, Problem> {
    let (game, oracle) = (&visit.entry.game, &visit.source.oracle);
    let view = visit.view(Some(&oracle.start()), &[]).await?;
    let what = if game.has_start() {
        "The start"
    } else {
        "An example"
    };
    let contents = html! {
        section class="narrow" {
            h1 { "Rules and scores" }
            figure {
                (parts::board(&view, &parts::Links::default()))
                figcaption class="soft" { (what) ", written as " code { (view.position) } }
            }
            (paragraphs(game.rules_in_words()))
            p class="soft" { "In tables and for programs: " code { (game.rules()) } }
        }
    };
    let title = format!("Rules of {}", oracle.title());
    Ok(framed(&visit, "rules", &title, None, &contents))
}
