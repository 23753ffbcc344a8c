//! The state shared by all requests.

use super::http::{Limits, Names};
use super::jobs::SearchJobs;
use super::registry::Registry;
use axum::http::HeaderValue;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// The state shared by all requests.
pub struct Explorer {
    pub registry: Registry,
    pub jobs: Arc<SearchJobs>,
    /// Maximum time that an answer waits for a search.
    pub patience: Duration,
    /// Sites whose pages may use the API; `*` stands for all.
    pub allow_origin: Vec<String>,
    /// The policy of pages that other sites may show in a frame, if there are such sites.
    pub embedding: Option<HeaderValue>,
    /// The threads that answer batches, and the limit of batches at once.
    pub pool: rayon::ThreadPool,
    pub batches: Arc<Semaphore>,
    pub names: Names,
    pub limits: Limits,
}
