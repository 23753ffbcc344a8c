//! Processes that solve the same game together, and the transport of their messages.
//!
//! Messages have any length. The processes agree on errors and cancellation.

use super::{Progress, SolveError, check_cancelled};
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Exchanges between processes, in which each learns whether all others succeed.
pub struct Team<'a> {
    transport: &'a dyn Transport,
    progress: &'a dyn Progress,
    /// Units of work not yet reported to the other processes.
    done: AtomicU64,
    /// Whether the work has ended in an error that all processes know.
    agreed: AtomicBool,
}

/// Flag of an exchange: this process has more to send.
pub(crate) const MORE: u8 = 1;

/// Returns the flags of a process that has more to send, or not.
pub(crate) fn more(has_more: bool) -> u8 {
    if has_more { MORE } else { 0 }
}

/// Returns the error for a message or file of another process that is malformed.
pub(crate) fn broken() -> SolveError {
    SolveError::Checkpoints("a message of another process can't be understood".into())
}

/// The messages received in an exchange.
pub struct Incoming {
    /// One message from each process.
    pub messages: Vec<Vec<u8>>,
    /// The flags of all processes, combined by "or".
    pub flags: u8,
}

/// The header that precedes every message: the state, the units done, the length of this message
/// and that of the longest.
type Head = [u64; 4];

const FAILED: u64 = 1;
const INTERRUPTED: u64 = 2;
/// Position of the first bit of the caller's flags.
const FLAGS: u32 = 2;

/// An error in the form in which it is sent to other processes.
#[derive(Serialize, Deserialize)]
enum WireError {
    Memory { needed: Option<u64>, allowed: u64 },
    Other(String),
}

impl<'a> Team<'a> {
    /// Returns the team of a single process.
    #[must_use]
    pub fn alone(progress: &'a dyn Progress) -> Team<'a> {
        Team::new(&Alone, progress)
    }

    /// `progress` receives the progress of all processes and may cancel them all.
    pub(crate) fn new(transport: &'a dyn Transport, progress: &'a dyn Progress) -> Team<'a> {
        Team {
            transport,
            progress,
            done: AtomicU64::new(0),
            agreed: AtomicBool::new(false),
        }
    }

    /// Returns the rank of this process, from 0.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.transport.rank()
    }

    /// Returns the number of processes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.transport.size()
    }

    /// Returns whether this process writes the table and the messages for people.
    #[must_use]
    pub fn is_first(&self) -> bool {
        self.rank() == 0
    }

    /// Returns the progress of all processes.
    #[must_use]
    pub fn progress(&self) -> &dyn Progress {
        self.progress
    }

    /// Adds units of work, which all processes learn of with the next exchange.
    pub(crate) fn advance(&self, units: u64) {
        self.done.fetch_add(units, Relaxed);
    }

    /// Returns an empty message to each process.
    pub(crate) fn empty_messages(&self) -> Vec<Vec<u8>> {
        vec![Vec::new(); self.size()]
    }

    /// Sends a message to each process and receives theirs.
    ///
    /// An error here becomes one in every process. `flags` has six bits.
    ///
    /// # Errors
    /// If any process has an error, is cancelled or has ended.
    pub(crate) fn exchange(
        &self,
        outgoing: Result<Vec<Vec<u8>>, SolveError>,
        flags: u8,
    ) -> Result<Incoming, SolveError> {
        let outgoing = check_cancelled(self.progress, SolveError::Interrupted).and(outgoing);
        self.exchange_to_the_end(outgoing, flags)
    }

    /// Exchanges as [`Team::exchange`] does, without a check for cancellation.
    fn exchange_to_the_end(
        &self,
        outgoing: Result<Vec<Vec<u8>>, SolveError>,
        flags: u8,
    ) -> Result<Incoming, SolveError> {
        let (mut outgoing, error) = match outgoing {
            Ok(outgoing) => (outgoing, None),
            Err(error) => (self.empty_messages(), Some(error)),
        };
        let is_stop = matches!(error, Some(SolveError::Interrupted));
        let mut state = u64::from(flags) << FLAGS;
        if is_stop {
            state |= INTERRUPTED;
        } else if let Some(error) = &error {
            state |= FAILED;
            let message = serde_json::to_vec(&WireError::of(error)).expect("it is plain data");
            outgoing.fill(message);
        }
        let longest = outgoing.iter().map(Vec::len).max().unwrap_or(0) as u64;
        let done = self.done.swap(0, Relaxed);
        let heads = outgoing.iter().map(|message| {
            let head: Head = [state, done, message.len() as u64, longest];
            bytemuck::bytes_of(&head).to_vec()
        });
        let heads = self.transmit(heads.collect(), &vec![size_of::<Head>(); self.size()])?;
        let read = |head: &Vec<u8>| bytemuck::pod_read_unaligned(head);
        let heads: Vec<Head> = heads.iter().map(read).collect();
        self.progress
            .advance(heads.iter().map(|head| head[1]).sum());
        let lengths: Vec<usize> = heads.iter().map(|head| head[2] as usize).collect();
        let longest = heads.iter().map(|head| head[3]).max().unwrap_or(0);
        let messages = self.exchange_in_chunks(outgoing, &lengths, longest as usize)?;
        // All processes know all states now, so each returns the same error.
        let heads_say = |state| heads.iter().position(|head| head[0] & state != 0);
        if let Some(process) = heads_say(FAILED) {
            self.agreed.store(true, Relaxed);
            return Err(match error {
                Some(error) if process == self.rank() => error,
                _ => WireError::elsewhere(process, &messages[process]),
            });
        }
        if heads_say(INTERRUPTED).is_some() {
            self.agreed.store(true, Relaxed);
            return Err(SolveError::Interrupted);
        }
        Ok(Incoming {
            messages,
            flags: heads
                .iter()
                .fold(0, |all, head| all | (head[0] >> FLAGS) as u8),
        })
    }

    /// Exchanges messages in as many pieces as the longest of all messages needs.
    fn exchange_in_chunks(
        &self,
        outgoing: Vec<Vec<u8>>,
        lengths: &[usize],
        longest: usize,
    ) -> Result<Vec<Vec<u8>>, SolveError> {
        let piece = self.transport.longest();
        if longest == 0 {
            return Ok(outgoing);
        }
        if longest <= piece {
            return self.transmit(outgoing, lengths);
        }
        let mut messages: Vec<Vec<u8>> =
            lengths.iter().map(|&all| Vec::with_capacity(all)).collect();
        let part = |all: usize, start: usize| start.min(all)..(start + piece).min(all);
        for start in (0..longest).step_by(piece) {
            let pieces = outgoing
                .iter()
                .map(|message| message[part(message.len(), start)].to_vec());
            let lengths: Vec<usize> = lengths.iter().map(|&all| part(all, start).len()).collect();
            let pieces = self.transmit(pieces.collect(), &lengths)?;
            for (message, piece) in messages.iter_mut().zip(pieces) {
                message.extend(piece);
            }
        }
        Ok(messages)
    }

    fn transmit(
        &self,
        outgoing: Vec<Vec<u8>>,
        lengths: &[usize],
    ) -> Result<Vec<Vec<u8>>, SolveError> {
        self.transport.exchange(outgoing, lengths).map_err(|Lost| {
            // No process remains to agree with.
            self.agreed.store(true, Relaxed);
            SolveError::Lost
        })
    }

    /// Sends a message to all processes and receives theirs, by rank.
    pub(crate) fn all_gather_bytes(
        &self,
        message: Result<Vec<u8>, SolveError>,
    ) -> Result<Vec<Vec<u8>>, SolveError> {
        let outgoing = message.map(|message| vec![message; self.size()]);
        Ok(self.exchange(outgoing, 0)?.messages)
    }

    /// Sends numbers to all processes and receives theirs, by rank.
    pub(crate) fn all_gather<const N: usize>(
        &self,
        numbers: Result<[u64; N], SolveError>,
    ) -> Result<Vec<[u64; N]>, SolveError> {
        let bytes = |numbers: [u64; N]| bytemuck::cast_slice(&numbers).to_vec();
        let gathered = self.all_gather_bytes(numbers.map(bytes))?;
        let numbers = |message: &Vec<u8>| {
            let numbers: Vec<u64> = bytemuck::allocation::pod_collect_to_vec(message);
            numbers.try_into().expect("as many numbers as were sent")
        };
        Ok(gathered.iter().map(numbers).collect())
    }

    /// Exchanges long data in pieces.
    ///
    /// `next` makes the next piece for each process, some megabytes in all; when all of them are
    /// empty, this process has no more. `take` receives the pieces of each process in order.
    ///
    /// # Errors
    /// Those of [`Team::exchange`] and of `take`.
    pub(crate) fn exchange_chunks(
        &self,
        mut next: impl FnMut() -> Vec<Vec<u8>>,
        mut take: impl FnMut(Vec<Vec<u8>>) -> Result<(), SolveError>,
    ) -> Result<(), SolveError> {
        loop {
            let outgoing = next();
            let has_more = outgoing.iter().any(|piece| !piece.is_empty());
            let incoming = self.exchange(Ok(outgoing), more(has_more))?;
            if incoming.flags & MORE == 0 {
                return Ok(());
            }
            take(incoming.messages)?;
        }
    }

    /// Sends the first process's message, which only that process makes, to all.
    pub(crate) fn broadcast(
        &self,
        message: impl FnOnce() -> Result<Vec<u8>, SolveError>,
    ) -> Result<Vec<u8>, SolveError> {
        let outgoing = match self.is_first() {
            true => message().map(|message| vec![message; self.size()]),
            false => Ok(self.empty_messages()),
        };
        let mut incoming = self.exchange(outgoing, 0)?;
        Ok(incoming.messages.swap_remove(0))
    }

    /// Returns whether the first process says yes.
    ///
    /// Doesn't check for cancellation, which comes too late after the work.
    ///
    /// # Errors
    /// If any process has ended.
    pub(crate) fn broadcast_flag(&self, yes: bool) -> Result<bool, SolveError> {
        let said = vec![vec![u8::from(yes)]; self.size()];
        let said = self.exchange_to_the_end(Ok(said), 0)?;
        Ok(said.messages[0] == [1])
    }

    /// Waits for all processes and makes an error of one an error of all.
    ///
    /// Cancellation comes too late here: the table may already be in its place.
    ///
    /// # Errors
    /// If any process has an error.
    pub fn agree<T>(&self, result: Result<T, SolveError>) -> Result<T, SolveError> {
        match result {
            Err(error) if self.agreed.load(Relaxed) => Err(error),
            Err(error) => Err(match self.exchange_to_the_end(Err(error), 0) {
                Err(error) => error,
                Ok(_) => unreachable!("an error is handed on"),
            }),
            Ok(value) => {
                self.exchange_to_the_end(Ok(self.empty_messages()), 0)?;
                Ok(value)
            }
        }
    }
}

impl WireError {
    fn of(error: &SolveError) -> WireError {
        match error {
            SolveError::Memory {
                needed, allowed, ..
            } => WireError::Memory {
                needed: *needed,
                allowed: *allowed,
            },
            other => WireError::Other(other.to_string()),
        }
    }

    fn elsewhere(process: usize, message: &[u8]) -> SolveError {
        match serde_json::from_slice(message) {
            Ok(WireError::Memory { needed, allowed }) => SolveError::Memory {
                game: format!("its part of the game in process {process}"),
                needed,
                allowed,
            },
            Ok(WireError::Other(message)) => SolveError::Elsewhere { process, message },
            Err(error) => SolveError::Elsewhere {
                process,
                message: error.to_string(),
            },
        }
    }
}

/// Assigns pieces of work evenly to processes; returns the rank for each piece.
pub(crate) fn assign_evenly(work: &[u64], processes: usize) -> Vec<usize> {
    let mut busy = vec![0; processes];
    let mut order: Vec<usize> = (0..work.len()).collect();
    // The largest piece first, each to the process with the least work.
    order.sort_by_key(|&piece| (u64::MAX - work[piece], piece));
    let mut owners = vec![0; work.len()];
    for piece in order {
        let (owner, sum) = busy
            .iter_mut()
            .enumerate()
            .min_by_key(|(_, sum)| **sum)
            .expect("there is a process");
        *sum += work[piece];
        owners[piece] = owner;
    }
    owners
}

#[cfg(test)]
use std::sync::Mutex;
#[cfg(test)]
use std::sync::mpsc::{Receiver, Sender, channel};

/// The error if another process has ended or doesn't respond.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("another process of the job has ended, or doesn't answer any more")]
pub struct Lost;

/// One process's connection to all processes of a job.
///
/// All processes make the same calls in the same order.
pub trait Transport: Send + Sync {
    /// Returns the rank of this process, from 0.
    fn rank(&self) -> usize;

    /// Returns the number of processes.
    fn size(&self) -> usize;

    /// Returns the most bytes that one process may send to another in one exchange.
    fn longest(&self) -> usize;

    /// Sends `outgoing[to]` to each process, including itself, and receives theirs.
    ///
    /// `lengths[from]` is the number of bytes that each process sends here.
    ///
    /// # Errors
    /// If another process has ended.
    fn exchange(&self, outgoing: Vec<Vec<u8>>, lengths: &[usize]) -> Result<Vec<Vec<u8>>, Lost>;
}

/// The transport of a single process.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Transport for Alone {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn longest(&self) -> usize {
        usize::MAX
    }

    fn exchange(&self, outgoing: Vec<Vec<u8>>, _: &[usize]) -> Result<Vec<Vec<u8>>, Lost> {
        Ok(outgoing)
    }
}

/// Threads in place of processes, for tests.
#[cfg(test)]
pub struct Threads {
    rank: usize,
    longest: usize,
    to: Mutex<Vec<Sender<Vec<u8>>>>,
    from: Mutex<Vec<Receiver<Vec<u8>>>>,
}

#[cfg(test)]
impl Threads {
    /// Returns the connections of `size` processes.
    pub fn new(size: usize, longest: usize) -> Vec<Threads> {
        let mut to: Vec<Vec<Sender<Vec<u8>>>> = (0..size).map(|_| Vec::new()).collect();
        let mut from: Vec<Vec<Receiver<Vec<u8>>>> = (0..size).map(|_| Vec::new()).collect();
        for to in &mut to {
            for from in &mut from {
                let (sender, receiver) = channel();
                to.push(sender);
                from.push(receiver);
            }
        }
        to.into_iter()
            .zip(from)
            .enumerate()
            .map(|(rank, (to, from))| Threads {
                rank,
                longest,
                to: Mutex::new(to),
                from: Mutex::new(from),
            })
            .collect()
    }
}

#[cfg(test)]
impl Transport for Threads {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.to.lock().unwrap().len()
    }

    fn longest(&self) -> usize {
        self.longest
    }

    fn exchange(&self, outgoing: Vec<Vec<u8>>, lengths: &[usize]) -> Result<Vec<Vec<u8>>, Lost> {
        for (to, message) in self.to.lock().unwrap().iter().zip(outgoing) {
            assert!(message.len() <= self.longest);
            to.send(message).map_err(|_| Lost)?;
        }
        let from = self.from.lock().unwrap();
        let messages = from.iter().map(|from| from.recv().map_err(|_| Lost));
        let messages = messages.collect::<Result<Vec<Vec<u8>>, Lost>>()?;
        let came: Vec<usize> = messages.iter().map(Vec::len).collect();
        assert_eq!(came, lengths);
        Ok(messages)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::NoProgress;

    #[test]
    fn work_is_assigned_evenly() {
        let owners = assign_evenly(&[5, 1, 1, 4, 3, 2], 2);
        let sum = |process| -> u64 {
            let pieces = [5, 1, 1, 4, 3, 2].iter().zip(&owners);
            pieces
                .filter(|(_, owner)| **owner == process)
                .map(|(work, _)| work)
                .sum()
        };
        assert_eq!([sum(0), sum(1)], [8, 8]);
        assert_eq!(assign_evenly(&[7], 3), [0]);
    }

    #[test]
    fn a_single_process_sends_chunks_to_itself() {
        let mut left = vec![vec![1], vec![2, 3]].into_iter();
        let mut taken = Vec::new();
        let next = || vec![left.next().unwrap_or_default()];
        let team = Team::alone(&NoProgress);
        let take = |pieces: Vec<Vec<u8>>| {
            taken.extend(pieces);
            Ok(())
        };
        team.exchange_chunks(next, take).unwrap();
        assert_eq!(taken, [vec![1], vec![2, 3]]);
        assert_eq!(team.all_gather_bytes(Ok(b"me".to_vec())).unwrap(), [b"me"]);
    }
}
