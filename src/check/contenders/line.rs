//! The line protocol: a position a line in, a move a line out.
//!
//! Positions are sent in batches, so that the program needn't wait for the next one; it sees no
//! difference. A batch that goes wrong in any way is asked again, by fresh processes and in ever
//! smaller parts, so that each fault is blamed on the position that causes it.

use super::answer::shorten;
use super::player::{Fault, FaultKind, Player, Reply, Round, StartError};
use super::process::{Heard, Process};
use super::program::{External, end, fault_of, read_line, said_too_much};
use crate::game::Notation;
use std::time::Duration;

/// Positions in a batch, at most; together they must fit into the smallest pipes.
const BATCH: usize = 128;

/// How long to wait for more than one line where only one is expected: after a batch, after a
/// single position, and where something has gone wrong.
const GLANCE: Duration = Duration::from_micros(200);
const SHORT_LOOK: Duration = Duration::from_millis(2);
const LONG_LOOK: Duration = Duration::from_millis(40);

/// How long to wait, at least, for the line after one that is no legal move: the AI may think before
/// its move.
const NEXT_LINE: Duration = Duration::from_secs(1);

/// Programs that take so long for a move are asked one by one: that costs little then, and the time
/// of each move is known.
const SLOW: Duration = Duration::from_millis(20);

pub(super) struct LinePlayer<'a, G: Notation> {
    program: &'a External,
    game: &'a G,
    /// Nothing after a fault.
    process: Option<Process>,
    /// The time of a move on average when it was asked last.
    pace: Duration,
    /// The longest time from one answer to the next.
    longest: Duration,
    /// The position that was asked about last.
    last: Option<G::Position>,
}

/// What came of asking.
enum Asked<T> {
    Done(T),
    /// These first answers were right; then something went wrong.
    Failed(T, Fault),
    /// There was a line before anything had been asked.
    Unasked(Fault),
    Stopped,
}

impl<'a, G: Notation> LinePlayer<'a, G> {
    pub fn new(program: &'a External, game: &'a G) -> Result<Self, StartError> {
        let process = Some(program.start(game)?);
        Ok(LinePlayer {
            program,
            game,
            process,
            pace: Duration::ZERO,
            longest: Duration::ZERO,
            last: None,
        })
    }

    fn process(&mut self) -> Result<&mut Process, StartError> {
        let process = match self.process.take() {
            Some(process) => process,
            None => self.program.start(self.game)?,
        };
        Ok(self.process.insert(process))
    }

    /// Asks about some positions at once. After a failure there is no process any more.
    fn batch(
        &mut self,
        positions: &[G::Position],
        round: &Round<'_, G>,
        look: Duration,
    ) -> Result<Asked<Vec<Reply<G::Move>>>, StartError> {
        let (program, game, timeout) = (self.program, self.game, self.program.timeout);
        let line = |position: &G::Position| game.format_position(position) + "\n";
        let lines: String = positions.iter().map(line).collect();
        self.last = positions.last().cloned();
        let mut longest = self.longest;
        self.process()?;
        if let Some(fault) = self.unasked(Duration::ZERO, "wrote a line without being asked:") {
            return Ok(Asked::Unasked(fault));
        }
        let process = self.process()?;
        let began = process.now();
        let mut last = began;
        process.send(lines.into_bytes());
        let mut replies = Vec::with_capacity(positions.len());
        for position in positions {
            let patience = program.patience(process);
            let answer = match process.line(last + patience, round.stop) {
                Heard::Line(line) => read_line(game, position, line).map_err(Some),
                heard => Err(fault_of(heard, patience)),
            };
            let now = process.now();
            match answer {
                Ok(mv) => replies.push(Reply {
                    answer: Ok(mv),
                    time: (positions.len() == 1).then(|| now - last),
                }),
                Err(Some(fault)) => {
                    let waits = (patience, timeout.min(NEXT_LINE.max(2 * longest)));
                    let fault = self.end_after(fault, positions, replies.len(), waits, round.stop);
                    return Ok(Asked::Failed(replies, fault));
                }
                Err(None) => {
                    // Its other answers must not be taken for those to the next questions.
                    self.process = None;
                    return Ok(Asked::Stopped);
                }
            }
            // A start is no move.
            if patience == timeout {
                longest = longest.max(now - last);
            }
            last = now;
        }
        if let Some(fault) = self.unasked(look, "wrote more than one line: then") {
            replies.pop();
            return Ok(Asked::Failed(replies, fault));
        }
        self.pace = (last - began) / positions.len().max(1) as u32;
        self.longest = longest;
        Ok(Asked::Done(replies))
    }

    /// What is wrong if the process writes a line in this time that nobody asked for; that ends it.
    fn unasked(&mut self, wait: Duration, problem: &str) -> Option<Fault> {
        let extra = self.process.as_mut()?.unasked(wait)?;
        let detail = format!("{problem} {:?}", shorten(&extra, 60));
        Some(said_too_much(&mut self.process, &extra, detail))
    }

    /// Ends the process after `right` answers about these positions and a fault; looks before that
    /// for what else it writes. `patience` is what it was given for the answer, `wait` what it gets
    /// for more.
    fn end_after(
        &mut self,
        mut fault: Fault,
        positions: &[G::Position],
        right: usize,
        (patience, wait): (Duration, Duration),
        stop: &dyn Fn() -> bool,
    ) -> Fault {
        if fault.kind == FaultKind::Timeout && patience > self.program.timeout {
            fault.detail.push_str(" of its start");
            self.program.started_in_vain();
        }
        match (&mut self.process, positions) {
            (Some(process), [position]) if fault.kind == FaultKind::Timeout => {
                // Perhaps it reads a line ahead.
                let line = format!("{}\n", self.game.format_position(position));
                process.send(line.into_bytes());
                let late = process.line(process.now() + wait, stop);
                fault.noticed.answered_at_next = matches!(late, Heard::Line(_));
            }
            (Some(process), [position]) => {
                look_behind(process, self.game, position, &mut fault, wait);
            }
            (Some(process), _) if fault.kind == FaultKind::Illegal => {
                count_behind(process, positions.len(), right, &mut fault, wait);
            }
            _ => {}
        }
        end(&mut self.process, fault)
    }
}

/// Looks whether the answer comes after a line that is none: then nobody had asked for that line,
/// and it says nothing about the AI's moves.
fn look_behind<G: Notation>(
    process: &mut Process,
    game: &G,
    position: &G::Position,
    fault: &mut Fault,
    wait: Duration,
) {
    let Some(answer) = fault.noticed.answer.clone() else {
        return;
    };
    let Heard::Line(next) = process.line(process.now() + wait, &|| false) else {
        return;
    };
    process.take_back();
    let text = String::from_utf8_lossy(&next).into_owned();
    fault.noticed.move_followed = read_line(game, position, next).is_ok();
    if fault.kind == FaultKind::Illegal {
        fault.kind = FaultKind::Garbled;
        fault.detail = format!(
            "wrote more than one line: {:?}, then {:?}",
            shorten(&answer, 60),
            shorten(text.trim(), 60)
        );
    }
}

/// Looks whether there are more lines than questions, after `right` answers to the first of them
/// and a move that is not legal: then that may have been meant for another position.
fn count_behind(
    process: &mut Process,
    questions: usize,
    right: usize,
    fault: &mut Fault,
    wait: Duration,
) {
    let mut lines = right + 1;
    while let Heard::Line(_) = {
        let wait = if lines < questions { wait } else { LONG_LOOK };
        process.line(process.now() + wait, &|| false)
    } {
        process.take_back();
        lines += 1;
        if lines > questions {
            fault.kind = FaultKind::Garbled;
            fault.detail = format!(
                "wrote more lines than it was asked for, to {questions} positions that were sent together"
            );
            return;
        }
    }
}

impl<G: Notation> LinePlayer<'_, G> {
    /// Asks again, in parts, about positions at one of which something went wrong. There were
    /// `before` faults before; returns the number of new ones.
    fn sort_out(
        &mut self,
        positions: &[G::Position],
        (failed_at, fault): (usize, &Fault),
        before: usize,
        round: &Round<'_, G>,
        replies: &mut Vec<Reply<G::Move>>,
    ) -> Result<usize, StartError> {
        let mut found = 0;
        // The parts that are left to ask about, the next one last.
        let mut parts = Vec::new();
        split(positions, failed_at, fault, &mut parts);
        // Whether the last reply was to a position that was asked about alone, by the process that
        // there is.
        let mut alone = false;
        while let Some(part) = parts.pop() {
            if !round.may_go_on(before + found) {
                break;
            }
            let is_fresh = self.process.is_none();
            let was_alone = std::mem::take(&mut alone);
            let (failed_at, fault) = match self.batch(part, round, LONG_LOOK)? {
                Asked::Done(answered) => {
                    replies.extend(answered);
                    alone = part.len() == 1;
                    continue;
                }
                Asked::Stopped => break,
                Asked::Unasked(fault) if !is_fresh => {
                    // It came late, from the question before.
                    if was_alone && let Some(last) = replies.last_mut() {
                        *last = fault.into();
                        found += 1;
                    }
                    parts.push(part);
                    continue;
                }
                Asked::Unasked(fault) => (0, fault),
                Asked::Failed(right, fault) => (right.len(), fault),
            };
            // A move that is not legal may be a line too many, which shows when it is alone.
            let is_sure = is_fresh && failed_at == 0 && fault.kind != FaultKind::Illegal;
            if part.len() == 1 || is_sure {
                // Nothing but the first question can be the cause.
                replies.push(fault.into());
                found += 1;
                parts.extend(Some(&part[1..]).filter(|rest| !rest.is_empty()));
            } else {
                split(part, failed_at, &fault, &mut parts);
            }
        }
        Ok(found)
    }
}

/// Splits positions that went wrong at one of them; the parts go on the pile, the first on top.
fn split<'p, P>(positions: &'p [P], failed_at: usize, fault: &Fault, parts: &mut Vec<&'p [P]>) {
    let cuts = match fault.kind {
        // Lines too many show later than they are written, if the ones before are legal moves.
        FaultKind::Illegal | FaultKind::Garbled => [positions.len() / 2; 2],
        FaultKind::Timeout | FaultKind::Crash => [failed_at, failed_at + 1],
    };
    let (rest, last) = positions.split_at(cuts[1]);
    let (first, middle) = rest.split_at(cuts[0]);
    let new = [last, middle, first];
    parts.extend(new.into_iter().filter(|part| !part.is_empty()));
}

impl<G: Notation> Player<G> for LinePlayer<'_, G> {
    fn ask(
        &mut self,
        round: &Round<'_, G>,
        replies: &mut Vec<Reply<G::Move>>,
    ) -> Result<(), StartError> {
        let mut faults = 0;
        let mut rest = round.positions;
        while !rest.is_empty() {
            let size = if self.pace >= SLOW { 1 } else { BATCH };
            let (batch, after) = rest.split_at(size.min(rest.len()));
            rest = after;
            if !round.may_go_on(faults) {
                return Ok(());
            }
            let look = if batch.len() == 1 { SHORT_LOOK } else { GLANCE };
            let (right, fault) = match self.batch(batch, round, look)? {
                Asked::Done(answered) => {
                    replies.extend(answered);
                    continue;
                }
                Asked::Stopped => return Ok(()),
                Asked::Failed(right, fault) => (right, fault),
                Asked::Unasked(fault) => (Vec::new(), fault),
            };
            let (first, failed_at) = (replies.len(), right.len());
            let found = if batch.len() == 1 {
                replies.push(fault.clone().into());
                1
            } else {
                let sorted = self.sort_out(batch, (failed_at, &fault), faults, round, replies);
                if sorted.is_err() && replies.len() == first {
                    // It can't be asked again, so what it said has to do.
                    replies.extend(right);
                    replies.push(fault.clone().into());
                }
                sorted?
            };
            if found == 0 && replies.len() == first + batch.len() {
                // It did go wrong, even if not again.
                let detail = format!("{} (but not when asked again)", fault.detail);
                let fault = Fault { detail, ..fault };
                replies[first + failed_at] = fault.into();
                faults += 1;
            }
            faults += found;
        }
        Ok(())
    }

    fn finish(&mut self) -> Option<(G::Position, Fault)> {
        let process = self.process.as_mut()?;
        let wait = self.program.timeout.min(LONG_LOOK.max(2 * self.longest));
        let extra = process.unasked(wait)?;
        let detail = format!(
            "wrote one line more than it was asked for, {:?}: another line may have been taken for its answer",
            shorten(&extra, 60)
        );
        let fault = said_too_much(&mut self.process, &extra, detail);
        Some((self.last.take()?, fault))
    }
}
