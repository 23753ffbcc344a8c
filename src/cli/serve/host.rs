//! Work outside the server's own threads.

use super::problem::Problem;
use std::sync::Arc;
use tokio::task::JoinSet;

/// Runs blocking work without holding up other requests.
///
/// Work that has not begun when the client disconnects is never run.
pub async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let mut tasks = JoinSet::new();
    tasks.spawn_blocking(work);
    match tasks.join_next().await {
        Some(Ok(done)) => done,
        _ => Err(Problem::internal()),
    }
}

/// Runs blocking work that asks now and then whether the client still waits for it.
pub async fn blocking_while_awaited<T: Send + 'static>(
    work: impl FnOnce(&dyn Fn() -> bool) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    // Dropped with this future when the client disconnects.
    let waiting = Arc::new(());
    let of_work = Arc::downgrade(&waiting);
    blocking(move || work(&|| of_work.strong_count() > 0)).await
}

/// Lowers the priority of this thread and those that it starts: they run when others are idle.
///
/// So pages come at once while positions are searched. Only Linux has priorities of threads that
/// any program may lower.
pub fn lower_priority() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(19);
}
