//! The frame around every page, its style sheet and script, and pages that report a problem.

use super::super::problem::Problem;
use super::super::registry::{Entry, Source};
use super::super::visit::Visit;
use crate::cli::serve::address::address;
use crate::text::capitalised;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// The keys that work on pages with a board, if the script runs.
const KEYS: &str = include_str!("keys.html");

/// Returns the frame of a game's page.
///
/// `again` is the number of seconds until a page without script reloads, if it should. `tab` is the
/// kind of page.
pub(super) fn page(
    visit: &Visit,
    tab: &str,
    title: &str,
    again: Option<u64>,
    contents: &Markup,
) -> Response {
    let tabs = html! {
        span class="game" { (visit.source.oracle.title()) }
        nav class="scroll" aria-label="Pages of this game" { (tabs(visit, tab)) }
    };
    let contents = html! { (visit.who.bar()) (contents) };
    framed(title, Some(&tabs), again, &contents).into_response()
}

/// Returns the frame of any page.
pub fn framed(
    title: &str,
    tabs: Option<&Markup>,
    again: Option<u64>,
    contents: &Markup,
) -> Html<String> {
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                (head(title))
                link rel="icon" href=(asset("mark.svg"));
                link rel="manifest" href=(asset("zermelo.webmanifest"));
                script src=(asset("explorer.js")) defer {}
                @if let Some(seconds) = again {
                    // With a script, the page updates itself without reloading.
                    noscript { meta http-equiv="refresh" content=(seconds); }
                }
            }
            body {
                a class="skip" href="#main" { "To the contents" }
                header {
                    a class="home" href="/" { (mark()) "Zermelo" }
                    @if let Some(tabs) = tabs { (tabs) }
                }
                main id="main" { (contents) }
                // For screen readers, if the script changes the page.
                p id="said" class="unseen" role="status" {}
                footer {
                    @if tabs.is_some() { (PreEscaped(KEYS)) }
                    p { "Exact scores, computed on this machine. " a href="/api/games" { "API" } }
                }
            }
        }
    };
    Html(markup.into_string())
}

/// Returns the elements in the head of every page.
pub(super) fn head(title: &str) -> Markup {
    html! {
        meta charset="utf-8";
        meta name="viewport" content="width=device-width, initial-scale=1";
        meta name="color-scheme" content="light dark";
        title { (title) " \u{b7} Zermelo" }
        link rel="stylesheet" href=(asset("style.css"));
    }
}

fn tabs(visit: &Visit, current: &str) -> Markup {
    let Visit { entry, source, .. } = visit;
    let tabs = ["explore", "play", "puzzles", "statistics", "rules"].into_iter();
    let is_open = |tab: &&str| match *tab {
        "puzzles" => !entry.is_searched(),
        "statistics" => !entry.is_searched() && visit.who.sees_scores(),
        _ => true,
    };
    html! {
        ul {
            @for tab in tabs.filter(is_open) {
                li {
                    a href=(entry_address(entry, source, tab)) aria-current=[(tab == current).then_some("page")] { (capitalised(tab)) }
                }
            }
        }
    }
}

/// Returns the address of a game's first page of a kind.
///
/// The page is about its start, or about an example if it has none.
pub(super) fn entry_address(entry: &Entry, source: &Source, page: &str) -> String {
    let needs_example = matches!(page, "explore" | "play") && !entry.game.has_start();
    let example = needs_example.then(|| ("position", source.oracle.start()));
    address(page, &entry.id, example.as_slice())
}

/// Capitalises a text, unless it begins with a name such as that of a file.
pub(super) fn sentence(text: &str) -> String {
    let first = text.split(' ').next().unwrap_or_default();
    if first
        .chars()
        .all(|letter| letter.is_alphabetic() || letter == '\'')
    {
        capitalised(text)
    } else {
        text.to_owned()
    }
}

/// Returns a problem and its tip.
pub(super) fn problem_notice(problem: &Problem) -> Markup {
    html! {
        p class="problem" { (sentence(&crate::text::harmless(&problem.report.error))) "." }
        // A position may end with dots of its own, so tips have no full stop.
        @if let Some(tip) = &problem.report.tip { p { "Tip: " (crate::text::harmless(tip)) } }
    }
}

/// Returns a page that reports a problem, with a link back to the game that it is about.
pub fn problem(problem: &Problem, entry: Option<&Entry>) -> Response {
    let title = match problem.status {
        StatusCode::NOT_FOUND => "Not found",
        StatusCode::SERVICE_UNAVAILABLE => "Busy",
        status if status.is_server_error() => "No answer",
        _ => "That can't be answered",
    };
    let contents = html! {
        section class="narrow" {
            h1 { (title) }
            (problem_notice(problem))
            p class="buttons" {
                @if let Some((entry, source)) = entry.and_then(|entry| Some((entry, entry.without_search().ok()?))) {
                    a class="button" href=(entry_address(entry, &source, "explore")) { "Back to " (source.oracle.title()) }
                }
                a class="button" href="/" { "All games" }
            }
        }
    };
    (problem.status, framed(title, None, None, &contents)).into_response()
}

const SCRIPT: &str = include_str!("explorer.js");
const MARK: &str = include_str!("mark.svg");
/// Lets browsers install the explorer.
const MANIFEST: &str = include_str!("zermelo.webmanifest");

const STYLE: &str = concat!(
    include_str!("../../../draw/style.css"),
    include_str!("style.css")
);

/// Returns the kind and contents of a file.
fn contents(file: &str) -> Option<(&'static str, &'static str)> {
    Some(match file {
        "style.css" => ("text/css; charset=utf-8", STYLE),
        "explorer.js" => ("text/javascript; charset=utf-8", SCRIPT),
        "mark.svg" => ("image/svg+xml", MARK),
        "zermelo.webmanifest" => ("application/manifest+json", MANIFEST),
        _ => return None,
    })
}

/// Returns the address of a file, with a checksum.
///
/// A new version's files have new addresses, so that browsers load them.
fn asset(file: &str) -> String {
    let (_, contents) = contents(file).unwrap_or_default();
    format!(
        "/assets/{file}?v={:08x}",
        crc32fast::hash(contents.as_bytes())
    )
}

/// Returns the logo for the head of a page.
fn mark() -> Markup {
    PreEscaped(MARK.to_owned())
}

pub async fn asset_file(
    file: Result<Path<String>, PathRejection>,
) -> Result<impl IntoResponse, StatusCode> {
    let found = file.ok().and_then(|Path(file)| contents(&file));
    let (kind, contents) = found.ok_or(StatusCode::NOT_FOUND)?;
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CACHE_CONTROL, "max-age=31536000, immutable"),
    ];
    Ok((headers, contents))
}
