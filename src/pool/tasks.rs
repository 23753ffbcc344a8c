//! Numbered tasks with results.

use super::each;
use std::iter::repeat_with;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Does the tasks and returns their results in the tasks' order.
pub(crate) fn map<T: Send>(tasks: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    map_dyn(tasks, &work)
}

/// The same, compiled once for each type of result.
fn map_dyn<T: Send>(tasks: usize, work: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
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

    /// Returns the buffers after their last use.
    pub(crate) fn into_iter(self) -> impl Iterator<Item = T> {
        let spare = self.0.into_inner();
        spare.expect("nobody panics here").into_iter()
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
