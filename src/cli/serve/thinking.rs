//! Searches for many who ask: shared by those who ask the same, stopped when nobody waits any
//! longer, and no more of them at once than the machine can bear.

use super::problem::Problem;
use crate::any::AnyOracle;
use crate::game::{Progress, SearchError};
use crate::oracle::{Answer, AskError, OracleError, Wanted};
use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// So many searches may wait for their turn.
const MOST_WAITING: usize = 64;
/// So many answers that took a search are kept.
const KEPT: usize = 1000;
/// How long a search goes on after somebody was told to ask again.
const GRACE: Duration = Duration::from_secs(20);
/// No search goes on for longer than this, whoever waits.
const LONGEST: Duration = Duration::from_secs(1800);
/// How often the searches are looked after.
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
    state: Mutex<State>,
    /// How many search at once.
    most_running: usize,
    /// How long one may search while others wait.
    turn: Duration,
}

#[derive(Default)]
struct State {
    jobs: HashMap<Key, Arc<Job>>,
    waiting: VecDeque<Arc<Job>>,
    running: Vec<Arc<Job>>,
    /// Those that have their answers, oldest first.
    done: VecDeque<Key>,
    /// Whether somebody looks after them.
    is_supervised: bool,
}

/// A search.
struct Job {
    key: Key,
    oracle: Arc<dyn AnyOracle>,
    now: Mutex<Now>,
    changed: watch::Sender<()>,
    /// Asks the search to stop.
    stop: AtomicBool,
}

struct Now {
    stage: Stage,
    /// What is known so far.
    so_far: Option<Answer>,
    /// How many wait for it at this moment.
    watchers: usize,
    /// Until when somebody may come back for it.
    wanted_until: Instant,
    /// How long it has searched in former turns, and since when in this one.
    searched: Duration,
    turn_began: Option<Instant>,
}

enum Stage {
    Waiting,
    Searching,
    Done(Result<Answer, Problem>),
}

/// What there is to say about a position that is searched.
#[derive(Clone, Debug)]
pub enum Found {
    /// Everything.
    All(Answer),
    /// What is proven so far; the search goes on.
    SoFar {
        /// The position, as the game writes it.
        position: String,
        answer: Option<Answer>,
        /// How long it has been searched.
        searched: Duration,
        /// Whether other searches come first.
        is_waiting: bool,
    },
}

impl Thinking {
    /// Searches that may take so long at a time while others wait.
    pub fn new(turn: Duration) -> Arc<Thinking> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Arc::new(Thinking {
            state: Mutex::default(),
            most_running: cores.max(2),
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
        position: &str,
        wanted: Wanted,
        patience: Duration,
    ) -> Result<Found, Problem> {
        let key = Key {
            game: game.to_owned(),
            position: position.to_owned(),
            wanted,
        };
        let watching = self.watch(key, oracle)?;
        let mut changes = watching.job.changed.subscribe();
        let until = tokio::time::sleep(patience);
        tokio::pin!(until);
        loop {
            if let Stage::Done(result) = &watching.job.now().stage {
                return result.clone().map(Found::All);
            }
            tokio::select! {
                _ = changes.changed() => {}
                () = &mut until => break,
            }
        }
        let mut now = watching.job.now();
        now.wanted_until = Instant::now() + GRACE;
        match &now.stage {
            Stage::Done(result) => result.clone().map(Found::All),
            stage => Ok(Found::SoFar {
                position: position.to_owned(),
                answer: now.so_far.clone(),
                searched: now.searched(),
                is_waiting: matches!(stage, Stage::Waiting),
            }),
        }
    }

    /// Joins those who wait for an answer; the first of them begins the search.
    fn watch(
        self: &Arc<Thinking>,
        key: Key,
        oracle: &Arc<dyn AnyOracle>,
    ) -> Result<Watching, Problem> {
        let mut state = self.state();
        // One that is about to stop will see that it is wanted again.
        if let Some(job) = state.jobs.get(&key).cloned() {
            job.now().watchers += 1;
            return Ok(Watching { job });
        }
        if state.running.len() >= self.most_running && state.waiting.len() >= MOST_WAITING {
            return Err(Problem::busy(
                "too many positions are being searched; ask again in a minute",
            ));
        }
        let job = Arc::new(Job {
            oracle: Arc::clone(oracle),
            now: Mutex::new(Now {
                stage: Stage::Waiting,
                so_far: None,
                watchers: 1,
                wanted_until: Instant::now(),
                searched: Duration::ZERO,
                turn_began: None,
            }),
            changed: watch::Sender::new(()),
            stop: AtomicBool::new(false),
            key: key.clone(),
        });
        state.jobs.insert(key, Arc::clone(&job));
        state.waiting.push_back(Arc::clone(&job));
        if !state.is_supervised {
            state.is_supervised = true;
            tokio::spawn(supervise(Arc::clone(self)));
        }
        self.start(&mut state);
        Ok(Watching { job })
    }

    /// Starts as many of those that wait as may be searched at once.
    fn start(self: &Arc<Thinking>, state: &mut State) {
        while state.running.len() < self.most_running {
            let Some(job) = state.waiting.pop_front() else {
                return;
            };
            job.stop.store(false, Relaxed);
            {
                let mut now = job.now();
                now.stage = Stage::Searching;
                now.turn_began = Some(Instant::now());
            }
            let (all, own) = (Arc::clone(self), Arc::clone(&job));
            let thread = std::thread::Builder::new().name("search".to_owned());
            match thread.spawn(move || all.search(&own)) {
                Ok(_) => state.running.push(job),
                Err(_) => {
                    let problem = Problem::busy("no thread is left to search; ask again later");
                    self.finish(state, &job, Err(problem));
                }
            }
        }
    }

    /// One turn of a search.
    fn search(self: &Arc<Thinking>, job: &Arc<Job>) {
        let asked = AssertUnwindSafe(|| {
            let tell = &mut |answer: &Answer| {
                job.now().so_far = Some(answer.clone());
                job.changed.send_replace(());
            };
            let position = Some(&*job.key.position);
            job.oracle
                .ask_telling(position, job.key.wanted, &Stopping(&job.stop), tell)
        });
        let result = catch_unwind(asked);
        let mut state = self.state();
        state.running.retain(|other| !Arc::ptr_eq(other, job));
        {
            let mut now = job.now();
            now.searched = now.searched();
            now.turn_began = None;
        }
        match result {
            Ok(Ok(answer)) if !answer.is_interrupted => {
                self.finish(&mut state, job, Ok(answer));
            }
            Ok(Ok(_)) => self.pause(&mut state, job),
            Ok(Err(error)) if is_interruption(&error) => self.pause(&mut state, job),
            Ok(Err(error)) => self.finish(&mut state, job, Err(Problem::of_asking(&error))),
            Err(_) => self.finish(&mut state, job, Err(Problem::internal())),
        }
        self.start(&mut state);
    }

    /// A search was stopped: it is someone else's turn, or nobody waits for it.
    fn pause(self: &Arc<Thinking>, state: &mut State, job: &Arc<Job>) {
        let mut now = job.now();
        if now.is_wanted() && now.searched < LONGEST {
            now.stage = Stage::Waiting;
            drop(now);
            state.waiting.push_back(Arc::clone(job));
        } else if now.watchers > 0 {
            drop(now);
            let error = format!(
                "the search was given up after {} s",
                job.now().searched.as_secs()
            );
            self.finish(state, job, Err(Problem::busy(error)));
        } else {
            drop(now);
            forget(state, job);
        }
    }

    fn finish(&self, state: &mut State, job: &Arc<Job>, result: Result<Answer, Problem>) {
        let keeps = result.is_ok();
        job.now().stage = Stage::Done(result);
        job.changed.send_replace(());
        if !keeps {
            forget(state, job);
            return;
        }
        state.done.push_back(job.key.clone());
        if state.done.len() > KEPT
            && let Some(oldest) = state.done.pop_front()
        {
            state.jobs.remove(&oldest);
        }
    }

    /// Stops what nobody waits for, and what has had its turn while others wait for theirs.
    fn look_after(&self) {
        let mut state = self.state();
        let is_crowded = !state.waiting.is_empty();
        for job in &state.running {
            let now = job.now();
            let turn = now
                .turn_began
                .map_or(Duration::ZERO, |began| began.elapsed());
            let had_turn = is_crowded && turn > self.turn;
            if !now.is_wanted() || had_turn || now.searched() > LONGEST {
                job.stop.store(true, Relaxed);
            }
        }
        let (keep, leave): (VecDeque<_>, VecDeque<_>) = std::mem::take(&mut state.waiting)
            .into_iter()
            .partition(|job| job.now().is_wanted());
        state.waiting = keep;
        for job in leave {
            forget(&mut state, &job);
        }
    }

    /// A panic while it was locked leaves nothing to fear: every change is a single step.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn forget(state: &mut State, job: &Arc<Job>) {
    let known = state.jobs.get(&job.key);
    if known.is_some_and(|known| Arc::ptr_eq(known, job)) {
        state.jobs.remove(&job.key);
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

async fn supervise(all: Arc<Thinking>) {
    let mut every = tokio::time::interval(LOOK_EVERY);
    loop {
        every.tick().await;
        all.look_after();
    }
}

impl Job {
    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Now {
    fn is_done(&self) -> bool {
        matches!(self.stage, Stage::Done(_))
    }

    fn is_wanted(&self) -> bool {
        self.watchers > 0 || Instant::now() < self.wanted_until
    }

    fn searched(&self) -> Duration {
        let turn = self
            .turn_began
            .map_or(Duration::ZERO, |began| began.elapsed());
        self.searched + turn
    }
}

/// Somebody who waits for an answer; who goes away waits no longer.
struct Watching {
    job: Arc<Job>,
}

impl Drop for Watching {
    fn drop(&mut self) {
        let mut now = self.job.now();
        now.watchers -= 1;
        if !now.is_wanted() && !now.is_done() {
            self.job.stop.store(true, Relaxed);
        }
    }
}

/// Hears nothing, but passes on the wish to stop.
struct Stopping<'a>(&'a AtomicBool);

impl Progress for Stopping<'_> {
    fn phase(&self, _name: &str, _unit: &str, _total: u64) {}

    fn advance(&self, _units: u64) {}

    fn cancelled(&self) -> bool {
        self.0.load(Relaxed)
    }
}
