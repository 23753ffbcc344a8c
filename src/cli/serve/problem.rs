//! The problems of requests, and their HTTP status.

use crate::cli::advice;
use crate::cli::json::ErrorReport;
use crate::game::{SearchError, SolveError};
use crate::oracle::{AskError, OracleError};
use crate::table::ReadError;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// Why a request has no answer. Its JSON has the form of `query --json`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Problem {
    #[serde(skip)]
    pub status: StatusCode,
    /// The error without a full stop, its tip, and the position of the question.
    #[serde(flatten)]
    pub report: ErrorReport,
    /// The kind of problem, for programs. It doesn't change.
    pub code: &'static str,
    /// The address that answers instead, if it has moved.
    #[serde(skip)]
    pub location: Option<String>,
}

/// A response without contents: the guard makes it a page or JSON.
impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

impl Problem {
    /// Returns the problem of a message, which may end with a tip as on the command line.
    pub fn new(status: StatusCode, message: impl Into<String>) -> Problem {
        Problem {
            status,
            report: ErrorReport::new(None, &message.into()),
            code: usual_code(status),
            location: None,
        }
    }

    pub fn bad_request(error: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, error)
    }

    pub fn not_found(error: impl Into<String>) -> Problem {
        Problem::new(StatusCode::NOT_FOUND, error)
    }

    /// Returns an internal error.
    pub fn internal() -> Problem {
        let error = "internal error; try the request again";
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error)
    }

    pub fn with_code(self, code: &'static str) -> Problem {
        Problem { code, ..self }
    }

    /// Returns the problem of an old address, with the one that answers.
    pub fn moved(location: String) -> Problem {
        let error = format!("this address has moved to {location}");
        Problem {
            location: Some(location),
            ..Problem::new(StatusCode::PERMANENT_REDIRECT, error)
        }
    }

    pub fn about(mut self, position: &str) -> Problem {
        self.report.position = Some(position.to_owned());
        self
    }
}

impl From<AskError> for Problem {
    fn from(error: AskError) -> Problem {
        let mut tip = error.tip();
        if let AskError::Oracle(OracleError::Search(cause)) = &error {
            tip = advice::for_searching(cause).map(str::to_owned);
        }
        let status = status_of(&error);
        let code = code_of(&error).unwrap_or(usual_code(status));
        Problem::new(status, advice::with_tip(error.to_string(), tip)).with_code(code)
    }
}

/// Returns the code of problems that have no more precise one.
fn usual_code(status: StatusCode) -> &'static str {
    match status.as_u16() {
        308 => "moved",
        400 => "bad_request",
        403 => "forbidden",
        404 => "not_found",
        405 => "wrong_method",
        408 => "too_slow",
        413 => "too_large",
        421 => "wrong_host",
        422 => "unanswerable",
        502 => "ai_fault",
        503 => "unavailable",
        507 => "out_of_memory",
        _ => "internal",
    }
}

fn code_of(error: &AskError) -> Option<&'static str> {
    Some(match error {
        AskError::Notation(_) => "bad_position",
        AskError::NoStart { .. } => "no_start",
        AskError::NoMove { .. } => "bad_move",
        AskError::Illegal { .. } => "illegal_move",
        AskError::Finished { .. } => "game_over",
        AskError::Oracle(OracleError::Table(error)) => match **error {
            ReadError::NotInTable { .. } => "not_in_table",
            _ => "damaged_table",
        },
        _ => return None,
    })
}

fn status_of(error: &AskError) -> StatusCode {
    match error {
        AskError::Notation(_)
        | AskError::NoStart { .. }
        | AskError::NoMove { .. }
        | AskError::Illegal { .. } => StatusCode::BAD_REQUEST,
        AskError::Finished { .. } => StatusCode::UNPROCESSABLE_ENTITY,
        AskError::Oracle(OracleError::Table(error)) => match **error {
            ReadError::NotInTable { .. } => StatusCode::NOT_FOUND,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        },
        AskError::Oracle(OracleError::Search(error)) => match **error {
            SearchError::TooMany { .. }
            | SearchError::Solve(
                SolveError::TooLong { .. }
                | SolveError::Repetition { .. }
                | SolveError::OnlyBySolving { .. },
            ) => StatusCode::UNPROCESSABLE_ENTITY,
            // Trying again later would not help.
            SearchError::Memory { .. } | SearchError::Solve(SolveError::NoMemory { .. }) => {
                StatusCode::INSUFFICIENT_STORAGE
            }
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        },
        AskError::Oracle(_) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}
