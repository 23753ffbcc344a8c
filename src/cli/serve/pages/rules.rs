//! The rules of a game.

use super::frame::{Frame, Tab, answered, game, page as framed};
use crate::check::html::paragraphs;
use crate::cli::serve::explorer::Explorer;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::response::Response;
use maud::html;
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
                (paragraphs(entry.game().rules_in_words()))
                p class="soft" { "In tables and for programs: " code { (entry.game().rules()) } }
            }
        };
        Ok(framed(&frame, &contents))
    };
    answered(made.await)
}
