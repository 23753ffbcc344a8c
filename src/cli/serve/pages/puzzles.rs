//! Puzzles: a sheet of six, which can be printed, and a page for each.

use super::frame::{page as framed, problem_notice};
use super::parts::{self, Links};
use super::scene::links;
use super::words;
use crate::any::AnyTable;
use crate::cli::serve::address::{GameLine, address, names, value_of};
use crate::cli::serve::blocking::{blocking, blocking_while_awaited};
use crate::cli::serve::problem::Problem;
use crate::cli::serve::puzzles::{Choice, DEEPEST, Level, PUZZLES, Puzzle, find, sample};
use crate::cli::serve::visit::Visit;
use crate::text::capitalised;
use crate::text::encode_part;
use axum::extract::Path;
use axum::response::Response;
use maud::{Markup, html};
use std::sync::Arc;

/// Returns the page of a game's puzzles.
pub async fn page(visit: Visit) -> Result<Response, Problem> {
    let choice = Choice::of(&visit.params)?;
    let table = Arc::clone(visit.table("puzzles need a table")?);
    blocking_while_awaited(move |is_awaited| {
        let puzzles = sample(&*table, choice, is_awaited)?;
        let contents = sheet(&*table, &visit, choice, &puzzles)?;
        let title = format!("Puzzles: {}", table.title());
        Ok(framed(&visit, "puzzles", &title, None, &contents))
    })
    .await
}

/// Returns the page of one puzzle, with the verdict on a move that was tried.
pub async fn one(visit: Visit, Path((_, id)): Path<(String, String)>) -> Result<Response, Problem> {
    let choice = Choice::of(&visit.params)?;
    let chosen = names(&visit.params, "through")?;
    let table = Arc::clone(visit.table("puzzles need a table")?);
    blocking(move || {
        let (game, puzzle) = (&visit.entry.id, find(&*table, &id)?);
        if let Some(tried) = visit.params.filled("try") {
            visit.who.count_try(game, &puzzle, tried);
        }
        let contents = html! {
            h1 { "Find the only winning move" }
            div class="look puzzles" {
                (card(&*table, &visit, choice, None, &puzzle, &chosen)?)
                section class="facts" {
                    div id="verdict" aria-live="polite" {
                        @if let Some(tried) = visit.params.filled("try") { (verdict(&*table, game, &puzzle, tried)) }
                        @else { p { "Choose a move on the board." } }
                    }
                    (answer(&*table, &visit, &puzzle))
                    p class="buttons" { a class="button" href=(address("puzzles", game, &choice.query())) { "All puzzles" } }
                }
            }
        };
        let title = format!("Puzzle {id}: {}", table.title());
        Ok(framed(&visit, "puzzles", &title, None, &contents))
    })
    .await
}

/// Returns the address of a puzzle's page.
fn puzzle_address(game: &str, puzzle: &Puzzle, query: &[(&'static str, String)]) -> String {
    address(&format!("puzzles/{}", encode_part(game)), &puzzle.id, query)
}

fn sheet(
    table: &dyn AnyTable,
    visit: &Visit,
    choice: Choice,
    puzzles: &[Puzzle],
) -> Result<Markup, Problem> {
    let (Choice { level, seed }, game) = (choice, &visit.entry.id);
    let other = |level, seed| address("puzzles", game, &Choice { level, seed }.query());
    let cards = (1..).zip(puzzles);
    let cards: Result<Vec<Markup>, Problem> = cards
        .map(|(number, puzzle)| card(table, visit, choice, Some(number), puzzle, &[]))
        .collect();
    Ok(html! {
        section class="hero" {
            h1 { "Find the only winning move" }
            p class="on-paper" { "Name: " span class="blank" {} " Date: " span class="blank short" {} }
            p {
                "In each of these positions exactly one move wins."
                @if puzzles.iter().any(|puzzle| !puzzle.answer.is_whole) {
                    " Points already won don't count: the side that gets more of the remaining points wins."
                }
            }
            nav class="levels" aria-label="Level" {
                @for it in Level::ALL {
                    a class="button" href=(other(it, seed)) aria-current=[(it == level).then_some("page")] { (capitalised(&it.to_string())) }
                }
            }
            p id="solved" class="soft" data-game=(game) hidden {}
        }
        @if puzzles.is_empty() { p { "There is no such puzzle among the sampled positions; try other ones or another level." } }
        @else if puzzles.len() < PUZZLES { p { "There are few puzzles of this level." } }
        ul class="games puzzles" { @for card in cards? { li { (card) } } }
        p class="buttons" { a class="button strong" href=(other(level, seed.wrapping_add(1))) { "Other puzzles \u{2192}" } }
        @if visit.who.sees_scores() {
            section class="on-paper answers" {
                h2 { "Answers" }
                ol { @for puzzle in puzzles { li { (solution(table, puzzle)) } } }
            }
        }
        p class="on-paper sheet-footer" { (table.title()) ", " (level) " puzzles, seed " (seed) }
    })
}

/// Returns a puzzle with a link for each move; with a number and its answer, if it is one of
/// several.
fn card(
    table: &dyn AnyTable,
    visit: &Visit,
    choice: Choice,
    number: Option<usize>,
    puzzle: &Puzzle,
    chosen: &[String],
) -> Result<Markup, Problem> {
    let game = &visit.entry.id;
    let view = table.view(Some(&puzzle.answer.position), &[])?;
    let to = |mv: &str| {
        puzzle_address(
            game,
            puzzle,
            &[&choice.query()[..], &[("try", mv.to_owned())]].concat(),
        )
    };
    let links = links(table, &view, None, to);
    let through = |chosen: &[String]| {
        let chosen = [("through", value_of(chosen))];
        puzzle_address(game, puzzle, &[&choice.query()[..], &chosen].concat())
    };
    let links = Links::through(&view, links, chosen, through);
    Ok(html! {
        section class="card" data-puzzle=(puzzle.id) aria-label={ "Puzzle " (number.map_or_else(|| puzzle.id.clone(), |number| number.to_string())) } {
            @if let Some(number) = number {
                h2 { a href=(puzzle_address(game, puzzle, &choice.query())) { "Puzzle " (number) } }
            }
            (parts::turn(&view))
            (parts::board(&view, &links))
            (links.beside_board())
            @if number.is_some() { (answer(table, visit, puzzle)) }
        }
    })
}

/// Returns the answer, folded, if it may be seen.
fn answer(table: &dyn AnyTable, visit: &Visit, puzzle: &Puzzle) -> Markup {
    let line = GameLine::new(&visit.entry.id, Some(puzzle.answer.position.clone()));
    html! {
        @if visit.who.sees_scores() {
            details {
                summary { "The answer" }
                p { (solution(table, puzzle)) " " a href=(line.explore()) { "All moves" } }
            }
        }
    }
}

/// Returns the winning move, and how hard it is to find.
fn solution(table: &dyn AnyTable, puzzle: &Puzzle) -> Markup {
    let answer = &puzzle.answer;
    let (best, won) = (
        answer.best_moves().next().unwrap_or_default(),
        answer.bounds.lower,
    );
    html! {
        (capitalised(&words::of_move(table, best))) " " (answer.in_words(won).effect())
        @if !answer.is_whole { ", counting only the rest of the game" }
        ". "
        @match puzzle.depth {
            Some(1) => "A greedy player finds it.",
            Some(depth) => { "A search finds it " (depth) " moves ahead." },
            None => { "A search doesn't find it " (DEEPEST) " moves ahead." },
        }
        " The next best move: " (words::change(answer.in_words(won), answer.in_words(won - puzzle.loss))) "."
    }
}

/// Returns the verdict on a move, which says nothing about the others.
fn verdict(table: &dyn AnyTable, game: &str, puzzle: &Puzzle, tried: &str) -> Markup {
    let mv = words::of_move(table, tried);
    html! {
        @if let Err(error) = table.view(Some(&puzzle.answer.position), &[tried]) {
            (problem_notice(&error.into()))
        } @else if puzzle.answer.best_moves().any(|best| best == tried) {
            p class="tried right" data-solved=(puzzle.id) data-game=(game) { b { "Right: " } (mv) " is the only move that wins." }
        } @else {
            p class="tried wrong" { b { "Not this one" } " (" (mv) "); try again." }
        }
    }
}
