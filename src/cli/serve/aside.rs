//! Work outside the server's own threads.

use super::problem::Problem;
use tokio::task::JoinSet;

/// Runs blocking work without holding up other requests.
///
/// Work that has not begun when the client disconnects is never run.
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

/// Lets this thread, and those that it starts, run only when others have nothing to do.
///
/// So pages come at once while positions are searched. Only Linux has priorities of threads that
/// any program may lower.
pub fn step_back() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(19);
}
