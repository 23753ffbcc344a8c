//! What answers of the API are made of.

use super::super::catalogue::{Asked, Entry};
use super::super::http::Params;
use super::super::problem::Problem;
use super::super::thinking::Found;
use crate::any::AnyTable;
use crate::cli::answer::AnswerReport;
use crate::cli::info::{self, Report};
use crate::cli::json::ErrorReport;
use crate::cli::serve::explorer::Explorer;
use crate::oracle::{Answer, Wanted};
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

/// What a question about positions can be put with.
pub(super) const ASKING: [&str; 3] = ["question", "moves", "line"];

pub(super) fn with_type(kind: &'static str, body: String) -> Response {
    (
        [(header::CONTENT_TYPE, HeaderValue::from_static(kind))],
        body,
    )
        .into_response()
}

pub(super) fn to_json(status: StatusCode, value: &impl Serialize) -> Response {
    match serde_json::to_string(value) {
        Ok(mut text) => {
            text.push('\n');
            (status, with_type("application/json", text)).into_response()
        }
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// An error in JSON, as `query --json` has it.
pub(super) fn error_of(problem: &Problem) -> Value {
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

pub(super) fn answered(result: Result<Response, Problem>) -> Response {
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
pub(super) fn wanted(params: &Params) -> Result<Wanted, Problem> {
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

/// What is known of a position that is still searched.
pub(super) fn so_far_of(found: &Found) -> Value {
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

pub(super) fn ask(
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
