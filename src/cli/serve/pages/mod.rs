//! The pages, made here and complete without a script.

use super::Explorer;
use super::problem::Problem;
use axum::Router;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

pub fn router() -> Router<Arc<Explorer>> {
    Router::new()
}

pub fn problem(problem: &Problem) -> Response {
    (problem.status, problem.error.clone()).into_response()
}
