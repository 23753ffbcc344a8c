//! The API: JSON for programs.
//!
//! The same answers as those of `query --json` and `info --json`, by HTTP; docs/api.md describes
//! them for people, `openapi` for programs.

mod batch;
mod openapi;

pub use batch::MOST_BATCHES;

use super::Explorer;
use super::catalogue::{Asked, Entry};
use super::http::Params;
use super::problem::Problem;
use super::thinking::Found;
use crate::any::AnyTable;
use crate::cli::answer::AnswerReport;
use crate::cli::info::{self, Report};
use crate::cli::json::ErrorReport;
use crate::oracle::{Answer, AskError, Wanted};
use axum::Router;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

/// The version of the API; the keys and addresses of a version stay.
pub const VERSION: u32 = 1;

/// What a question about positions can be put with.
const ASKING: [&str; 3] = ["question", "moves", "line"];

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

fn with_type(kind: &'static str, body: String) -> Response {
    (
        [(header::CONTENT_TYPE, HeaderValue::from_static(kind))],
        body,
    )
        .into_response()
}

fn to_json(status: StatusCode, value: &impl Serialize) -> Response {
    match serde_json::to_string(value) {
        Ok(mut text) => {
            text.push('\n');
            (status, with_type("application/json", text)).into_response()
        }
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// An error in JSON, as `query --json` has it.
fn error_of(problem: &Problem) -> Value {
    let report = ErrorReport {
        position: problem.position.as_deref(),
        error: problem.error.clone(),
    };
    let mut report = serde_json::to_value(report).unwrap_or_default();
    if let Some(result) = problem.result {
        report["first_player_score"] = result.into();
    }
    report
}

pub fn problem(problem: &Problem) -> Response {
    let mut response = to_json(problem.status, &error_of(problem));
    if problem.status == StatusCode::SERVICE_UNAVAILABLE {
        let headers = response.headers_mut();
        headers.insert(header::RETRY_AFTER, HeaderValue::from_static("5"));
    }
    response
}

fn answered(result: Result<Response, Problem>) -> Response {
    result.unwrap_or_else(|error| problem(&error))
}

/// The name that stands in an address.
pub fn name(game: Result<Path<String>, PathRejection>) -> Result<String, Problem> {
    game.map(|Path(name)| name)
        .map_err(|_| Problem::bad_request("the address is not UTF-8 in percent-encoding"))
}

/// What was asked for by this name.
pub fn entry<'a>(explorer: &'a Explorer, game: &str) -> Result<&'a Arc<Entry>, Problem> {
    explorer.catalogue.find(game).ok_or_else(|| {
        let entries = explorer.catalogue.entries().iter();
        let known: Vec<&str> = entries.map(|entry| &*entry.id).collect();
        Problem::not_found(format!(
            "there is no game \"{game}\" here; there are {}",
            known.join(", ")
        ))
    })
}

/// What is wanted about positions.
fn wanted(params: &Params) -> Result<Wanted, Problem> {
    let question = params.filled("question").map(str::parse).transpose();
    Ok(Wanted {
        question: question
            .map_err(|error: crate::oracle::NoQuestion| Problem::bad_request(error.to_string()))?,
        moves: params.flag("moves")?,
        line: if params.flag("line")? { usize::MAX } else { 0 },
    })
}

/// What can't be awaited without holding up others. What has not begun when the client goes away
/// never does.
pub async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let mut tasks = JoinSet::new();
    tasks.spawn_blocking(work);
    match tasks.join_next().await {
        Some(Ok(done)) => done,
        _ => Err(Problem::internal()),
    }
}

/// Who answers for an entry.
pub async fn asked(entry: &Arc<Entry>) -> Result<Asked, Problem> {
    let entry = Arc::clone(entry);
    aside(move || {
        entry
            .asked()
            .map_err(|error| Problem::new(StatusCode::SERVICE_UNAVAILABLE, error))
    })
    .await
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

/// What is known of a position that is still searched.
fn so_far_of(found: &Found) -> Value {
    let mut report = match found {
        Found::All(answer)
        | Found::SoFar {
            answer: Some(answer),
            ..
        } => serde_json::to_value(AnswerReport::new(answer)).unwrap_or_default(),
        Found::SoFar { position, .. } => json!({ "position": position }),
    };
    report["searching"] = true.into();
    report
}

/// What is wanted about a position; of a search as much as is known when the patience is over.
pub async fn find(
    explorer: &Explorer,
    id: &str,
    asked: &Asked,
    position: Option<&str>,
    wanted: Wanted,
    patience: Duration,
) -> Result<Found, Problem> {
    match asked {
        Asked::Table(table) => {
            let (table, position) = (Arc::clone(table), position.map(str::to_owned));
            let answer = aside(move || ask(&*table, position.as_deref(), wanted)).await?;
            Ok(Found::All(answer))
        }
        Asked::Search(oracle) => {
            let (own, given) = (Arc::clone(oracle), position.map(str::to_owned));
            // The same position may be written in several ways.
            let name = aside(move || {
                let look = own.look(given.as_deref(), &[]);
                let look = look.map_err(|error| Problem::of_looking(&error))?;
                Ok(look.view.position)
            });
            let name = name.await?;
            explorer
                .thinking
                .ask(id, oracle, &name, wanted, patience)
                .await
        }
    }
}

fn ask(
    oracle: &dyn crate::any::AnyOracle,
    position: Option<&str>,
    wanted: Wanted,
) -> Result<Answer, Problem> {
    let answer = oracle.ask(position, wanted);
    answer.map_err(|error| Problem::of_asking(&error))
}

/// Why a game that is searched has no statistics.
pub const ONLY_TABLES: &str = "only tables have statistics";

/// What is known of a table as a whole.
pub fn report(table: &dyn AnyTable) -> Result<Report, Problem> {
    info::report(table.file())
        .map_err(|error| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, format!("{error:#}")))
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
