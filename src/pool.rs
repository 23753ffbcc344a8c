//! Work on a number of threads.

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
