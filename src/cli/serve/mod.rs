//! The explorer: pages for people and an API for programs.
//!
//! ```text
//! server ─┬─► http ──► api · pages ──► visit ──► registry · jobs (searches)
//! worker ─┘
//! ```
//!
//! Two hosts ask the same [`router`], which turns requests into responses: `server` is the command
//! `serve`, and `worker` answers the pages of one browser within that browser. `host` does for both
//! the work that takes long. `http` has the rules for all requests and responses. `visit` reads the
//! parameters of a request, finds the game and its oracle in the registry, or queues a search. `ais`
//! has the AIs to play against.

mod address;
mod ais;
mod api;
mod class;
mod explorer;
mod host;
mod http;
mod jobs;
mod pages;
mod problem;
mod puzzles;
mod registry;
#[cfg(not(target_family = "wasm"))]
mod server;
mod visit;
#[cfg(target_family = "wasm")]
mod worker;

use axum::http::StatusCode;
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use axum::{Extension, Router};
use class::{Participant, with_class};
use explorer::Explorer;
use problem::Problem;
pub use registry::{SEARCHED, id_of};
#[cfg(not(target_family = "wasm"))]
pub use server::{describe, run};
use std::sync::Arc;
#[cfg(target_family = "wasm")]
pub use worker::{Worker, solve};

/// Returns the function from requests to responses.
fn router(explorer: Arc<Explorer>) -> Router {
    let mut router = Router::new()
        .nest("/api", api::router())
        .nest("/api/v1", api::router())
        .merge(pages::router())
        .fallback(async || {
            Problem::not_found(
                "there is nothing at this address; the first page links to all pages, and \
                 api/openapi.json describes the API",
            )
        })
        .method_not_allowed_fallback(async || {
            let error =
                "this address doesn't support that method; api/openapi.json lists the methods";
            Problem::new(StatusCode::METHOD_NOT_ALLOWED, error)
        });
    router = match &explorer.class {
        Some(class) => with_class(router, class),
        None => router.route(
            "/class/{*rest}",
            get(async || {
                Problem::not_found("there is no class here\ntip: `zermelo serve --class` has one")
            }),
        ),
    };
    router
        .layer(Extension(Participant::default()))
        .layer(from_fn_with_state(Arc::clone(&explorer), http::guard))
        .with_state(explorer)
}
