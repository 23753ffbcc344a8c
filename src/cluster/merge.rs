//! Merges the scores of all processes into the table.
//!
//! Every process sends its entries to the first in the order of keys, one piece at a time. Keys are
//! assigned by a hash, so each process has about equally many in any range of keys. A piece
//! therefore ends at a key that the first process names: the last key of a fixed number of its own
//! entries.

use crate::game::team::broken;
use crate::game::{Notation, ScoreRange, SolveError};
use crate::solve::keyed::{Job, Key, Layers, Own, Reader, bytes, classes};
use crate::solve::solution_of;
use crate::table::TableWriter;

/// Number of entries of the first process in a piece.
const PIECE: usize = 1 << 17;

/// Writes all scores, in the process that has a writer.
pub fn write<G: Notation, K: Key>(
    job: &Job<'_, K>,
    game: &G,
    layers: &Layers<K>,
    writer: Option<&mut TableWriter<'_, G>>,
) -> Result<(), SolveError> {
    let gathered = job.team.all_gather(Ok([classes(layers) as u64]))?;
    let all: u64 = gathered.iter().map(|numbers| numbers[0]).sum();
    let Some(writer) = writer else {
        return hand_over(job, layers);
    };
    let mut merged = Merged {
        job,
        own: Own::new(layers),
        is_over: false,
        scores: game.score_range(),
        piece: Vec::new().into_iter(),
    };
    if game.capabilities().solving.ranking().is_some() {
        // Key, score and slot of each entry.
        job.check_memory(bytes(layers) + all.saturating_mul(16 + 4 + 16), true)?;
        let mut keys = Vec::with_capacity(all as usize);
        let mut scores = Vec::with_capacity(all as usize);
        for entry in merged.by_ref() {
            let (key, score) = entry?;
            keys.push(key);
            scores.push(score);
        }
        merged.end()?;
        return Ok(writer.write(&solution_of(game, keys, scores)?)?);
    }
    writer.write_sorted(all, &mut merged)?;
    merged.end()
}

/// Sends entries to the first process, up to each key that it names.
fn hand_over<K: Key>(job: &Job<'_, K>, layers: &Layers<K>) -> Result<(), SolveError> {
    let mut own = Own::new(layers).peekable();
    loop {
        let last = job.team.broadcast(|| Ok(Vec::new()))?;
        if last.is_empty() {
            return Ok(());
        }
        let last = Reader(&last).keys(1, job.width).ok_or_else(broken)?[0];
        let (mut keys, mut codes) = (Vec::new(), Vec::new());
        while let Some((key, code)) = own.next_if(|(key, _)| *key <= last) {
            job.width.put(key, &mut keys);
            codes.push(code);
        }
        let mut outgoing = job.team.empty_messages();
        outgoing[0].extend((codes.len() as u32).to_le_bytes());
        outgoing[0].extend(keys);
        outgoing[0].extend(codes);
        job.team.exchange(Ok(outgoing), 0)?;
    }
}

/// The entries of all processes, in the order of keys.
struct Merged<'a, 'b, K> {
    job: &'a Job<'b, K>,
    own: Own<'a, K>,
    /// Whether all entries have arrived.
    is_over: bool,
    scores: ScoreRange,
    /// The remaining entries of the current piece.
    piece: std::vec::IntoIter<(K, u8)>,
}

impl<K: Key> Merged<'_, '_, K> {
    /// Receives the next piece from all processes.
    fn refill(&mut self) -> Result<(), SolveError> {
        let job = self.job;
        let mut entries: Vec<(K, u8)> = self.own.by_ref().take(PIECE).collect();
        let last = match entries.get(PIECE - 1) {
            Some((key, _)) => *key,
            None => {
                self.is_over = true;
                K::of(u128::MAX)
            }
        };
        // Name the last key, and receive the entries up to it.
        let mut named = Vec::new();
        job.width.put(last, &mut named);
        job.team.broadcast(|| Ok(named))?;
        let incoming = job.team.exchange(Ok(job.team.empty_messages()), 0)?;
        let others = incoming.messages.iter().filter(|piece| !piece.is_empty());
        for piece in others {
            let mut reader = Reader(piece);
            let count = reader.u32().ok_or_else(broken)? as usize;
            let keys: Vec<K> = reader.keys(count, job.width).ok_or_else(broken)?;
            let codes = reader.bytes(count).ok_or_else(broken)?;
            entries.extend(keys.into_iter().zip(codes.iter().copied()));
        }
        // Fast, because this merges a few sorted runs.
        entries.sort();
        self.piece = entries.into_iter();
        Ok(())
    }

    /// Notifies the others that no more pieces are needed.
    fn end(&self) -> Result<(), SolveError> {
        self.job.team.broadcast(|| Ok(Vec::new())).map(drop)
    }
}

impl<K: Key> Iterator for Merged<'_, '_, K> {
    type Item = Result<(u128, i32), SolveError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.piece.len() == 0 && !self.is_over {
            if let Err(error) = self.refill() {
                return Some(Err(error));
            }
        }
        let (key, code) = self.piece.next()?;
        Some(Ok((key.wide(), self.scores.score(code))))
    }
}
