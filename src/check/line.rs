//! The line protocol: a position a line in, a move a line out.
//!
//! Positions are sent in batches, so that the program needn't wait for the next one; it sees no difference. A batch that goes wrong in
//! any way is asked again, by a fresh process and one position at a time, so that each fault is put down to the position that causes it.

use super::ai::{Fault, FaultKind, Player, Reply, Round, StartError, shorten};
use super::external::{External, fault_of, may_go_on, read_line, reply};
use super::process::{Heard, Process};
use crate::game::Game;
use std::time::{Duration, Instant};

/// Positions in a batch, at most; together they must fit into the smallest pipes.
const BATCH: usize = 128;

/// How long to wait for more than one line where only one is expected: where nothing has gone wrong so far, and where something has.
const GLANCE: Duration = Duration::from_micros(200);
const LONG_LOOK: Duration = Duration::from_millis(20);

pub(super) struct LinePlayer<'a, G> {
    external: &'a External,
    game: &'a G,
    /// Nothing after a fault.
    process: Option<Process>,
}

/// What came of asking.
enum Asked<T> {
    Done(T),
    /// The first so many answers were right; then something went wrong.
    Failed(usize, Fault),
    Stopped,
}

impl<'a, G: Game> LinePlayer<'a, G> {
    pub fn new(external: &'a External, game: &'a G) -> Result<Self, StartError> {
        let process = Some(external.start(game)?);
        Ok(LinePlayer {
            external,
            game,
            process,
        })
    }

    fn process(&mut self) -> Result<&mut Process, StartError> {
        let process = match self.process.take() {
            Some(process) => process,
            None => self.external.start(self.game)?,
        };
        Ok(self.process.insert(process))
    }

    /// Ends the process; the fault gets what it wrote to standard error.
    fn end(&mut self, mut fault: Fault) -> Fault {
        if let Some(process) = self.process.take() {
            fault.stderr = process.end();
        }
        fault
    }

    /// Asks about some positions at once. After a failure there is no process any more.
    fn batch(
        &mut self,
        positions: &[G::Position],
        round: &Round<'_>,
        look: Duration,
    ) -> Result<Asked<Vec<Reply<G::Move>>>, StartError> {
        let (game, timeout) = (self.game, self.external.timeout());
        let mut lines = String::with_capacity(48 * positions.len());
        for position in positions {
            lines.push_str(&game.format_position(position));
            lines.push('\n');
        }
        let process = self.process()?;
        if let Some(extra) = process.unasked(Duration::ZERO) {
            let detail = format!(
                "wrote a line without being asked: {:?}",
                shorten(&extra, 60)
            );
            let fault = self.end(Fault::new(FaultKind::Garbled, detail));
            return Ok(Asked::Failed(0, fault));
        }
        let mut last = Instant::now();
        process.send(lines.into_bytes());
        let mut replies = Vec::with_capacity(positions.len());
        for position in positions {
            let answer = match process.line(last + timeout, round.stop) {
                Heard::Line(line) => read_line(game, position, line),
                Heard::Stopped => return Ok(Asked::Stopped),
                heard => match fault_of(heard, timeout) {
                    Some(fault) => Err(fault),
                    None => return Ok(Asked::Stopped),
                },
            };
            match answer {
                Ok(mv) => {
                    let now = Instant::now();
                    replies.push(reply(Ok(mv), now - last));
                    last = now;
                }
                Err(fault) => {
                    let fault = self.end(fault);
                    return Ok(Asked::Failed(replies.len(), fault));
                }
            }
        }
        if let Some(extra) = process.unasked(look) {
            let detail = format!("wrote more than one line: then {:?}", shorten(&extra, 60));
            let fault = self.end(Fault::new(FaultKind::Garbled, detail));
            return Ok(Asked::Failed(positions.len() - 1, fault));
        }
        Ok(Asked::Done(replies))
    }
}

impl<G: Game> Player<G> for LinePlayer<'_, G> {
    fn ask(
        &mut self,
        positions: &[G::Position],
        round: &Round<'_>,
        replies: &mut Vec<Reply<G::Move>>,
    ) -> Result<(), StartError> {
        let mut faults = 0;
        for batch in positions.chunks(BATCH) {
            if !may_go_on(round, faults) {
                return Ok(());
            }
            let look = if batch.len() == 1 {
                LONG_LOOK / 10
            } else {
                GLANCE
            };
            let (failed_at, fault) = match self.batch(batch, round, look)? {
                Asked::Done(answered) => {
                    replies.extend(answered);
                    continue;
                }
                Asked::Stopped => return Ok(()),
                Asked::Failed(failed_at, fault) => (failed_at, fault),
            };
            if batch.len() == 1 {
                faults += 1;
                replies.push(reply(Err(fault), Duration::ZERO));
                continue;
            }
            let first = replies.len();
            let mut found = 0;
            for position in batch {
                if !may_go_on(round, faults + found) {
                    return Ok(());
                }
                match self.batch(std::slice::from_ref(position), round, LONG_LOOK)? {
                    Asked::Done(answered) => replies.extend(answered),
                    Asked::Stopped => return Ok(()),
                    Asked::Failed(_, fault) => {
                        found += 1;
                        replies.push(reply(Err(fault), Duration::ZERO));
                    }
                }
            }
            if found == 0 {
                // It did go wrong, even if not again.
                let detail = format!("{} (but not when asked again)", fault.detail);
                let fault = Fault { detail, ..fault };
                replies[first + failed_at] = reply(Err(fault), Duration::ZERO);
                found = 1;
            }
            faults += found;
        }
        Ok(())
    }
}
