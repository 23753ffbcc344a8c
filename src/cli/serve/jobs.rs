//! Searches for many clients.
//!
//! Clients with the same question share a search. The searches of one game take turns, because each
//! uses all threads; other games are searched at the same time. The search that has cost least for
//! each of its clients goes first, in levels that double, so a cheap question never waits behind an
//! expensive one. A search ends when no client waits for it, and a client's next page ends what its
//! last one has asked.

use super::blocking::lower_priority;
use super::problem::Problem;
use crate::any::AnyOracle;
use crate::cli::ui::progress::Bar;
use crate::game::CancelScope;
use crate::oracle::{Answer, AskError, Wanted};
use crate::text::counted;
use axum::http::StatusCode;
use std::collections::{HashMap, VecDeque};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::time::timeout;

/// Number of games that are searched at once.
const SEARCHED_AT_ONCE: usize = 2;
/// Maximum number of open questions. Clients with other questions may ask again.
const MOST_OPEN: usize = 500;
/// Number of completed answers that are retained.
const KEPT: usize = 1000;
/// Time that a search continues after a client got a partial answer, in case it asks again.
const GRACE: Duration = Duration::from_secs(20);
/// Maximum time of a search, however many clients wait.
pub const LONGEST: Duration = Duration::from_secs(1800);
/// Time of a search on the lowest level. Each level takes twice as long as the one below.
const FIRST_LEVEL: Duration = Duration::from_millis(50);

/// A question: game, position and wanted data.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct JobKey {
    game: String,
    position: String,
    wanted: Wanted,
}

/// The client that sent a request, and the page that it is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Visitor {
    /// The client's number, if it has a cookie.
    pub client: Option<u64>,
    /// A checksum of the page's address.
    pub page: u32,
}

/// The searches for all clients.
#[derive(Default)]
pub struct SearchJobs {
    jobs: Mutex<Jobs>,
    /// Wakes threads that wait for a question.
    changed: Condvar,
}

#[derive(Default)]
struct Jobs {
    open: HashMap<JobKey, OpenQuestion>,
    done: HashMap<JobKey, Answer>,
    /// The questions with an answer, oldest first.
    oldest: VecDeque<JobKey>,
}

/// A question without an answer.
struct OpenQuestion {
    job: Arc<SearchJob>,
    is_running: bool,
    /// Time of all turns that have ended.
    served: Duration,
    /// The clients that may ask again.
    visitors: Vec<Waiting>,
}

/// A client that may ask again.
struct Waiting {
    visitor: Visitor,
    until: Instant,
}

/// A search for one question.
struct SearchJob {
    key: JobKey,
    oracle: Arc<dyn AnyOracle>,
    /// Time of the first request.
    began: Instant,
    bar: Bar,
    /// The job's state. Every client that has asked and not been answered has a receiver.
    state: watch::Sender<JobState>,
}

#[derive(Default)]
struct JobState {
    result: Option<Result<Answer, Problem>>,
    /// The answer so far.
    so_far: Option<Answer>,
}

/// The answer about a position, complete or not.
#[derive(Clone, Debug)]
pub struct FoundAnswer {
    /// The position, in the game's notation.
    pub position: String,
    /// The answer, or what is proven so far.
    pub answer: Option<Answer>,
    /// Time since the first request, if the search is still running.
    pub searching: Option<Duration>,
    /// Why the answer is not complete, in a sentence without a full stop, if there is a reason.
    pub delay: Option<String>,
}

impl From<Answer> for FoundAnswer {
    fn from(answer: Answer) -> FoundAnswer {
        FoundAnswer {
            position: answer.position.clone(),
            answer: Some(answer),
            searching: None,
            delay: None,
        }
    }
}

impl FoundAnswer {
    /// The answer, if it is complete.
    pub fn whole(&self) -> Option<&Answer> {
        self.answer.as_ref().filter(|_| self.searching.is_none())
    }
}

impl SearchJobs {
    /// Starts the threads that search.
    ///
    /// # Errors
    /// If the system refuses them.
    pub fn new() -> io::Result<Arc<SearchJobs>> {
        let all = Arc::new(SearchJobs::default());
        for _ in 0..SEARCHED_AT_ONCE {
            let own = Arc::clone(&all);
            std::thread::Builder::new().spawn(move || own.search())?;
        }
        Ok(all)
    }

    /// The answer about a position, or what is known after `patience`.
    ///
    /// The search continues for a while after that, in case the client asks again. `position` must
    /// be in the game's notation.
    ///
    /// # Errors
    /// If the position can't be searched.
    pub async fn ask(
        &self,
        game: &str,
        oracle: &Arc<dyn AnyOracle>,
        position: String,
        wanted: Wanted,
        (visitor, patience): (Visitor, Duration),
    ) -> Result<FoundAnswer, Problem> {
        let key = JobKey {
            game: game.to_owned(),
            position,
            wanted,
        };
        let Some((job, mut changes)) = self.join(&key, oracle, visitor) else {
            let done = self.lock().done.get(&key).cloned();
            return Ok(done.map_or_else(|| FoundAnswer::later(key.position), FoundAnswer::from));
        };
        let done = changes.wait_for(|now| now.result.is_some());
        // Either there is a result now, or the time is up.
        let _ = timeout(patience, done).await;
        let delay = self.wait_longer(&job, visitor);
        let now = job.state.borrow();
        match &now.result {
            Some(result) => result.clone().map(FoundAnswer::from),
            None => Ok(FoundAnswer {
                position: key.position,
                answer: now.so_far.clone(),
                searching: Some(job.began.elapsed()),
                delay,
            }),
        }
    }

    /// The answer about a position if it is known.
    pub fn known(&self, game: &str, position: String) -> Option<Answer> {
        let key = JobKey {
            game: game.to_owned(),
            position,
            wanted: Wanted::default(),
        };
        self.lock().done.get(&key).cloned()
    }

    /// Joins the clients that wait for an answer; the first one opens the question.
    ///
    /// `None` if there is an answer already, or if too many questions are open.
    fn join(
        &self,
        key: &JobKey,
        oracle: &Arc<dyn AnyOracle>,
        visitor: Visitor,
    ) -> Option<(Arc<SearchJob>, watch::Receiver<JobState>)> {
        let mut jobs = self.lock();
        for open in jobs.open.values_mut() {
            let is_left = |waiting: &Waiting| waiting.visitor.has_left_for(visitor);
            open.visitors.retain(|waiting| !is_left(waiting));
        }
        jobs.forget_unwanted();
        if jobs.done.contains_key(key) {
            return None;
        }
        if !jobs.open.contains_key(key) {
            if jobs.open.len() >= MOST_OPEN {
                return None;
            }
            let job = SearchJob {
                key: key.clone(),
                oracle: Arc::clone(oracle),
                began: Instant::now(),
                bar: Bar::hidden(),
                state: watch::Sender::default(),
            };
            jobs.open.insert(key.clone(), OpenQuestion::new(job));
        }
        let job = Arc::clone(&jobs.open.get(key)?.job);
        let changes = job.state.subscribe();
        self.changed.notify_all();
        Some((job, changes))
    }

    /// Retains an open question for a client that may ask again; returns the reason of the delay.
    fn wait_longer(&self, job: &SearchJob, visitor: Visitor) -> Option<String> {
        let mut jobs = self.lock();
        let others = jobs.open.len().saturating_sub(1);
        let open = jobs.open.get_mut(&job.key)?;
        open.visitors.retain(|waiting| waiting.visitor != visitor);
        let until = Instant::now() + GRACE;
        open.visitors.push(Waiting { visitor, until });
        let is_waiting = !open.is_running && others >= SEARCHED_AT_ONCE;
        let busy = || {
            let others = counted(others, "other position");
            format!("the server is busy with {others}; scores follow")
        };
        job.bar.in_words().or_else(|| is_waiting.then(busy))
    }

    /// Searches forever, turn by turn.
    fn search(&self) {
        lower_priority();
        let mut jobs = self.lock();
        loop {
            jobs.forget_unwanted();
            let next = jobs.ready(None).min_by_key(|open| open.order());
            let Some(job) = next.map(|open| Arc::clone(&open.job)) else {
                let waited = self.changed.wait(jobs);
                jobs = waited.unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            if let Some(open) = jobs.open.get_mut(&job.key) {
                open.is_running = true;
            }
            drop(jobs);
            let began = Instant::now();
            let result = self.turn(&job, began);
            jobs = self.lock();
            jobs.end_turn(&job, began.elapsed(), result);
            // Another thread may search the same game now.
            self.changed.notify_all();
        }
    }

    /// One turn of a search, or `None` if it was cancelled.
    fn turn(&self, job: &SearchJob, began: Instant) -> Option<Result<Answer, Problem>> {
        // What a search prepares serves all questions about the game, and would be lost.
        let is_over = || self.lock().is_over(job, began.elapsed());
        let stop = || !job.bar.is_total_known() && is_over();
        let progress = CancelScope::new(&job.bar, &stop);
        let position = Some(&*job.key.position);
        let report = &mut |answer: &Answer| job.receive(answer);
        let ask = || {
            let wanted = job.key.wanted;
            job.oracle.ask_telling(position, wanted, &progress, report)
        };
        let is_stopped =
            |error: &AskError| matches!(error, AskError::Oracle(of) if of.is_interruption());
        match catch_unwind(AssertUnwindSafe(ask)) {
            Ok(Ok(answer)) if answer.is_interrupted => None,
            Ok(Ok(answer)) => Some(Ok(answer)),
            Ok(Err(error)) if is_stopped(&error) => None,
            Ok(Err(error)) => Some(Err(error.into())),
            Err(_) => Some(Err(Problem::internal())),
        }
    }

    /// Locks the jobs. A poisoned lock does no harm, because every change is a single step.
    fn lock(&self) -> MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Jobs {
    /// The questions that can be searched now, or once the search of `game` stops.
    fn ready(&self, game: Option<&str>) -> impl Iterator<Item = &OpenQuestion> {
        let waiting = self.open.values().filter(|open| !open.is_running);
        waiting.filter(move |open| {
            let own = &*open.job.key.game;
            let mut all = self.open.values();
            Some(own) == game || !all.any(|other| other.is_running && other.job.key.game == own)
        })
    }

    fn forget_unwanted(&mut self) {
        let now = Instant::now();
        self.open
            .retain(|_, open| open.is_running || open.clients(now) > 0);
    }

    /// Whether to end a search's turn: nobody waits for it, or others should go first.
    fn is_over(&self, job: &SearchJob, turn: Duration) -> bool {
        let Some(own) = self.open.get(&job.key) else {
            return true;
        };
        let now = Instant::now();
        let level = own.level(turn, now);
        let mut others = self.ready(Some(&job.key.game));
        own.clients(now) == 0
            || own.served + turn > LONGEST
            || others.any(|other| other.level(Duration::ZERO, now) < level)
    }

    fn end_turn(
        &mut self,
        job: &SearchJob,
        turn: Duration,
        result: Option<Result<Answer, Problem>>,
    ) {
        let Some(open) = self.open.get_mut(&job.key) else {
            return;
        };
        open.is_running = false;
        open.served += turn;
        let too_long = || {
            let error = format!("the search was stopped after {} s", LONGEST.as_secs());
            Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, error))
        };
        let is_too_long = open.served > LONGEST;
        let Some(result) = result.or_else(|| is_too_long.then(too_long)) else {
            return;
        };
        self.open.remove(&job.key);
        if let Ok(answer) = &result {
            // Whoever wants less gets it at once.
            for wanted in [job.key.wanted, Wanted::default()] {
                let key = JobKey {
                    wanted,
                    ..job.key.clone()
                };
                self.done.insert(key.clone(), answer.clone());
                self.oldest.push_back(key);
            }
        }
        while self.oldest.len() > KEPT
            && let Some(oldest) = self.oldest.pop_front()
        {
            self.done.remove(&oldest);
        }
        job.state.send_modify(|now| now.result = Some(result));
    }
}

impl OpenQuestion {
    fn new(job: SearchJob) -> OpenQuestion {
        OpenQuestion {
            job: Arc::new(job),
            is_running: false,
            served: Duration::ZERO,
            visitors: Vec::new(),
        }
    }

    /// Number of clients that wait for the answer or may ask again.
    fn clients(&self, now: Instant) -> usize {
        let visitors = self.visitors.iter();
        let may_ask = visitors.filter(|waiting| waiting.until > now).count();
        self.job.state.receiver_count() + may_ask
    }

    /// The logarithm of the time that the search has taken for each client, `turn` included.
    fn level(&self, turn: Duration, now: Instant) -> u32 {
        let clients = self.clients(now).max(1) as u128;
        let levels = (self.served + turn).as_millis() / FIRST_LEVEL.as_millis() / clients;
        (levels + 1).ilog2()
    }

    /// The order of searches: the lowest level first, then the oldest.
    fn order(&self) -> (u32, Instant) {
        (self.level(Duration::ZERO, Instant::now()), self.job.began)
    }
}

impl Visitor {
    /// Whether a client that was on this page is on `page` now.
    fn has_left_for(self, page: Visitor) -> bool {
        self.client.is_some() && self.client == page.client && self.page != page.page
    }
}

impl FoundAnswer {
    /// The answer to a question that is not even open.
    fn later(position: String) -> FoundAnswer {
        FoundAnswer {
            position,
            answer: None,
            searching: Some(Duration::ZERO),
            delay: Some("the server is busy; scores follow".to_owned()),
        }
    }
}

impl SearchJob {
    /// Receives a partial answer. The scores of moves are found in each turn anew.
    fn receive(&self, answer: &Answer) {
        let known = |answer: &Answer| answer.moves.as_ref().map_or(0, Vec::len);
        self.state.send_if_modified(|now| {
            let is_new = now
                .so_far
                .as_ref()
                .is_none_or(|old| known(old) <= known(answer));
            if is_new {
                now.so_far = Some(answer.clone());
            }
            is_new
        });
    }
}

#[cfg(test)]
mod tests;
