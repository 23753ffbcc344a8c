//! Parallel work on a number of threads.
//!
//! Parallel work is expressed as numbered tasks. Rayon's own iterators would be instantiated for
//! each closure, which made up a quarter of the library's code.

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use std::iter::repeat_with;
use std::panic::resume_unwind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The stack of each thread, in bytes, for work that doesn't recurse.
pub(crate) const STACK: usize = 2 << 20;

/// The stack that recursive work may use on whatever thread runs it, in bytes.
pub(crate) const OWN_STACK: usize = 1 << 20;

/// Runs recursive `work` on a thread with a large stack, of at most `most` bytes.
///
/// `work` receives the stack's size. If the system refuses a stack, half of it is tried. Pages that
/// are never touched cost nothing.
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
            Some(Err(panic)) => resume_unwind(panic),
            None => work(OWN_STACK),
        }
    })
}

/// Returns the number of threads that this machine runs at once.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Runs `work` on `threads` threads with stacks of at least `stack` bytes.
///
/// It runs in the caller's pool if `threads` is 0 or if that pool fits, and otherwise in a new one,
/// with a thread per core if `threads` is 0.
pub(crate) fn in_pool<T: Send>(threads: usize, stack: usize, work: impl FnOnce() -> T + Send) -> T {
    // Avoid rayon's global pool. Memory that the main thread allocated there was not returned to
    // the system after it was freed, and raised the peak memory of the process. It panics if the
    // system refuses its threads.
    let is_inside = rayon::current_thread_index().is_some();
    // Outside a pool, `current_num_threads` would start the global pool, so ask only inside one.
    let will_do = || stack <= STACK && threads == rayon::current_num_threads();
    if is_inside && (threads == 0 || will_do()) {
        return work();
    }
    let mut threads = if threads == 0 { cores() } else { threads };
    let pool = loop {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        match pool.stack_size(stack).build() {
            Ok(pool) => break Ok(pool),
            // If the system refuses that many threads, fewer give the same result.
            Err(_) if threads > 1 => threads /= 2,
            // The system refuses even one thread. Use this thread as the pool: without any pool,
            // parallel work would try to start the global one, and fail.
            Err(_) => {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(1);
                break pool.use_current_thread().build();
            }
        }
    };
    match pool {
        Ok(pool) => pool.install(work),
        // The thread belongs to another pool already.
        Err(_) => work(),
    }
}

/// Does the tasks 0 to `tasks` - 1 on the threads of the caller's pool.
pub(crate) fn each(tasks: usize, work: &(dyn Fn(usize) + Sync)) {
    (0..tasks).into_par_iter().for_each(work);
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

/// Runs the tasks 0 to `tasks` - 1 on workers, each of which takes the next one when it is free.
///
/// Returns the results in the tasks' order. `work` also returns whether to begin more tasks; every
/// task that was begun is finished.
pub(crate) fn share<W: Send, T: Send>(
    workers: &mut [W],
    tasks: usize,
    work: impl Fn(&mut W, usize) -> (T, bool) + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let work_on = |worker: &mut W| {
        let mut done = Vec::new();
        loop {
            let task = next.fetch_add(1, Ordering::Relaxed);
            if task >= tasks {
                return done;
            }
            let (made, goes_on) = work(worker, task);
            done.push((task, made));
            if !goes_on {
                next.store(tasks, Ordering::Relaxed);
            }
        }
    };
    let Some((mine, others)) = workers.split_first_mut() else {
        return Vec::new();
    };
    let mut done = std::thread::scope(|scope| {
        // If the system refuses that many threads, fewer do all tasks.
        let spawn = |own| {
            let thread = std::thread::Builder::new();
            thread.spawn_scoped(scope, || work_on(own)).ok()
        };
        let others: Vec<_> = others.iter_mut().map_while(spawn).collect();
        let mut done = work_on(mine);
        for thread in others {
            done.extend(thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        done
    });
    done.sort_by_key(|(task, _)| *task);
    done.into_iter().map(|(_, made)| made).collect()
}

/// Runs `search` on `threads` threads, this one included; returns one answer.
///
/// `search` receives the thread's number.
pub(crate) fn first_answer<T: Send>(
    threads: usize,
    search: impl Fn(usize) -> Option<T> + Sync,
) -> Option<T> {
    let search = &search;
    std::thread::scope(|scope| {
        // If the system refuses that many threads, fewer find the same answer.
        let spawn = |number| {
            let thread = std::thread::Builder::new();
            thread.spawn_scoped(scope, move || search(number)).ok()
        };
        let others: Vec<_> = (1..threads).map_while(spawn).collect();
        let mine = search(0);
        let others = others.into_iter().map(|thread| thread.join());
        others.fold(mine, |found, other| match other {
            Ok(other) => found.or(other),
            Err(panic) => resume_unwind(panic),
        })
    })
}
