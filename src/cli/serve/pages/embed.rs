//! A board with its verdict, for a frame in another site's page.

use super::frame::{head, said, sentence};
use super::parts;
use super::scene::Scene;
use crate::cli::answer;
use crate::cli::serve::address::GameLine;
use crate::cli::serve::problem::Problem;
use crate::cli::serve::visit::Visit;
use axum::response::{Html, IntoResponse, Response};
use maud::{DOCTYPE, Markup, html};

pub async fn page(visit: Visit) -> Result<Html<String>, Problem> {
    let line = GameLine::of("explore", &visit.entry.id, &visit.params)?;
    let mut scene = Scene::of(visit, line).await?;
    scene.find_scores().await?;
    let view = &scene.view;
    let reason = match scene.answer() {
        Some(answer) => answer::reason(answer, scene.oracle().move_noun()),
        None if view.result.is_some() => format!("{}.", view.status),
        None if !scene.shows_scores => "Scores are hidden.".to_owned(),
        None => "searching\u{2026}".to_owned(),
    };
    let contents = html! {
        h1 class="unseen" { (scene.oracle().title()) }
        (parts::turn(view))
        (scene.board(&[]))
        p { (sentence(&reason)) }
        p { a href=(scene.line.explore()) target="_blank" rel="noopener" { "Explore this position" } }
    };
    Ok(bare(&scene.oracle().title(), scene.again(), &contents))
}

/// A problem in a frame.
pub fn problem(problem: &Problem) -> Response {
    (problem.status, bare("Problem", None, &said(problem))).into_response()
}

/// A page without header and footer, whose links would leave the frame.
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
