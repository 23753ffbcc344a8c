//! Searches for many clients.
//!
//! Clients with the same question share a search. A search is cancelled when no client waits for
//! it, and the number of searches at once is limited.

use super::aside::aside;
use super::problem::Problem;
use crate::any::AnyOracle;
use crate::game::{NoProgress, Until};
use crate::oracle::{Answer, AskError, Wanted};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{Semaphore, SemaphorePermit, watch};
use tokio::time::{sleep, timeout};

/// Maximum number of searches that wait for their turn.
const MOST_WAITING: usize = 64;
/// Number of completed answers that are retained.
const KEPT: usize = 1000;
/// Time that a search continues after a client got a partial answer, in case it asks again.
const GRACE: Duration = Duration::from_secs(20);
/// Maximum time of a search, however many clients wait.
const LONGEST: Duration = Duration::from_secs(1800);
/// Interval between checks whether a client still waits for a search.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// A question: game, position and wanted data.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Key {
    game: String,
    position: String,
    wanted: Wanted,
}

/// The searches for all clients.
pub struct SearchJobs {
    jobs: Mutex<Jobs>,
    /// A permit for each search at a time, given to waiting jobs in order.
    places: Semaphore,
    /// Number of permits.
    most: usize,
    /// Maximum turn of a search while others wait.
    turn: Duration,
}

#[derive(Default)]
struct Jobs {
    all: HashMap<Key, Arc<Job>>,
    /// Jobs with an answer, oldest first.
    done: VecDeque<Key>,
}

/// A search for one question.
struct Job {
    key: Key,
    oracle: Arc<dyn AnyOracle>,
    /// Time of the first request.
    began: Instant,
    /// The job's state. Every waiting client has a receiver.
    now: watch::Sender<Now>,
}

struct Now {
    result: Option<Result<Answer, Problem>>,
    /// The answer so far.
    so_far: Option<Answer>,
    /// Time until which a client may ask again.
    wanted_until: Instant,
}

/// The answer about a position, complete or not.
#[derive(Clone, Debug)]
pub struct Found {
    /// The position, in the game's notation.
    pub position: String,
    /// The answer, or what is proven so far.
    pub answer: Option<Answer>,
    /// Time since the first request, if the search is still running.
    pub searching: Option<Duration>,
}

impl From<Answer> for Found {
    fn from(answer: Answer) -> Found {
        Found {
            position: answer.position.clone(),
            answer: Some(answer),
            searching: None,
        }
    }
}

impl Found {
    /// The answer, if it is complete.
    pub fn whole(&self) -> Option<&Answer> {
        self.answer.as_ref().filter(|_| self.searching.is_none())
    }
}

impl SearchJobs {
    /// Searches with turns of this length while others wait.
    pub fn new(turn: Duration) -> Arc<SearchJobs> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let most = cores.max(2);
        Arc::new(SearchJobs {
            jobs: Mutex::default(),
            places: Semaphore::new(most),
            most,
            turn,
        })
    }

    /// The answer about a position, or what is known after `patience`.
    ///
    /// The search continues for a while after that, in case the client asks again. `position` must
    /// be in the game's notation.
    ///
    /// # Errors
    /// If the position can't be searched, or there are too many searches.
    pub async fn ask(
        self: &Arc<SearchJobs>,
        game: &str,
        oracle: &Arc<dyn AnyOracle>,
        position: String,
        wanted: Wanted,
        patience: Duration,
    ) -> Result<Found, Problem> {
        let key = Key {
            game: game.to_owned(),
            position,
            wanted,
        };
        let (job, mut changes) = self.join(key, oracle)?;
        let done = changes.wait_for(|now| now.result.is_some());
        // Either there is a result now, or the time is up.
        let _ = timeout(patience, done).await;
        job.now
            .send_modify(|now| now.wanted_until = Instant::now() + GRACE);
        let now = job.now.borrow();
        match &now.result {
            Some(result) => result.clone().map(Found::from),
            None => Ok(Found {
                position: job.key.position.clone(),
                answer: now.so_far.clone(),
                searching: Some(job.began.elapsed()),
            }),
        }
    }

    /// Joins the clients that wait for an answer; the first one starts the search.
    fn join(
        self: &Arc<SearchJobs>,
        key: Key,
        oracle: &Arc<dyn AnyOracle>,
    ) -> Result<(Arc<Job>, watch::Receiver<Now>), Problem> {
        let mut jobs = self.jobs();
        // A job that is about to stop notices that it is wanted again.
        if let Some(job) = jobs.all.get(&key) {
            return Ok((Arc::clone(job), job.now.subscribe()));
        }
        if jobs.unfinished() >= self.most + MOST_WAITING {
            return Err(Problem::busy(
                "too many positions are being searched; ask again in a minute",
            ));
        }
        let (now, changes) = watch::channel(Now {
            result: None,
            so_far: None,
            wanted_until: Instant::now(),
        });
        let job = Arc::new(Job {
            key: key.clone(),
            oracle: Arc::clone(oracle),
            began: Instant::now(),
            now,
        });
        jobs.all.insert(key, Arc::clone(&job));
        tokio::spawn(Arc::clone(self).take_turns(Arc::clone(&job)));
        Ok((job, changes))
    }

    /// Searches turn by turn until there is an answer or no client waits for it.
    async fn take_turns(self: Arc<SearchJobs>, job: Arc<Job>) {
        loop {
            let result = tokio::select! {
                // The semaphore is never closed.
                place = self.places.acquire() => self.turn(&job, place.ok()).await,
                () = job.given_up() => None,
            };
            // Under this lock, a later client either finds the job gone or has been noticed.
            let mut jobs = self.jobs();
            if result.is_none() && job.is_wanted() {
                continue;
            }
            if matches!(result, Some(Ok(_))) {
                jobs.done.push_back(job.key.clone());
            } else {
                jobs.all.remove(&job.key);
            }
            if jobs.done.len() > KEPT
                && let Some(oldest) = jobs.done.pop_front()
            {
                jobs.all.remove(&oldest);
            }
            job.now.send_modify(|now| now.result = result);
            return;
        }
    }

    /// One turn of a search, or `None` if it was cancelled.
    async fn turn(
        self: &Arc<SearchJobs>,
        job: &Arc<Job>,
        _place: Option<SemaphorePermit<'_>>,
    ) -> Option<Result<Answer, Problem>> {
        let began = Instant::now();
        let (all, own) = (Arc::clone(self), Arc::clone(job));
        // The clients that wait for it are still there.
        let search = move || Ok(own.search(&|| all.is_turn_over(&own, began)));
        let is_stopped =
            |error: &AskError| matches!(error, AskError::Oracle(of) if of.is_interruption());
        match aside(search).await {
            Ok(Ok(answer)) if !answer.is_interrupted => Some(Ok(answer)),
            Ok(Err(error)) if !is_stopped(&error) => Some(Err(error.into())),
            Err(panicked) => Some(Err(panicked)),
            _ if job.began.elapsed() > LONGEST => {
                let seconds = LONGEST.as_secs();
                let error = format!("the search was stopped after {seconds} s");
                Some(Err(Problem::busy(error)))
            }
            _ => None,
        }
    }

    /// Whether to cancel a search.
    ///
    /// True if its turn is over while others wait, it takes too long, or no client waits for it.
    fn is_turn_over(&self, job: &Job, began: Instant) -> bool {
        let has_had = began.elapsed() > self.turn;
        job.began.elapsed() > LONGEST
            || !job.is_wanted()
            || has_had && self.jobs().unfinished() > self.most
    }

    /// Locks the jobs. A poisoned lock does no harm, because every change is a single step.
    fn jobs(&self) -> MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Jobs {
    /// Number of jobs that search or wait for their turn.
    fn unfinished(&self) -> usize {
        self.all.len() - self.done.len()
    }
}

impl Job {
    fn search(&self, is_stopped: &(dyn Fn() -> bool + Sync)) -> Result<Answer, AskError> {
        let tell = &mut |answer: &Answer| {
            let so_far = Some(answer.clone());
            self.now.send_modify(|now| now.so_far = so_far);
        };
        let position = Some(&*self.key.position);
        let progress = Until::new(&NoProgress, is_stopped);
        self.oracle
            .ask_telling(position, self.key.wanted, &progress, tell)
    }

    fn is_wanted(&self) -> bool {
        self.now.receiver_count() > 0 || Instant::now() < self.now.borrow().wanted_until
    }

    /// Returns when no client waits any longer.
    async fn given_up(&self) {
        while self.is_wanted() {
            sleep(LOOK_EVERY).await;
        }
    }
}
