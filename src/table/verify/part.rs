//! A part of the proof, for tables that take long to prove in full: some entries held against their
//! moves.
//!
//! An entry that is the best of its moves is right if the entries that its moves lead to are. So a
//! sample proves nothing by itself, but a table with a wrong score somewhere has entries that don't
//! agree with their moves, and the more there are, the sooner a sample finds one. That nothing is
//! missing or too many, only [`crate::table::verify`] shows.

use super::error::VerifyError;
use super::judge::{Judge, Stop};
use super::layers::LayerCounts;
use super::verdict::Verdict;
use crate::game::{Notation, Progress};
use crate::random::Random;
use crate::table::choose::random_entry;
use crate::table::table::Table;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};
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
    let done = AtomicU64::new(0);
    let counts = Mutex::new(LayerCounts::default());
    let failed = tasks.par_iter().find_map_first(|&task| {
        let result = match part {
            Part::Random { count, seed } => {
                let entries = TASK.min(count - task * TASK);
                let result = random(table, entries, seed.wrapping_add(task), progress);
                progress.advance(entries);
                result
            }
            Part::Layers(layers) => {
                let result = block(table, task, layers, &counts);
                progress.advance(1);
                result
            }
        };
        let result = if progress.cancelled() {
            Err(Stop::Error(VerifyError::Interrupted {
                path: table.file().path().to_owned(),
            }))
        } else {
            result
        };
        match result {
            Ok(entries) => {
                done.fetch_add(entries, Ordering::Relaxed);
                None
            }
            Err(stop) => Some(stop),
        }
    });
    match failed {
        None => {
            let counts = counts.into_inner().unwrap_or_else(PoisonError::into_inner);
            let wrong = match part {
                Part::Random { .. } => None,
                Part::Layers(layers) => {
                    counts.differ(table.file(), |layer| layers.contains(&layer))
                }
            };
            Ok(wrong.map_or_else(
                || Verdict::Agrees {
                    entries: done.into_inner(),
                },
                Verdict::Refuted,
            ))
        }
        Some(Stop::Refuted(refutation)) => Ok(Verdict::Refuted(*refutation)),
        Some(Stop::Error(error)) => Err(error),
    }
}

fn block<G: Notation>(
    table: &Table<G>,
    number: u64,
    layers: &[u32],
    counts: &Mutex<LayerCounts>,
) -> Result<u64, Stop> {
    let mut entries = 0;
    let mut here = LayerCounts::default();
    for (position, stored) in table.block_entries(number)? {
        let layer = table.game().layer(&position);
        if layers.contains(&layer) {
            agree(table, &position, stored)?;
            here.add(layer, stored, 1);
            entries += 1;
        }
    }
    let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
    let before = std::mem::take(&mut *counts);
    *counts = before.merge(here);
    Ok(entries)
}

fn random<G: Notation>(
    table: &Table<G>,
    count: u64,
    seed: u64,
    progress: &dyn Progress,
) -> Result<u64, Stop> {
    let mut random = Random::new(seed);
    let mut entries = 0;
    while entries < count
        && !progress.cancelled()
        && let Some((position, stored)) = random_entry(table, |below| random.below(below))?
    {
        agree(table, &position, stored)?;
        entries += 1;
    }
    Ok(entries)
}

fn agree<G: Notation>(table: &Table<G>, position: &G::Position, stored: i32) -> Result<(), Stop> {
    Judge(table.game()).entry(position, stored, |class| table.probe(class))
}
