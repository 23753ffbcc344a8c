//! The line protocol: each position is one line, and so is each move.
//!
//! Positions are sent in batches, so that the program doesn't wait for the next one; it can't see
//! the difference. If a batch goes wrong in any way, its positions are asked again one by one,
//! which assigns each fault to the position that causes it.

use super::player::{Fault, FaultKind, Player, Replies, Round, StartError, shorten};
use super::process::Process;
use super::program::{External, ProgramQuestions, read_line};
use crate::game::{NoProgress, Notation, Progress};
use std::slice;
use std::time::Duration;

/// The number of positions in a batch, at most.
///
/// Together they must fit into the smallest pipes.
const BATCH: usize = 128;

/// The time to wait for unrequested lines after a batch.
const BATCH_WAIT: Duration = Duration::from_micros(200);
/// The time to wait for unrequested lines after a single position.
const SINGLE_WAIT: Duration = Duration::from_millis(2);
/// The time to wait for unrequested lines after the last question, at least.
const FINAL_WAIT: Duration = Duration::from_millis(40);

/// The least time to wait for another line after a wrong one.
///
/// The AI may think before its move.
const NEXT_LINE_WAIT: Duration = Duration::from_secs(1);

/// The number of faults whose cause is looked for in further output, at most: each takes a second.
const MOST_EXAMINED: usize = 10;

/// The time per move from which programs are asked one position at a time.
///
/// For slow programs that costs little, and the time of each move is known.
const SLOW: Duration = Duration::from_millis(20);

/// Player that speaks the line protocol with a program.
pub(super) struct LinePlayer<'a, G: Notation> {
    asked: ProgramQuestions<'a, G>,
    /// The longest time from one answer to the next.
    longest: Duration,
    /// The number of faults after which further output was examined.
    examined: usize,
}

/// Result of asking about a batch of positions.
enum BatchResult<M> {
    Done(Vec<M>),
    /// The first answers were right, then there was a fault.
    Failed(Vec<M>, Fault),
    /// The program wrote a line before it was asked.
    Unrequested(Fault),
    Cancelled,
}

impl<'a, G: Notation> LinePlayer<'a, G> {
    pub fn new(program: &'a External, game: &'a G) -> Result<Self, StartError> {
        let mut player = LinePlayer {
            asked: ProgramQuestions::new(program, game),
            longest: Duration::ZERO,
            examined: 0,
        };
        player.process()?;
        Ok(player)
    }

    /// Returns the running process, after starting it if necessary.
    fn process(&mut self) -> Result<&mut Process, StartError> {
        let asked = &mut self.asked;
        let process = match asked.process.take() {
            Some(process) => process,
            None => asked.program.start(asked.game)?,
        };
        Ok(asked.process.insert(process))
    }

    /// Starts a new process and asks it about the game's start, which is not graded.
    fn warm_up(&mut self, progress: &dyn Progress) -> Result<(), StartError> {
        let (program, game) = (self.asked.program, self.asked.game);
        self.asked.process = None;
        let process = self.process()?;
        process.send(line_of(game, &game.start()).into_bytes());
        let answer = process.line(process.now(), program.time_limit(process), progress);
        self.asked.process.take_if(|_| answer.is_err());
        Ok(())
    }

    /// Sends some positions at once, unless the process has written an unrequested line before.
    fn send(&mut self, positions: &[G::Position]) -> Result<Option<Fault>, StartError> {
        let game = self.asked.game;
        let lines = positions.iter().map(|position| line_of(game, position));
        self.asked.last = positions.last().cloned();
        self.process()?;
        // Unread lines would be taken for answers.
        let early = self.unrequested_line(Duration::ZERO, "wrote a line without being asked:");
        if early.is_none() {
            self.process()?.send(lines.collect::<String>().into_bytes());
        }
        Ok(early)
    }

    /// Sends some positions at once and reads the answers. After a failure the process has ended.
    ///
    /// `accepts_late` says whether the first answer may be as late as the program's start allows. If
    /// not, a late first answer may have its reason in the position instead of the start. The
    /// positions are then sent again, to a new process that has answered another question.
    fn exchange(
        &mut self,
        positions: &[G::Position],
        accepts_late: bool,
        progress: &dyn Progress,
    ) -> Result<BatchResult<G::Move>, StartError> {
        let (program, game) = (self.asked.program, self.asked.game);
        if let Some(fault) = self.send(positions)? {
            return Ok(BatchResult::Unrequested(fault));
        }
        let mut longest = self.longest;
        let process = self.process()?;
        let began = process.now();
        let mut last = began;
        let mut moves = Vec::with_capacity(positions.len());
        for position in positions {
            let time_limit = program.time_limit(process);
            let answer = process
                .line(last, time_limit, progress)
                .and_then(|line| read_line(game, position, line).map_err(Some));
            let now = process.now();
            match answer {
                Ok(_) if now - last > program.timeout && !accepts_late => {
                    self.warm_up(progress)?;
                    return self.exchange(positions, true, progress);
                }
                Ok(mv) => moves.push(mv),
                Err(Some(mut fault)) => {
                    if fault.kind == FaultKind::Timeout && time_limit > program.timeout {
                        fault.detail.push_str(" of its start");
                    }
                    let fault = self.end_with(fault, positions, longest, progress);
                    return Ok(BatchResult::Failed(moves, fault));
                }
                Err(None) => {
                    // Its remaining answers must not be taken for those to the next questions.
                    self.asked.process = None;
                    return Ok(BatchResult::Cancelled);
                }
            }
            // The first answer includes the program's start, so its time doesn't count.
            if time_limit == program.timeout {
                longest = longest.max(now - last);
            }
            last = now;
        }
        // If more output follows, the last answer can't be trusted.
        let wait = [BATCH_WAIT, SINGLE_WAIT][usize::from(positions.len() == 1)];
        if let Some(fault) = self.unrequested_line(wait, "wrote more than one line, also") {
            moves.pop();
            return Ok(BatchResult::Failed(moves, fault));
        }
        self.asked.pace = Some((last - began) / positions.len().max(1) as u32);
        self.longest = longest;
        Ok(BatchResult::Done(moves))
    }

    /// Returns a fault and ends the process if it writes an unrequested line in time.
    fn unrequested_line(&mut self, wait: Duration, problem: &str) -> Option<Fault> {
        let extra = self.asked.process.as_mut()?.unrequested_line(wait)?;
        Some(self.asked.end_after_extra(&extra, problem))
    }

    /// Ends the process after a fault and completes the fault.
    ///
    /// If it was asked about a single position, its further output is examined first, unless there
    /// were [`MOST_EXAMINED`] faults. `longest` is the longest time that the program took for an answer.
    fn end_with(
        &mut self,
        mut fault: Fault,
        positions: &[G::Position],
        longest: Duration,
        progress: &dyn Progress,
    ) -> Fault {
        let (program, game) = (self.asked.program, self.asked.game);
        let wait = program.timeout.min(NEXT_LINE_WAIT.max(2 * longest));
        if let (Some(process), [position]) = (&mut self.asked.process, positions)
            && self.examined < MOST_EXAMINED
        {
            self.examined += 1;
            if fault.kind == FaultKind::Timeout {
                // Perhaps the program reads one line ahead: then it answers once for each time that
                // the position is sent again. A slow program answers neither or both questions.
                let mut answers = |text: String| {
                    process.send(text.into_bytes());
                    process.line(process.now(), wait, progress)
                };
                let again = || line_of(game, position);
                fault.noticed.answered_at_next = match answers(again()) {
                    // The clock may have jumped during one of the waits.
                    Ok(_) => {
                        (0..2).all(|_| answers(String::new()).is_err()) && answers(again()).is_ok()
                    }
                    Err(_) => false,
                };
            } else {
                examine_next_line(process, game, position, &mut fault, wait);
            }
        }
        self.asked.end(fault)
    }

    /// Asks about each of these positions alone and returns the number of new faults.
    ///
    /// `faults` is the number of earlier faults of the round.
    fn one_by_one(
        &mut self,
        positions: &[G::Position],
        faults: usize,
        round: &Round<'_, G>,
        replies: &mut Replies<G>,
    ) -> Result<usize, StartError> {
        let mut found = 0;
        // Whether the last reply comes from the current process.
        let mut has_answered = false;
        let mut rest = positions;
        while let [position, after @ ..] = rest
            && round.may_continue(faults + found)
        {
            let is_fresh = self.asked.process.is_none();
            match self.exchange(slice::from_ref(position), false, round.progress)? {
                BatchResult::Done(moves) => {
                    replies.extend(moves.into_iter().map(Ok));
                    has_answered = true;
                }
                BatchResult::Cancelled => break,
                BatchResult::Unrequested(fault) if !is_fresh => {
                    // The line is late: it belongs to the previous question.
                    if std::mem::take(&mut has_answered)
                        && let Some(last) = replies.last_mut()
                    {
                        *last = Err(fault);
                        found += 1;
                    }
                    continue;
                }
                BatchResult::Unrequested(fault) | BatchResult::Failed(_, fault) => {
                    replies.push(Err(fault));
                    found += 1;
                    has_answered = false;
                }
            }
            rest = after;
        }
        Ok(found)
    }
}

/// Returns the line that asks about a position.
fn line_of<G: Notation>(game: &G, position: &G::Position) -> String {
    game.format_for_ai(position) + "\n"
}

/// Examines the line after a wrong one.
///
/// If it is the answer, the wrong line was unrequested and is no evidence of an illegal move.
fn examine_next_line<G: Notation>(
    process: &mut Process,
    game: &G,
    position: &G::Position,
    fault: &mut Fault,
    wait: Duration,
) {
    let Some(answer) = fault.noticed.answer.clone() else {
        return;
    };
    let Ok(next) = process.line(process.now(), wait, &NoProgress) else {
        return;
    };
    process.lines -= 1;
    let text = String::from_utf8_lossy(&next).into_owned();
    fault.noticed.move_followed = read_line(game, position, next).is_ok();
    if fault.kind == FaultKind::Illegal {
        fault.kind = FaultKind::Malformed;
        fault.detail = format!(
            "wrote more than one line: {:?}, then {:?}",
            shorten(&answer, 60),
            shorten(text.trim(), 60)
        );
    }
}

impl<G: Notation> Player<G> for LinePlayer<'_, G> {
    fn ask(&mut self, round: &Round<'_, G>, replies: &mut Replies<G>) -> Result<(), StartError> {
        let mut faults = 0;
        let mut rest = round.positions;
        while !rest.is_empty() && round.may_continue(faults) {
            let is_slow = self.asked.pace.is_some_and(|pace| pace >= SLOW);
            let size = if is_slow { 1 } else { BATCH };
            let (batch, after) = rest.split_at(size.min(rest.len()));
            rest = after;
            let (right, fault) = match self.exchange(batch, false, round.progress)? {
                BatchResult::Done(moves) => {
                    replies.extend(moves.into_iter().map(Ok));
                    continue;
                }
                BatchResult::Cancelled => return Ok(()),
                BatchResult::Failed(right, fault) => (right, fault),
                BatchResult::Unrequested(fault) => (Vec::new(), fault),
            };
            let (first, failed_at) = (replies.len(), right.len());
            if batch.len() == 1 {
                replies.push(Err(fault));
                faults += 1;
                continue;
            }
            // Ask the positions of the failed batch again, one by one.
            let found = self.one_by_one(batch, faults, round, replies);
            if found.is_err() && replies.len() == first {
                // The program can't be restarted, so use the answers from the batch.
                replies.extend(right.into_iter().map(Ok));
                replies.push(Err(fault));
                return found.map(|_| ());
            }
            let found = found?;
            if found == 0 && replies.len() == first + batch.len() {
                // Report the fault of the batch even if it doesn't occur again.
                let detail = format!("{} (but not when asked again)", fault.detail);
                replies[first + failed_at] = Err(Fault { detail, ..fault });
                faults += 1;
            }
            faults += found;
        }
        Ok(())
    }

    fn finish(&mut self) -> Option<(G::Position, Fault)> {
        let wait = self.asked.program.timeout;
        let wait = wait.min(FINAL_WAIT.max(2 * self.longest));
        let problem = "wrote one line more than it was asked for, so that another line may have \
                       been taken for its answer:";
        let fault = self.unrequested_line(wait, problem)?;
        Some((self.asked.last.take()?, fault))
    }

    fn pace(&self) -> Option<Duration> {
        self.asked.pace
    }

    fn take_stderr(&mut self) -> String {
        self.asked.take_stderr()
    }
}
