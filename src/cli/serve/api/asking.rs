//! The parts of the API's answers.

use crate::any::{AnyOracle, View};
use crate::cli::answer::AnswerReport;
use crate::cli::info::{self, Report};
use crate::cli::serve::http::Params;
use crate::cli::serve::jobs::FoundAnswer;
use crate::cli::serve::problem::Problem;
use crate::game::{Outcome, UnknownName};
use crate::oracle::{Question, Wanted};
use crate::table::CheckedFile;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::{Value, json};

/// Parameters that name a position: where a line begins, and its moves.
pub(super) const LINE: [&str; 2] = ["position", "played"];
/// Parameters of a question about positions.
pub(super) const ASKING: [&str; 3] = ["question", "moves", "line"];

pub(super) fn to_json(status: StatusCode, value: &impl Serialize) -> Response {
    let kind = [(header::CONTENT_TYPE, "application/json")];
    (status, kind, line_of(value)).into_response()
}

/// Returns one line of JSON.
pub(super) fn line_of(value: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(value).unwrap_or_default();
    line.push(b'\n');
    line
}

/// Returns an error as JSON, in the form of `query --json`.
pub fn problem(problem: &Problem) -> Response {
    let mut response = to_json(problem.status, problem);
    if problem.status == StatusCode::SERVICE_UNAVAILABLE {
        let headers = response.headers_mut();
        headers.insert(header::RETRY_AFTER, 5.into());
    }
    response
}

/// Returns the data wanted about positions, as the parameters say.
pub(super) fn wanted(params: &Params, oracle: &dyn AnyOracle) -> Result<Wanted, Problem> {
    let parse = |text| Question::parse(text, |side| oracle.side_name(side));
    let question = params.filled("question").map(parse).transpose();
    Ok(Wanted {
        only: None,
        question: question.map_err(|error: UnknownName| Problem::bad_request(error.to_string()))?,
        moves: params.flag("moves")?,
        line: if params.flag("line")? { usize::MAX } else { 0 },
        guess: None,
    })
}

/// The known data about a position, which may still be searched.
#[derive(Serialize)]
pub(super) struct FoundReport<'a> {
    #[serde(flatten)]
    pub(super) answer: Option<AnswerReport<'a>>,
    /// Only without an answer, which has the position itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    searching: Option<bool>,
}

impl FoundReport<'_> {
    pub(super) fn new(found: &FoundAnswer) -> FoundReport<'_> {
        FoundReport {
            position: found.answer.is_none().then_some(&found.position),
            answer: found.answer.as_ref().map(AnswerReport::new),
            searching: found.searching.map(|_| true),
        }
    }
}

/// Returns the result of a finished game, in the form of an answer.
pub(super) fn over(view: &View, question: Option<Question>) -> Value {
    let first = view.result.unwrap_or_default();
    let own = view.to_move.seen(first);
    let mut report = json!({
        "position": view.position,
        "over": true,
        "outcome": Outcome::of(own).to_string(),
        "moves": [],
    });
    if let Some(yes) = question.and_then(|question| question.answer(view.to_move, own)) {
        report["answer"] = yes.into();
    }
    if !view.counts_plies {
        report["score"] = own.into();
        report["first_player_score"] = first.into();
    }
    report
}

/// Returns statistics of a table.
pub fn report(file: &CheckedFile) -> Result<Report, Problem> {
    info::report(file)
        .map_err(|error| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, format!("{error:#}")))
}
