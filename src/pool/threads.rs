//! Work on threads, by rayon's pools and by the standard library.

use super::{OWN_STACK, STACK, cores};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use rayon::slice::ParallelSliceMut;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};

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

/// Returns the number of threads of the caller's pool.
pub(crate) fn width() -> usize {
    rayon::current_num_threads()
}

/// Does the tasks 0 to `tasks` - 1 on the threads of the caller's pool.
pub(crate) fn each(tasks: usize, work: &(dyn Fn(usize) + Sync)) {
    (0..tasks).into_par_iter().for_each(work);
}

/// Does the tasks 0 to `tasks` - 1, each by the next free thread of the caller's pool, in this order.
pub(crate) fn in_order(tasks: usize, work: &(dyn Fn(usize) + Sync)) {
    rayon::scope_fifo(|scope| {
        for task in 0..tasks {
            scope.spawn_fifo(move |_| work(task));
        }
    });
}

/// Sorts items; equal ones must be the same.
pub(crate) fn sort<T: Ord + Send>(items: &mut [T]) {
    items.par_sort_unstable();
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
    // Sorting by cached keys is compiled once for all results.
    done.sort_by_cached_key(|(task, _)| *task);
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
