//! What can be explored.

use super::frame::{entry_address, framed};
use super::{board, words};
use crate::any::View;
use crate::cli::serve::catalogue::Entry;
use crate::cli::serve::explorer::Explorer;
use crate::cli::serve::problem::Problem;
use crate::cli::serve::visit::aside;
use crate::oracle::{AskError, Wanted};
use crate::text::{bytes, capitalised, count, who_wins};
use axum::extract::State;
use axum::response::Html;
use maud::{Markup, html};
use std::sync::Arc;

/// What there is to say of a game before it is explored.
struct Card {
    id: String,
    title: String,
    address: String,
    view: Option<View>,
    /// Who wins; not of what is searched, and not of endgames.
    score: Option<i32>,
    /// What is said in its place.
    verdict: &'static str,
    /// Where the scores come from.
    source: String,
    problem: Option<String>,
}

pub async fn page(State(explorer): State<Arc<Explorer>>) -> Result<Html<String>, Problem> {
    aside(move || {
        let cards = explorer.catalogue.entries().iter().map(card);
        let contents = html! {
            section class="hero" {
                h1 { "Every move, weighed exactly" }
                p {
                    "Choose a game and click through it: each move shows what it leads to if both sides "
                    "play their best from there."
                }
            }
            ul class="games" { @for card in cards { li { (of_card(&card)) } } }
        };
        Ok(framed("Games", None, None, &contents))
    })
    .await
}

fn card(entry: &Arc<Entry>) -> Card {
    let mut card = Card {
        id: entry.id.clone(),
        title: entry.game().name(),
        address: entry_address(entry, "explore"),
        view: None,
        score: None,
        verdict: "Searched as you go",
        source: "by search, without a table".to_owned(),
        problem: None,
    };
    let asked = match entry.asked() {
        Ok(asked) => asked,
        Err(problem) => {
            card.problem = Some(problem);
            return card;
        }
    };
    card.title = asked.oracle.title();
    let start = asked.oracle.look(Some(&asked.oracle.start()), &[]);
    card.view = start.ok().map(|look| look.view);
    if let Some(table) = &asked.table {
        let file = table.file();
        card.source = format!(
            "table of {} classes, {}",
            count(file.entries()),
            bytes(file.bytes())
        );
        match table.ask(None, Wanted::default()) {
            Ok(start) => card.score = start.first_player_bounds().score(),
            Err(AskError::NoStart { .. }) => card.verdict = "An endgame, with no start of its own",
            Err(error) => card.problem = Some(error.to_string()),
        }
    }
    card
}

fn of_card(card: &Card) -> Markup {
    html! {
        @if let Some(problem) = &card.problem {
            div class="card out" {
                h2 { (card.title) }
                p class="problem" { (problem) "." }
            }
        } @else {
            a class="card" href=(card.address) {
                h2 { (card.title) }
                @if let Some(view) = &card.view { div class="thumb" aria-hidden="true" { (board::still(view)) } }
                p {
                    @match card.score {
                        Some(score) => {
                            span class={ "pill " (board::class_of(score)) } { (words::signed(score)) }
                            " " (capitalised(&who_wins(score)))
                        },
                        None => { span class="pill open" { "?" } " " (card.verdict) },
                    }
                }
                p class="soft" { (card.id) " \u{b7} " (card.source) }
            }
        }
    }
}
