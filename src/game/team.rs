//! Processes that solve the same game at the same time: exchanges of any length, and errors and wishes to stop of which
//! all learn at once.

use super::transport::{Lost, Transport};
use super::{Progress, SolveError};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Exchanges of which every process learns how each of them fares.
pub struct Team<'a> {
    transport: &'a dyn Transport,
    progress: &'a dyn Progress,
    /// Units of work that the others have not been told of.
    done: AtomicU64,
    /// Whether the work has ended in an error of which all know.
    agreed: AtomicBool,
}

/// In the flags of an exchange: this process has more to send.
pub(crate) const MORE: u8 = 1;

/// The flags of a process that has more to do, or not.
pub(crate) fn more(has_more: bool) -> u8 {
    if has_more { MORE } else { 0 }
}

/// The error if a message, or a file of another process, is not what a process of this version writes.
pub(crate) fn broken() -> SolveError {
    SolveError::Journal("a message of another process can't be understood".into())
}

/// What came in an exchange.
pub struct Incoming {
    /// From each process.
    pub messages: Vec<Vec<u8>>,
    /// What any process has said, a bit each.
    pub flags: u8,
}

/// What every process sends to every other before its message, in bytes.
const HEAD: usize = 25;

const FAILED: u8 = 1;
const INTERRUPTED: u8 = 2;
/// Where the bits begin that mean something to the caller.
const FLAGS: u32 = 2;

/// An error on its way to other processes.
#[derive(Serialize, Deserialize)]
enum Trouble {
    Memory { needed: Option<u64>, allowed: u64 },
    NotShared { folder: PathBuf },
    Other(String),
}

impl<'a> Team<'a> {
    /// The progress of all processes together goes to `progress`, which may also stop them all.
    #[must_use]
    pub fn new(transport: &'a dyn Transport, progress: &'a dyn Progress) -> Team<'a> {
        Team {
            transport,
            progress,
            done: AtomicU64::new(0),
            agreed: AtomicBool::new(false),
        }
    }

    /// The number of this process, from 0.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.transport.rank()
    }

    /// How many processes there are.
    #[must_use]
    pub fn size(&self) -> usize {
        self.transport.size()
    }

    /// Whether this is the process that writes the table and speaks to people.
    #[must_use]
    pub fn is_first(&self) -> bool {
        self.rank() == 0
    }

    pub(crate) fn progress(&self) -> &dyn Progress {
        self.progress
    }

    /// This process has done so many units more; all learn of it with the next exchange.
    pub(crate) fn advance(&self, units: u64) {
        self.done.fetch_add(units, Relaxed);
    }

    /// Empty messages to all.
    pub(crate) fn nothing(&self) -> Vec<Vec<u8>> {
        vec![Vec::new(); self.size()]
    }

    /// Sends each process its message, and takes theirs. An error here becomes one everywhere.
    /// `flags` has six bits.
    ///
    /// # Errors
    /// If any process has one, any is to stop, or any has ended.
    pub(crate) fn exchange(
        &self,
        outgoing: Result<Vec<Vec<u8>>, SolveError>,
        flags: u8,
    ) -> Result<Incoming, SolveError> {
        let outgoing = match self.progress.cancelled() {
            true => Err(SolveError::Interrupted),
            false => outgoing,
        };
        self.exchange_to_the_end(outgoing, flags)
    }

    /// [`Team::exchange`] that nobody is asked whether to stop before.
    fn exchange_to_the_end(
        &self,
        outgoing: Result<Vec<Vec<u8>>, SolveError>,
        flags: u8,
    ) -> Result<Incoming, SolveError> {
        let (mut outgoing, error) = match outgoing {
            Ok(outgoing) => (outgoing, None),
            Err(error) => (self.nothing(), Some(error)),
        };
        let is_stop = matches!(error, Some(SolveError::Interrupted));
        let mut state = flags << FLAGS;
        if is_stop {
            state |= INTERRUPTED;
        } else if let Some(error) = &error {
            state |= FAILED;
            let trouble = serde_json::to_vec(&Trouble::of(error)).expect("it is plain data");
            outgoing.fill(trouble);
        }
        let longest = outgoing.iter().map(Vec::len).max().unwrap_or(0) as u64;
        let done = self.done.swap(0, Relaxed);
        let heads = outgoing.iter().map(|message| {
            let mut head = vec![state];
            for number in [done, message.len() as u64, longest] {
                head.extend(number.to_le_bytes());
            }
            head
        });
        let heads = self.transmit(heads.collect(), &vec![HEAD; self.size()])?;
        let number = |head: &Vec<u8>, index: usize| {
            let bytes = &head[1 + 8 * index..][..8];
            u64::from_le_bytes(bytes.try_into().expect("eight bytes"))
        };
        self.progress
            .advance(heads.iter().map(|head| number(head, 0)).sum());
        let lengths: Vec<usize> = heads.iter().map(|head| number(head, 1) as usize).collect();
        let longest = heads.iter().map(|head| number(head, 2)).max().unwrap_or(0);
        let messages = self.in_pieces(outgoing, &lengths, longest as usize)?;
        let said = |state: u8| heads.iter().position(|head| head[0] & state != 0);
        if let Some(process) = said(FAILED) {
            self.agreed.store(true, Relaxed);
            return Err(match error {
                Some(error) if process == self.rank() => error,
                _ => Trouble::elsewhere(process, &messages[process]),
            });
        }
        if said(INTERRUPTED).is_some() {
            self.agreed.store(true, Relaxed);
            return Err(SolveError::Interrupted);
        }
        Ok(Incoming {
            messages,
            flags: heads.iter().fold(0, |all, head| all | head[0] >> FLAGS),
        })
    }

    /// Passes messages in so many pieces as the longest of all needs.
    fn in_pieces(
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
            // There is nobody left to agree with.
            self.agreed.store(true, Relaxed);
            SolveError::Lost
        })
    }

    /// Tells all processes the same, and learns what each has told.
    pub(crate) fn tell_bytes(
        &self,
        message: Result<Vec<u8>, SolveError>,
    ) -> Result<Vec<Vec<u8>>, SolveError> {
        let outgoing = message.map(|message| vec![message; self.size()]);
        Ok(self.exchange(outgoing, 0)?.messages)
    }

    /// Tells all processes some numbers, and learns theirs, by process.
    pub(crate) fn tell<const N: usize>(
        &self,
        numbers: Result<[u64; N], SolveError>,
    ) -> Result<Vec<[u64; N]>, SolveError> {
        let bytes = |numbers: [u64; N]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
        let told = self.tell_bytes(numbers.map(bytes))?;
        let numbers = told.iter().map(|message| {
            let mut numbers = message.chunks_exact(8);
            [(); N].map(|()| {
                let bytes = numbers.next().expect("as many numbers as were sent");
                u64::from_le_bytes(bytes.try_into().expect("eight bytes"))
            })
        });
        Ok(numbers.collect())
    }

    /// Passes what processes have for each other, a piece at a time. `next` makes the next piece for
    /// each process, of some megabytes in all; when all of them are empty, this process has no more.
    /// `take` gets the pieces of each process in their order.
    ///
    /// # Errors
    /// As [`Team::exchange`], and those of `take`.
    pub(crate) fn pass(
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

    /// The first process's message, for all.
    pub(crate) fn hear_first(
        &self,
        message: Result<Vec<u8>, SolveError>,
    ) -> Result<Vec<u8>, SolveError> {
        let outgoing = message.map(|message| match self.is_first() {
            true => vec![message; self.size()],
            false => self.nothing(),
        });
        let mut incoming = self.exchange(outgoing, 0)?;
        Ok(incoming.messages.swap_remove(0))
    }

    /// What each process has to say, by process: the same for all.
    ///
    /// # Errors
    /// If any process is to stop, or has ended.
    pub fn say(&self, text: &str) -> Result<Vec<String>, SolveError> {
        Ok(texts(&self.tell_bytes(Ok(text.into()))?))
    }

    /// [`Team::say`] when the work is over, for better or worse: a wish to stop comes too late.
    ///
    /// # Errors
    /// If any process has ended.
    pub fn say_at_the_end(&self, text: &str) -> Result<Vec<String>, SolveError> {
        let said = vec![text.into(); self.size()];
        Ok(texts(&self.exchange_to_the_end(Ok(said), 0)?.messages))
    }

    /// Waits for all; an error of any process, of which the others don't know yet, becomes one
    /// everywhere. A wish to stop comes too late for what is done: the table may be in its place.
    ///
    /// # Errors
    /// If there is any.
    pub fn settle<T>(&self, result: Result<T, SolveError>) -> Result<T, SolveError> {
        match result {
            Err(error) if self.agreed.load(Relaxed) => Err(error),
            Err(error) => Err(match self.exchange_to_the_end(Err(error), 0) {
                Err(error) => error,
                Ok(_) => unreachable!("an error is handed on"),
            }),
            Ok(value) => {
                self.exchange_to_the_end(Ok(self.nothing()), 0)?;
                Ok(value)
            }
        }
    }
}

fn texts(messages: &[Vec<u8>]) -> Vec<String> {
    messages
        .iter()
        .map(|text| String::from_utf8_lossy(text).into_owned())
        .collect()
}

impl Trouble {
    fn of(error: &SolveError) -> Trouble {
        match error {
            SolveError::Memory {
                needed, allowed, ..
            } => Trouble::Memory {
                needed: *needed,
                allowed: *allowed,
            },
            SolveError::NotShared { folder, .. } => Trouble::NotShared {
                folder: folder.clone(),
            },
            other => Trouble::Other(other.to_string()),
        }
    }

    fn elsewhere(process: usize, message: &[u8]) -> SolveError {
        match serde_json::from_slice(message) {
            Ok(Trouble::Memory { needed, allowed }) => SolveError::Memory {
                game: format!("its part of the game in process {process}"),
                needed,
                allowed,
            },
            Ok(Trouble::NotShared { folder }) => SolveError::NotShared { process, folder },
            Ok(Trouble::Other(message)) => SolveError::Elsewhere { process, message },
            Err(error) => SolveError::Elsewhere {
                process,
                message: error.to_string(),
            },
        }
    }
}

/// Deals pieces of work to processes so that each has about the same to do: the process of each.
/// `busy` says how much each has to do already.
pub(crate) fn deal(work: &[u64], mut busy: Vec<u64>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..work.len()).collect();
    // The largest first, each to who has the least.
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
mod tests {
    use super::*;
    use crate::game::{Alone, NoProgress};

    #[test]
    fn work_is_dealt_evenly() {
        let owners = deal(&[5, 1, 1, 4, 3, 2], vec![0, 0]);
        let sum = |process| -> u64 {
            let pieces = [5, 1, 1, 4, 3, 2].iter().zip(&owners);
            pieces
                .filter(|(_, owner)| **owner == process)
                .map(|(work, _)| work)
                .sum()
        };
        assert_eq!([sum(0), sum(1)], [8, 8]);
        // Who is busy gets less.
        assert_eq!(deal(&[1, 1, 1], vec![0, 3, 9]), [0, 0, 0]);
        assert_eq!(deal(&[7], vec![2, 1, 2]), [1]);
    }

    #[test]
    fn one_process_passes_nothing_but_to_itself() {
        let mut left = vec![vec![1], vec![2, 3]].into_iter();
        let mut taken = Vec::new();
        let next = || vec![left.next().unwrap_or_default()];
        let team = Team::new(&Alone, &NoProgress);
        let take = |pieces: Vec<Vec<u8>>| {
            taken.extend(pieces);
            Ok(())
        };
        team.pass(next, take).unwrap();
        assert_eq!(taken, [vec![1], vec![2, 3]]);
        assert_eq!(team.tell_bytes(Ok(b"me".to_vec())).unwrap(), [b"me"]);
    }
}
