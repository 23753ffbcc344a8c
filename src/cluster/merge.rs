//! The way of all scores into the table: every process hands over what it has in the order of the
//! keys, a piece at a time, and the first merges that.

use crate::game::peers::broken;
use crate::game::{Notation, ScoreRange, Solution, SolveError};
use crate::solve::RankedScores;
use crate::solve::keyed::{Job, Key, Layers, Own, Reader, bytes, classes};
use crate::table::{SortedEntries, TableWriter};
use std::collections::VecDeque;
use std::ops::Range;

/// Entries that a process hands over at a time.
const PIECE: usize = 1 << 17;

/// What the first process tells the others before each exchange.
const WAIT: u8 = 0;
const SEND: u8 = 1;
const END: u8 = 2;

/// Writes all scores, in the process that has a writer.
pub fn write<G: Notation, K: Key>(
    job: &Job<'_, K>,
    game: &G,
    layers: &Layers<K>,
    writer: Option<&mut TableWriter<'_, G>>,
) -> Result<(), SolveError> {
    let told = job.team.tell(Ok([classes(layers) as u64]))?;
    let all = told.iter().map(|told| told[0]).sum();
    let mut own = Own::new(layers);
    let Some(writer) = writer else {
        loop {
            let told = job.team.exchange(Ok(job.team.nothing()), 0)?;
            let wanted = told.messages[0].first().copied().ok_or_else(broken)?;
            if wanted == END {
                return Ok(());
            }
            job.team.exchange(Ok(hand_over(job, wanted, &mut own)), 0)?;
        }
    };
    let mut merged = Merged {
        job,
        own,
        waiting: vec![VecDeque::new(); job.team.size()],
        has_all: vec![false; job.team.size()],
        scores: game.score_range(),
        all,
        window: Vec::new(),
        start: 0,
    };
    if let Some(ranking) = game.capabilities().solving.ranking() {
        // Key, score and slot of each.
        job.check_memory(bytes(layers) + all.saturating_mul(16 + 4 + 16), true)?;
        let mut keys = Vec::with_capacity(all as usize);
        let mut scores = Vec::with_capacity(all as usize);
        while let Some((key, score)) = merged.next()? {
            keys.push(key);
            scores.push(score);
        }
        merged.end()?;
        let scores = RankedScores::new(game, &*ranking, &keys, &scores)?;
        drop(keys);
        let solution = Solution::Ranked(Box::new(scores));
        return Ok(writer.write(&solution)?);
    }
    writer.write_sorted(&mut merged)?;
    merged.end()
}

/// The next piece of what this process has, if it is wanted, as a message to the first.
fn hand_over<K: Key>(job: &Job<'_, K>, wanted: u8, own: &mut Own<'_, K>) -> Vec<Vec<u8>> {
    let mut messages = job.team.nothing();
    if wanted == SEND {
        let (mut keys, mut codes) = (Vec::new(), Vec::new());
        for (key, code) in own.by_ref().take(PIECE) {
            job.width.put(key, &mut keys);
            codes.push(code);
        }
        messages[0].extend((codes.len() as u32).to_le_bytes());
        messages[0].extend(keys);
        messages[0].extend(codes);
    }
    messages
}

/// What all processes have, in the order of the keys.
struct Merged<'a, 'b, K> {
    job: &'a Job<'b, K>,
    own: Own<'a, K>,
    /// What has come from each process.
    waiting: Vec<VecDeque<(K, u8)>>,
    /// Whether that is all that it has.
    has_all: Vec<bool>,
    scores: ScoreRange,
    /// How many entries there are.
    all: u64,
    /// Entries that may be asked for again, and the number of the first.
    window: Vec<(u128, i32)>,
    start: u64,
}

impl<K: Key> Merged<'_, '_, K> {
    /// The entry with the least key that is still there.
    fn next(&mut self) -> Result<Option<(u128, i32)>, SolveError> {
        let is_missing =
            |process: usize| self.waiting[process].is_empty() && !self.has_all[process];
        if (0..self.waiting.len()).any(is_missing) {
            self.refill()?;
        }
        let firsts = self.waiting.iter().enumerate();
        let firsts = firsts.filter_map(|(process, waiting)| Some((waiting.front()?.0, process)));
        let Some((_, process)) = firsts.min() else {
            return Ok(None);
        };
        let entry = self.waiting[process].pop_front();
        Ok(entry.map(|(key, code)| (key.wide(), self.scores.score(code))))
    }

    /// Lets every process hand over more of whom little is left.
    fn refill(&mut self) -> Result<(), SolveError> {
        let job = self.job;
        let has_room =
            |process: usize| !self.has_all[process] && self.waiting[process].len() < PIECE / 2;
        let wanted: Vec<u8> = (0..self.waiting.len())
            .map(|process| if has_room(process) { SEND } else { WAIT })
            .collect();
        let requests = wanted.iter().map(|&wanted| vec![wanted]).collect();
        job.team.exchange(Ok(requests), 0)?;
        let own = hand_over(job, wanted[0], &mut self.own);
        let incoming = job.team.exchange(Ok(own), 0)?;
        for (process, message) in incoming.messages.iter().enumerate() {
            if wanted[process] == WAIT {
                continue;
            }
            let mut reader = Reader(message);
            let mut read = || {
                let count = reader.u32()? as usize;
                let keys: Vec<K> = reader.keys(count, job.width)?;
                Some((keys, reader.bytes(count)?))
            };
            let (keys, codes) = read().ok_or_else(broken)?;
            self.has_all[process] = codes.len() < PIECE;
            self.waiting[process].extend(keys.into_iter().zip(codes.iter().copied()));
        }
        Ok(())
    }

    /// Tells the others that no more is wanted.
    fn end(&self) -> Result<(), SolveError> {
        let requests = vec![vec![END]; self.waiting.len()];
        self.job.team.exchange(Ok(requests), 0).map(|_| ())
    }
}

impl<K: Key> SortedEntries for Merged<'_, '_, K> {
    fn count(&self) -> u64 {
        self.all
    }

    fn window(&mut self, range: Range<u64>) -> Result<&[(u128, i32)], SolveError> {
        self.window.drain(..(range.start - self.start) as usize);
        self.start = range.start;
        while self.window.len() < (range.end - range.start) as usize {
            match self.next()? {
                Some(entry) => self.window.push(entry),
                None => break,
            }
        }
        Ok(&self.window)
    }
}
