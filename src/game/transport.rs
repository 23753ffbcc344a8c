//! The transport of messages between processes.

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

    /// Most bytes that one process may send to another in one exchange.
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
