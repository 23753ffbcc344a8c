//! The rules of a game.

use super::board;
use super::frame::page as framed;
use crate::check::html::paragraphs;
use crate::cli::serve::problem::Problem;
use crate::cli::serve::visit::Visit;
use axum::response::Response;
use maud::html;

pub async fn page(visit: Visit) -> Result<Response, Problem> {
    let (game, oracle) = (visit.entry.game(), &visit.source.oracle);
    let view = visit.view(Some(&oracle.start()), &[]).await?;
    let what = if game.has_start() {
        "The start"
    } else {
        "An example"
    };
    let contents = html! {
        section class="narrow" {
            h1 { "Rules and scores" }
            figure {
                (board::board(&view, &[]))
                figcaption class="soft" { (what) ", written as " code { (view.position) } }
            }
            (paragraphs(game.rules_in_words()))
            p class="soft" { "In tables and for programs: " code { (game.rules()) } }
        }
    };
    let title = format!("Rules of {}", oracle.title());
    Ok(framed(&visit, "rules", &title, None, &contents))
}
