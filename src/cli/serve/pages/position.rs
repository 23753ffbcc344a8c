//! The page of a position: the score of each move, the winner and best play.

use super::address::address;
use super::frame::page as framed;
use super::scene::Scene;
use super::{board, chart, parts, puzzles, words};
use crate::any::View;
use crate::cli::answer;
use crate::cli::serve::aside::aside;
use crate::cli::serve::jobs::Found;
use crate::cli::serve::problem::Problem;
use crate::cli::serve::visit::Visit;
use crate::text::capitalised;
use axum::response::Response;
use maud::{Markup, html};

pub async fn page(visit: Visit) -> Result<Response, Problem> {
    let scene = Scene::of(visit).await?.with_scores().await?;
    let tried = puzzles::verdict(&scene).await?;
    aside(move || {
        let title = format!("{}: {}", scene.oracle().title(), what(&scene.view));
        let contents = contents(&scene, tried.as_ref());
        let again = scene.again();
        Ok(framed(&scene.visit, "explore", &title, again, &contents))
    })
    .await
}

/// The position's name in titles.
fn what(view: &View) -> String {
    match view.played.len() {
        0 => return "position".to_owned(),
        moves if moves > parts::MOST_SHOWN => return format!("after {moves} moves"),
        _ => {}
    }
    let moves: Vec<&str> = view.played.iter().map(|played| &*played.mv).collect();
    moves.join(" ")
}

/// The contents of the page. The verdict on a move `tried` in a puzzle comes first.
fn contents(scene: &Scene, tried: Option<&Markup>) -> Markup {
    let view = &scene.view;
    let links = scene.links(|mv| scene.line.then(mv).explore());
    let long = if parts::is_long(view) { " long" } else { "" };
    html! {
        h1 class="unseen" { (scene.oracle().title()) ", " (what(view)) }
        div class={ "look position" (long) } data-again=[scene.again()] {
            section class="stage" aria-label="Board" {
                (parts::turn(view))
                div id="board" { (board::board(view, &links)) }
                (parts::beside_board(&links))
                (steps(scene))
                (scene.line_so_far("The line so far", |_| false))
            }
            section class="facts" aria-label="Scores" {
                div id="verdict" aria-live="polite" {
                    @if let Some(tried) = tried { (tried) }
                    (verdict(scene))
                }
                @if !links.is_empty() {
                    div id="moves" {
                        h2 { "Moves of the " (view.to_move) " player" }
                        (parts::list_of_moves(&links))
                    }
                }
                div id="best-play" { (best_play(scene)) }
                (about(scene))
            }
        }
    }
}

/// Links to the start, one move back, and the best move.
fn steps(scene: &Scene) -> Markup {
    let best = scene.answer().and_then(|answer| answer.best_moves().next());
    let back = scene.line.played.len().checked_sub(1);
    html! {
        nav class="steps" aria-label="Back and forth" {
            @if let Some(back) = back {
                a class="button" rel="first" href=(scene.line.up_to(0).explore()) { "\u{21e4} Start" }
                a class="button" rel="prev" href=(scene.line.up_to(back).explore()) { "\u{2190} Back" }
            }
            @if let Some(best) = best {
                a class="button strong" rel="next" href=(scene.line.then(best).explore()) {
                    "Best move: " (best) " \u{2192}"
                }
            }
            @if scene.view.result.is_none() {
                a class="button" href=(scene.line.to("play", &[])) { "Play from here" }
            }
            @if !scene.view.played.is_empty() {
                a class="button" href=(scene.line.to("review", &[])) { "Review the line" }
            }
        }
    }
}

/// The winner and the score, in a sentence.
fn verdict(scene: &Scene) -> Markup {
    let Some(found) = &scene.known else {
        let result = scene.view.in_words(scene.view.result.unwrap_or_default());
        return html! {
            p class="verdict" { (parts::first_pill(result)) " " (scene.view.status) "." }
        };
    };
    let Some(answer) = found.whole() else {
        return thinking(scene, found);
    };
    let reason = answer::reason(answer, scene.oracle().move_noun());
    let score = answer.first_player_bounds().lower;
    html! {
        p class="verdict" { (parts::first_pill(answer.in_words(score))) " " (capitalised(&reason)) }
        @if scene.view.repeats() {
            p { "This position came up before in the line. In a play, that is a draw." }
        }
        (chart::balance(score))
        @if let Some(effort) = answer.effort {
            p class="soft" { "Searched in " (crate::text::time(effort.seconds)) "." }
        }
    }
}

fn thinking(scene: &Scene, found: &Found) -> Markup {
    let since = found.searching.unwrap_or_default();
    let what = if since < scene.visit.explorer.patience {
        "Thinking\u{2026}".to_owned()
    } else {
        let seconds = since.as_secs();
        format!("Still searching after {seconds} s; the search continues in the background.")
    };
    html! {
        p class="verdict thinking" { (what) }
        @match &found.answer {
            Some(answer) => { p { "Proven so far: " (answer::proven(answer).replace('-', "\u{2212}")) "." } },
            None => { p { "Nothing is proven yet." } },
        }
        p class="soft" { "This page updates itself." }
    }
}

/// The principal variation, with a link for each move.
fn best_play(scene: &Scene) -> Markup {
    let answer = scene.known.as_ref().and_then(|found| found.answer.as_ref());
    let line = answer.and_then(|answer| answer.line.as_ref());
    let most = parts::most_shown(&scene.line);
    let mut ahead = scene.line.clone();
    let mut to = |mv: &str| {
        ahead.played.push(mv.to_owned());
        ahead.explore()
    };
    html! {
        @if let Some(line) = line {
            h2 { "Best play from here" }
            ol class="line" {
                @for mv in line.iter().take(most) {
                    li { a href=(to(mv)) aria-label={ "on to " (words::of_move(scene.oracle(), mv)) } { (mv) } }
                }
                @if line.len() > most { li { "\u{2026} and so on" } }
                @else if answer.is_some_and(|answer| answer.line_repeats) { li { "\u{2026} and so on: the position repeats" } }
            }
        }
    }
}

/// Counts, notation, and links to the same position elsewhere.
fn about(scene: &Scene) -> Markup {
    let view = &scene.view;
    let position = ("position", view.position.clone());
    let api = [position, ("line", "true".to_owned())];
    let api = address("api", &scene.line.game, &api);
    html! {
        @if let Some((name, number)) = scene.view.layer {
            p class="soft" {
                (number) " " (name)
                @if let (true, Some((banked, points))) = (view.is_whole, scene.view.banked) {
                    "; " (banked) " is " (words::signed(points)) " for the side to move"
                }
                "."
            }
        }
        @if !view.is_whole {
            p class="soft" { "This position leaves out the points already won, so scores count only the rest of the game." }
        }
        details {
            summary { "Position and other positions" }
            form action=(address("explore", &scene.line.game, &[])) {
                label for="position" { "Position" }
                div class="field" {
                    input id="position" name="position" value=(view.position) autocomplete="off" spellcheck="false";
                    button { "Show" }
                }
            }
            @if view.result.is_none() {
                p { a href=(api) { "The same as JSON" } }
            }
        }
    }
}
