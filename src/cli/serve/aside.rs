//! Work beside the server's own threads.

use super::problem::Problem;
use tokio::task::JoinSet;

/// What can't be awaited without holding up others. What has not begun when the client goes away
/// never does.
pub async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let mut tasks = JoinSet::new();
    tasks.spawn_blocking(work);
    match tasks.join_next().await {
        Some(Ok(done)) => done,
        _ => Err(Problem::internal()),
    }
}
