//! Work that takes long: on threads of the server, or step by step in a browser's worker.

use super::problem::Problem;
#[cfg(not(target_family = "wasm"))]
pub use place::pool;
#[cfg(target_family = "wasm")]
pub use place::step;
pub use place::{Pool, background, blocking, is_turn_over, timeout};
use std::sync::Arc;

/// Runs blocking work that asks now and then whether the client still waits for it.
pub async fn blocking_while_awaited<T: Send + 'static>(
    work: impl FnOnce(&dyn Fn() -> bool) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    // Dropped with this future when the client disconnects.
    let waiting = Arc::new(());
    let of_work = Arc::downgrade(&waiting);
    blocking(move || work(&|| of_work.strong_count() > 0)).await
}

/// Threads of the server.
#[cfg(not(target_family = "wasm"))]
mod place {
    use super::Problem;
    use crate::cli::args::resources::cores;
    pub use rayon::ThreadPool as Pool;
    use rayon::{ThreadPoolBuildError, ThreadPoolBuilder};
    use std::io;
    use std::time::{Duration, Instant};
    use tokio::task::JoinSet;

    /// Runs blocking work without holding up other requests.
    ///
    /// Work that has not begun when the client disconnects is never run.
    pub async fn blocking<T: Send + 'static>(
        work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let mut tasks = JoinSet::new();
        tasks.spawn_blocking(work);
        match tasks.join_next().await {
            Some(Ok(done)) => done,
            _ => Err(Problem::internal()),
        }
    }

    /// Returns the result of a future, or `None` if it takes longer than `limit`.
    pub async fn timeout<T>(limit: Duration, result: impl Future<Output = T>) -> Option<T> {
        tokio::time::timeout(limit, result).await.ok()
    }

    /// Takes `step` after `step` beside other work, as long as each says that there is another.
    ///
    /// # Errors
    /// If the system refuses the thread.
    pub fn background(mut step: impl FnMut() -> bool + Send + 'static) -> io::Result<()> {
        let steps = move || {
            lower_priority();
            while step() {}
        };
        std::thread::Builder::new().spawn(steps).map(drop)
    }

    /// Returns whether a step that began then should end, so that others can go on.
    pub fn is_turn_over(_began: Instant) -> bool {
        false
    }

    /// Returns the threads that answer batches.
    ///
    /// # Errors
    /// If the system refuses them.
    pub fn pool() -> Result<Pool, ThreadPoolBuildError> {
        let pool = ThreadPoolBuilder::new().num_threads(cores());
        pool.start_handler(|_| lower_priority()).build()
    }

    /// Lowers the priority of this thread and those that it starts: they run when others are idle.
    ///
    /// So pages come at once while positions are searched. Only Linux has priorities of threads that
    /// any program may lower.
    fn lower_priority() {
        #[cfg(target_os = "linux")]
        let _ = rustix::process::nice(19);
    }
}

/// A browser's worker, which has one thread and must return soon to receive the next request.
#[cfg(target_family = "wasm")]
mod place {
    use super::Problem;
    use futures_util::FutureExt;
    use std::collections::VecDeque;
    use std::io;
    use std::pin::pin;
    use std::sync::{Mutex, PoisonError};
    use std::time::{Duration, Instant};

    /// Time after which a step ends, so that requests wait no longer.
    const TURN: Duration = Duration::from_millis(50);

    type Steps = Box<dyn FnMut() -> bool + Send>;

    static BACKGROUND: Mutex<VecDeque<Steps>> = Mutex::new(VecDeque::new());

    /// Runs work.
    pub async fn blocking<T>(work: impl FnOnce() -> Result<T, Problem>) -> Result<T, Problem> {
        work()
    }

    /// Returns the result of a future, or `None` if the work of one turn doesn't bring it.
    pub async fn timeout<T>(limit: Duration, result: impl Future<Output = T>) -> Option<T> {
        let (mut result, began) = (pin!(result), Instant::now());
        loop {
            let done = result.as_mut().now_or_never();
            if done.is_some() || began.elapsed() >= limit.min(TURN) || !step() {
                return done;
            }
        }
    }

    /// Notes work to be done step by step, as long as each step says that there is another.
    pub fn background(steps: impl FnMut() -> bool + Send + 'static) -> io::Result<()> {
        let mut all = BACKGROUND.lock().unwrap_or_else(PoisonError::into_inner);
        all.push_back(Box::new(steps));
        Ok(())
    }

    /// Takes one step of the work in the background; returns whether there is more.
    pub fn step() -> bool {
        // Not locked while it works, because it may note more.
        let lock = || BACKGROUND.lock().unwrap_or_else(PoisonError::into_inner);
        let next = lock().pop_front();
        let Some(mut steps) = next else {
            return false;
        };
        if steps() {
            lock().push_back(steps);
        }
        !lock().is_empty()
    }

    /// Returns whether a step that began then should end.
    pub fn is_turn_over(began: Instant) -> bool {
        began.elapsed() >= TURN
    }

    /// This thread.
    pub struct Pool;

    impl Pool {
        /// Does work.
        pub fn install<T>(&self, work: impl FnOnce() -> T) -> T {
            work()
        }
    }
}
