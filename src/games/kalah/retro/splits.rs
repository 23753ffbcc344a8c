//! A layer's splits, shared out among threads.

use crate::game::{Progress, SolveError};

/// What `work` makes of each of these splits, in the order of the poor side's seeds, on all threads.
///
/// # Errors
/// [`SolveError::Interrupted`], and the first that `work` returns.
pub fn for_all<S: Sync, T: Send, E: From<SolveError> + Send>(
    splits: &[S],
    progress: &dyn Progress,
    work: impl Fn(&S) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let mut results: Vec<Option<Result<T, E>>> = splits.iter().map(|_| None).collect();
    let work = &work;
    rayon::scope_fifo(|scope| {
        // Splits near the middle are the largest: begin with them, so that none of them is left
        // over at the end.
        for (split, result) in splits.iter().zip(&mut results).rev() {
            scope.spawn_fifo(move |_| *result = Some(work(split)));
        }
    });
    let results = results.into_iter().flatten().collect();
    if progress.cancelled() {
        return Err(SolveError::Interrupted.into());
    }
    results
}
