//! Shares a layer's splits between threads and processes, and exchanges the solved ones.
//!
//! Codes are sent in chunks, in the form in which every process saves them.

use super::matrix::{CodeFormat, Matrices, Matrix};
use super::storage::Plane;
use crate::game::team::{Team, assign_evenly, broken};
use crate::game::{Progress, SolveError, check_cancelled};
use crate::games::kalah::index::Arrangements;
use crate::games::kalah::index::layout::{ByMover, Mover, Split};
use crate::pool::{in_order, try_map};
use std::sync::Mutex;

/// Number of bytes sent to all other processes at once, approximately.
const MESSAGE_BYTES: usize = 4 << 20;

/// Number of bytes in a chunk, at most.
///
/// After each chunk, the memory taken by pages read from files is limited.
const CHUNK_BYTES: usize = 1 << 18;

/// Returns the sides to move for which a split has matrices.
fn movers(split: Split) -> &'static [Mover] {
    match split.is_even() {
        true => &[Mover::Larger],
        false => &[Mover::Larger, Mover::Smaller],
    }
}

/// Returns the number of positions in a split, reachable or not.
pub fn slots_of(arrangements: &Arrangements, split: Split) -> u64 {
    let rows = arrangements.count(split.larger) * movers(split).len();
    rows as u64 * arrangements.count(split.smaller) as u64
}

/// The assignment of a layer's splits to processes.
pub struct SplitAssignment<'a> {
    peers: &'a Team<'a>,
    /// The process that has, or will compute, each split.
    owners: Vec<usize>,
    /// The splits to compute here, by index.
    pub local: Vec<usize>,
    /// For each process, 1 for each split that it had before.
    present: Vec<Vec<u8>>,
}

/// Assigns a layer's splits to processes.
///
/// Splits from an earlier run stay with a process that has them. The others are shared evenly by
/// their `work`. `has` says which splits this process has.
///
/// # Errors
/// Those of [`Team::exchange`].
pub fn assign_splits<'a>(
    peers: &'a Team<'a>,
    has: &[bool],
    work: &[u64],
) -> Result<SplitAssignment<'a>, SolveError> {
    // Learn which process has which splits from an earlier run.
    let present = peers.all_gather_bytes(Ok(bytemuck::cast_slice(has).to_vec()))?;
    if present.iter().any(|present| present.len() != work.len()) {
        return Err(broken());
    }
    let holder = |split: usize| present.iter().position(|present| present[split] == 1);
    let holders: Vec<Option<usize>> = (0..work.len()).map(holder).collect();
    // Share the work of the other splits evenly.
    let left = work.iter().zip(&holders);
    let left: Vec<u64> = left
        .map(|(&work, holder)| if holder.is_none() { work } else { 0 })
        .collect();
    // A split that a process has stays with it; the others go to their new owners.
    let owners = holders.iter().zip(assign_evenly(&left, peers.size()));
    let owners: Vec<usize> = owners
        .map(|(holder, assigned)| holder.unwrap_or(assigned))
        .collect();
    let is_mine = |&split: &usize| holders[split].is_none() && owners[split] == peers.rank();
    Ok(SplitAssignment {
        peers,
        local: (0..work.len()).filter(is_mine).collect(),
        present,
        owners,
    })
}

impl SplitAssignment<'_> {
    /// Returns whether a process has to receive a split from another process.
    fn needs_split(&self, process: usize, split: usize) -> bool {
        self.present[process][split] == 0 && self.owners[split] != process
    }

    /// Sends splits to the processes that lack them; returns the whole layer.
    ///
    /// `here` has the splits of this process, by index. `received` is called for each split received,
    /// and `evict` after each chunk sent.
    ///
    /// # Errors
    /// Those of [`Team::exchange`], and [`SolveError::NoMemory`] or a disk error for what is
    /// received.
    pub fn exchange(
        &self,
        format: &CodeFormat<'_>,
        splits: &[Split],
        mut here: Vec<Option<ByMover<Matrix>>>,
        received: impl Fn(Split) + Sync,
        evict: impl Fn(),
    ) -> Result<Matrices, SolveError> {
        let (peers, rank) = (self.peers, self.peers.rank());
        let is_lacked = |split| (0..peers.size()).any(|process| self.needs_split(process, split));
        // The chunks to send: splits that this process owns and another one lacks.
        let local = |&(split, _): &(usize, Split)| self.owners[split] == rank && is_lacked(split);
        let numbered = splits.iter().copied().enumerate().filter(local);
        let mut outgoing = numbered.flat_map(|(number, split)| {
            let matrices = here[number].iter();
            matrices.flat_map(move |matrices| chunks_of(number, split, matrices))
        });
        // The matrices being received, one at a time from each process.
        let incoming: Vec<Mutex<IncomingMatrix>> =
            (0..peers.size()).map(|_| Mutex::default()).collect();
        let mut there = Vec::new();
        let take = |messages: Vec<Vec<u8>>| {
            let taken = try_map(messages.len(), |from| {
                let mut incoming = incoming[from].lock().map_err(|_| broken())?;
                incoming.take(&messages[from], splits, format, &received)
            });
            there.extend(taken?.into_iter().flatten());
            Ok(())
        };
        // Send and receive until every process has sent all of its chunks.
        peers.exchange_chunks(|| self.next(&mut outgoing, &evict), take)?;
        drop(outgoing);
        // Merge the received matrices with those of this process.
        for (split, mover, matrix) in there {
            let here = here[split].get_or_insert_default();
            match mover {
                Mover::Larger => here.larger = matrix,
                Mover::Smaller => here.smaller = matrix,
            }
        }
        let all: Option<Vec<_>> = here.into_iter().collect();
        all.ok_or_else(broken)
    }

    /// Returns the next chunks for each process, each after its header.
    fn next<'b>(
        &self,
        outgoing: &mut impl Iterator<Item = Chunk<'b>>,
        evict: &impl Fn(),
    ) -> Vec<Vec<u8>> {
        let mut messages = vec![Vec::new(); self.present.len()];
        let mut size = 0;
        while size < MESSAGE_BYTES
            && let Some(chunk) = outgoing.next()
        {
            for (process, to) in messages.iter_mut().enumerate() {
                if self.needs_split(process, chunk.split) {
                    chunk.put(to);
                }
            }
            size += chunk.bytes.len();
            evict();
        }
        messages
    }
}

/// A chunk of the bytes of a split's matrix.
struct Chunk<'a> {
    split: usize,
    mover: Mover,
    /// The size of the matrix in bytes.
    of: usize,
    bytes: &'a [u8],
}

/// Cuts the matrices of a split into chunks, at least one for each.
fn chunks_of(
    number: usize,
    split: Split,
    matrices: &ByMover<Matrix>,
) -> impl Iterator<Item = Chunk<'_>> {
    movers(split).iter().flat_map(move |&mover| {
        let all = &matrices[mover].bytes()[..];
        let none = all.is_empty().then_some(all);
        all.chunks(CHUNK_BYTES).chain(none).map(move |bytes| Chunk {
            split: number,
            mover,
            of: all.len(),
            bytes,
        })
    })
}

/// A chunk's header: split, side to move, the matrix's bytes, the chunk's bytes.
type ChunkHeader = [u64; 4];

impl<'a> Chunk<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        let is_smaller = self.mover == Mover::Smaller;
        let numbers = [self.split, is_smaller.into(), self.of, self.bytes.len()];
        let head: ChunkHeader = numbers.map(|number| number as u64);
        out.extend(bytemuck::bytes_of(&head));
        out.extend(self.bytes);
    }

    fn take(rest: &mut &'a [u8]) -> Option<Chunk<'a>> {
        let (head, after) = rest.split_first_chunk::<{ size_of::<ChunkHeader>() }>()?;
        let head: ChunkHeader = bytemuck::pod_read_unaligned(head);
        let [split, is_smaller, of, length] = head.map(|number| number as usize);
        let (bytes, after) = after.split_at_checked(length)?;
        *rest = after;
        Some(Chunk {
            split,
            mover: [Mover::Larger, Mover::Smaller][is_smaller.min(1)],
            of,
            bytes,
        })
    }
}

/// The matrix being received from one process.
#[derive(Default)]
struct IncomingMatrix {
    bytes: Plane,
    /// The number of bytes received.
    filled: usize,
}

impl IncomingMatrix {
    /// Receives a message of [`SplitAssignment::next`]; returns the completed matrices.
    ///
    /// Each comes with its split's index and its side to move.
    fn take(
        &mut self,
        message: &[u8],
        splits: &[Split],
        format: &CodeFormat<'_>,
        received: &impl Fn(Split),
    ) -> Result<Vec<(usize, Mover, Matrix)>, SolveError> {
        let mut complete = Vec::new();
        let mut rest = message;
        while !rest.is_empty() {
            let chunk = Chunk::take(&mut rest).ok_or_else(broken)?;
            let (&split, mover) = (splits.get(chunk.split).ok_or_else(broken)?, chunk.mover);
            // The first chunk of a matrix announces its size.
            if self.filled == 0 {
                self.bytes = Plane::new(chunk.of)?;
            }
            let end = self.filled + chunk.bytes.len();
            let to = self.bytes.get_mut(self.filled..end);
            to.ok_or_else(broken)?.copy_from_slice(chunk.bytes);
            self.filled = end;
            // The matrix is complete: check its shape and store it.
            if end == chunk.of {
                let bytes = std::mem::take(self).bytes;
                let matrix = format.matrix_of(split, mover, bytes).ok_or_else(broken)?;
                complete.push((
                    chunk.split,
                    mover,
                    format.moved_to_store(split, mover, matrix)?,
                ));
                if mover == Mover::Larger {
                    received(split);
                }
            }
        }
        Ok(complete)
    }
}

/// Calls `work` for all splits on all threads; returns the results in order.
///
/// # Errors
/// [`SolveError::Interrupted`], and the first error of `work`.
pub fn for_all<S: Sync, T: Send, E: From<SolveError> + Send>(
    splits: &[S],
    progress: &dyn Progress,
    work: impl Fn(&S) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let results: Vec<Mutex<Option<Result<T, E>>>> =
        splits.iter().map(|_| Mutex::default()).collect();
    // The last splits are the largest. Start with them, so that no thread is busy with one at the
    // end while the others wait.
    in_order(splits.len(), &|task| {
        let split = splits.len() - 1 - task;
        let done = work(&splits[split]);
        *results[split].lock().expect("nobody panics here") = Some(done);
    });
    let results = results
        .into_iter()
        .filter_map(|done| done.into_inner().ok()?);
    let results = results.collect();
    check_cancelled(progress, SolveError::Interrupted)?;
    results
}
