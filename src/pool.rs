//! Parallel work on a number of threads.
//!
//! Parallel work is expressed as numbered tasks. Rayon's own iterators would be instantiated for
//! each closure, which made up a quarter of the library's code.

#[cfg(target_family = "wasm")]
mod alone;
#[cfg(not(target_family = "wasm"))]
mod threads;

#[cfg(target_family = "wasm")]
pub(crate) use alone::{
    each, first_answer, in_order, in_pool, on_large_stack, share, sort, sort_runs, width,
};
use std::iter::repeat_with;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
#[cfg(not(target_family = "wasm"))]
pub(crate) use threads::{
    each, first_answer, in_order, in_pool, on_large_stack, share, sort, sort_runs, width,
};

/// The stack of each thread, in bytes, for work that doesn't recurse.
pub(crate) const STACK: usize = 2 << 20;

/// The stack that recursive work may use on whatever thread runs it, in bytes.
pub(crate) const OWN_STACK: usize = 1 << 20;

/// Returns the number of threads that this machine runs at once.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Does the tasks and returns their results in the tasks' order.
pub(crate) fn map<T: Send>(tasks: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let done: Vec<Mutex<Option<T>>> = repeat_with(Mutex::default).take(tasks).collect();
    each(tasks, &|task| {
        let made = work(task);
        *done[task].lock().expect("nobody panics here") = Some(made);
    });
    let done = done
        .into_iter()
        .map(|made| made.into_inner().ok().flatten());
    done.map(|made| made.expect("every task is done")).collect()
}

/// Does fallible tasks and returns their results in the tasks' order.
///
/// Returns the error of the first task (in this order) that fails. Tasks after it may be skipped.
pub(crate) fn try_map<T: Send, E: Send>(
    tasks: usize,
    work: impl Fn(usize) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let failed = AtomicUsize::new(tasks);
    let done = map(tasks, |task| {
        if task > failed.load(Ordering::Relaxed) {
            return None;
        }
        let made = work(task);
        if made.is_err() {
            failed.fetch_min(task, Ordering::Relaxed);
        }
        Some(made)
    });
    done.into_iter().flatten().collect()
}

/// Buffers that tasks reuse.
///
/// There are at most as many buffers as threads that use one at the same time.
pub(crate) struct Spare<T>(Mutex<Vec<T>>);

impl<T: Send> Spare<T> {
    pub(crate) const fn new() -> Spare<T> {
        Spare(Mutex::new(Vec::new()))
    }

    pub(crate) fn with<R>(&self, make: impl FnOnce() -> T, work: impl FnOnce(&mut T) -> R) -> R {
        let spare = self.0.lock().expect("nobody panics here").pop();
        let mut room = spare.unwrap_or_else(make);
        let done = work(&mut room);
        self.0.lock().expect("nobody panics here").push(room);
        done
    }
}

/// Maps each item in parallel, and returns the results in the items' order.
pub(crate) fn map_of<I: Sync, T: Send>(items: &[I], work: impl Fn(&I) -> T + Sync) -> Vec<T> {
    map(items.len(), |task| work(&items[task]))
}

/// Maps each item by fallible work, with the errors of [`try_map`].
pub(crate) fn try_map_of<I: Sync, T: Send, E: Send>(
    items: &[I],
    work: impl Fn(&I) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    try_map(items.len(), |task| work(&items[task]))
}
