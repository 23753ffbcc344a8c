//! Verifying samples of entries, for tables that take long to verify completely.
//!
//! An entry with the best score of its moves is right if the entries after its moves are right. So
//! a sample proves nothing by itself. But a table with a wrong score has entries that disagree with
//! their moves, and the more there are, the sooner a sample finds one. Only
//! [`crate::table::verify`] shows that no entry is missing or extra.

use super::judge::{self, Stop};
use super::verdict::{Verdict, VerifyError, provable};
use crate::game::{Game, Notation, Progress};
use crate::pool::try_map_of;
use crate::random::Random;
use crate::table::choose::{LayerEntries, random_entries};
use crate::table::format::Difference;
use crate::table::read::ReadError;
use crate::table::table::Table;
use rustc_hash::FxHashSet;
use serde::Serialize;

/// A random sample of entries.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Sample {
    /// Number of entries.
    pub count: u64,
    /// Seed of the random numbers; the same seed gives the same sample.
    pub seed: u64,
}

/// A canonical position with its score in the table.
pub type ScoredEntry<G> = (<G as Game>::Position, i32);

/// Approximate number of entries in a batch.
const BATCH: usize = 1 << 14;
/// Largest sample that is chosen entry by entry.
///
/// It must also be at most one in [`RARE`] entries. For other samples, the whole table is read.
const MOST_DRAWN: u64 = 1 << 20;
const RARE: u64 = 16;
/// Number of blocks that are read together.
const BLOCKS: usize = 64;

/// Compares a sample's entries with their moves, on the current thread pool.
///
/// No entry is chosen twice; a sample as large as the table has all entries.
///
/// # Errors
/// If the table is damaged or the caller cancels.
pub fn verify_sample<G: Notation>(
    table: &Table<G>,
    sample: Sample,
    progress: &dyn Progress,
) -> Result<Verdict, VerifyError> {
    provable(table)?;
    let mut entries = 0;
    let looked = for_each_batch(table, sample, "verifying", progress, |batch| {
        try_map_of(batch, |(position, stored)| {
            table.file().check_stop(progress)?;
            judge::entry(table.game(), position, *stored, |class| table.probe(class))?;
            progress.advance(1);
            Ok::<_, Stop>(())
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

/// Passes a sample's entries to `each` in batches; `doing` names the phase.
pub fn for_each_batch<G: Notation, E: From<VerifyError> + From<ReadError>>(
    table: &Table<G>,
    sample: Sample,
    doing: &str,
    progress: &dyn Progress,
    mut each: impl FnMut(&[ScoredEntry<G>]) -> Result<(), E>,
) -> Result<(), E> {
    let (file, entries) = (table.file(), table.file().entries());
    let mut left = sample.count.min(entries);
    if left <= MOST_DRAWN && left <= entries / RARE {
        progress.phase("sampling", "entries", left);
        let mut drawn = draw(table, left, sample.seed, progress)?;
        progress.phase(doing, "entries", left);
        // Search low layers first: their results help the searches of higher layers.
        drawn.sort_by_cached_key(|(position, _)| table.game().layer(position));
        return drawn.chunks(BATCH).try_for_each(each);
    }
    // Otherwise read the whole table.
    progress.phase(doing, "entries", left);
    let mut random = Random::new(sample.seed);
    let (mut read, mut waiting) = (0, Vec::new());
    let blocks: Vec<u64> = (0..file.blocks()).collect();
    for blocks in blocks.chunks(BLOCKS) {
        let found = try_map_of(blocks, |&block| table.block_entries(block))?;
        for entry in found.into_iter().flatten() {
            // Selection sampling: all entries have the same probability, and the count is exact.
            if read < entries && random.below(entries - read) < left {
                left -= 1;
                waiting.push(entry);
            }
            read += 1;
        }
        // `each` checks for cancellation.
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

/// Chooses different entries with equal probabilities, far fewer than there are.
fn draw<G: Notation>(
    table: &Table<G>,
    count: u64,
    seed: u64,
    progress: &dyn Progress,
) -> Result<Vec<ScoredEntry<G>>, VerifyError> {
    let (file, game) = (table.file(), table.game());
    let mut random = Random::new(seed);
    let mut seen = FxHashSet::default();
    let all = LayerEntries::all(table);
    let (mut drawn, mut draws) = (Vec::new(), 0);
    while (drawn.len() as u64) < count {
        // Only a table with fewer different entries than it claims takes this many choices.
        if draws > 4096 + 4 * count {
            let expected = format!("{} entries", file.entries());
            let found = format!("{} in {draws} draws", seen.len());
            let damage = Difference::new(expected, found);
            return Err(file.damaged("metadata", damage).into());
        }
        let missing = count as usize - drawn.len();
        let below = |limit| random.below(limit);
        let has = |slot| table.contains_slot(slot);
        let mut positions = random_entries(&all, missing, below, has, progress)?;
        file.check_stop(progress)?;
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
