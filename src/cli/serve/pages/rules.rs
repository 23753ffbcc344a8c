//! The rules of a game.

use super::frame::{Frame, Tab, answered, game, page as framed};
use crate::cli::serve::explorer::Explorer;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::response::Response;
use maud::{Markup, html};
use std::sync::Arc;

pub async fn page(
    State(explorer): State<Arc<Explorer>>,
    name: Result<Path<String>, PathRejection>,
) -> Response {
    let made = async {
        let (entry, asked) = game(&explorer, name).await?;
        let title = asked.oracle().title();
        let frame = Frame {
            title: format!("Rules of {title}"),
            game: Some((&entry, title.clone(), Tab::Rules)),
            again: None,
        };
        let contents = html! {
            section class="narrow" {
                h1 { "Rules and scores" }
                (in_words(entry.game().rules_in_words()))
                p class="soft" { "In tables and for programs: " code { (entry.game().rules()) } }
            }
        };
        Ok(framed(&frame, &contents))
    };
    answered(made.await)
}

/// Plain text: paragraphs with an empty line between them, and lists.
fn in_words(text: &str) -> Markup {
    html! {
        @for paragraph in text.split("\n\n") {
            @if paragraph.starts_with("- ") {
                ul { @for item in paragraph.split("\n- ") { li { (item.trim_start_matches("- ")) } } }
            } @else {
                p { (paragraph) }
            }
        }
    }
}
