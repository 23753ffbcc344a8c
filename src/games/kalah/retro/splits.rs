//! Shares a layer's splits between threads.

use crate::game::{Progress, SolveError, check_cancelled};

/// Calls `work` for all splits on all threads; returns the results in order.
///
/// # Errors
/// [`SolveError::Interrupted`], and the first error of `work`.
pub fn for_all<S: Sync, T: Send, E: From<SolveError> + Send>(
    splits: &[S],
    progress: &dyn Progress,
    work: impl Fn(&S) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let mut results: Vec<Option<Result<T, E>>> = splits.iter().map(|_| None).collect();
    let work = &work;
    rayon::scope_fifo(|scope| {
        // The last splits are the largest. Start with them, so that no thread is busy with one at
        // the end while the others wait.
        for (split, result) in splits.iter().zip(&mut results).rev() {
            scope.spawn_fifo(move |_| *result = Some(work(split)));
        }
    });
    let results = results.into_iter().flatten().collect();
    check_cancelled(progress, SolveError::Interrupted)?;
    results
}
