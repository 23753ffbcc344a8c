//! The state shared by all requests, and the limits for clients.

use super::ais::Ais;
use super::class::Class;
use super::host::Pool;
use super::http::Names;
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
    pub pool: Pool,
    pub batches: Arc<Semaphore>,
    pub names: Names,
    /// The class, in class mode.
    pub class: Option<Arc<Class>>,
    pub limits: Limits,
    /// AIs to play against.
    pub ais: Ais,
}

/// Limits on the number of clients and the time of each. Tests change them.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Maximum number of connections at once; others wait until one ends.
    pub connections: usize,
    /// Maximum time for a request's head to arrive, and for a connection to be idle.
    pub head: Duration,
    /// The same limit for connections that are opened when more than half of all are in use.
    pub crowded: Duration,
    /// Maximum time for the lines of a batch to arrive.
    pub body: Duration,
    /// Maximum time in which a client reads nothing of its answer.
    pub write: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connections: 512,
            head: Duration::from_secs(10),
            crowded: Duration::from_secs(1),
            body: Duration::from_secs(300),
            write: Duration::from_secs(30),
        }
    }
}
