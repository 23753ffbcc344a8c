//! The API's description for programs.

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};

const DOCUMENT: &str = include_str!("openapi.json");

pub async fn document() -> Response {
    let kind = HeaderValue::from_static("application/json");
    ([(header::CONTENT_TYPE, kind)], DOCUMENT).into_response()
}
