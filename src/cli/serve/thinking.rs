//! Searches for many who ask: shared by those who ask the same, stopped when nobody waits any
//! longer, and no more of them at once than the machine can bear.

use super::aside::aside;
use super::problem::Problem;
use crate::any::AnyOracle;
use crate::game::{NoProgress, SearchError, Until};
use crate::oracle::{Answer, AskError, OracleError, Wanted};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{Semaphore, SemaphorePermit, watch};
use tokio::time::{sleep, timeout};

/// So many searches may wait for their turn.
const MOST_WAITING: usize = 64;
/// So many answers that took a search are kept.
const KEPT: usize = 1000;
/// How long a search goes on after somebody was told to ask again.
const GRACE: Duration = Duration::from_secs(20);
/// No search goes on for longer than this, whoever waits.
const LONGEST: Duration = Duration::from_secs(1800);
/// How often it is looked whether somebody still waits for a search.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// What is asked: of which game, about which position, what.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Key {
    game: String,
    position: String,
    wanted: Wanted,
}

/// All searches.
pub struct Thinking {
    jobs: Mutex<Jobs>,
    /// Those that search have a place each. It is given to those that wait in their order.
    places: Semaphore,
    /// How many places there are.
    most: usize,
    /// How long one may search while others wait.
    turn: Duration,
}

#[derive(Default)]
struct Jobs {
    all: HashMap<Key, Arc<Job>>,
    /// Those that have their answers, oldest first.
    done: VecDeque<Key>,
}

/// A search.
struct Job {
    key: Key,
    oracle: Arc<dyn AnyOracle>,
    /// When it was asked for first.
    began: Instant,
    /// Whoever waits for it has a receiver.
    now: watch::Sender<Now>,
}

struct Now {
    result: Option<Result<Answer, Problem>>,
    /// What is known so far.
    so_far: Option<Answer>,
    /// Until when somebody may come back for it.
    wanted_until: Instant,
}

/// What there is to say about a position.
#[derive(Clone, Debug)]
pub struct Found {
    /// The position, as the game writes it.
    pub position: String,
    /// Everything, or what is proven so far.
    pub answer: Option<Answer>,
    /// How long ago it was asked for first, if the search goes on.
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
    /// The answer, if it is all that was wanted.
    pub fn whole(&self) -> Option<&Answer> {
        self.answer.as_ref().filter(|_| self.searching.is_none())
    }
}

impl Thinking {
    /// Searches that may take so long at a time while others wait.
    pub fn new(turn: Duration) -> Arc<Thinking> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let most = cores.max(2);
        Arc::new(Thinking {
            jobs: Mutex::default(),
            places: Semaphore::new(most),
            most,
            turn,
        })
    }

    /// What is wanted about a position, in the game's own notation; what is known of it after
    /// `patience`. Then the search goes on for a while, in case somebody asks again.
    ///
    /// # Errors
    /// If it can't be searched, or too much is.
    pub async fn ask(
        self: &Arc<Thinking>,
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
        // Either there is a result then, or the time is up.
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

    /// Joins those who wait for an answer; the first of them begins the search.
    fn join(
        self: &Arc<Thinking>,
        key: Key,
        oracle: &Arc<dyn AnyOracle>,
    ) -> Result<(Arc<Job>, watch::Receiver<Now>), Problem> {
        let mut jobs = self.jobs();
        // One that is about to stop will see that it is wanted again.
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

    /// Searches, turn by turn, until there is an answer or nobody waits for it.
    async fn take_turns(self: Arc<Thinking>, job: Arc<Job>) {
        loop {
            let result = tokio::select! {
                // The semaphore is never closed.
                place = self.places.acquire() => self.turn(&job, place.ok()).await,
                () = job.given_up() => None,
            };
            // Whoever asks from now on finds it gone, or has been seen.
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

    /// One turn of a search; nothing if it was stopped before its time.
    async fn turn(
        self: &Arc<Thinking>,
        job: &Arc<Job>,
        _place: Option<SemaphorePermit<'_>>,
    ) -> Option<Result<Answer, Problem>> {
        let began = Instant::now();
        let (all, own) = (Arc::clone(self), Arc::clone(job));
        // Whoever waits for it is still there.
        let search = move || Ok(own.search(&|| all.is_turn_over(&own, began)));
        match aside(search).await {
            Ok(Ok(answer)) if !answer.is_interrupted => Some(Ok(answer)),
            Ok(Err(error)) if !is_interruption(&error) => Some(Err(error.into())),
            Err(panicked) => Some(Err(panicked)),
            _ if job.began.elapsed() > LONGEST => {
                let seconds = LONGEST.as_secs();
                let error = format!("the search was given up after {seconds} s");
                Some(Err(Problem::busy(error)))
            }
            _ => None,
        }
    }

    /// Whether a search is to stop: it has had its turn while others wait for theirs, goes on for
    /// too long, or nobody waits for it.
    fn is_turn_over(&self, job: &Job, began: Instant) -> bool {
        let has_had = began.elapsed() > self.turn;
        job.began.elapsed() > LONGEST
            || !job.is_wanted()
            || has_had && self.jobs().unfinished() > self.most
    }

    /// A panic while it was locked leaves nothing to fear: every change is a single step.
    fn jobs(&self) -> MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Jobs {
    /// How many search or wait for their turn.
    fn unfinished(&self) -> usize {
        self.all.len() - self.done.len()
    }
}

fn is_interruption(error: &AskError) -> bool {
    match error {
        AskError::Oracle(OracleError::Search(cause)) => {
            matches!(**cause, SearchError::Interrupted)
        }
        AskError::Oracle(OracleError::Interrupted(_)) => true,
        _ => false,
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

    /// Ends when nobody waits for it any longer.
    async fn given_up(&self) {
        while self.is_wanted() {
            sleep(LOOK_EVERY).await;
        }
    }
}
