//! What all parts of the server know.

use super::catalogue::Catalogue;
use super::http::{Limits, Names};
use super::thinking::Thinking;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// What all parts of the server know.
pub struct Explorer {
    pub catalogue: Catalogue,
    pub thinking: Arc<Thinking>,
    /// How long an answer waits for a search.
    pub patience: Duration,
    pub cors: bool,
    /// The threads that answer batches, and how many of these may be answered at once.
    pub pool: rayon::ThreadPool,
    pub batches: Arc<Semaphore>,
    pub names: Names,
    pub limits: Limits,
}
