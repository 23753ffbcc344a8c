//! Questions to several players in parallel, with the same result as with one, and their count.

use super::source::Source;
use crate::check::contenders::{
    Contender, Fault, Player, Replies, Reply, Round, StartError, ask_one,
};
use crate::check::error::CheckError;
use crate::check::judge::{Judge, Judged, Origin, Tally, Way};
use crate::check::listing::{List, ListedMistake};
use crate::check::options::{Criterion, StoppedBy};
use crate::game::{CancelScope, Game, Notation, Progress};
use crate::pool::share;
use crate::text::{counted, roughly};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Several players of the same AI.
pub(in crate::check) struct Team<'a, G: Notation> {
    players: Vec<Box<dyn Player<G> + 'a>>,
    pub(super) is_program: bool,
    /// Replies to questions that were asked in advance.
    pub(super) ahead: FxHashMap<G::Position, Reply<G::Move>>,
    /// Whether an AI could not be restarted after a fault, so that questions remained.
    pub cannot_restart: bool,
    /// The deadline or the caller, if one of them ended the questions early.
    pub stopped_by: Option<StoppedBy>,
    /// The number of answers in batches without a fault, and the time that they took.
    pace: (u64, Duration),
}

/// Receiver of the graded answers in the source's order, each with its number.
pub(in crate::check) type AnswerSink<'a, G> =
    dyn FnMut(u64, &<G as Game>::Position, Judged<<G as Game>::Move>) + Send + 'a;

/// Target time of a batch, and its size limit in positions.
///
/// The time is long enough to make the cost of distribution negligible, even on a busy machine. It
/// is short enough that all players finish at about the same time.
const BATCH_TIME: Duration = Duration::from_millis(100);
const LARGEST_BATCH: u64 = 1024;

/// The number of batches per player before all wait for the last one. More would only use memory.
const BATCHES_AHEAD: u64 = 16;

/// The number of positions from which on three of them are timed before all are asked.
const FEWEST_TIMED: u64 = 60;

/// The seconds that need no announcement.
const MOMENT: f64 = 2.0;

impl<'a, G: Notation> Team<'a, G> {
    pub fn new(
        contender: &'a dyn Contender<'a, G>,
        game: &'a G,
        jobs: usize,
    ) -> Result<Team<'a, G>, StartError> {
        let players = (0..jobs.max(1)).map(|_| contender.player(game));
        Ok(Team {
            players: players.collect::<Result<_, _>>()?,
            is_program: contender.command().is_some(),
            ahead: FxHashMap::default(),
            cannot_restart: false,
            stopped_by: None,
            pace: (0, Duration::ZERO),
        })
    }

    /// Returns the unrequested answers that the players find after the last question.
    ///
    /// After an early end it returns none, because answers to earlier questions are still unread.
    pub fn finish(&mut self) -> Vec<(G::Position, Fault)> {
        if self.stopped_by.is_some() {
            return Vec::new();
        }
        let players = self.players.iter_mut();
        players.filter_map(|player| player.finish()).collect()
    }

    /// Returns a player's average time per answer in seconds.
    ///
    /// Only batches without a fault count; `None` if there are none.
    pub fn seconds_per_move(&self) -> Option<f64> {
        let (answers, spent) = self.pace;
        (answers > 0).then(|| spent.as_secs_f64() / answers as f64)
    }

    /// Returns the players, at least one.
    pub fn players(&mut self) -> &mut [Box<dyn Player<G> + 'a>] {
        &mut self.players
    }

    /// Notes how long a program will take for the questions, if that is more than a moment.
    ///
    /// If there are many positions, it is asked about some of them, because the first questions are
    /// easier.
    fn announce(
        &mut self,
        source: &Source<'_, G>,
        judge: &Judge<'_, G>,
        clock: &CancelScope<'_>,
    ) -> Result<(), CheckError> {
        let (units, jobs) = (source.units(), self.players.len() as f64);
        let positions = units * source.positions_a_unit();
        let player = &mut *self.players[0];
        let mut paces = Vec::from_iter(player.pace());
        if paces.is_empty() {
            return Ok(());
        }
        if positions >= FEWEST_TIMED {
            paces.clear();
            for unit in [1, 3, 5].map(|part| units * part / 6) {
                let (way, mut found) = (source.way_to(unit), Vec::new());
                source.positions(unit..unit + 1, &mut found)?;
                let position = found.first();
                let ask = |position| ask_one(player, way.as_deref(), position, clock);
                let Some(Ok(_)) = position.and_then(ask) else {
                    return Ok(());
                };
                paces.extend(player.pace());
            }
        }
        let pace = paces.iter().sum::<Duration>().as_secs_f64() / paces.len() as f64;
        let all = pace * positions as f64 / jobs;
        if all > MOMENT {
            let besides = match judge.is_search() {
                true => ", besides the searches for their scores",
                false => "",
            };
            let (pace, all) = (roughly(pace), roughly(all));
            let positions = counted(positions as usize, "position");
            clock.note(&format!(
                "each answer takes {pace}: {positions} in {all}{besides}"
            ));
        }
        Ok(())
    }

    /// Notes that the clock ended the questions.
    pub(super) fn stop(&mut self, clock: &CancelScope<'_>) {
        let by = match clock.is_past_deadline() {
            true => StoppedBy::Time,
            false => StoppedBy::Interrupt,
        };
        self.stopped_by.get_or_insert(by);
    }

    /// Asks about all positions of a source and passes the answers to `each` in order.
    ///
    /// The judge grades them. After `faults` faults no more is asked.
    pub(super) fn ask(
        &mut self,
        source: &Source<'_, G>,
        judge: &Judge<'_, G>,
        faults: usize,
        clock: &CancelScope<'_>,
        each: &mut AnswerSink<'_, G>,
    ) -> Result<(), CheckError> {
        let (units, players) = (source.units(), self.players.len() as u64);
        let (mut size, mut begin, mut asked, mut seen) = (1, 0, 0, 0);
        while begin < units {
            let size_in_units = (size / source.positions_a_unit()).max(1);
            // A single player never waits for others, so it has one batch per round.
            let all = match players {
                1 => size_in_units,
                _ => BATCHES_AHEAD * players * size_in_units,
            };
            let end = units.min(begin + all);
            let batches = Batches {
                source,
                judge,
                ahead: &self.ahead,
                faults: faults - seen,
                clock,
            };
            let done = batches.run(&mut self.players, begin..end, size_in_units);
            begin = end;
            size = next_size(size, &done);
            // Pass the answers on in order, up to the last allowed fault.
            for batch in done {
                let batch = batch?;
                if batch.faults == 0 {
                    self.pace.0 += batch.judged.len() as u64;
                    self.pace.1 += batch.asking_time;
                }
                for (position, judged) in batch.positions.iter().zip(batch.judged) {
                    seen += usize::from(judged.answer.is_err());
                    each(asked, position, judged);
                    asked += 1;
                    if seen >= faults {
                        return Ok(());
                    }
                }
                self.cannot_restart |= batch.cannot_restart;
                if !batch.is_whole {
                    if !batch.cannot_restart {
                        self.stop(clock);
                    }
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

/// Returns the size of the next batches, from the time that the last ones took.
fn next_size<G: Notation>(size: u64, done: &[Result<Batch<G>, CheckError>]) -> u64 {
    let times = done.iter().flatten().map(|batch| batch.total_time);
    let average = times.sum::<Duration>() / done.len().max(1) as u32;
    if average < BATCH_TIME / 2 {
        (2 * size).min(LARGEST_BATCH)
    } else if average > 2 * BATCH_TIME {
        (size / 2).max(1)
    } else {
        size
    }
}

/// Batches of a source, which the players take when they are ready.
struct Batches<'a, G: Notation> {
    source: &'a Source<'a, G>,
    judge: &'a Judge<'a, G>,
    /// Replies that are known.
    ahead: &'a FxHashMap<G::Position, Reply<G::Move>>,
    /// The number of faults after which no more is asked.
    faults: usize,
    clock: &'a CancelScope<'a>,
}

/// Result of a batch.
struct Batch<G: Notation> {
    positions: Vec<G::Position>,
    judged: Vec<Judged<G::Move>>,
    /// Whether all positions were asked and all answers graded.
    is_whole: bool,
    /// The number of faults.
    faults: usize,
    /// Whether the batch ends early because the AI could not be restarted.
    cannot_restart: bool,
    /// The player's time, and the time with grading.
    asking_time: Duration,
    total_time: Duration,
}

impl<G: Notation> Batches<'_, G> {
    /// Shares batches among the players, of `size` units each.
    fn run(
        &self,
        players: &mut [Box<dyn Player<G> + '_>],
        units: Range<u64>,
        size: u64,
    ) -> Vec<Result<Batch<G>, CheckError>> {
        let seen = AtomicUsize::new(0);
        let count = (units.end - units.start).div_ceil(size) as usize;
        share(players, count, |player, number| {
            let begin = units.start + number as u64 * size;
            let batch = self.batch(begin..units.end.min(begin + size), &mut **player);
            let continues = batch.as_ref().is_ok_and(|batch| {
                let seen = seen.fetch_add(batch.faults, Relaxed) + batch.faults;
                batch.is_whole && seen < self.faults
            });
            (batch, continues)
        })
    }

    fn batch(&self, units: Range<u64>, player: &mut dyn Player<G>) -> Result<Batch<G>, CheckError> {
        let began = Instant::now();
        let mut positions = Vec::new();
        self.source.positions(units.clone(), &mut positions)?;
        // Ask about the positions that were not asked ahead.
        let is_asked = |at: &usize| !self.ahead.contains_key(&positions[*at]);
        let indices: Vec<usize> = (0..positions.len()).filter(is_asked).collect();
        let asked: Vec<_> = indices.iter().map(|&at| positions[at].clone()).collect();
        let round = Round {
            positions: &asked,
            ways: &|index| self.source.way_to(units.start + indices[index] as u64),
            faults: self.faults,
            progress: self.clock,
        };
        let asked_at = Instant::now();
        let (replies, cannot_restart) = round.put_to(player);
        let asking_time = asked_at.elapsed();
        let mut fresh = replies.into_iter();
        let known = positions
            .iter()
            .map(|position| self.ahead.get(position).cloned());
        let replies = known
            .map_while(|known| known.or_else(|| fresh.next()))
            .collect();
        let judged = self.grade(&positions, replies)?;
        Ok(Batch {
            is_whole: judged.len() == positions.len() && !cannot_restart,
            faults: judged.iter().filter(|of| of.answer.is_err()).count(),
            positions,
            judged,
            cannot_restart,
            asking_time,
            total_time: began.elapsed(),
        })
    }

    /// Grades the replies to these positions, until the time is up.
    fn grade(
        &self,
        positions: &[G::Position],
        replies: Replies<G>,
    ) -> Result<Vec<Judged<G::Move>>, CheckError> {
        let replies = positions.iter().zip(replies);
        let graded = replies.map_while(|(position, reply)| {
            let graded = self.judge.grade_one(position, reply, self.clock);
            graded.transpose()
        });
        graded.inspect(|_| self.clock.advance(1)).collect()
    }
}

/// Questions of a check to its team, with the count of the answers.
pub(in crate::check) struct Interview<'a, 't, 'l, G: Notation> {
    pub team: &'a mut Team<'t, G>,
    pub tally: &'a mut Tally<G>,
    /// The receiver of each mistake, if there is one.
    pub list: Option<&'a mut List<'l>>,
    /// Collects slow wins, by the numbers of their positions, instead of counting them.
    ///
    /// `None` if they are counted at once, as in games in which no position repeats.
    pub slow: Option<Vec<(u64, Judged<G::Move>)>>,
    /// The number of faults after which no more is asked.
    pub faults: usize,
    pub clock: &'a CancelScope<'a>,
}

impl<G: Notation> Interview<'_, '_, '_, G> {
    /// Returns whether the questions have ended.
    ///
    /// The reason may be faults, an AI that can't be restarted, time or cancellation.
    pub fn has_ended(&self) -> bool {
        self.team.cannot_restart
            || self.team.stopped_by.is_some()
            || self.tally.faults.len() >= self.faults
    }

    /// Returns the criterion for mistakes whose best moves the judge has to list.
    pub(super) fn lists_best(&self) -> Option<Criterion> {
        self.list.as_ref().map(|_| self.tally.worst.criterion)
    }

    /// Asks about the positions of a source and counts the answers.
    ///
    /// With `wants_answers` it returns the answers in order, `None` for a fault; else it returns an
    /// empty list.
    pub(super) fn ask_all(
        &mut self,
        source: &Source<'_, G>,
        judge: &Judge<'_, G>,
        wants_answers: bool,
    ) -> Result<Vec<Option<G::Move>>, CheckError> {
        let (tally, list, slow) = (&mut *self.tally, &mut self.list, &mut self.slow);
        let remaining = self.faults.saturating_sub(tally.faults.len());
        // The questions of later lines of play are unknown.
        if self.team.pace.0 == 0 {
            self.team.announce(source, judge, self.clock)?;
        }
        let mut answers = Vec::new();
        self.team.ask(
            source,
            judge,
            remaining,
            self.clock,
            &mut |index, position, judged| {
                if wants_answers {
                    answers.push(judged.answer.as_ref().ok().copied());
                }
                if let Some(slow) = slow
                    && judged.is_slow_win()
                {
                    slow.push((index, judged));
                    return;
                }
                let (origin, way) = (source.origin(index), || source.way_to(index));
                count(tally, list, position, judged, origin, &way);
            },
        )?;
        Ok(answers)
    }
}

/// Counts an answer, and passes it to the list if it is a mistake.
pub(super) fn count<G: Notation>(
    tally: &mut Tally<G>,
    list: &mut Option<&mut List<'_>>,
    position: &G::Position,
    judged: Judged<G::Move>,
    origin: Origin,
    way: Way<'_, G::Move>,
) {
    if let Some(list) = list
        && judged.answer.is_ok()
        && judged.is_mistake(tally.worst.criterion)
    {
        let mistake = ListedMistake::of(tally.game(), position, &judged, &judged.best);
        list(&mistake);
    }
    tally.add(position, judged, origin, way);
}
