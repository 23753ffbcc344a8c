//! Asking with several players side by side, with the same result as with one.

use super::source::Source;
use crate::check::clock::Clock;
use crate::check::contenders::{Contender, Fault, Player, Reply, Round, StartError, gone};
use crate::check::error::CheckError;
use crate::check::judge::{Judge, Judged};
use crate::check::options::StoppedBy;
use crate::game::{Game, Notation, Progress};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Players of the same AI.
pub(in crate::check) struct Team<'a, G: Notation> {
    players: Vec<Box<dyn Player<G> + 'a>>,
    /// An AI could not be started again after a fault, so that not everything was asked.
    pub is_lost: bool,
    /// What has ended the asking before everything was asked and weighed: the time, or the caller.
    pub cut: Option<StoppedBy>,
    /// The number of answers in batches without a fault, and how long the players took for them.
    pub pace: (u64, Duration),
}

/// Receives the weighed answers in the order of the source, each with its number. An error ends the
/// asking.
pub(in crate::check) type Each<'a, G> = dyn FnMut(u64, &<G as Game>::Position, Judged<<G as Game>::Move>) -> Result<(), CheckError>
    + Send
    + 'a;

/// What a batch should take, roughly: long enough that handing it out costs nothing in
/// comparison, also where others use the processor, short enough that all players end at about the
/// same time.
const BATCH_TIME: Duration = Duration::from_millis(100);
const LONGEST_BATCH: u64 = 1024;

/// Batches that may be done before their turn, for each player: more would only fill memory.
const AHEAD: usize = 16;

impl<'a, G: Notation> Team<'a, G> {
    pub fn new(
        contender: &'a dyn Contender<'a, G>,
        game: &'a G,
        jobs: usize,
    ) -> Result<Team<'a, G>, StartError> {
        let players = (0..jobs.max(1)).map(|_| contender.player(game));
        Ok(Team {
            players: players.collect::<Result<_, _>>()?,
            is_lost: false,
            cut: None,
            pace: (0, Duration::ZERO),
        })
    }

    /// What is found, after the last question, to have been said without being asked.
    pub fn finish(&mut self) -> Vec<(G::Position, Fault)> {
        let players = self.players.iter_mut();
        players.filter_map(|player| player.finish()).collect()
    }

    /// The one to ask single questions.
    pub fn captain(&mut self) -> &mut (dyn Player<G> + 'a) {
        &mut *self.players[0]
    }

    /// Asks about all positions of a source, weighs the answers if there is a judge and hands them
    /// out in order; after `faults` faults no more is asked.
    pub(super) fn ask(
        &mut self,
        source: &dyn Source<G>,
        judge: Option<&Judge<'_, G>>,
        faults: usize,
        clock: &Clock<'_>,
        each: &mut Each<'_, G>,
    ) -> Result<(), CheckError> {
        let shared = Shared {
            source,
            judge,
            faults,
            clock,
            units: source.units(),
            ahead: AHEAD * self.players.len(),
            // What isn't weighed takes no time, and so each gets its part at once.
            first: match judge {
                Some(_) => 1,
                None => source.units().div_ceil(self.players.len() as u64),
            },
            state: Mutex::new(State {
                claimed: 0,
                merged: 0,
                asked: 0,
                faults: 0,
                waiting: BTreeMap::new(),
                ended: None,
                is_lost: false,
                cut: None,
                pace: (0, Duration::ZERO),
                each,
            }),
            room: Condvar::new(),
            over: AtomicBool::new(false),
        };
        match &mut self.players[..] {
            [only] => shared.work(&mut **only),
            players => std::thread::scope(|scope| {
                for player in players {
                    let shared = &shared;
                    scope.spawn(move || shared.work(&mut **player));
                }
            }),
        }
        let state = shared.state.into_inner();
        let state = state.unwrap_or_else(PoisonError::into_inner);
        self.is_lost |= state.is_lost;
        self.cut = self.cut.or(state.cut);
        self.pace.0 += state.pace.0;
        self.pace.1 += state.pace.1;
        match state.ended {
            Some(Err(error)) => Err(error),
            Some(Ok(())) | None => Ok(()),
        }
    }
}

struct Shared<'a, 'b, G: Notation> {
    source: &'a dyn Source<G>,
    judge: Option<&'a Judge<'a, G>>,
    faults: usize,
    clock: &'a Clock<'a>,
    units: u64,
    ahead: usize,
    /// The number of positions that a player is asked about first.
    first: u64,
    state: Mutex<State<'a, 'b, G>>,
    /// There is room for results again, or all is over.
    room: Condvar,
    /// `ended` is set, for those that must not wait for the lock.
    over: AtomicBool,
}

struct State<'a, 'b, G: Notation> {
    /// Units handed out.
    claimed: u64,
    /// Units whose results have been handed on.
    merged: u64,
    /// Positions whose results have been handed on.
    asked: u64,
    faults: usize,
    /// Results that came before their turn, by their first unit.
    waiting: BTreeMap<u64, Done<G>>,
    /// All is over: no more is to be asked, or something failed.
    ended: Option<Result<(), CheckError>>,
    /// It is over because an AI could not be started again.
    is_lost: bool,
    /// It is over because the time is up, or the caller wants it to stop.
    cut: Option<StoppedBy>,
    /// As [`Team::pace`].
    pace: (u64, Duration),
    each: &'a mut Each<'b, G>,
}

/// The results of some units.
struct Done<G: Notation> {
    units: Range<u64>,
    positions: Vec<G::Position>,
    judged: Vec<Judged<G::Move>>,
    /// Nothing follows the last of them, because the AI could not be started again.
    is_lost: bool,
}

impl<'a, 'b, G: Notation> Shared<'a, 'b, G> {
    fn state(&self) -> MutexGuard<'_, State<'a, 'b, G>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks one player until nothing is left to ask.
    fn work(&self, player: &mut dyn Player<G>) {
        // Also when this thread panics, or the others would wait for its results for ever.
        let _end = End(self);
        let mut size = self.first;
        while let Some(units) = self.claim(size) {
            let began = Instant::now();
            match self.batch(units, player) {
                Ok(done) => self.merge(done),
                Err(error) => return self.fail(error),
            }
            let elapsed = began.elapsed();
            if elapsed < BATCH_TIME / 2 {
                size = (2 * size).min(LONGEST_BATCH);
            } else if elapsed > 2 * BATCH_TIME {
                size = (size / 2).max(1);
            }
        }
    }

    /// The next units for a player that asks about this number of positions at a time.
    fn claim(&self, positions: u64) -> Option<Range<u64>> {
        let wanted = (positions / self.source.positions_a_unit()).max(1);
        let mut state = self.state();
        loop {
            if state.ended.is_some() || state.claimed >= self.units {
                return None;
            }
            if state.waiting.len() < self.ahead {
                break;
            }
            // Whoever holds the earliest batch doesn't wait here, so that it goes on.
            state = self
                .room
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        let units = state.claimed..(state.claimed + wanted).min(self.units);
        state.claimed = units.end;
        Some(units)
    }

    fn has_ended(&self) -> bool {
        self.over.load(Relaxed) || self.clock.cancelled()
    }

    fn batch(&self, units: Range<u64>, player: &mut dyn Player<G>) -> Result<Done<G>, CheckError> {
        let mut positions = Vec::new();
        self.source.positions(units.clone(), &mut positions)?;
        let mut replies: Vec<Reply<G::Move>> = Vec::with_capacity(positions.len());
        let round = Round {
            faults: self.faults,
            stop: &|| self.has_ended(),
        };
        let way_to = |index| self.source.way_to(units.start + index as u64);
        let began = Instant::now();
        let asked = player.ask_along(&positions, &way_to, &round, &mut replies);
        let spent = began.elapsed();
        let is_right = replies.iter().all(|reply| reply.answer.is_ok());
        let lost = asked.err().filter(|_| replies.len() < positions.len());
        let is_lost = lost.is_some();
        replies.extend(lost.map(|error| gone(&error)));
        let judged = self.weigh(&positions, replies)?;
        if is_right && self.judge.is_some() {
            let mut state = self.state();
            state.pace.0 += judged.len() as u64;
            state.pace.1 += spent;
        }
        Ok(Done {
            units,
            positions,
            judged,
            is_lost,
        })
    }

    /// Weighs the replies to these positions; those that are in time.
    fn weigh(
        &self,
        positions: &[G::Position],
        replies: Vec<Reply<G::Move>>,
    ) -> Result<Vec<Judged<G::Move>>, CheckError> {
        let stop = || self.clock.cancelled();
        let mut judged = Vec::with_capacity(replies.len());
        for (position, reply) in positions.iter().zip(replies) {
            let Some(judge) = self.judge else {
                judged.push(Judged::unsettled(reply));
                continue;
            };
            match judge.weigh_one(position, reply, &stop)? {
                Some(weighed) => judged.push(weighed),
                None => break,
            }
            self.clock.advance(1);
        }
        Ok(judged)
    }

    /// Hands on what is complete from the start; what came before its turn waits.
    fn merge(&self, done: Done<G>) {
        let mut state = self.state();
        let state = &mut *state;
        state.waiting.insert(done.units.start, done);
        while state.ended.is_none()
            && let Some(done) = state.waiting.remove(&state.merged)
        {
            state.merged = done.units.end;
            let complete = done.judged.len() == done.positions.len();
            for (position, judged) in done.positions.iter().zip(done.judged) {
                state.faults += usize::from(judged.answer.is_err());
                if let Err(error) = (state.each)(state.asked, position, judged) {
                    state.ended = Some(Err(error));
                    break;
                }
                state.asked += 1;
                if state.faults >= self.faults {
                    state.ended = Some(Ok(()));
                    break;
                }
            }
            if state.ended.is_none() && done.is_lost {
                state.is_lost = true;
                state.ended = Some(Ok(()));
            }
            if state.ended.is_none() && !complete {
                let is_time = self.clock.is_up();
                state.cut = Some(if is_time {
                    StoppedBy::Time
                } else {
                    StoppedBy::Interrupt
                });
                state.ended = Some(Ok(()));
            }
        }
        if state.ended.is_some() {
            self.over.store(true, Relaxed);
        }
        self.room.notify_all();
    }

    fn fail(&self, error: CheckError) {
        self.state().ended.get_or_insert(Err(error));
        self.over.store(true, Relaxed);
        self.room.notify_all();
    }
}

/// Wakes those that wait when a player's thread ends before its time.
struct End<'s, 'a, 'b, G: Notation>(&'s Shared<'a, 'b, G>);

impl<G: Notation> Drop for End<'_, '_, '_, G> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.fail(CheckError::Interrupted);
        }
    }
}
