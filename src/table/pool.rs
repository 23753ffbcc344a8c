//! Threads for a piece of work.

/// Runs `work` on so many threads: a pool of its own, or for 0 the pool that the caller is in.
pub fn in_pool<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    if threads == 0 || threads == rayon::current_num_threads() {
        return work();
    }
    match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool.install(work),
        // Results don't depend on the number of threads, so any pool will do.
        Err(_) => work(),
    }
}
