//! What a table holds, in charts.

use super::address::Line;
use super::chart::{self, Bar};
use super::frame::{Tab, page as framed};
use super::puzzles::seed_of;
use super::{parts, words};
use crate::any::AnyTable;
use crate::cli::info::{Layer, Report};
use crate::cli::serve::api::{ONLY_TABLES, report as report_on};
use crate::cli::serve::problem::Problem;
use crate::cli::serve::visit::{Visit, aside};
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
            (layers(&report))
            (scores(&report, drawn.iter().all(|answer| answer.is_whole)))
            (longest(&visit.entry.id, &drawn))
            (table_of_layers(&report))
        };
        let title = format!("Statistics: {title}");
        Ok(framed(&visit, Tab::Statistics, &title, None, &contents))
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
fn bar(report: &Report, layer: &Layer, parts: Vec<(&'static str, f64)>, words: &str) -> Bar {
    Bar {
        name: layer.layer.to_string(),
        parts,
        words: format!("{} {}: {words}", layer.layer, report.layer),
    }
}

fn layers(report: &Report) -> Markup {
    let outcomes = report.by_layer.iter().map(|layer| {
        let counts = [
            layer.outcomes.wins,
            layer.outcomes.draws,
            layer.outcomes.losses,
        ];
        let shares = counts.map(|count| share(count, layer.positions));
        let [wins, draws, losses] = shares.map(percent);
        let words = format!("{wins} won, {draws} drawn, {losses} lost");
        let parts = ["win", "draw", "loss"].into_iter().zip(shares);
        bar(report, layer, parts.collect(), &words)
    });
    let largest = report.by_layer.iter().map(|layer| layer.positions).max();
    let sizes = report.by_layer.iter().map(|layer| {
        let parts = vec![("size", share(layer.positions, largest.unwrap_or(1)))];
        let words = format!("{} classes", count(layer.positions));
        bar(report, layer, parts, &words)
    });
    html! {
        div class="charts" {
            figure {
                figcaption { "Outcomes for the side to move, by " (report.layer) }
                (chart::bars(outcomes, "100%", "0"))
                p class="soft legend" {
                    span class="swatch win" {} " wins " span class="swatch draw" {} " draws " span class="swatch loss" {} " losses"
                }
            }
            figure {
                figcaption { "Classes, by " (report.layer) }
                (chart::bars(sizes, &short(largest.unwrap_or(0)), "0"))
            }
        }
    }
}

/// A large number, for an axis.
fn short(number: u64) -> String {
    match number {
        0..10_000 => count(number),
        10_000..1_000_000 => format!("{:.0}k", number as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1}M", number as f64 / 1e6),
        _ => format!("{:.1}G", number as f64 / 1e9),
    }
}

/// `are_whole` says that scores are those of whole games.
fn scores(report: &Report, are_whole: bool) -> Markup {
    let mut sums: BTreeMap<i32, u64> = BTreeMap::new();
    let counts = report.by_layer.iter().flat_map(|layer| &layer.scores);
    counts.for_each(|(&score, &number)| *sums.entry(score).or_default() += number);
    let largest = sums.values().copied().max().unwrap_or(1);
    let bars = sums.iter().map(|(&score, &number)| Bar {
        name: words::signed(score),
        parts: vec![(super::board::class_of(score), share(number, largest))],
        words: format!("score {}: {} classes", words::signed(score), count(number)),
    });
    html! {
        div class="charts" {
            figure {
                figcaption {
                    "Scores" @if !are_whole { " of the rest of the game" } ", for the side to move"
                }
                (chart::bars(bars, &short(largest), "0"))
            }
            (scores_by_layer(report))
        }
    }
}

/// From the lowest score of each layer to its highest, and where the mean is.
fn scores_by_layer(report: &Report) -> Markup {
    let lowest = report.by_layer.iter().map(|layer| layer.lowest_score).min();
    let highest = report
        .by_layer
        .iter()
        .map(|layer| layer.highest_score)
        .max();
    let (lowest, highest) = (lowest.unwrap_or(0), highest.unwrap_or(0));
    let share = |length: f64| length / f64::from((highest - lowest).max(1));
    let bars = report.by_layer.iter().map(|layer| {
        let [low, high] = [layer.lowest_score, layer.highest_score];
        let parts = vec![
            ("gap", share(f64::from(low - lowest))),
            ("below", share(layer.mean_score - f64::from(low))),
            ("above", share(f64::from(high) - layer.mean_score)),
        ];
        let (low, high) = (words::signed(low), words::signed(high));
        let mean = mean(layer.mean_score);
        let words = format!("scores from {low} to {high}, {mean} on average");
        bar(report, layer, parts, &words)
    });
    html! {
        figure {
            figcaption { "Lowest, mean and highest score, by " (report.layer) }
            (chart::bars(bars, &words::signed(highest), &words::signed(lowest)))
            p class="soft legend" {
                span class="swatch below" {} " lowest to mean " span class="swatch above" {} " mean to highest"
            }
        }
    }
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
    html! {
        h2 { "The numbers" }
        div class="scroll" tabindex="0" role="region" aria-label="Numbers by layer" {
            table {
                thead {
                    tr {
                        @for name in [&*report.layer, "classes", "wins", "draws", "losses", "lowest", "mean", "highest"] {
                            th scope="col" { (name) }
                        }
                    }
                }
                tbody {
                    @for layer in &report.by_layer {
                        tr {
                            th scope="row" { (layer.layer) }
                            td { (count(layer.positions)) }
                            @for part in [layer.outcomes.wins, layer.outcomes.draws, layer.outcomes.losses] { td { (percent(share(part, layer.positions))) } }
                            td { (words::signed(layer.lowest_score)) }
                            td { (mean(layer.mean_score)) }
                            td { (words::signed(layer.highest_score)) }
                        }
                    }
                }
            }
        }
        p class="soft" { "Rules: " code { (report.rules) } }
    }
}
