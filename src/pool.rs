//! Parallel work on a number of threads.
//!
//! Parallel work is expressed as numbered tasks. Rayon's own iterators would be instantiated for
//! each closure, which made up a quarter of the library's code.

#[cfg(any(target_family = "wasm", test))]
#[cfg_attr(not(target_family = "wasm"), allow(dead_code))]
mod alone;
mod tasks;
#[cfg(not(target_family = "wasm"))]
mod threads;

#[cfg(target_family = "wasm")]
pub(crate) use alone::{each, first_answer, in_order, in_pool, on_large_stack, share, sort, width};
pub(crate) use tasks::{Spare, map, map_of, try_map, try_map_of};
#[cfg(not(target_family = "wasm"))]
pub(crate) use threads::{
    each, first_answer, in_order, in_pool, on_large_stack, share, sort, width,
};

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The stack of each thread, in bytes, for work that doesn't recurse.
pub(crate) const STACK: usize = 2 << 20;

/// The stack that recursive work may use on whatever thread runs it, in bytes.
pub(crate) const OWN_STACK: usize = 1 << 20;

/// Returns the number of threads that this machine runs at once.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Locks a value whose every change is a single step, so a panic in another thread does no harm.
#[inline]
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::{alone, threads};
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    /// Returns the tasks that were done, sorted.
    fn done(run: impl Fn(usize, &(dyn Fn(usize) + Sync))) -> Vec<usize> {
        let tasks = Mutex::new(Vec::new());
        run(20, &|task| tasks.lock().unwrap().push(task));
        let mut tasks = tasks.into_inner().unwrap();
        tasks.sort_unstable();
        tasks
    }

    /// Returns the results of three workers, who stop beginning tasks after the fifth.
    fn shared(share: impl Fn(&mut [AtomicUsize]) -> Vec<usize>) -> (Vec<usize>, usize) {
        let mut workers = [const { AtomicUsize::new(0) }; 3];
        let results = share(&mut workers);
        let count = workers.iter().map(|worker| worker.load(Relaxed)).sum();
        (results, count)
    }

    #[test]
    fn one_thread_does_the_same_as_several() {
        assert_eq!(done(alone::each), Vec::from_iter(0..20));
        assert_eq!(done(alone::in_order), done(threads::in_order));
        let work = |worker: &mut AtomicUsize, task: usize| {
            *worker.get_mut() += 1;
            (task * task, task < 4)
        };
        let (one, count) = shared(|workers| alone::share(workers, 20, work));
        assert_eq!((&one[..], count), (&[0, 1, 4, 9, 16][..], 5));
        let (several, count) = shared(|workers| threads::share(workers, 20, work));
        assert!(several.starts_with(&one) && several.len() == count);
        assert!(alone::share(&mut [] as &mut [AtomicUsize], 20, work).is_empty());
        for sort in [alone::sort, threads::sort] {
            let mut items = vec![3, 1, 2, 1];
            sort(&mut items);
            assert_eq!(items, [1, 1, 2, 3]);
        }
        let first = |number| (number == 0).then_some(7);
        assert_eq!(
            alone::first_answer(4, first),
            threads::first_answer(4, first)
        );
    }
}
