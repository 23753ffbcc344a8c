//! Merges the scores of all processes, in the order of keys.
//!
//! Every process sends its entries to the first in the order of keys, one part at a time. Keys are
//! assigned by a hash, so each process has about equally many in any range of keys. A part
//! therefore ends at a key that the first process names: one such that its own entries are few.

use super::keys::{Key, Reader, Width};
use super::layers::{Layers, SortedClasses, bytes, classes, code_of, put_code};
use super::solver::KeySolver;
use crate::game::team::broken;
use crate::game::{ScoreRange, SolveError, Team};
use crate::solve::solution::SortedScores;

/// Number of local entries of the first process in a part, or a few more.
const PART: usize = if cfg!(test) { 1 << 5 } else { 1 << 17 };

/// Returns the scores of all processes, in the first; sends them to it, in any other.
pub fn merge_scores<'a, K: Key>(
    solver: &KeySolver<'a, K>,
    layers: Layers<K>,
) -> Result<Option<SortedScores<'a>>, SolveError> {
    let team = solver.team;
    let gathered = team.all_gather(Ok([classes(&layers) as u64]))?;
    let memory = bytes(&layers);
    let scores = solver.rules.scores();
    let width = solver.width;
    let local = SortedClasses::new(layers, scores.code_bytes());
    if !team.is_first() {
        return send_local(team, width, scores.code_bytes(), local).map(|()| None);
    }
    Ok(Some(SortedScores {
        count: gathered.iter().map(|numbers| numbers[0]).sum(),
        memory,
        entries: Box::new(MergedEntries {
            team,
            width,
            local,
            is_over: false,
            scores,
            part: Vec::new().into_iter(),
        }),
    }))
}

/// Returns whether an encoded key is the greatest, so that no part follows that which it ends.
fn is_greatest(key: &[u8]) -> bool {
    key.iter().all(|&byte| byte == u8::MAX)
}

/// Sends the local entries to the first process, up to each key that it names.
fn send_local<K: Key>(
    team: &Team<'_>,
    width: Width,
    code_bytes: usize,
    mut local: SortedClasses<K>,
) -> Result<(), SolveError> {
    loop {
        let named = team.broadcast(|| Ok(Vec::new()))?;
        let last = Reader(&named).keys(1, width).ok_or_else(broken)?[0];
        let (mut count, mut keys, mut codes) = (0u32, Vec::new(), Vec::new());
        for (key, code) in local.take(last) {
            width.put(key, &mut keys);
            put_code(code, code_bytes, &mut codes);
            count += 1;
        }
        let mut outgoing = team.empty_messages();
        outgoing[0].extend(count.to_le_bytes());
        outgoing[0].extend(keys);
        outgoing[0].extend(codes);
        team.exchange(Ok(outgoing), 0)?;
        if is_greatest(&named) {
            return Ok(());
        }
    }
}

/// The entries of all processes, in the order of keys.
struct MergedEntries<'a, K> {
    team: &'a Team<'a>,
    width: Width,
    local: SortedClasses<K>,
    /// Whether all entries have arrived.
    is_over: bool,
    scores: ScoreRange,
    /// The remaining entries of the current part.
    part: std::vec::IntoIter<(K, u32)>,
}

impl<K: Key> MergedEntries<'_, K> {
    /// Receives the next part from all processes.
    fn refill(&mut self) -> Result<(), SolveError> {
        let last = self.local.bound(PART);
        let mut entries = self.local.take(last);
        // Name the last key, and receive the entries up to it.
        let mut named = Vec::new();
        self.width.put(last, &mut named);
        self.is_over = is_greatest(&named);
        self.team.broadcast(|| Ok(named))?;
        let incoming = self.team.exchange(Ok(self.team.empty_messages()), 0)?;
        let others = incoming.messages.iter().filter(|part| !part.is_empty());
        for part in others {
            let mut reader = Reader(part);
            let count = reader.u32().ok_or_else(broken)? as usize;
            let keys: Vec<K> = reader.keys(count, self.width).ok_or_else(broken)?;
            let size = self.scores.code_bytes();
            let codes = reader.bytes(count * size).ok_or_else(broken)?;
            let codes = codes.chunks_exact(size).map(|code| code_of(code, size));
            entries.extend(keys.into_iter().zip(codes));
        }
        // Fast, because this merges a few sorted runs.
        entries.sort();
        self.part = entries.into_iter();
        Ok(())
    }
}

impl<K: Key> Iterator for MergedEntries<'_, K> {
    type Item = Result<(u128, i32), SolveError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.part.len() == 0 && !self.is_over {
            if let Err(error) = self.refill() {
                return Some(Err(error));
            }
        }
        let (key, code) = self.part.next()?;
        Some(Ok((key.wide(), self.scores.score(code))))
    }
}
