//! The page of a position: the score of each move, the winner and best play.

use super::frame::{head, page as framed, problem_notice, sentence};
use super::parts;
use super::review::{Around, Review};
use super::scene::Scene;
use super::tree::tree;
use super::{reading, why, words};
use crate::cli::answer;
use crate::cli::serve::address::{GameLine, address};
use crate::cli::serve::host::blocking;
use crate::cli::serve::jobs::FoundAnswer;
use crate::cli::serve::problem::Problem;
use crate::cli::serve::visit::Visit;
use crate::draw::chart::balance;
use crate::game::Side;
use crate::text::capitalised;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Redirect, Response};
use maud::{DOCTYPE, Markup, html};

pub async fn page(visit: Visit) -> Result<Response, Problem> {
    let plies = visit.params.number("tree", 0, 3)?;
    let mut line = GameLine::of("explore", &visit.entry.id, &visit.params)?;
    let mut read = Ok(None);
    if let Some(text) = visit.params.filled("text") {
        read = reading::read(&visit, text).await.and_then(|reading| {
            line = line.restarted(reading.from, reading.played);
            reading.what.map(Some)
        });
    }
    let (mut scene, problem) = Scene::of_legal_part(visit, line).await?;
    read = problem.map_or(read, Err);
    // A position that can't come up is shown without scores.
    if let Err(problem) = scene.find_scores().await {
        read = Err(problem);
    }
    if let Some(line) = why::refuted(&scene) {
        return Ok(Redirect::to(&line.here()).into_response());
    }
    let review = Review::of(&scene).await;
    blocking(move || {
        let around = Around {
            turn: &scene.view.status,
            links: scene.links(),
            before: html! {},
            ways: ways(&scene),
            verdict: html! {
                @match &read {
                    Ok(None) => {},
                    Ok(Some(what)) => { p { (what) "." } },
                    Err(problem) => { (problem_notice(problem)) },
                }
                @if read.is_ok() || scene.shows_scores { (verdict(&scene)) }
                @if let Some(reason) = review.reason(&scene)? { p class="why" { (reason) } }
            },
            more: html! {
                div id="best-play" { (best_play(&scene)) }
                div id="tree" { (tree(&scene, plies)?) }
                (about(&scene))
                (box_for_text(&scene, &read))
            },
        };
        let title = format!("{}: {}", scene.oracle().title(), scene.name());
        let (contents, again) = (review.page(&scene, &around), review.again(&scene));
        let page = framed(&scene.visit, "explore", &title, again, &contents);
        let status = read.err().map_or(StatusCode::OK, |problem| problem.status);
        Ok((status, page).into_response())
    })
    .await
}

/// Returns the box that takes a position or a game.
fn box_for_text(scene: &Scene, read: &Result<Option<String>, Problem>) -> Markup {
    let params = &scene.visit.params;
    let names = ["text", "played", "position"].into_iter();
    let typed = names
        .filter(|_| read.is_err())
        .find_map(|name| params.filled(name));
    html! {
        details open[*read != Ok(None)] {
            summary { "Set up a position, or paste a game" }
            form action=(address("explore", &scene.line.game, &[])) {
                label for="position" { "Position, or moves from the start" }
                div class="field" {
                    textarea id="position" name="text" rows="1" data-position=(scene.view.position) autocomplete="off" spellcheck="false" { (typed.unwrap_or(&scene.view.position)) }
                    button { "Show" }
                }
            }
        }
    }
}

/// Returns links to the best move and to a game from here.
fn ways(scene: &Scene) -> Markup {
    let answer = scene.answer();
    // If all moves are equal, none is worth a button.
    let answer =
        answer.filter(|answer| answer.best_moves().count() < scene.view.moves.len().max(2));
    let best = answer.and_then(|answer| answer.best_moves().next());
    html! {
        @if let Some(best) = best {
            a class="button strong" data-step="best" href=(scene.line.then(best).explore()) { "Best move: " (best) }
        }
        @if scene.view.result.is_none() {
            a class="button" href=(scene.line.up_to(scene.line.at).to("play", &[])) { "Play from here" }
        }
    }
}

/// Returns the winner and the score, in a sentence.
fn verdict(scene: &Scene) -> Markup {
    let (view, players) = (&scene.view, &scene.players);
    let Some(found) = &scene.known else {
        // The turn above the board tells a result.
        return html! { @if view.result.is_none() { p class="verdict" { "Scores are hidden." } } };
    };
    let Some(answer) = found.whole() else {
        return thinking(scene, found);
    };
    let score = answer.first_player_bounds().lower;
    let who = players.who_wins(answer.in_words_of(Side::First, score));
    let how = answer::how(
        answer,
        players.name(answer.to_move),
        scene.oracle().move_noun(),
    );
    let names = [Side::First, Side::Second].map(|side| players.name(side));
    html! {
        p class="verdict" {
            "With best play" @if !answer.is_whole { ", counting only the rest of the game," }
            " " (who) @if let Some(how) = how { "; " (how) } "."
        }
        @if view.repeats() {
            p { "This position came up before in the line. In a game, that is a draw." }
        }
        (balance(score, view.surface().unwrap_or_default(), names))
        @if let Some(effort) = answer.effort {
            p class="soft" { "Searched in " (crate::text::roughly(effort.seconds)) "." }
        }
    }
}

fn thinking(scene: &Scene, found: &FoundAnswer) -> Markup {
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
        @if let Some(delay) = &found.delay { p { (capitalised(delay)) "." } }
        p class="soft" { "This page updates itself." }
    }
}

/// Returns the principal variation, with a link for each move.
fn best_play(scene: &Scene) -> Markup {
    let answer = scene.known.as_ref().and_then(|found| found.answer.as_ref());
    let line = answer.and_then(|answer| answer.line.as_ref());
    let most = parts::most_shown(&scene.line);
    let mut ahead = scene.line.clone();
    let mut to = |mv: &str| {
        ahead = ahead.then(mv);
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

/// Returns counts, and the position for programs.
fn about(scene: &Scene) -> Markup {
    let view = &scene.view;
    let position = ("position", view.position.clone());
    let search = address("search", &scene.line.game, std::slice::from_ref(&position));
    let api = [position, ("line", "true".to_owned())];
    let api = address("api", &scene.line.game, &api);
    html! {
        @if let Some((name, number)) = scene.view.layer.filter(|(name, _)| *name != "layer") {
            p class="soft" {
                (capitalised(name)) ": " (number)
                @if let (true, Some((banked, points))) = (view.is_whole, scene.view.banked) {
                    "; " (banked) " is " (words::signed(points)) " for the side to move"
                }
                "."
            }
        }
        @if !view.is_whole {
            p class="soft" { "This position leaves out the points already won, so scores count only the rest of the game." }
        }
        @if view.result.is_none() && scene.visit.who.sees_scores() {
            p { a href=(api) { "The same as JSON" } }
            p { a href=(search) { "A search from here, step by step" } }
        }
    }
}

/// Returns a board with its verdict, for a frame in another site's page.
pub async fn embedded(visit: Visit) -> Result<Html<String>, Problem> {
    let line = GameLine::of("embed", &visit.entry.id, &visit.params)?;
    let mut scene = Scene::of(visit, line).await?;
    scene.find_scores().await?;
    let (view, links, at) = (&scene.view, scene.links(), scene.line.at);
    let reason = match scene.answer() {
        Some(answer) => answer::reason(answer, scene.oracle().move_noun()),
        None if view.result.is_some() => format!("{}.", view.status),
        None if !scene.shows_scores => "Scores are hidden.".to_owned(),
        None => "searching\u{2026}".to_owned(),
    };
    let contents = html! {
        h1 class="unseen" { (scene.oracle().title()) }
        (parts::turn(view))
        (scene.board(&links))
        (links.beside_board())
        @if view.picture.is_none() { (links.list(scene.shows_scores)) }
        p { (sentence(&reason)) }
        p class="buttons" {
            @if at > 0 {
                a class="button" rel="prev" href=(scene.line.up_to(at - 1).here()) { "\u{2190} Back" }
                a class="button" href=(scene.line.up_to(0).here()) { "Start again" }
            }
            a href=(scene.line.explore()) target="_blank" rel="noopener" { "Explore this position" }
        }
    };
    Ok(bare(&scene.oracle().title(), scene.again(), &contents))
}

/// Returns a problem in a frame.
pub fn embedded_problem(problem: &Problem) -> Response {
    (
        problem.status,
        bare("Problem", None, &problem_notice(problem)),
    )
        .into_response()
}

/// Returns a page without header and footer, whose links would leave the frame.
fn bare(title: &str, again: Option<u64>, contents: &Markup) -> Html<String> {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                (head(title))
                @if let Some(seconds) = again { meta http-equiv="refresh" content=(seconds); }
            }
            body class="embed" { main { (contents) } }
        }
    };
    Html(page.into_string())
}
