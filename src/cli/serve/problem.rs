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
    /// A name of the problem for programs, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'static str>,
    /// The error without a full stop, its tip, and the position of the question.
    #[serde(flatten)]
    pub report: ErrorReport,
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
            code: None,
            report: ErrorReport::new(None, &message.into()),
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

    pub fn with_code(mut self, code: &'static str) -> Problem {
        self.code = Some(code);
        self
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
        Problem::new(status_of(&error), advice::with_tip(error.to_string(), tip))
    }
}

fn status_of(error: &AskError) -> StatusCode {
    match error {
        AskError::Notation(_)
        | AskError::NoStart { .. }
        | AskError::NoMove { .. }
        | AskError::Illegal { .. } => StatusCode::BAD_REQUEST,
        AskError::Finished { .. } | AskError::LargeScore { .. } => StatusCode::UNPROCESSABLE_ENTITY,
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
