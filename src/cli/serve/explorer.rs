//! The state shared by all requests.

use super::catalogue::Catalogue;
use super::http::{Limits, Names};
use super::thinking::Thinking;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// The state shared by all requests.
pub struct Explorer {
    pub catalogue: Catalogue,
    pub thinking: Arc<Thinking>,
    /// Maximum time that an answer waits for a search.
    pub patience: Duration,
    pub cors: bool,
    /// The threads that answer batches, and the limit of batches at once.
    pub pool: rayon::ThreadPool,
    pub batches: Arc<Semaphore>,
    pub names: Names,
    pub limits: Limits,
}
