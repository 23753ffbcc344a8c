//! Parts of a table, for tables that take long to go through in full: their entries, a batch at a
//! time.

use super::error::VerifyError;
use crate::game::{Game, Notation, Progress};
use crate::pool::{try_map, try_map_of};
use crate::random::Random;
use crate::table::choose::random_entry;
use crate::table::format::Difference;
use crate::table::read::{CheckedFile, ReadError};
use crate::table::table::Table;
use rustc_hash::FxHashSet;
use std::ops::ControlFlow;

/// Some entries of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Part {
    /// So many different entries, each as likely as any other, chosen from a seed; all entries if
    /// there are no more.
    Random {
        /// How many.
        count: u64,
        /// Where the random numbers start; the same seed makes the same choice.
        seed: u64,
    },
    /// All entries of these layers.
    Layers(Vec<u32>),
}

/// A canonical position with its score in the table.
pub type ScoredEntry<G> = (<G as Game>::Position, i32);

/// What is done with a batch of entries; it may say that no more are wanted.
pub type Each<'a, G> = dyn FnMut(&[ScoredEntry<G>]) -> Result<ControlFlow<()>, VerifyError> + 'a;

/// At most so many entries of a batch, or a few more.
const BATCH: usize = 1 << 14;
/// Entries drawn by one task.
const TASK: u64 = 256;
/// A sample is drawn entry by entry if it is no more than this, and no more than one in so many;
/// otherwise the whole table is read and each entry taken or not.
const MOST_DRAWN: u64 = 1 << 20;
const RARE: u64 = 16;
/// Blocks read at a time.
const BLOCKS: usize = 64;

impl Part {
    /// How many entries it has, by what the table says.
    pub(super) fn entries(&self, file: &CheckedFile) -> u64 {
        match self {
            Part::Random { count, .. } => (*count).min(file.entries()),
            Part::Layers(layers) => {
                let counts = file.layers().into_iter();
                let wanted = counts.filter(|count| layers.contains(&count.layer));
                wanted.map(|count| count.outcomes.total()).sum()
            }
        }
    }
}

/// Hands the entries of a part to `each`, and says how many there were; nothing if no more were
/// wanted before the end. `doing` is what is done with them.
pub fn for_each_batch<G: Notation>(
    table: &Table<G>,
    part: &Part,
    doing: &str,
    progress: &dyn Progress,
    each: &mut Each<'_, G>,
) -> Result<Option<u64>, VerifyError> {
    let (file, game) = (table.file(), table.game());
    let (entries, wanted) = (file.entries(), part.entries(file));
    match part {
        Part::Random { seed, .. } if wanted <= MOST_DRAWN && wanted <= entries / RARE => {
            progress.phase("drawing", "entries", wanted);
            let mut drawn = draw(table, wanted, *seed, progress)?;
            progress.phase(doing, "entries", wanted);
            // What a search learns about few seeds or empty cells serves those before.
            drawn.sort_by_key(|(position, _)| game.layer(position));
            for batch in drawn.chunks(BATCH) {
                if each(batch)?.is_break() {
                    return Ok(None);
                }
            }
            Ok(Some(wanted))
        }
        Part::Random { seed, .. } => {
            progress.phase(doing, "entries", wanted);
            let (mut read, mut left) = (0, wanted);
            let mut random = Random::new(*seed);
            // Each entry with the same likelihood, and as many as wanted in all.
            let mut choose = |_: &G::Position| {
                let is_chosen = read < entries && random.below(entries - read) < left;
                read += 1;
                left -= u64::from(is_chosen);
                is_chosen
            };
            let blocks = (0..file.blocks()).collect();
            let chosen = read_blocks(table, blocks, &mut choose, progress, each)?;
            match chosen {
                Some(_) => check_count(file, entries, read).map(|()| chosen),
                None => Ok(None),
            }
        }
        Part::Layers(layers) => {
            progress.phase(doing, "entries", wanted);
            let mut choose = |position: &G::Position| layers.contains(&game.layer(position));
            let blocks = file.blocks_of_layers(layers);
            read_blocks(table, blocks, &mut choose, progress, each)
        }
    }
}

/// An error unless there are as many entries as the table says.
pub fn check_count(file: &CheckedFile, expected: u64, found: u64) -> Result<(), VerifyError> {
    if expected == found {
        return Ok(());
    }
    let damage = Difference::new(format!("{expected} entries"), found);
    Err(file.damaged("metadata", damage).into())
}

/// So many different entries, each as likely as any other: far fewer than there are.
fn draw<G: Notation>(
    table: &Table<G>,
    count: u64,
    seed: u64,
    progress: &dyn Progress,
) -> Result<Vec<ScoredEntry<G>>, VerifyError> {
    let mut seen = FxHashSet::default();
    let mut drawn = Vec::new();
    let mut task = 0;
    // Far more than it can take if the table has as many entries as it says.
    let most_tasks = 16 + 4 * count.div_ceil(TASK);
    while (drawn.len() as u64) < count {
        if task > most_tasks {
            let expected = format!("{} entries", table.file().entries());
            let found = format!("{} in {} draws", seen.len(), task * TASK);
            let damage = Difference::new(expected, found);
            return Err(table.file().damaged("metadata", damage).into());
        }
        let tasks = (count - drawn.len() as u64).div_ceil(TASK).min(64);
        let by_task = try_map(tasks as usize, |number| {
            // Not the next seed, which may be the next sample's.
            let number = task + number as u64;
            let mut random = Random::new(Random::new(seed).bits().wrapping_add(number));
            let mut entries: Vec<ScoredEntry<G>> = Vec::new();
            for _ in 0..TASK {
                if progress.cancelled() {
                    break;
                }
                entries.extend(random_entry(table, |below| random.below(below))?);
            }
            Ok::<_, ReadError>(entries)
        })?;
        if progress.cancelled() {
            return Err(table.file().interrupted());
        }
        task += tasks;
        for (position, score) in by_task.into_iter().flatten() {
            let new = seen.insert(table.game().key(&position));
            if new && (drawn.len() as u64) < count {
                drawn.push((position, score));
                progress.advance(1);
            }
        }
    }
    Ok(drawn)
}

/// Reads blocks of the table and hands on those of its entries that are chosen.
fn read_blocks<G: Notation>(
    table: &Table<G>,
    blocks: Vec<u64>,
    choose: &mut dyn FnMut(&G::Position) -> bool,
    progress: &dyn Progress,
    each: &mut Each<'_, G>,
) -> Result<Option<u64>, VerifyError> {
    let mut waiting: Vec<ScoredEntry<G>> = Vec::new();
    let mut chosen = 0;
    let mut parts = blocks.chunks(BLOCKS).peekable();
    while let Some(blocks) = parts.next() {
        let read = try_map_of(blocks, |&block| table.block_entries(block))?;
        let entries = read.into_iter().flatten();
        waiting.extend(entries.filter(|(position, _)| choose(position)));
        // Who wants it to stop is heard by `each`.
        if waiting.len() >= BATCH || parts.peek().is_none() || progress.cancelled() {
            chosen += waiting.len() as u64;
            if each(&waiting)?.is_break() {
                return Ok(None);
            }
            waiting.clear();
        }
    }
    Ok(Some(chosen))
}
