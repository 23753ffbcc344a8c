//! The API: JSON for programs.
//!
//! The same answers as those of `query --json` and `info --json`, by HTTP; docs/api.md describes
//! them for people, `openapi` for programs.

mod asking;
mod batch;
mod openapi;

use asking::{ASKING, answered, so_far_of, to_json, wanted};
pub use asking::{ONLY_TABLES, aside, asked, entry, find, name, problem, report};
pub use batch::MOST_BATCHES;

use super::catalogue::{Asked, Entry};
use super::explorer::Explorer;
use super::http::Params;
use super::problem::Problem;
use super::thinking::Found;
use crate::cli::answer::AnswerReport;
use crate::oracle::{AskError, Wanted};
use axum::Router;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use axum::routing::{get, post};
use serde_json::{Value, json};
use std::sync::Arc;

/// The version of the API; the keys and addresses of a version stay.
pub const VERSION: u32 = 1;

pub fn router() -> Router<Arc<Explorer>> {
    Router::new()
        .route("/games", get(games))
        .route("/openapi.json", get(openapi::document))
        .route("/{game}", get(position))
        .route("/{game}/batch", post(batch::batch))
        .route("/{game}/statistics", get(statistics))
        .fallback(async || {
            problem(&Problem::not_found(
                "there is nothing at this address; /api/openapi.json lists what there is",
            ))
        })
        .method_not_allowed_fallback(async || {
            problem(&Problem::new(
                StatusCode::METHOD_NOT_ALLOWED,
                "this address is not asked by that method; /api/openapi.json says by which",
            ))
        })
}

async fn games(State(explorer): State<Arc<Explorer>>, RawQuery(query): RawQuery) -> Response {
    let listed = async {
        Params::only(query.as_deref(), &[])?;
        let mut games = Vec::new();
        for entry in explorer.catalogue.entries() {
            games.push(game(entry).await?);
        }
        Ok(to_json(
            StatusCode::OK,
            &json!({ "api_version": VERSION, "games": games }),
        ))
    };
    answered(listed.await)
}

/// One of the games.
async fn game(entry: &Arc<Entry>) -> Result<Value, Problem> {
    let own = Arc::clone(entry);
    aside(move || {
        let game = own.game();
        let mut report = json!({
            "id": own.id,
            "game": game.family(),
            "name": game.name(),
            "rules": game.rules(),
            "source": if own.is_searched() { "search" } else { "table" },
        });
        match own.asked() {
            Err(error) => report["error"] = error.into(),
            Ok(asked) => {
                let oracle = asked.oracle();
                report["title"] = oracle.title().into();
                if own.example.is_none() {
                    report["start"] = oracle.start().into();
                }
                report["move_noun"] = oracle.move_noun().into();
                if let Asked::Table(table) = &asked {
                    report["positions"] = table.file().entries().into();
                    report["bytes"] = table.file().bytes().into();
                    let score = match table.ask(None, Wanted::default()) {
                        Ok(start) => start.first_player_bounds().score(),
                        Err(AskError::NoStart { .. }) => None,
                        Err(error) => {
                            report["error"] = error.to_string().into();
                            None
                        }
                    };
                    report["first_player_score"] = score.into();
                }
            }
        }
        Ok(report)
    })
    .await
}

async fn position(
    State(explorer): State<Arc<Explorer>>,
    game: Result<Path<String>, PathRejection>,
    RawQuery(query): RawQuery,
) -> Response {
    let found = async {
        let entry = entry(&explorer, &name(game)?)?;
        let known = [&["position"][..], &ASKING].concat();
        let params = Params::only(query.as_deref(), &known)?;
        let wanted = wanted(&params)?;
        let position = params.filled("position");
        let asked = asked(entry).await?;
        let found = find(
            &explorer,
            &entry.id,
            &asked,
            position,
            wanted,
            explorer.patience,
        )
        .await;
        Ok(
            match found.map_err(|problem| problem.about(position.unwrap_or_default()))? {
                Found::All(answer) => to_json(StatusCode::OK, &AnswerReport::new(&answer)),
                so_far => {
                    let report = so_far_of(&so_far);
                    let mut response = to_json(StatusCode::ACCEPTED, &report);
                    let headers = response.headers_mut();
                    headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
                    response
                }
            },
        )
    };
    answered(found.await)
}

async fn statistics(
    State(explorer): State<Arc<Explorer>>,
    game: Result<Path<String>, PathRejection>,
    RawQuery(query): RawQuery,
) -> Response {
    let found = async {
        let entry = entry(&explorer, &name(game)?)?;
        Params::only(query.as_deref(), &[])?;
        let table = asked(entry).await?.table(&entry.id, ONLY_TABLES)?;
        let report = aside(move || {
            let mut report = report(&*table)?;
            // Where the table lies is nobody's business.
            let name = table.file().path().file_name().unwrap_or_default();
            report.path = name.to_string_lossy().into_owned();
            Ok(report)
        });
        Ok(to_json(StatusCode::OK, &report.await?))
    };
    answered(found.await)
}
