//! Searches for many clients.
//!
//! Clients with the same question share a search. The searches of one game take turns, because each
//! uses all threads; other games are searched at the same time. The search that has cost least for
//! each of its clients goes first, in levels that double, so a cheap question never waits behind an
//! expensive one. A search ends when no client waits for it, and a client's next page ends what its
//! last one has asked.

use super::host::{background, is_turn_over, timeout};
use super::problem::Problem;
use crate::any::{AnyOracle, Client};
use crate::cli::ui::progress::Bar;
use crate::game::CancelScope;
use crate::oracle::{Answer, AskError, Wanted};
use crate::pool::lock;
use crate::text::counted;
use axum::http::StatusCode;
use std::collections::{HashMap, HashSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Maximum number of open questions. Clients with other questions may ask again.
const MOST_OPEN: usize = 500;
/// Number of completed answers that are retained.
const MOST_DONE: usize = 1000;
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
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Visitor {
    /// The client's number, if it has a cookie.
    pub client: Option<u64>,
    /// A checksum of the page's address.
    pub page: u32,
}

/// The searches for all clients.
#[derive(Default)]
pub struct SearchJobs(Mutex<Jobs>);

#[derive(Default)]
struct Jobs {
    open: HashMap<JobKey, OpenQuestion>,
    /// The question of each game that is searched now, in the background until none is open.
    running: HashMap<String, JobKey>,
    /// Games that have been searched. Preparing the first search can take long.
    prepared: HashSet<String>,
    done: HashMap<JobKey, Answer>,
    /// The questions with an answer, oldest first.
    oldest: VecDeque<JobKey>,
}

/// A question without an answer.
struct OpenQuestion {
    job: Arc<SearchJob>,
    /// Time of all turns that have ended.
    served: Duration,
    /// The clients that may ask again, and until when.
    visitors: HashMap<Visitor, Instant>,
}

/// The answer so far, or why there is none.
type JobState = Result<FoundAnswer, Problem>;

/// A search for one question.
struct SearchJob {
    key: JobKey,
    oracle: AnyOracle<'static>,
    /// Time of the first request.
    began: Instant,
    bar: Bar,
    /// Nodes of the turns that were cancelled.
    nodes: AtomicU64,
    /// Every client that has asked and not been answered has a receiver.
    state: watch::Sender<JobState>,
}

/// The answer about a position, complete or not.
#[derive(Clone, Debug, Default)]
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
            ..FoundAnswer::default()
        }
    }
}

impl FoundAnswer {
    /// Returns the state of a question before its search.
    fn unknown(position: String) -> FoundAnswer {
        FoundAnswer {
            position,
            searching: Some(Duration::ZERO),
            ..FoundAnswer::default()
        }
    }

    /// Returns the answer, if it is complete.
    pub fn whole(&self) -> Option<&Answer> {
        self.answer.as_ref().filter(|_| self.searching.is_none())
    }
}

impl SearchJobs {
    /// Returns the answer about a position, or what is known after `patience`.
    ///
    /// The search continues for a while after that, in case the client asks again. `position` must
    /// be in the game's notation.
    ///
    /// # Errors
    /// If the position can't be searched.
    pub async fn ask(
        self: &Arc<Self>,
        game: &str,
        oracle: &AnyOracle<'static>,
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
            let done = lock(&self.0).done.get(&key).cloned();
            return Ok(done.map_or_else(
                || FoundAnswer {
                    delay: Some("the server is busy; scores follow".to_owned()),
                    ..FoundAnswer::unknown(key.position)
                },
                FoundAnswer::from,
            ));
        };
        let is_done = |state: &JobState| {
            state
                .as_ref()
                .map_or(true, |found| found.searching.is_none())
        };
        // A browser shows the page before it prepares a search.
        let is_prepared =
            cfg!(not(target_family = "wasm")) || lock(&self.0).prepared.contains(game);
        let patience = if is_prepared {
            patience
        } else {
            Duration::ZERO
        };
        // Either there is a result now, or the time is up.
        let _ = timeout(patience, changes.wait_for(is_done)).await;
        let delay = self.wait_longer(&job, visitor);
        let mut found = job.state.borrow().clone()?;
        if let Some(time) = &mut found.searching {
            *time = job.began.elapsed();
            found.delay = delay;
        }
        Ok(found)
    }

    /// Returns the answer about a position if it is known.
    pub fn known(&self, game: &str, position: String) -> Option<Answer> {
        let key = JobKey {
            game: game.to_owned(),
            position,
            wanted: Wanted::default(),
        };
        lock(&self.0).done.get(&key).cloned()
    }

    /// Joins the clients that wait for an answer; the first one opens the question.
    ///
    /// `None` if there is an answer already, or if too many questions are open.
    fn join(
        self: &Arc<Self>,
        key: &JobKey,
        oracle: &AnyOracle<'static>,
        visitor: Visitor,
    ) -> Option<(Arc<SearchJob>, watch::Receiver<JobState>)> {
        let mut jobs = lock(&self.0);
        // A client that was on another page and is on this one now.
        let has_left = |of: &Visitor| {
            of.client.is_some() && of.client == visitor.client && of.page != visitor.page
        };
        for open in jobs.open.values_mut() {
            open.visitors.retain(|other, _| !has_left(other));
        }
        jobs.forget_unwanted();
        let is_full = jobs.open.len() >= MOST_OPEN && !jobs.open.contains_key(key);
        if is_full || jobs.done.contains_key(key) {
            return None;
        }
        let open = jobs.open.entry(key.clone());
        let open = open.or_insert_with(|| OpenQuestion::new(key, oracle));
        let job = Arc::clone(&open.job);
        let changes = job.state.subscribe();
        if !jobs.running.contains_key(&key.game) {
            let (own, game) = (Arc::clone(self), key.game.clone());
            let searching = background(move || own.search_next(&game));
            // If the system refuses a thread, the client's next request tries again.
            if searching.is_ok() {
                jobs.running.insert(key.game.clone(), key.clone());
            }
        }
        Some((job, changes))
    }

    /// Retains an open question for a client that may ask again; returns the reason of the delay.
    fn wait_longer(&self, job: &SearchJob, visitor: Visitor) -> Option<String> {
        let mut jobs = lock(&self.0);
        let others = jobs.open.len().saturating_sub(1);
        let is_running = jobs.running.get(&job.key.game) == Some(&job.key);
        let open = jobs.open.get_mut(&job.key)?;
        open.visitors.insert(visitor, Instant::now() + GRACE);
        let busy = || {
            let others = counted(others, "other position");
            format!("the server is busy with {others}; scores follow")
        };
        let is_waiting = !is_running && others > 0;
        job.bar.in_words().or_else(|| is_waiting.then(busy))
    }

    /// Gives the next of a game's open questions a turn; returns whether there was one.
    fn search_next(&self, game: &str) -> bool {
        let next = lock(&self.0).next(game);
        if let Some(job) = &next {
            let began = Instant::now();
            let result = self.turn(job, began);
            lock(&self.0).end_turn(job, began.elapsed(), result);
        }
        next.is_some()
    }

    /// Returns one turn of a search, or `None` if it was cancelled.
    fn turn(&self, job: &SearchJob, began: Instant) -> Option<Result<Answer, Problem>> {
        // Don't interrupt the preparation: all questions about this game share it.
        let is_over = || is_turn_over(began) || lock(&self.0).is_over(job, began.elapsed());
        let stop = || !job.bar.is_total_known() && is_over();
        let progress = CancelScope::new(&job.bar, &stop);
        let position = Some(&*job.key.position);
        let report = &mut |answer: &Answer| job.receive(answer);
        let ask = || {
            let wanted = job.key.wanted;
            let client = Client {
                progress: &progress,
                report,
            };
            job.oracle.ask(position, wanted, Some(client))
        };
        let is_stopped =
            |error: &AskError| matches!(error, AskError::Oracle(of) if of.is_interruption());
        match catch_unwind(AssertUnwindSafe(ask)) {
            Ok(Ok(answer)) if answer.is_interrupted => {
                let nodes = answer.effort.map_or(0, |effort| effort.nodes);
                job.nodes.fetch_add(nodes, Relaxed);
                None
            }
            Ok(Ok(answer)) => Some(Ok(answer)),
            Ok(Err(error)) if is_stopped(&error) => None,
            Ok(Err(error)) => Some(Err(error.into())),
            Err(_) => Some(Err(Problem::internal())),
        }
    }
}

impl Jobs {
    /// Returns the open questions of a game.
    fn of_game(&self, game: &str) -> impl Iterator<Item = &OpenQuestion> {
        let open = self.open.iter();
        open.filter(move |open| open.0.game == game)
            .map(|open| open.1)
    }

    /// Returns the question of a game to search next, which is then the running one.
    fn next(&mut self, game: &str) -> Option<Arc<SearchJob>> {
        self.forget_unwanted();
        let next = self.of_game(game).min_by_key(|open| open.order());
        let Some(job) = next.map(|open| Arc::clone(&open.job)) else {
            self.running.remove(game);
            return None;
        };
        self.running.insert(game.to_owned(), job.key.clone());
        Some(job)
    }

    fn forget_unwanted(&mut self) {
        let now = Instant::now();
        self.open.retain(|_, open| open.clients(now) > 0);
    }

    /// Returns whether to end a search's turn: nobody waits for it, or others should go first.
    fn is_over(&self, job: &SearchJob, turn: Duration) -> bool {
        let Some(own) = self.open.get(&job.key) else {
            return true;
        };
        let now = Instant::now();
        let level = own.level(turn, now);
        let mut others = self.of_game(&job.key.game);
        own.clients(now) == 0
            || own.served + turn > LONGEST
            || others
                .any(|other| other.job.key != job.key && other.level(Duration::ZERO, now) < level)
    }

    fn end_turn(
        &mut self,
        job: &SearchJob,
        turn: Duration,
        result: Option<Result<Answer, Problem>>,
    ) {
        self.prepared.insert(job.key.game.clone());
        let Some(open) = self.open.get_mut(&job.key) else {
            return;
        };
        open.served += turn;
        let too_long = || {
            let error = format!("the search was stopped after {} s", LONGEST.as_secs());
            Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, error))
        };
        let is_too_long = open.served > LONGEST;
        let Some(mut result) = result.or_else(|| is_too_long.then(too_long)) else {
            return;
        };
        if let Ok(Answer {
            effort: Some(effort),
            ..
        }) = &mut result
        {
            effort.nodes += job.nodes.load(Relaxed);
            effort.seconds = open.served.as_secs_f64();
        }
        let state = result.clone().map(FoundAnswer::from);
        open.job.state.send_modify(|last| *last = state);
        self.open.remove(&job.key);
        let Ok(answer) = result else {
            return;
        };
        // Also answer clients that asked for less.
        for wanted in [job.key.wanted, Wanted::default()] {
            let key = JobKey {
                wanted,
                ..job.key.clone()
            };
            self.done.insert(key.clone(), answer.clone());
            self.oldest.push_back(key);
        }
        while self.oldest.len() > MOST_DONE
            && let Some(oldest) = self.oldest.pop_front()
        {
            self.done.remove(&oldest);
        }
    }
}

impl OpenQuestion {
    fn new(key: &JobKey, oracle: &AnyOracle<'static>) -> OpenQuestion {
        OpenQuestion {
            job: Arc::new(SearchJob {
                key: key.clone(),
                oracle: oracle.clone(),
                began: Instant::now(),
                bar: Bar::hidden(),
                nodes: AtomicU64::new(0),
                state: watch::Sender::new(Ok(FoundAnswer::unknown(key.position.clone()))),
            }),
            served: Duration::ZERO,
            visitors: HashMap::new(),
        }
    }

    /// Returns the number of clients that wait for the answer or may ask again.
    fn clients(&self, now: Instant) -> usize {
        let may_ask = self.visitors.values().filter(|&&until| until > now).count();
        self.job.state.receiver_count() + may_ask
    }

    /// Returns the logarithm of the time that the search has taken for each client, `turn`
    /// included.
    fn level(&self, turn: Duration, now: Instant) -> u32 {
        let clients = self.clients(now).max(1) as u128;
        let levels = (self.served + turn).as_millis() / FIRST_LEVEL.as_millis() / clients;
        (levels + 1).ilog2()
    }

    /// Returns the order of searches: the lowest level first, then the oldest.
    fn order(&self) -> (u32, Instant) {
        (self.level(Duration::ZERO, Instant::now()), self.job.began)
    }
}

impl SearchJob {
    /// Receives a partial answer. The scores of moves are found in each turn anew.
    fn receive(&self, answer: &Answer) {
        let known = |answer: &Answer| answer.moves.as_ref().map_or(0, Vec::len);
        self.state.send_if_modified(|state| {
            let Ok(found) = state else {
                return false;
            };
            let old = found.answer.as_ref();
            let is_new = old.is_none_or(|old| known(old) <= known(answer));
            if is_new {
                found.answer = Some(answer.clone());
            }
            is_new
        });
    }
}

#[cfg(test)]
mod tests;
