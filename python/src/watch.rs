//! Long work: runs on another thread, reports progress, and ends on Ctrl-C.

use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use zermelo::game::Progress;

/// The interval between checks for Ctrl-C.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// The interval between reports of progress.
const TELL_EVERY: Duration = Duration::from_millis(200);

/// The progress of the work, its notes, and its cancellation.
#[derive(Default)]
pub struct Watched {
    phase: Mutex<Phase>,
    done: AtomicU64,
    is_cancelled: AtomicBool,
    /// Notes for the user that haven't been logged yet.
    notes: Mutex<Vec<String>>,
}

#[derive(Clone, Default)]
struct Phase {
    name: String,
    unit: String,
    total: u64,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Watched {
    /// Requests that the work stop as soon as it can.
    pub fn cancel(&self) {
        self.is_cancelled.store(true, Relaxed);
    }

    /// Passes new notes to Python's logging.
    fn log(&self, py: Python<'_>) -> PyResult<()> {
        let notes = std::mem::take(&mut *lock(&self.notes));
        if notes.is_empty() {
            return Ok(());
        }
        let logger = py
            .import("logging")?
            .call_method1("getLogger", ("zermelo",))?;
        for note in notes {
            logger.call_method1("info", ("%s", note))?;
        }
        Ok(())
    }

    fn tell(&self, callback: &Bound<'_, PyAny>) -> PyResult<()> {
        let Phase { name, unit, total } = lock(&self.phase).clone();
        if name.is_empty() {
            // No named phase has started yet.
            return Ok(());
        }
        let total = (total > 0).then_some(total);
        callback.call1((name, self.done.load(Relaxed), total, unit))?;
        Ok(())
    }
}

impl Progress for Watched {
    fn phase(&self, name: &str, unit: &str, total: u64) {
        let (name, unit) = (name.to_owned(), unit.to_owned());
        *lock(&self.phase) = Phase { name, unit, total };
        self.done.store(0, Relaxed);
    }

    fn advance(&self, units: u64) {
        self.done.fetch_add(units, Relaxed);
    }

    fn note(&self, text: &str) {
        lock(&self.notes).push(text.to_owned());
    }

    fn cancelled(&self) -> bool {
        self.is_cancelled.load(Relaxed)
    }
}

/// Runs work on its own thread while other Python threads can run.
///
/// The work runs in a pool with a thread per core. This thread calls `look`, if given, regularly.
///
/// # Errors
/// The exception of `callback` or of a signal's handler, such as `KeyboardInterrupt`. The work has
/// been cancelled and has stopped by then.
pub fn watched<T: Send>(
    py: Python<'_>,
    callback: Option<&Bound<'_, PyAny>>,
    look: Option<&dyn Fn(&Watched)>,
    work: impl FnOnce(&Watched) -> T + Send,
) -> PyResult<T> {
    let watched = Watched::default();
    let pool = pool();
    let end = (Mutex::new(false), Condvar::new());
    let (result, raised) = std::thread::scope(|scope| {
        let worker = scope.spawn(|| {
            // The notice is sent even if the work panics.
            let _notice = Notice(&end);
            pool.install(|| work(&watched))
        });
        let mut raised = None;
        let mut told = Instant::now();
        loop {
            let has_ended = py.detach(|| wait(&end, LOOK_EVERY));
            if has_ended {
                break;
            }
            if let Some(look) = look {
                look(&watched);
            }
            if raised.is_some() {
                continue;
            }
            let mut tell = || {
                py.check_signals()?;
                watched.log(py)?;
                if let Some(callback) = callback
                    && told.elapsed() >= TELL_EVERY
                {
                    told = Instant::now();
                    watched.tell(callback)?;
                }
                Ok(())
            };
            if let Err(error) = tell() {
                raised = Some(error);
                watched.cancel();
            }
        }
        (py.detach(|| worker.join()), raised)
    });
    let result = match result {
        Ok(result) => result,
        Err(panic) => std::panic::resume_unwind(panic),
    };
    let tell = || {
        watched.log(py)?;
        callback.map_or(Ok(()), |callback| watched.tell(callback))
    };
    raised.map_or_else(tell, Err)?;
    Ok(result)
}

/// A guard that reports the end of the work when it is dropped.
struct Notice<'a>(&'a (Mutex<bool>, Condvar));

impl Drop for Notice<'_> {
    fn drop(&mut self) {
        *lock(&self.0.0) = true;
        self.0.1.notify_all();
    }
}

/// Waits at most this time for the end of the work; returns whether it has ended.
fn wait(end: &(Mutex<bool>, Condvar), time: Duration) -> bool {
    let waited = end
        .1
        .wait_timeout_while(lock(&end.0), time, |has_ended| !*has_ended);
    let (has_ended, _) = waited.unwrap_or_else(PoisonError::into_inner);
    *has_ended
}

/// Returns the pool of threads for the work.
///
/// A forked process has none of its parent's threads, so it gets its own pool.
fn pool() -> Arc<ThreadPool> {
    static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);
    let mut known = lock(&POOL);
    let process = std::process::id();
    if let Some((of, pool)) = &*known
        && *of == process
    {
        return Arc::clone(pool);
    }
    let threads = threads();
    let make = |threads| ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = make(threads).or_else(|_| make(1));
    let pool = Arc::new(pool.expect("a thread can be started"));
    if let Some((_, stale)) = known.replace((process, Arc::clone(&pool))) {
        // Dropping the pool would wait for threads that don't exist in this process.
        std::mem::forget(stale);
    }
    pool
}

/// Returns the number of cores that this process may use.
pub fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
