//! The home page, with all games that can be explored.

use super::board;
use super::frame::{entry_address, framed};
use super::words::Players;
use crate::cli::serve::aside::aside;
use crate::cli::serve::explorer::Explorer;
use crate::cli::serve::problem::Problem;
use crate::cli::serve::registry::Entry;
use crate::game::Side;
use crate::oracle::{AskError, Wanted};
use crate::text::{bytes, capitalised, count};
use axum::extract::State;
use axum::response::Html;
use maud::{Markup, html};
use std::sync::Arc;

pub async fn page(State(explorer): State<Arc<Explorer>>) -> Result<Html<String>, Problem> {
    aside(move || {
        let cards = explorer.registry.entries().iter().map(card);
        let contents = html! {
            section class="hero" {
                h1 { "The exact score of every move" }
                p {
                    "Choose a game and click through it: each move shows its result if both sides play "
                    "their best from there."
                }
            }
            ul class="games" { @for card in cards { li { (card) } } }
        };
        Ok(framed("Games", None, None, &contents))
    })
    .await
}

/// The card of a game on the home page.
fn card(entry: &Arc<Entry>) -> Markup {
    let (title, asked) = match entry.asked() {
        Ok(asked) => (asked.oracle.title(), asked),
        Err(problem) => return out(&entry.game().name(), &problem),
    };
    let start = asked.oracle.view(Some(&asked.oracle.start()), &[]);
    let mut source = "by search, without a table".to_owned();
    let (mut score, mut verdict) = (None, "Searched as you go");
    if let Some(table) = &asked.table {
        let file = table.file();
        let (classes, size) = (count(file.entries()), bytes(file.bytes()));
        source = format!("table of {classes} classes, {size}");
        match table.ask(None, Wanted::default()) {
            Ok(start) => {
                let of_first = start.first_player_bounds().score();
                score = of_first.map(|score| start.in_words_of(Side::First, score));
            }
            Err(AskError::NoStart { .. }) => verdict = "An endgame, with no start of its own",
            Err(error) => return out(&title, &error.to_string()),
        }
    }
    html! {
        a class="card" href=(entry_address(entry, &asked, "explore")) {
            h2 { (title) }
            @if let Ok(view) = &start { div class="thumb" aria-hidden="true" { (board::still(view)) } }
            p {
                @match score {
                    Some(score) => { (capitalised(&Players::of(&*asked.oracle).who_wins(score))) },
                    None => { span class="pill open" { "?" } " " (verdict) },
                }
            }
            p class="soft" { (entry.id) " \u{b7} " (source) }
        }
    }
}

/// The card of a game that can't be explored, with the problem.
fn out(title: &str, problem: &str) -> Markup {
    html! {
        div class="card out" {
            h2 { (title) }
            p class="problem" { (problem) "." }
        }
    }
}
