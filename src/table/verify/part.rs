//! A part of the proof, for tables that take long to prove in full: some entries held against their
//! moves.
//!
//! An entry that is the best of its moves is right if the entries that its moves lead to are. So a
//! sample proves nothing by itself, but a table with a wrong score somewhere has entries that don't
//! agree with their moves, and the more there are, the sooner a sample finds one. That nothing is
//! missing or too many, only [`crate::table::verify`] shows.

use super::counts::LayerCounts;
use super::error::VerifyError;
use super::judge::{Judge, Stop};
use super::verdict::Verdict;
use crate::game::{Notation, Progress};
use crate::pool::try_map_of;
use crate::random::Random;
use crate::table::choose::random_entry;
use crate::table::read::ReadError;
use crate::table::table::Table;
use std::sync::{Mutex, PoisonError};

/// Which entries to hold against their moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Part {
    /// So many entries, each chosen at random from all, from a seed.
    Random {
        /// How many.
        count: u64,
        /// Where the random numbers start; the same seed makes the same choice.
        seed: u64,
    },
    /// All entries of these layers.
    Layers(Vec<u32>),
}

/// Entries of a random choice that are one task.
const TASK: u64 = 1024;

/// Holds a part of a table's entries against their moves, on the threads of the current pool.
///
/// # Errors
/// If the table is damaged or the caller wants it to stop.
pub fn verify_part<G: Notation>(
    table: &Table<G>,
    part: &Part,
    progress: &dyn Progress,
) -> Result<Verdict, VerifyError> {
    let tasks: Vec<u64> = match part {
        Part::Random { count, .. } => {
            progress.phase("verifying", "entries", *count);
            (0..count.div_ceil(TASK)).collect()
        }
        Part::Layers(layers) => {
            let blocks = table.file().blocks_of_layers(layers);
            progress.phase("verifying", "blocks", blocks.len() as u64);
            blocks
        }
    };
    let game = table.game();
    let counts = Mutex::new(LayerCounts::default());
    let agree = |&task: &u64| -> Result<u64, Stop> {
        let (entries, units) = match part {
            Part::Random { count, seed } => {
                let wanted = TASK.min(count - task * TASK);
                let random = Random::new(seed.wrapping_add(task));
                (random_entries(table, wanted, random, progress)?, wanted)
            }
            Part::Layers(layers) => {
                let mut entries = table.block_entries(task)?;
                entries.retain(|(position, _)| layers.contains(&game.layer(position)));
                (entries, 1)
            }
        };
        for (position, stored) in &entries {
            Judge(game).entry(position, *stored, |class| table.probe(class))?;
        }
        if progress.cancelled() {
            return Err(Stop::Error(table.file().interrupted()));
        }
        progress.advance(units);
        if let Part::Layers(_) = part {
            let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
            for (position, stored) in &entries {
                counts.add(game.layer(position), *stored, 1);
            }
        }
        Ok(entries.len() as u64)
    };
    let entries = match try_map_of(&tasks, agree) {
        Err(Stop::Refuted(refutation)) => return Ok(Verdict::Refuted(*refutation)),
        Err(Stop::Error(error)) => return Err(error),
        Ok(done) => done.into_iter().sum(),
    };
    let counts = counts.into_inner().unwrap_or_else(PoisonError::into_inner);
    let wrong = match part {
        Part::Random { .. } => None,
        Part::Layers(layers) => counts.differ(table.file(), |layer| layers.contains(&layer)),
    };
    Ok(wrong.map_or(Verdict::Agrees { entries }, Verdict::Refuted))
}

fn random_entries<G: Notation>(
    table: &Table<G>,
    count: u64,
    mut random: Random,
    progress: &dyn Progress,
) -> Result<Vec<(G::Position, i32)>, ReadError> {
    let mut entries = Vec::new();
    while (entries.len() as u64) < count
        && !progress.cancelled()
        && let Some(entry) = random_entry(table, |below| random.below(below))?
    {
        entries.push(entry);
    }
    Ok(entries)
}
