//! The pages, made here and complete without a script.
//!
//! `home`, what can be explored; `position`, a position with the score of each move; `play`, against
//! the program; `review`, a game from its end; `board` and `chart`, what is painted; `parts`, what
//! several pages have; `address`, where everything is; `assets`, the style sheet and the script,
//! which only adds keys.

mod address;
mod assets;
mod board;
mod chart;
mod home;
mod parts;
mod play;
mod position;
mod puzzles;
mod review;
mod rules;
mod statistics;
mod words;

use super::Explorer;
use super::catalogue::Entry;
use super::problem::Problem;
use super::{api, catalogue::Asked};
pub use address::address;
use axum::Router;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use maud::{DOCTYPE, Markup, html};
use std::sync::Arc;

pub fn router() -> Router<Arc<Explorer>> {
    Router::new()
        .route("/", get(home::page))
        .route("/explore/{game}", get(position::page))
        .route("/play/{game}", get(play::page))
        .route("/review/{game}", get(review::page))
        .route("/statistics/{game}", get(statistics::page))
        .route("/puzzles/{game}", get(puzzles::page))
        .route("/rules/{game}", get(rules::page))
        .route("/assets/{file}", get(assets::file))
        .fallback(async |request: Request| {
            let missing = Problem::not_found("There is nothing at this address");
            if request.uri().path().starts_with("/api") {
                api::problem(&missing)
            } else {
                problem(&missing)
            }
        })
        .method_not_allowed_fallback(async || {
            problem(&Problem::new(
                StatusCode::METHOD_NOT_ALLOWED,
                "Pages can only be read",
            ))
        })
}

/// One of the pages of a game.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tab {
    Explore,
    Play,
    Puzzles,
    Statistics,
    Rules,
}

/// What stands round the contents of a page.
struct Frame<'a> {
    title: String,
    /// The game that the page is about, its name in words, and which of its pages.
    game: Option<(&'a Entry, String, Tab)>,
    /// Whether the page is to be looked at again soon, without a script after so many seconds.
    again: Option<u64>,
}

fn page(frame: &Frame<'_>, contents: &Markup) -> Response {
    respond(StatusCode::OK, frame, contents)
}

fn respond(status: StatusCode, frame: &Frame<'_>, contents: &Markup) -> Response {
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (frame.title) " \u{b7} Zermelo" }
                link rel="stylesheet" href=(assets::style());
                link rel="icon" href=(assets::icon());
                script src=(assets::script()) defer {}
                @if let Some(seconds) = frame.again {
                    // Where there is a script, it looks again without a new page.
                    noscript { meta http-equiv="refresh" content=(seconds); }
                }
            }
            body {
                a class="skip" href="#main" { "To the contents" }
                header {
                    a class="home" href="/" { (assets::mark()) "Zermelo" }
                    @if let Some((entry, name, tab)) = &frame.game {
                        span class="game" { (name) }
                        nav aria-label="Pages of this game" { (tabs(entry, *tab)) }
                    }
                }
                main id="main" { (contents) }
                footer { p { "Exact scores, computed on this machine. " a href="/api/games" { "API" } } }
            }
        }
    };
    let kind = HeaderValue::from_static("text/html; charset=utf-8");
    (status, [(header::CONTENT_TYPE, kind)], markup.into_string()).into_response()
}

fn tabs(entry: &Entry, current: Tab) -> Markup {
    let has_table = !entry.is_searched();
    let tabs = [
        (Tab::Explore, "explore", "Explore", true),
        (Tab::Play, "play", "Play", true),
        (Tab::Puzzles, "puzzles", "Puzzles", has_table),
        (Tab::Statistics, "statistics", "Statistics", has_table),
        (Tab::Rules, "rules", "Rules", true),
    ];
    html! {
        ul {
            @for (tab, page, name, _) in tabs.into_iter().filter(|tab| tab.3) {
                li {
                    a href=(entry_address(entry, page)) aria-current=[(tab == current).then_some("page")] { (name) }
                }
            }
        }
    }
}

/// The first page of a kind about a game: about its start, or an example if it has none.
fn entry_address(entry: &Entry, page: &str) -> String {
    let is_about_a_position = matches!(page, "explore" | "play");
    let example = entry.example.clone().filter(|_| is_about_a_position);
    let query: Vec<_> = example
        .map(|example| ("position", example))
        .into_iter()
        .collect();
    address(page, &entry.id, &query)
}

/// With a capital letter, unless it begins with a name, such as that of a file.
fn sentence(text: &str) -> String {
    let first = text.split(' ').next().unwrap_or_default();
    if first.chars().all(char::is_alphabetic) {
        crate::text::capitalised(text)
    } else {
        text.to_owned()
    }
}

/// A page that says what was wrong.
pub fn problem(problem: &Problem) -> Response {
    let title = match problem.status {
        StatusCode::NOT_FOUND => "Not found",
        StatusCode::SERVICE_UNAVAILABLE => "Not just now",
        status if status.is_server_error() => "No answer",
        _ => "That can't be answered",
    };
    let frame = Frame {
        title: title.to_owned(),
        game: None,
        again: None,
    };
    let contents = html! {
        section class="narrow" {
            h1 { (title) }
            p class="problem" { (sentence(&crate::text::harmless(&problem.error))) "." }
            p { a href="/" { "To the games" } }
        }
    };
    respond(problem.status, &frame, &contents)
}

fn answered(result: Result<Response, Problem>) -> Response {
    result.unwrap_or_else(|error| problem(&error))
}

/// The game that an address names, and who answers for it.
async fn game(
    explorer: &Explorer,
    name: Result<Path<String>, PathRejection>,
) -> Result<(Arc<Entry>, Asked), Problem> {
    let entry = Arc::clone(api::entry(explorer, &api::name(name)?)?);
    let asked = api::asked(&entry).await?;
    Ok((entry, asked))
}
