//! Puzzles: a sheet of six, which can be printed, and a page for each.

use super::frame::{page as framed, problem_notice};
use super::parts::{self, Links, Shown};
use super::scene::links;
use super::{why, words};
use crate::any::AnyTable;
use crate::cli::serve::address::{GameLine, address, names, value_of};
use crate::cli::serve::host::{blocking, blocking_while_awaited};
use crate::cli::serve::problem::Problem;
use crate::cli::serve::puzzles::{Choice, DEEPEST, Level, PUZZLES, Puzzle, find, sample};
use crate::cli::serve::visit::Visit;
use crate::text::capitalised;
use crate::text::encode_part;
use axum::extract::Path;
use axum::response::{Redirect, Response};
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
        let tried = visit.params.filled("try");
        if let Some(tried) = tried {
            visit.who.count_try(game, &puzzle, tried);
        }
        let right = tried.filter(|tried| puzzle.answer.best_moves().any(|best| best == *tried));
        let (title, sees_scores) = (table.title(), visit.who.sees_scores());
        let contents = html! {
            h1 { "Find the only winning move" }
            div class="look puzzles" {
                (card(&*table, &visit, choice, None, &puzzle, &chosen, right)?)
                section class="facts" {
                    div id="verdict" aria-live="polite" {
                        @match (tried, right) {
                            (Some(tried), None) => (wrong(&*table, game, &puzzle, tried, sees_scores)),
                            (_, Some(_)) => {
                                p class="tried right" data-solved=(puzzle.id) data-game=(game) {
                                    b { "Right: " }
                                    @if sees_scores { (reason(&*table, &puzzle)) } @else { "it is the only move that wins." }
                                }
                                // Shown by the script.
                                p id="streak" class="soft" hidden {}
                            },
                            (None, None) => { p { "Choose a move on the board." } },
                        }
                    }
                    p class="buttons" {
                        @if right.is_some() { a class="button strong" href=(address(&format!("puzzles/{}/{}", encode_part(game), puzzle.id), "next", &choice.query())) { "Next puzzle \u{2192}" } }
                        a class="button" href=(address("puzzles", game, &choice.query())) { "All puzzles" }
                    }
                    (answer(&*table, &visit, &puzzle))
                }
            }
        };
        let title = format!("Puzzle {id}: {title}");
        Ok(framed(&visit, "puzzles", &title, None, &contents))
    })
    .await
}

/// Leads from a puzzle to the next one of its sheet, and from the last one to the next sheet.
pub async fn next(
    visit: Visit,
    Path((_, id)): Path<(String, String)>,
) -> Result<Redirect, Problem> {
    let mut choice = Choice::of(&visit.params)?;
    let table = Arc::clone(visit.table("puzzles need a table")?);
    blocking_while_awaited(move |is_awaited| {
        let game = &visit.entry.id;
        let puzzles = sample(&*table, choice, is_awaited)?;
        let after = puzzles.iter().position(|puzzle| puzzle.id == id);
        let mut next = puzzles
            .into_iter()
            .nth(after.map_or(0, |number| number + 1));
        if next.is_none() {
            choice.seed = choice.seed.wrapping_add(1);
            next = sample(&*table, choice, is_awaited)?
                .into_iter()
                .find(|next| next.id != id);
        }
        let query = choice.query();
        let sheet = || address("puzzles", game, &query);
        let to = next.map_or_else(sheet, |next| puzzle_address(game, &next.id, &query));
        Ok(Redirect::to(&to))
    })
    .await
}

/// Returns the address of a puzzle's page.
fn puzzle_address(game: &str, id: &str, query: &[(&'static str, String)]) -> String {
    address(&format!("puzzles/{}", encode_part(game)), id, query)
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
        .map(|(number, puzzle)| card(table, visit, choice, Some(number), puzzle, &[], None))
        .collect();
    Ok(html! {
        section class="hero" {
            h1 { span class="on-paper" { (table.title()) } "Find the only winning move" }
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
        @if puzzles.len() == PUZZLES {
            p class="buttons" { a class="button strong" href=(other(level, seed.wrapping_add(1))) { "Other puzzles \u{2192}" } }
        }
        @if visit.who.sees_scores() {
            section class="on-paper answers" {
                h2 { "Answers" }
                ol { @for puzzle in puzzles { li { (solution(table, puzzle)) } } }
            }
        }
        p class="on-paper sheet-footer" { (table.title()) ", " (level) " puzzles, seed " (seed) }
    })
}

/// Returns a puzzle with a link for each move, or the position after the right one; with a number
/// and its answer, if it is one of several.
fn card(
    table: &dyn AnyTable,
    visit: &Visit,
    choice: Choice,
    number: Option<usize>,
    puzzle: &Puzzle,
    chosen: &[String],
    right: Option<&str>,
) -> Result<Markup, Problem> {
    let game = &visit.entry.id;
    let position = Some(&*puzzle.answer.position);
    let view = table.view(position, right.as_slice())?;
    let before = right.map(|_| table.view(position, &[])).transpose()?;
    let to = |mv: &str| {
        puzzle_address(
            game,
            &puzzle.id,
            &[&choice.query()[..], &[("try", mv.to_owned())]].concat(),
        )
    };
    let links = links(table, &view, None, to);
    let through = |chosen: &[String]| {
        let chosen = [("through", value_of(chosen))];
        puzzle_address(game, &puzzle.id, &[&choice.query()[..], &chosen].concat())
    };
    let links = match right {
        Some(_) => Links::default(),
        None => Links::through(&view, links, chosen, through),
    };
    let shown = Shown {
        last: view
            .played
            .iter()
            .flat_map(|played| &played.places)
            .collect(),
        before: before.as_ref().and_then(|before| before.picture.as_ref()),
        ..parts::shown(&view, "board")
    };
    Ok(html! {
        section class="card" data-puzzle=(puzzle.id) aria-label={ "Puzzle " (number.map_or_else(|| puzzle.id.clone(), |number| number.to_string())) } {
            @if let Some(number) = number {
                h2 { a href=(puzzle_address(game, &puzzle.id, &choice.query())) { "Puzzle " (number) } }
            }
            (parts::turn(&view))
            div id=[number.is_none().then_some("board")] { (parts::painted(&view, &links, shown)) }
            (links.beside_board())
            @if number.is_some() {
                p class="on-paper" { "Answer: " span class="blank short" {} }
                (answer(table, visit, puzzle))
            }
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

/// Returns the winning move with its reason, and how hard it is to find.
fn solution(table: &dyn AnyTable, puzzle: &Puzzle) -> Markup {
    html! {
        (capitalised(&reason(table, puzzle))) " "
        @match puzzle.depth {
            Some(1) => "A greedy player finds it.",
            Some(depth) => { "A search finds it " (depth) " moves ahead." },
            None => { "A search doesn't find it " (DEEPEST) " moves ahead." },
        }
    }
}

/// Returns the results of the winning move and of the next best one, in a sentence.
fn reason(table: &dyn AnyTable, puzzle: &Puzzle) -> String {
    let answer = &puzzle.answer;
    let mut moves = answer.moves.iter().flatten();
    let [best, next] = [(); 2].map(|()| {
        let (mv, score) = moves.next()?;
        Some((words::of_move(table, mv), answer.in_words(*score)))
    });
    let (Some((best, won)), Some((next, score))) = (best, next) else {
        return String::new();
    };
    let rest = match answer.is_whole {
        true => "",
        false => ", counting only the rest of the game",
    };
    let only = if score.score == 0 { "only " } else { "" };
    let (won, next_best) = (won.effect(), score.effect());
    format!("{best} {won}{rest}; the next best move, {next}, {only}{next_best}.")
}

/// Returns the verdict on another move, which says nothing about the others.
///
/// "Why?" leads to the position after that move, where no better one is named.
fn wrong(
    table: &dyn AnyTable,
    game: &str,
    puzzle: &Puzzle,
    tried: &str,
    sees_scores: bool,
) -> Markup {
    let mv = words::of_move(table, tried);
    html! {
        @match table.view(Some(&puzzle.answer.position), &[tried]) {
            Err(error) => (problem_notice(&error.into())),
            Ok(after) => {
            p class="tried wrong" data-missed=(puzzle.id) data-game=(game) { b { "Not this one" } " (" (mv) "); try again." }
                @let line = GameLine::new(game, Some(after.position));
                @if sees_scores { p { a href=(why::address(&line, 0)) data-step="why" { "Why?" } } }
            }
        }
    }
}
