//! Which classes can be reached.

use super::limits::check_memory;
use crate::conformance::position_of;
use crate::game::{Broken, Notation, Progress, Roots, Segment, Slot, SolveError};
use crate::pool::{map, map_of, try_map_of};
use rayon::slice::ParallelSliceMut;
use rustc_hash::{FxBuildHasher, FxHashSet};
use std::hash::BuildHasher;
use std::sync::Mutex;

/// The set of known keys is cut into shards, which threads fill independently of each other.
const SHARDS: usize = 64;

/// How many positions are expanded before their children are sorted out.
const BLOCK: usize = 1 << 17;

/// Positions that one task expands.
const TASK: usize = 1 << 10;

/// The keys of all reachable classes of unfinished positions, ascending.
///
/// Walks move by move from the start, each class once. Runs in the current thread pool; `memory` is
/// in bytes.
///
/// # Errors
/// If it needs more memory than it may use, is told to stop, or the game breaks a promise.
pub fn reachable<G: Notation>(
    game: &G,
    memory: u64,
    progress: &dyn Progress,
) -> Result<Vec<u128>, SolveError> {
    progress.phase("finding reachable positions", "classes", 0);
    let mut shards: Vec<FxHashSet<u128>> = vec![FxHashSet::default(); SHARDS];
    let mut level = roots(game, memory)?;
    for &key in &level {
        shards[shard_of(key)].insert(key);
    }
    let mut count = level.len();
    progress.advance(count as u64);
    while !level.is_empty() {
        let mut next_level: Vec<u128> = Vec::new();
        for block in level.chunks(BLOCK) {
            if progress.cancelled() {
                return Err(SolveError::Interrupted);
            }
            let fresh = fresh_children(game, block, &shards)?;
            let bytes: u64 = shards
                .iter()
                .zip(&fresh)
                .map(|(shard, fresh)| bytes_to_hold(shard, fresh.len()))
                .sum();
            let found: usize = fresh.iter().map(Vec::len).sum();
            count += found;
            // The levels and, at the end, the sorted list lie beside the set.
            let lists = level.len() + next_level.len() + found + count;
            let bytes = bytes + (lists * size_of::<u128>()) as u64;
            check_growth(game, bytes, memory)?;
            let told: Vec<_> = shards.iter_mut().zip(&fresh).map(Mutex::new).collect();
            map_of(&told, |told| {
                let (shard, fresh) = &mut *told.lock().expect("nobody panics here");
                shard.extend(fresh.iter());
            });
            next_level.extend(fresh.into_iter().flatten());
            progress.advance(found as u64);
        }
        level = next_level;
    }
    let mut keys = Vec::with_capacity(count);
    for shard in shards {
        keys.extend(shard);
    }
    keys.par_sort_unstable();
    Ok(keys)
}

/// The keys of the classes that a walk starts from.
fn roots<G: Notation>(game: &G, memory: u64) -> Result<Vec<u128>, SolveError> {
    let (Roots::Everywhere, Some(ranking)) = (
        game.capabilities().solving.roots(),
        game.capabilities().solving.ranking(),
    ) else {
        return Ok(vec![game.key(&game.canonical(&game.start()))]);
    };
    let segments = ranking.segments();
    let slots: u64 = segments.iter().map(Segment::slots).sum();
    check_memory(game, slots.saturating_mul(64), memory)?;
    let mut keys = Vec::with_capacity(slots as usize);
    for (segment, shape) in (0..).zip(segments) {
        for row in 0..shape.rows {
            for column in 0..shape.columns {
                let slot = Slot {
                    segment,
                    row,
                    column,
                };
                keys.push(game.key(&ranking.position(slot)));
            }
        }
    }
    Ok(keys)
}

/// The classes one move on that aren't known yet, by shard, each once.
fn fresh_children<G: Notation>(
    game: &G,
    keys: &[u128],
    known: &[FxHashSet<u128>],
) -> Result<Vec<Vec<u128>>, Broken> {
    let tasks: Vec<&[u128]> = keys.chunks(TASK).collect();
    let by_task = try_map_of(&tasks, |keys| {
        let mut moves = Vec::new();
        let mut children = vec![Vec::new(); SHARDS];
        for &key in *keys {
            let position = position_of(game, key, &mut moves)?;
            for &mv in &moves {
                let child = game.play(&position, mv);
                if game.final_score(&child).is_none() {
                    let key = game.key(&game.canonical(&child));
                    let shard = shard_of(key);
                    if !known[shard].contains(&key) {
                        children[shard].push(key);
                    }
                }
            }
        }
        Ok(children)
    })?;
    Ok(map(SHARDS, |shard| {
        let of_shard = by_task.iter().flat_map(|children| &children[shard]);
        let mut children: Vec<u128> = of_shard.copied().collect();
        children.sort_unstable();
        children.dedup();
        children
    }))
}

/// The canonical position that a key names, for keys of classes that are known to be reachable.
pub(crate) fn canonical<G: Notation>(game: &G, key: u128) -> G::Position {
    game.position_of_key(key)
        .expect("position_of_key reads back what key returned")
}

fn shard_of(key: u128) -> usize {
    // Bits that the shard's own hash set uses neither for its buckets nor for its tags.
    (FxBuildHasher.hash_one(key) >> 40) as usize % SHARDS
}

/// The bytes that the set takes once it holds so many keys more: buckets are a power of two, at
/// most 7/8 full.
fn bytes_to_hold(set: &FxHashSet<u128>, more: usize) -> u64 {
    let room = set.capacity().max(set.len() + more);
    let buckets = (room * 8 / 7).next_power_of_two() as u64;
    buckets * (size_of::<u128>() as u64 + 1)
}

fn check_growth<G: Notation>(game: &G, bytes: u64, allowed: u64) -> Result<(), SolveError> {
    if bytes <= allowed {
        return Ok(());
    }
    // How many positions are still to be found is not known.
    Err(SolveError::Memory {
        game: game.name(),
        needed: None,
        allowed,
    })
}
