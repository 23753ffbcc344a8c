//! Samples of entries, for tables that take long to go through in full.
//!
//! An entry that is the best of its moves is right if the entries that its moves lead to are. So a
//! sample proves nothing by itself, but a table with a wrong score somewhere has entries that don't
//! agree with their moves, and the more there are, the sooner a sample finds one. That nothing is
//! missing or too many, only [`crate::table::verify`] shows.

use super::error::VerifyError;
use super::judge::{Judge, Stop};
use super::verdict::Verdict;
use crate::game::{Game, Notation, Progress};
use crate::pool::try_map_of;
use crate::random::Random;
use crate::table::choose::random_entries;
use crate::table::format::Difference;
use crate::table::read::ReadError;
use crate::table::table::Table;
use rustc_hash::FxHashSet;
use serde::Serialize;

/// Entries drawn at random.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Sample {
    /// How many.
    pub count: u64,
    /// Where the random numbers start; the same seed draws the same ones.
    pub seed: u64,
}

/// A canonical position with its score in the table.
pub type ScoredEntry<G> = (<G as Game>::Position, i32);

/// About so many entries are handed on together.
const BATCH: usize = 1 << 14;
/// A sample is drawn entry by entry if it is no more than this, and no more than one in so many;
/// otherwise the whole table is read and each entry taken or not.
const MOST_DRAWN: u64 = 1 << 20;
const RARE: u64 = 16;
/// Blocks read at a time.
const BLOCKS: usize = 64;

/// Compares a sample's entries with their moves, on the threads of the current pool. The entries are
/// different; they are all there are if the sample has as many.
///
/// # Errors
/// If the table is damaged or the caller wants it to stop.
pub fn verify_sample<G: Notation>(
    table: &Table<G>,
    sample: Sample,
    progress: &dyn Progress,
) -> Result<Verdict, VerifyError> {
    let mut entries = 0;
    let looked = for_each_batch(table, sample, "verifying", progress, |batch| {
        try_map_of(batch, |(position, stored)| {
            if progress.cancelled() {
                return Err(Stop::Error(table.file().interrupted()));
            }
            Judge(table.game()).entry(position, *stored, |class| table.probe(class))?;
            progress.advance(1);
            Ok(())
        })?;
        entries += batch.len() as u64;
        Ok(())
    });
    match looked {
        Ok(()) => Ok(Verdict::Agrees { entries }),
        Err(Stop::Refuted(refutation)) => Ok(Verdict::Refuted(*refutation)),
        Err(Stop::Error(error)) => Err(error),
    }
}

/// Hands a sample's entries to `each`, a batch at a time; `doing` is what is done with them.
pub fn for_each_batch<G: Notation>(
    table: &Table<G>,
    sample: Sample,
    doing: &str,
    progress: &dyn Progress,
    mut each: impl FnMut(&[ScoredEntry<G>]) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let (file, entries) = (table.file(), table.file().entries());
    let mut left = sample.count.min(entries);
    if left <= MOST_DRAWN && left <= entries / RARE {
        progress.phase("drawing", "entries", left);
        let mut drawn = draw(table, left, sample.seed, progress)?;
        progress.phase(doing, "entries", left);
        // What a search learns about few seeds or empty cells serves those before.
        drawn.sort_by_key(|(position, _)| table.game().layer(position));
        return drawn.chunks(BATCH).try_for_each(each);
    }
    progress.phase(doing, "entries", left);
    let mut random = Random::new(sample.seed);
    let (mut read, mut waiting) = (0, Vec::new());
    let blocks: Vec<u64> = (0..file.blocks()).collect();
    for blocks in blocks.chunks(BLOCKS) {
        let found = try_map_of(blocks, |&block| table.block_entries(block))?;
        for entry in found.into_iter().flatten() {
            // Each entry with the same likelihood, and as many as wanted in all.
            if read < entries && random.below(entries - read) < left {
                left -= 1;
                waiting.push(entry);
            }
            read += 1;
        }
        // `each` looks whether the caller wants it to stop.
        if waiting.len() >= BATCH || progress.cancelled() {
            each(&waiting)?;
            waiting.clear();
        }
    }
    each(&waiting)?;
    if read != entries {
        let damage = Difference::new(format!("{entries} entries"), read);
        return Err(file.damaged("metadata", damage).into());
    }
    Ok(())
}

/// So many different entries, each as likely as any other: far fewer than there are.
fn draw<G: Notation>(
    table: &Table<G>,
    count: u64,
    seed: u64,
    progress: &dyn Progress,
) -> Result<Vec<ScoredEntry<G>>, Stop> {
    let (file, game) = (table.file(), table.game());
    let mut random = Random::new(seed);
    let mut seen = FxHashSet::default();
    let (mut drawn, mut draws) = (Vec::new(), 0);
    while (drawn.len() as u64) < count {
        // Far more than it can take if the table has as many entries as it says.
        if draws > 4096 + 4 * count {
            let expected = format!("{} entries", file.entries());
            let found = format!("{} in {draws} draws", seen.len());
            let damage = Difference::new(expected, found);
            return Err(file.damaged("metadata", damage).into());
        }
        let missing = count as usize - drawn.len();
        let below = |limit| random.below(limit);
        let has = |slot| table.contains_slot(slot);
        let mut positions = random_entries(table, missing, below, has, progress)?;
        if progress.cancelled() {
            return Err(Stop::Error(file.interrupted()));
        }
        draws += missing as u64;
        positions.retain(|position| seen.insert(game.key(position)));
        progress.advance(positions.len() as u64);
        let scored = try_map_of(&positions, |position| {
            let score = table.probe(position)?;
            Ok::<_, ReadError>(score.map(|score| (position.clone(), score)))
        })?;
        drawn.extend(scored.into_iter().flatten());
    }
    Ok(drawn)
}
