//! The rules of a game.

use super::frame::page as framed;
use crate::check::html::paragraphs;
use crate::cli::serve::visit::Visit;
use axum::response::Response;
use maud::html;

pub async fn page(visit: Visit) -> Response {
    let (game, title) = (visit.entry.game(), visit.asked.oracle.title());
    let contents = html! {
        section class="narrow" {
            h1 { "Rules and scores" }
            (paragraphs(game.rules_in_words()))
            p class="soft" { "In tables and for programs: " code { (game.rules()) } }
        }
    };
    let title = format!("Rules of {title}");
    framed(&visit, "rules", &title, None, &contents)
}
