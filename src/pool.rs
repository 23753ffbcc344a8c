//! Work on a number of threads.
//!
//! What can be done side by side is told as numbered tasks. Of rayon's own iterators the compiler
//! makes so much code for each closure that they were a quarter of the library's.

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use std::iter::repeat_with;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The stack of each thread, in bytes, for work that doesn't recurse.
pub(crate) const STACK: usize = 2 << 20;

/// What work that recurses may take of the stack of whatever thread it is on, in bytes.
pub(crate) const OWN_STACK: usize = 1 << 20;

/// Runs `work`, which recurses, with as large a stack as the system gives, at most so many bytes,
/// and says how large it is. Pages of it that are not touched cost nothing.
pub(crate) fn on_large_stack<T: Send>(most: usize, work: impl Fn(usize) -> T + Sync) -> T {
    let work = &work;
    let sizes = std::iter::successors(Some(most), |size| Some(size / 2));
    std::thread::scope(|scope| {
        let started = sizes.take_while(|&size| size > STACK).find_map(|size| {
            let thread = std::thread::Builder::new().stack_size(size);
            thread.spawn_scoped(scope, move || work(size)).ok()
        });
        match started.map(std::thread::ScopedJoinHandle::join) {
            Some(Ok(done)) => done,
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            None => work(OWN_STACK),
        }
    })
}

/// Runs `work` on so many threads with stacks of at least so many bytes: in the pool that the
/// caller is in if it will do, or if `threads` is 0, and otherwise in a new one.
pub(crate) fn in_pool<T: Send>(threads: usize, stack: usize, work: impl FnOnce() -> T + Send) -> T {
    // Not in the pool that every process has: what the main thread allocates there stays with the
    // process when it is free again, which showed in the peak of memory.
    let is_inside = rayon::current_thread_index().is_some();
    // Outside this question would start that pool, if it can be started.
    let will_do = || stack <= STACK && threads == rayon::current_num_threads();
    if threads == 0 || is_inside && will_do() {
        return work();
    }
    let mut threads = threads;
    loop {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .stack_size(stack)
            .build();
        match pool {
            Ok(pool) => return pool.install(work),
            // The system refuses so many threads; fewer give the same result.
            Err(_) if threads > 1 => threads /= 2,
            Err(_) => break,
        }
    }
    // Not a single one. Without any pool, work that is shared out would start the one that every
    // process has, and fail.
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .use_current_thread()
        .build();
    match pool {
        Ok(pool) => pool.install(work),
        // This thread is in a pool already.
        Err(_) => work(),
    }
}

/// Does so many tasks, each by its number, on the threads of the pool that the caller is in.
pub(crate) fn each(tasks: usize, work: &(dyn Fn(usize) + Sync)) {
    (0..tasks).into_par_iter().for_each(work);
}

/// What comes of so many tasks, in their order.
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

/// The same, for tasks that can fail: the error is that of the first that does, and those after it
/// need not be done.
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

/// What tasks need room for, handed from one to the next: no more of it is made than threads work
/// at the same time.
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

/// What comes of each of some things, in their order.
pub(crate) fn map_of<I: Sync, T: Send>(items: &[I], work: impl Fn(&I) -> T + Sync) -> Vec<T> {
    map(items.len(), |task| work(&items[task]))
}

/// The same, for work that can fail, as [`try_map`] does it.
pub(crate) fn try_map_of<I: Sync, T: Send, E: Send>(
    items: &[I],
    work: impl Fn(&I) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    try_map(items.len(), |task| work(&items[task]))
}

/// Searches on so many threads, this one included, each with its number; gives what one of them has
/// found.
pub(crate) fn first_answer<T: Send>(
    threads: usize,
    search: impl Fn(usize) -> Option<T> + Sync,
) -> Option<T> {
    let search = &search;
    std::thread::scope(|scope| {
        // The system may refuse so many threads; fewer find the same.
        let spawn = |number| {
            let thread = std::thread::Builder::new();
            thread.spawn_scoped(scope, move || search(number)).ok()
        };
        let others: Vec<_> = (1..threads).map_while(spawn).collect();
        let mine = search(0);
        let others = others.into_iter().map(|thread| thread.join());
        others.fold(mine, |found, other| match other {
            Ok(other) => found.or(other),
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })
}
