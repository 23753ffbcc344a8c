//! The same on this thread alone, where there are no others.

use super::OWN_STACK;

/// Runs recursive `work` on the stack that is there.
pub(crate) fn on_large_stack<T: Send>(_: usize, work: impl Fn(usize) -> T + Sync) -> T {
    work(OWN_STACK)
}

/// Runs `work`.
pub(crate) fn in_pool<T: Send>(_: usize, _: usize, work: impl FnOnce() -> T + Send) -> T {
    work()
}

/// Returns the number of threads of the caller's pool.
pub(crate) fn width() -> usize {
    1
}

/// Does the tasks 0 to `tasks` - 1.
pub(crate) fn each(tasks: usize, work: &(dyn Fn(usize) + Sync)) {
    (0..tasks).for_each(work);
}

/// Does the tasks 0 to `tasks` - 1.
pub(crate) fn in_order(tasks: usize, work: &(dyn Fn(usize) + Sync)) {
    each(tasks, work);
}

/// Sorts items; equal ones must be the same.
pub(crate) fn sort<T: Ord + Send>(items: &mut [T]) {
    items.sort_unstable();
}

/// Does the tasks 0 to `tasks` - 1 by the first worker.
///
/// Returns the results in the tasks' order. `work` also returns whether to begin more tasks.
pub(crate) fn share<W: Send, T: Send>(
    workers: &mut [W],
    tasks: usize,
    work: impl Fn(&mut W, usize) -> (T, bool) + Sync,
) -> Vec<T> {
    let Some(worker) = workers.first_mut() else {
        return Vec::new();
    };
    let mut done = Vec::new();
    for task in 0..tasks {
        let (made, goes_on) = work(worker, task);
        done.push(made);
        if !goes_on {
            break;
        }
    }
    done
}

/// Runs `search` and returns its answer.
pub(crate) fn first_answer<T: Send>(
    _: usize,
    search: impl Fn(usize) -> Option<T> + Sync,
) -> Option<T> {
    search(0)
}
