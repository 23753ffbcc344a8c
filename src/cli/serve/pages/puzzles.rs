//! Puzzles: positions with a single winning move.

use super::address::{Line, address};
use super::frame::page as framed;
use super::scene::{Scene, known, links, score_of};
use super::{board, parts, words};
use crate::any::{AnyOracle, View};
use crate::cli::serve::aside::aside;
use crate::cli::serve::problem::Problem;
use crate::cli::serve::visit::Visit;
use crate::oracle::Answer;
use axum::response::Response;
use maud::{Markup, html};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Number of puzzles on a page, fewer if they are rare.
const PUZZLES: usize = 6;
/// Maximum number of positions to sample for the puzzles of a page.
const DRAWN: usize = 2000;
/// Maximum time to sample, which matters on slow disks.
const TIME: Duration = Duration::from_secs(3);

/// A puzzle.
struct Puzzle {
    view: View,
    answer: Answer,
}

pub async fn page(visit: Visit) -> Result<Response, Problem> {
    let seed = visit.params.number("seed", 1, u64::MAX)?;
    let table = visit.table("puzzles need a table")?;
    let (own, id) = (Arc::clone(table), &visit.entry.id);
    let puzzles = aside(move || draw(&*own, seed)).await?;
    let next = address("puzzles", id, &[("seed", seed.wrapping_add(1).to_string())]);
    let contents = html! {
        section class="hero" {
            h1 { "Find the only winning move" }
            p {
                "In each of these positions exactly one move wins. Choose it on the board."
                @if puzzles.iter().any(|puzzle| !puzzle.answer.is_whole) {
                    " Points already won don't count: the side that gets more of the remaining points wins."
                }
            }
        }
        @if puzzles.is_empty() { p { "There is no puzzle among the sampled positions; try other ones." } }
        ul class="games puzzles" {
            @for (number, puzzle) in (1..).zip(&puzzles) {
                li { (card(&**table, id, seed, number, puzzle)) }
            }
        }
        p { a class="button strong" href=(next) { "Other puzzles \u{2192}" } }
    };
    let title = format!("Puzzles: {}", table.title());
    Ok(framed(&visit, "puzzles", &title, None, &contents))
}

/// Whether exactly one of several moves wins.
fn is_puzzle(answer: &Answer) -> bool {
    let moves = answer.moves.as_deref().unwrap_or_default();
    moves.len() > 1 && moves[0].1 > 0 && moves[1].1 <= 0
}

fn draw(table: &dyn crate::any::AnyTable, seed: u64) -> Result<Vec<Puzzle>, Problem> {
    let began = Instant::now();
    let mut found: Vec<Answer> = Vec::new();
    let mut drawn = 0;
    table.draw(seed, &mut |answer| {
        drawn += 1;
        let is_new = found.iter().all(|other| other.position != answer.position);
        if is_new && is_puzzle(&answer) {
            found.push(answer);
        }
        found.len() < PUZZLES && drawn < DRAWN && began.elapsed() < TIME
    })?;
    let puzzles = found.into_iter().map(|answer| {
        let view = table.view(Some(&answer.position), &[])?;
        Ok(Puzzle { view, answer })
    });
    puzzles.collect()
}

fn card(oracle: &dyn AnyOracle, id: &str, seed: u64, number: usize, puzzle: &Puzzle) -> Markup {
    let line = Line::new(id, Some(puzzle.answer.position.clone()));
    let to = |mv: &str| format!("{}&puzzle={seed}", line.then(mv).explore());
    let links = links(oracle, &puzzle.view, None, to);
    let best = puzzle.answer.best_moves().next().unwrap_or_default();
    let score = puzzle.answer.in_words(puzzle.answer.bounds.lower);
    html! {
        section class="card" aria-labelledby={ "puzzle" (number) } {
            h2 id={ "puzzle" (number) } { "Puzzle " (number) }
            (parts::turn(&puzzle.view))
            (board::board(&puzzle.view, &links))
            (parts::beside_board(&links))
            details {
                summary { "The answer" }
                p {
                    (crate::text::capitalised(&words::of_move(oracle, best))) " " (score.effect())
                    @if !puzzle.answer.is_whole { ", counting only the rest of the game" }
                    ". " a href=(line.explore()) { "All moves" }
                }
            }
        }
    }
}

/// The verdict on the move that the user tried, if the page is about a puzzle.
///
/// Exactly one move should win there.
pub async fn verdict(scene: &Scene) -> Result<Option<Markup>, Problem> {
    let seed = scene.visit.params.filled("puzzle");
    let seed = seed.and_then(|seed| seed.parse::<u64>().ok());
    let (Some(seed), Some(from), [mv]) = (seed, &scene.line.from, &scene.line.played[..]) else {
        return Ok(None);
    };
    let Some(tried) = score_of(&known(&scene.visit, from).await?, mv) else {
        return Ok(None);
    };
    let mv = words::of_move(scene.oracle(), mv);
    let seed = [("seed", seed.to_string())];
    let puzzles = address("puzzles", &scene.line.game, &seed);
    Ok(Some(html! {
        @if tried.score > 0 {
            p class="tried right" { b { "Right: " } (mv) " is the only move that wins." }
        } @else {
            p class="tried wrong" { b { "Not this one: " } (mv) " " (tried.effect()) ", and another move wins." }
        }
        p class="buttons" { a class="button" href=(puzzles) { "Back to the puzzles" } }
    }))
}
