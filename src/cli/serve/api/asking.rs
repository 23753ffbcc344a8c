//! The parts of the API's answers.

use crate::any::{AnyOracle, AnyTable, View};
use crate::cli::answer::AnswerReport;
use crate::cli::info::{self, Report};
use crate::cli::serve::http::Params;
use crate::cli::serve::jobs::FoundAnswer;
use crate::cli::serve::problem::Problem;
use crate::game::{Outcome, Side, UnknownName};
use crate::oracle::{Question, Wanted};
use axum::http::{HeaderName, StatusCode, header};
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

/// Returns JSON that stays the same as long as the table does.
pub(super) fn to_lasting_json(value: &impl Serialize) -> Response {
    let line = line_of(value);
    let kind = [(header::CONTENT_TYPE, "application/json")];
    (kind, lasting(&line), line).into_response()
}

/// Returns the headers of an answer that stays the same as long as the table does.
pub(super) fn lasting(contents: &[u8]) -> [(HeaderName, String); 3] {
    let tag = format!("W/\"{:08x}\"", crc32fast::hash(contents));
    [
        (header::ETAG, tag),
        (header::CACHE_CONTROL, "private, max-age=300".to_owned()),
        // An answer to another site has one more header.
        (header::VARY, "origin".to_owned()),
    ]
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
pub(super) fn wanted(params: &Params, oracle: &AnyOracle<'_>) -> Result<Wanted, Problem> {
    let parse = |text| Question::parse(text, |side| oracle.side_name(side));
    let question = params.filled("question").map(parse).transpose();
    Ok(Wanted {
        only: None,
        question: question.map_err(|error: UnknownName| Problem::bad_request(error.to_string()))?,
        moves: params.flag("moves")?,
        line: if params.flag("line")? { usize::MAX } else { 0 },
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
    /// Not in batches.
    #[serde(flatten)]
    pub(super) about: Option<Value>,
}

impl FoundReport<'_> {
    pub(super) fn new(found: &FoundAnswer) -> FoundReport<'_> {
        FoundReport {
            position: found.answer.is_none().then_some(&found.position),
            answer: found.answer.as_ref().map(AnswerReport::new),
            searching: found.searching.map(|_| true),
            about: None,
        }
    }
}

/// Returns the side to move, the players' names and the legal moves, which need no score.
pub(super) fn about(oracle: &AnyOracle<'_>, view: &View) -> Value {
    let name = |side| {
        let name = oracle.side_name(side);
        name.map_or_else(|| format!("{side} player"), str::to_owned)
    };
    let moves = view.moves.iter();
    let moves = moves.map(|mv| json!({ "move": mv.name, "places": mv.places }));
    json!({
        "to_move": view.to_move,
        "players": { "first": name(Side::First), "second": name(Side::Second) },
        "legal_moves": moves.collect::<Vec<_>>(),
    })
}

/// Returns the result of a finished game, in the form of an answer.
pub(super) fn over(oracle: &AnyOracle<'_>, view: &View, question: Option<Question>) -> Value {
    let first = view.result.unwrap_or_default();
    let own = view.to_move.seen(first);
    let mut report = about(oracle, view);
    report["position"] = view.position.clone().into();
    report["over"] = true.into();
    report["outcome"] = Outcome::of(own).to_string().into();
    report["moves"] = json!([]);
    if let Some(yes) = question.and_then(|question| question.answer(view.to_move, own)) {
        report["answer"] = yes.into();
    }
    for (name, side) in [("score", view.to_move), ("first_player_score", Side::First)] {
        if let Some(points) = view.in_words(side, side.seen(first)).points() {
            report[name] = json!(points);
        }
    }
    report
}

/// Returns statistics of a table.
pub fn report(table: &dyn AnyTable) -> Result<Report, Problem> {
    info::report(table)
        .map_err(|error| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, format!("{error:#}")))
}
