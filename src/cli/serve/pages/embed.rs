//! A board with its verdict, for a frame in another site's page.

use super::frame::{head, sentence};
use super::parts;
use super::scene::Scene;
use crate::cli::answer;
use crate::cli::serve::address::Line;
use crate::cli::serve::problem::Problem;
use crate::cli::serve::visit::Visit;
use axum::response::Html;
use maud::{DOCTYPE, html};

pub async fn page(visit: Visit) -> Result<Html<String>, Problem> {
    let line = Line::of("explore", &visit.entry.id, &visit.params)?;
    let scene = Scene::of(visit, line).await?.with_scores().await?;
    let view = &scene.view;
    let reason = match scene.answer() {
        Some(answer) => answer::reason(answer, scene.oracle().move_noun()),
        None if view.result.is_some() => format!("{}.", view.status),
        None => "searching\u{2026}".to_owned(),
    };
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                (head(&scene.oracle().title()))
                @if let Some(seconds) = scene.again() { meta http-equiv="refresh" content=(seconds); }
            }
            body class="embed" {
                main {
                    h1 class="unseen" { (scene.oracle().title()) }
                    (parts::turn(view))
                    (scene.board(&[]))
                    p { (sentence(&reason)) }
                    p { a href=(scene.line.explore()) target="_blank" rel="noopener" { "Explore this position" } }
                }
            }
        }
    };
    Ok(Html(page.into_string()))
}
