//! The home page, with all games that can be explored.

use super::frame::{entry_address, framed, problem_notice};
use super::parts;
use super::words::Players;
use crate::any::{FAMILIES, game_named};
use crate::cli::serve::blocking::blocking;
use crate::cli::serve::class::Participant;
use crate::cli::serve::explorer::Explorer;
use crate::cli::serve::http::Params;
use crate::cli::serve::problem::Problem;
use crate::cli::serve::registry::{Entry, Registry};
use crate::game::{Parameter, ParameterKind, Side};
use crate::oracle::{AskError, Wanted};
use crate::text::{bytes, capitalised, count};
use axum::Extension;
use axum::extract::{RawQuery, State};
use axum::response::{Html, IntoResponse, Redirect, Response};
use maud::{Markup, html};
use std::sync::Arc;

pub async fn page(
    Extension(who): Extension<Participant>,
    State(explorer): State<Arc<Explorer>>,
) -> Result<Html<String>, Problem> {
    blocking(move || Ok(home(&explorer, &who, &Params::default(), None))).await
}

/// Returns the page, with what was typed into a form and its problem if there is one.
fn home(
    explorer: &Explorer,
    who: &Participant,
    typed: &Params,
    problem: Option<&Problem>,
) -> Html<String> {
    let entries = explorer.registry.entries.iter();
    let cards = entries.map(|entry| card(explorer, who, entry));
    let contents = html! {
        (who.bar())
        (who.welcome())
        section class="hero" {
            h1 { "The exact score of every move" }
            p {
                "Choose a game and click through it: each move shows its result if both sides play "
                "their best from there."
            }
        }
        @if let Some(problem) = problem { (problem_notice(problem)) }
        ul class="games" { @for card in cards { li { (card) } } }
        (boards(&explorer.registry, typed))
    };
    framed("Games", None, None, &contents)
}

/// Returns the card of a game on the home page.
fn card(explorer: &Explorer, who: &Participant, entry: &Arc<Entry>) -> Markup {
    let (title, source) = match entry.source() {
        Ok(source) => (source.oracle.title(), source),
        Err(problem) => return problem_card(&entry.game.name(), &problem),
    };
    let start = source.oracle.view(Some(&source.oracle.start()), &[]);
    let mut origin = format!("{}, so no puzzles and no statistics", entry.why_searched());
    let (mut answer, mut verdict) = (None, "Searched as you go");
    if let Some(table) = &source.table {
        let file = table.file();
        let (classes, size) = (count(file.entries()), bytes(file.bytes()));
        origin = format!("table of {classes} classes, {size}");
        match table.ask(None, Wanted::default(), None) {
            Ok(start) => answer = Some(start),
            Err(AskError::NoStart { .. }) => verdict = "An endgame, with no start of its own",
            Err(error) => return problem_card(&title, &error.to_string()),
        }
    } else {
        answer = explorer.jobs.known(&entry.id, source.oracle.start());
    }
    if !who.sees_scores() {
        (answer, verdict) = (None, "Scores are locked");
    }
    let score = answer.and_then(|answer| {
        let of_first = answer.first_player_bounds().score()?;
        Some(answer.in_words_of(Side::First, of_first))
    });
    html! {
        a class="card" href=(entry_address(entry, &source, "explore")) {
            h2 { (title) }
            @if let Ok(view) = &start { div class="thumb" aria-hidden="true" { (parts::still(view)) } }
            p {
                @match score {
                    Some(score) => { (capitalised(&Players::of(&*source.oracle).who_wins(score))) },
                    None => { span class="pill open" { "?" } " " (verdict) },
                }
            }
            p class="soft" { (entry.id) " \u{b7} " (origin) }
        }
    }
}

/// Returns forms for other boards of the library's games.
fn boards(registry: &Registry, typed: &Params) -> Markup {
    html! {
        section {
            h2 { "Other boards" }
            @for family in registry.offered() {
                @let typed = (typed.get("game") == Some(family.name())).then_some(typed);
                details open[typed.is_some()] {
                    summary { (family.about()) }
                    form action="/boards" {
                        input type="hidden" name="game" value=(family.name());
                        @for parameter in offered(family.parameters()) { (field(family.name(), parameter, typed)) }
                        p { button { "Explore" } }
                    }
                }
            }
        }
    }
}

/// Returns the parameters that a form offers: of each group, of which only one may be given, the
/// first.
fn offered(all: &[Parameter]) -> impl Iterator<Item = &Parameter> {
    let numbered = all.iter().enumerate();
    let offered = numbered.filter(|(number, parameter)| {
        let mut before = all[..*number].iter();
        parameter.group.is_none() || !before.any(|other| other.group == parameter.group)
    });
    offered.map(|(_, parameter)| parameter)
}

/// Returns a parameter of a board, with the value that was typed.
fn field(family: &str, parameter: &Parameter, typed: Option<&Params>) -> Markup {
    let Parameter {
        name, help, kind, ..
    } = parameter;
    let id = format!("{family}-{name}");
    let typed = typed.and_then(|typed| typed.get(name));
    html! {
        p {
            label for=(id) { (help) } " "
            @match kind {
                ParameterKind::Number { default, .. } => {
                    input id=(id) name=(name) inputmode="numeric" value=(typed.unwrap_or(&default.to_string()));
                },
                ParameterKind::Choice { values } => {
                    select id=(id) name=(name) { @for (value, meaning) in *values { option value=(value) selected[typed == Some(value)] { (meaning) } } }
                },
                ParameterKind::Flag => { input id=(id) name=(name) type="checkbox" value="yes" checked[typed.is_some()]; },
            }
        }
    }
}

/// Opens a board, and leads to it.
pub async fn open(
    Extension(who): Extension<Participant>,
    State(explorer): State<Arc<Explorer>>,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let params = Params::read(query.as_deref())?;
    blocking(move || {
        let family = params.filled("game").unwrap_or_default();
        let game = game_named(family, &params.others("game"), FAMILIES);
        let game = game.map_err(|error| error.to_string());
        let opened = game.and_then(|game| explorer.registry.open(game));
        let opened = opened.and_then(|entry| Ok((entry.source()?, entry)));
        Ok(match opened {
            Ok((source, entry)) => {
                Redirect::to(&entry_address(&entry, &source, "explore")).into_response()
            }
            Err(error) => {
                // A form has no options.
                let problem = Problem::bad_request(error.replace("--", ""));
                let page = home(&explorer, &who, &params, Some(&problem));
                (problem.status, page).into_response()
            }
        })
    })
    .await
}

/// Returns the card of a game that can't be explored, with the problem.
fn problem_card(title: &str, problem: &str) -> Markup {
    html! {
        div class="card out" {
            h2 { (title) }
            p class="problem" { (problem) "." }
        }
    }
}
