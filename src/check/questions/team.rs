//! Asking with several players side by side, with the same result as with one.

use super::source::Source;
use crate::check::clock::Clock;
use crate::check::contenders::{Contender, Fault, Player, Reply, Round, StartError, gone};
use crate::check::error::CheckError;
use crate::check::judge::{Judge, Judged};
use crate::check::options::StoppedBy;
use crate::game::{Game, Notation, Progress};
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Players of the same AI.
pub(in crate::check) struct Team<'a, G: Notation> {
    players: Vec<Box<dyn Player<G> + 'a>>,
    /// An AI could not be started again after a fault, so that not everything was asked.
    pub is_lost: bool,
    /// What has ended the asking before everything was asked and weighed: the time, or the caller.
    pub cut: Option<StoppedBy>,
    /// The number of answers in batches without a fault, and how long the players took for them.
    pace: (u64, Duration),
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

/// Batches of each player before all wait for the last one: more would only fill memory.
const AHEAD: u64 = 16;

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

    /// What is found, after the last question, to have been said without being asked; nothing after
    /// a cut, for then fewer answers have been read than asked for.
    pub fn finish(&mut self) -> Vec<(G::Position, Fault)> {
        if self.cut.is_some() {
            return Vec::new();
        }
        let players = self.players.iter_mut();
        players.filter_map(|player| player.finish()).collect()
    }

    /// How long a player took for an answer on average, in seconds; nothing where no batch went
    /// without a fault.
    pub fn seconds_per_move(&self) -> Option<f64> {
        let (answers, spent) = self.pace;
        (answers > 0).then(|| spent.as_secs_f64() / answers as f64)
    }

    /// The one to ask single questions.
    pub fn captain(&mut self) -> &mut (dyn Player<G> + 'a) {
        &mut *self.players[0]
    }

    /// Asks about all positions of a source, weighs the answers if there is a judge and hands them
    /// out in order; after `faults` faults no more is asked.
    pub(super) fn ask(
        &mut self,
        source: &Source<'_, G>,
        judge: Option<&Judge<'_, G>>,
        faults: usize,
        clock: &Clock<'_>,
        each: &mut Each<'_, G>,
    ) -> Result<(), CheckError> {
        let (units, players) = (source.units(), self.players.len() as u64);
        // What isn't weighed is shared out at once.
        let mut size = judge.map_or(units.div_ceil(players), |_| 1);
        let (mut begin, mut asked, mut seen) = (0, 0, 0);
        while begin < units {
            let own = (size / source.positions_a_unit()).max(1);
            // One player alone waits for nobody.
            let all = match players {
                1 => own,
                _ => AHEAD * players * own,
            };
            let batches = Batches {
                source,
                judge,
                faults: faults - seen,
                clock,
                size: own,
                end: units.min(begin + all),
                next: AtomicU64::new(begin),
                seen: AtomicUsize::new(0),
                is_over: AtomicBool::new(false),
            };
            begin = batches.end;
            let done = batches.of(&mut self.players);
            size = next_size(size, &done);
            for batch in done {
                let batch = batch?;
                if batch.is_right && judge.is_some() {
                    self.pace.0 += batch.judged.len() as u64;
                    self.pace.1 += batch.asking;
                }
                for (position, judged) in batch.positions.iter().zip(batch.judged) {
                    seen += usize::from(judged.answer.is_err());
                    each(asked, position, judged)?;
                    asked += 1;
                    if seen >= faults {
                        return Ok(());
                    }
                }
                self.is_lost |= batch.is_lost;
                if !batch.is_whole {
                    let cut = match clock.is_up() {
                        true => StoppedBy::Time,
                        false => StoppedBy::Interrupt,
                    };
                    self.cut = self.cut.or((!batch.is_lost).then_some(cut));
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

/// The number of positions to ask about at a time, by how long the batches took that were done last.
fn next_size<G: Notation>(size: u64, done: &[Result<Batch<G>, CheckError>]) -> u64 {
    let times = done.iter().flatten().map(|batch| batch.in_all);
    let average = times.sum::<Duration>() / done.len().max(1) as u32;
    if average < BATCH_TIME / 2 {
        (2 * size).min(LONGEST_BATCH)
    } else if average > 2 * BATCH_TIME {
        (size / 2).max(1)
    } else {
        size
    }
}

/// Batches of a source that the players take as they can.
struct Batches<'a, G: Notation> {
    source: &'a Source<'a, G>,
    judge: Option<&'a Judge<'a, G>>,
    /// No more is asked after this number of faults.
    faults: usize,
    clock: &'a Clock<'a>,
    /// The units of a batch.
    size: u64,
    end: u64,
    /// The first unit that nobody has taken.
    next: AtomicU64,
    /// The faults so far.
    seen: AtomicUsize,
    /// No more batches are to be taken.
    is_over: AtomicBool,
}

/// What came of a batch.
struct Batch<G: Notation> {
    positions: Vec<G::Position>,
    judged: Vec<Judged<G::Move>>,
    /// All positions were asked about, all answers weighed.
    is_whole: bool,
    /// There was no fault.
    is_right: bool,
    /// Nothing follows the last of them, because the AI could not be started again.
    is_lost: bool,
    /// How long the player took, and that with the weighing.
    asking: Duration,
    in_all: Duration,
}

/// Batches in the order of their units.
type Done<G> = Vec<Result<Batch<G>, CheckError>>;

impl<G: Notation> Batches<'_, G> {
    /// Has each player do batches until none is left. Whichever is taken is done, so that there are
    /// no gaps.
    fn of<'p>(&self, players: &mut [Box<dyn Player<G> + 'p>]) -> Done<G> {
        let mut done = match players {
            [only] => self.work(&mut **only),
            players => std::thread::scope(|scope| {
                let threads: Vec<_> = players
                    .iter_mut()
                    .map(|player| scope.spawn(move || self.work(&mut **player)))
                    .collect();
                let ended = threads.into_iter().map(|thread| thread.join());
                let done = ended.map(|done| done.unwrap_or_else(|panic| resume_unwind(panic)));
                done.flatten().collect()
            }),
        };
        done.sort_by_key(|batch| batch.0);
        done.into_iter().map(|batch| batch.1).collect()
    }

    /// Asks one player until nothing is left to ask; the batches with their first units.
    fn work(&self, player: &mut dyn Player<G>) -> Vec<(u64, Result<Batch<G>, CheckError>)> {
        let mut done = Vec::new();
        while !self.is_over.load(Relaxed) {
            let begin = self.next.fetch_add(self.size, Relaxed);
            if begin >= self.end {
                break;
            }
            let batch = self.batch(begin..self.end.min(begin + self.size), player);
            let goes_on = batch.as_ref().is_ok_and(|batch| {
                let faults = batch.judged.iter().filter(|judged| judged.answer.is_err());
                let faults = faults.count();
                let seen = self.seen.fetch_add(faults, Relaxed) + faults;
                batch.is_whole && seen < self.faults
            });
            self.is_over.fetch_or(!goes_on, Relaxed);
            done.push((begin, batch));
        }
        done
    }

    fn batch(&self, units: Range<u64>, player: &mut dyn Player<G>) -> Result<Batch<G>, CheckError> {
        let began = Instant::now();
        let mut positions = Vec::new();
        self.source.positions(units.clone(), &mut positions)?;
        let mut replies: Vec<Reply<G::Move>> = Vec::with_capacity(positions.len());
        let round = Round {
            positions: &positions,
            ways: &|index| self.source.way_to(units.start + index as u64),
            faults: self.faults,
            stop: &|| self.clock.cancelled(),
        };
        let asked_at = Instant::now();
        let asked = player.ask(&round, &mut replies);
        let asking = asked_at.elapsed();
        let is_right = replies.iter().all(Result::is_ok);
        let lost = asked.err().filter(|_| replies.len() < positions.len());
        let is_lost = lost.is_some();
        replies.extend(lost.map(|error| Err(gone(&error))));
        let judged = self.weigh(&positions, replies)?;
        Ok(Batch {
            is_whole: judged.len() == positions.len() && !is_lost,
            positions,
            judged,
            is_right,
            is_lost,
            asking,
            in_all: began.elapsed(),
        })
    }

    /// Weighs the replies to these positions; those that are in time.
    fn weigh(
        &self,
        positions: &[G::Position],
        replies: Vec<Reply<G::Move>>,
    ) -> Result<Vec<Judged<G::Move>>, CheckError> {
        let Some(judge) = self.judge else {
            return Ok(replies.into_iter().map(Judged::unresolved).collect());
        };
        let stop = || self.clock.cancelled();
        let mut judged = Vec::with_capacity(replies.len());
        for (position, reply) in positions.iter().zip(replies) {
            match judge.weigh_one(position, reply, &stop)? {
                Some(weighed) => judged.push(weighed),
                None => break,
            }
            self.clock.advance(1);
        }
        Ok(judged)
    }
}
