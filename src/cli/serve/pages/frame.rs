//! What stands round each page, and pages that only say what is wrong.

use super::super::catalogue::Entry;
use super::super::problem::Problem;
use super::super::{api, catalogue::Asked};
use super::address::address;
use super::assets;
use crate::cli::serve::explorer::Explorer;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use maud::{DOCTYPE, Markup, html};
use std::sync::Arc;

/// One of the pages of a game.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tab {
    Explore,
    Play,
    Puzzles,
    Statistics,
    Rules,
}

/// What stands round the contents of a page.
pub(super) struct Frame<'a> {
    pub(super) title: String,
    /// The game that the page is about, its name in words, and which of its pages.
    pub(super) game: Option<(&'a Entry, String, Tab)>,
    /// Whether the page is to be looked at again soon, without a script after so many seconds.
    pub(super) again: Option<u64>,
}

pub(super) fn page(frame: &Frame<'_>, contents: &Markup) -> Response {
    respond(StatusCode::OK, frame, contents)
}

pub(super) fn respond(status: StatusCode, frame: &Frame<'_>, contents: &Markup) -> Response {
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

pub(super) fn tabs(entry: &Entry, current: Tab) -> Markup {
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
pub(super) fn entry_address(entry: &Entry, page: &str) -> String {
    let is_about_a_position = matches!(page, "explore" | "play");
    let example = entry.example.clone().filter(|_| is_about_a_position);
    let query: Vec<_> = example
        .map(|example| ("position", example))
        .into_iter()
        .collect();
    address(page, &entry.id, &query)
}

/// With a capital letter, unless it begins with a name, such as that of a file.
pub(super) fn sentence(text: &str) -> String {
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

pub(super) fn answered(result: Result<Response, Problem>) -> Response {
    result.unwrap_or_else(|error| problem(&error))
}

/// The game that an address names, and who answers for it.
pub(super) async fn game(
    explorer: &Explorer,
    name: Result<Path<String>, PathRejection>,
) -> Result<(Arc<Entry>, Asked), Problem> {
    let entry = Arc::clone(api::entry(explorer, &api::name(name)?)?);
    let asked = api::asked(&entry).await?;
    Ok((entry, asked))
}
