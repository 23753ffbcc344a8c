//! What a table holds, in charts.

use super::address::Line;
use super::frame::page as framed;
use super::puzzles::seed_of;
use super::{parts, words};
use crate::any::AnyTable;
use crate::check::html::table;
use crate::cli::info::{Layer, Report};
use crate::cli::serve::api::{ONLY_TABLES, report as report_on};
use crate::cli::serve::problem::Problem;
use crate::cli::serve::visit::{Visit, aside};
use crate::game::drawing::chart::{Bar, Bars, Fill};
use crate::game::drawing::scale::Scale;
use crate::oracle::Answer;
use crate::text::{bytes, count, counted, percent};
use axum::response::Response;
use maud::{Markup, html};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// So many positions are drawn to find long wins,
const DRAWN: usize = 60;
/// more of them while that takes no longer than this,
const MOST_DRAWN: usize = 20_000;
const QUICK: Duration = Duration::from_millis(25);
/// and fewer where that takes longer than this, on a slow disk.
const TIME: Duration = Duration::from_secs(3);
/// So many of them are shown.
const LONGEST: usize = 5;

pub async fn page(visit: Visit) -> Result<Response, Problem> {
    let seed = seed_of(&visit.params)?;
    let table = Arc::clone(visit.table(ONLY_TABLES)?);
    aside(move || {
        let (report, drawn) = (report_on(table.file())?, draw(&*table, seed)?);
        let title = table.title();
        let contents = html! {
            h1 { (title) }
            (facts(&report))
            div class="charts" {
                (outcomes(&report))
                (sizes(&report))
                (scores(&report, drawn.iter().all(|answer| answer.is_whole)))
            }
            (longest(&visit.entry.id, &drawn))
            (table_of_layers(&report))
        };
        let title = format!("Statistics: {title}");
        Ok(framed(&visit, "statistics", &title, None, &contents))
    })
    .await
}

fn draw(table: &dyn AnyTable, seed: u64) -> Result<Vec<Answer>, Problem> {
    let began = Instant::now();
    let mut drawn = BTreeMap::new();
    let mut number = 0;
    table.draw(seed, true, &mut |answer| {
        number += 1;
        drawn.insert(answer.position.clone(), answer);
        let most = if began.elapsed() < QUICK {
            MOST_DRAWN
        } else {
            DRAWN
        };
        number < most && began.elapsed() < TIME
    })?;
    Ok(drawn.into_values().collect())
}

fn share(part: u64, of: u64) -> f64 {
    part as f64 / of.max(1) as f64
}

fn facts(report: &Report) -> Markup {
    let of = |part: u64| percent(share(part, report.positions));
    html! {
        ul class="figures" {
            li { b { (count(report.positions)) } span { "classes of positions" } }
            li { b { (bytes(report.bytes)) } span { (format!("{:.2}", report.bits_per_position)) " bits a class" } }
            li { b class="win" { (of(report.outcomes.wins)) } span { "the side to move wins" } }
            li { b class="draw" { (of(report.outcomes.draws)) } span { "drawn" } }
            li { b class="loss" { (of(report.outcomes.losses)) } span { "the side to move loses" } }
        }
    }
}

/// The bar of a layer.
fn bar(report: &Report, layer: &Layer, words: &str, parts: Vec<(f64, Fill)>) -> Bar {
    Bar {
        at: layer.layer.into(),
        title: format!("{} {}: {words}", layer.layer, report.layer),
        parts,
    }
}

fn outcomes(report: &Report) -> Markup {
    let fills = ["win", "draw", "loss"].map(Fill::Plain);
    let bars = report.by_layer.iter().map(|layer| {
        let outcomes = &layer.outcomes;
        let counts = [outcomes.wins, outcomes.draws, outcomes.losses];
        let shares = counts.map(|count| share(count, layer.positions));
        let [wins, draws, losses] = shares.map(percent);
        let words = format!("{wins} won, {draws} drawn, {losses} lost");
        bar(
            report,
            layer,
            &words,
            shares.into_iter().zip(fills).collect(),
        )
    });
    let [win, draw, loss] = fills;
    Bars {
        caption: &format!("Outcomes for the side to move, by {}", report.layer),
        across: &report.layer,
        up: "share of the classes",
        scale: Scale::of_shares,
        bars: bars.collect(),
        legend: &[(win, "wins"), (draw, "draws"), (loss, "losses")],
    }
    .figure()
}

fn sizes(report: &Report) -> Markup {
    let bars = report.by_layer.iter().map(|layer| {
        let parts = vec![(layer.positions as f64, Fill::Plain("size"))];
        let words = format!("{} classes", count(layer.positions));
        bar(report, layer, &words, parts)
    });
    Bars {
        caption: &format!("Classes, by {}", report.layer),
        across: &report.layer,
        up: "classes",
        scale: Scale::of_counts,
        bars: bars.collect(),
        legend: &[],
    }
    .figure()
}

/// `are_whole` says that scores are those of whole games.
fn scores(report: &Report, are_whole: bool) -> Markup {
    let mut sums: BTreeMap<i32, u64> = BTreeMap::new();
    let counts = report.by_layer.iter().flat_map(|layer| &layer.scores);
    counts.for_each(|(&score, &number)| *sums.entry(score).or_default() += number);
    let bars = sums.into_iter().map(|(score, number)| Bar {
        at: score.into(),
        title: format!("score {}: {} classes", words::signed(score), count(number)),
        parts: vec![(number as f64, Fill::Plain(super::board::class_of(score)))],
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

/// A mean with two places.
fn mean(score: f64) -> String {
    format!("{score:.2}").replace('-', "\u{2212}")
}

/// The longest wins among the positions that were drawn.
fn longest(id: &str, drawn: &[Answer]) -> Markup {
    let mut wins: Vec<(&Answer, usize)> = drawn
        .iter()
        .filter(|answer| answer.bounds.lower > 0)
        .map(|answer| (answer, answer.line.as_ref().map_or(0, Vec::len)))
        .collect();
    wins.sort_by_key(|win| std::cmp::Reverse(win.1));
    wins.truncate(LONGEST);
    html! {
        @if !wins.is_empty() {
            h2 { "Long wins" }
            p class="soft" { "The longest lines of best play to a win, among " (drawn.len()) " positions drawn at random." }
            ol class="mistakes wins" {
                @for (answer, moves) in wins {
                    @let line = Line { game: id.to_owned(), from: Some(answer.position.clone()), played: Vec::new() };
                    li {
                        (parts::pill(answer.bounds.lower)) " in " (counted(moves, "move")) ": "
                        a href=(line.explore()) { code { (answer.position) } }
                    }
                }
            }
        }
    }
}

fn table_of_layers(report: &Report) -> Markup {
    let head = [
        &*report.layer,
        "classes",
        "wins",
        "draws",
        "losses",
        "lowest",
        "mean",
        "highest",
    ];
    let rows = report.by_layer.iter().map(|layer| {
        let outcomes = &layer.outcomes;
        let of = |part: u64| percent(share(part, layer.positions));
        let cells = [
            count(layer.positions),
            of(outcomes.wins),
            of(outcomes.draws),
            of(outcomes.losses),
            words::signed(layer.lowest_score),
            mean(layer.mean_score),
            words::signed(layer.highest_score),
        ];
        (layer.layer.to_string(), cells)
    });
    html! {
        h2 { "The numbers" }
        div class="scroll" tabindex="0" role="region" aria-label="Numbers by layer" { (table(&head, rows)) }
        p class="soft" { "Rules: " code { (report.rules) } }
    }
}
