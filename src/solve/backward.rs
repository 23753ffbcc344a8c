//! Backward induction on any game: children before parents.
//!
//! Each class waits for its unfinished children. A wave holds the classes that wait for nothing any
//! more: their scores are known, and each tells its parents. Scores meet in a maximum, so the order
//! within a wave does not matter.

use super::limits::{check_memory, check_numbers};
use super::reach::canonical;
use crate::game::{Notation, Progress, SolveError, SolveOptions, repetition};
use crate::pool::{map, map_of, try_map_of};
use rayon::slice::ParallelSliceMut;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};

/// Classes that one task handles.
const TASK: usize = 1 << 10;

/// A class on the way to its score.
struct Waiting {
    /// How many moves lead to classes that have no score yet.
    children: AtomicU32,
    /// The best of the other moves; the score, once there are no more children to wait for.
    best: AtomicI32,
}

/// A move from one unfinished class to another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Edge {
    child: u32,
    parent: u32,
    /// What the child's position banks for its side to move.
    banked: i32,
    /// Whether the turn passes to the other side.
    passes: bool,
}

impl Edge {
    /// What the move is worth to the parent.
    fn worth(&self, child_score: i32) -> i32 {
        let score = self.banked + child_score;
        if self.passes { -score } else { score }
    }
}

pub(super) fn solve<G: Notation>(
    game: &G,
    keys: &[u128],
    options: SolveOptions,
    progress: &dyn Progress,
) -> Result<Vec<i32>, SolveError> {
    progress.phase("linking positions", "classes", keys.len() as u64);
    let classes = look_one_move_ahead(game, keys, progress)?;
    let children = |class: &Waiting| class.children.load(Ordering::Relaxed);
    let edges = classes.iter().map(|class| u64::from(children(class))).sum();
    let bytes = needed(keys.len() as u64, edges);
    check_memory(game, bytes, options.memory)?;
    check_numbers(game, keys)?;
    let edges = link(game, keys, edges as usize, progress)?;
    // Edges into one child are a run; `runs[child]` is where it begins.
    let mut runs = Vec::with_capacity(keys.len() + 1);
    let mut begin = 0;
    for child in 0..keys.len() {
        runs.push(begin);
        begin += edges[begin..]
            .iter()
            .take_while(|edge| edge.child as usize == child)
            .count();
    }
    runs.push(begin);

    progress.phase("solving", "classes", keys.len() as u64);
    let mut wave: Vec<u32> = (0..keys.len() as u32)
        .filter(|&index| children(&classes[index as usize]) == 0)
        .collect();
    while !wave.is_empty() {
        if progress.cancelled() {
            return Err(SolveError::Interrupted);
        }
        let tasks: Vec<&[u32]> = wave.chunks(TASK).collect();
        let next_wave = map_of(&tasks, |children| {
            let mut freed = Vec::new();
            for &child in *children {
                let child = child as usize;
                let score = classes[child].best.load(Ordering::Relaxed);
                for edge in &edges[runs[child]..runs[child + 1]] {
                    let parent = &classes[edge.parent as usize];
                    parent.best.fetch_max(edge.worth(score), Ordering::Relaxed);
                    if parent.children.fetch_sub(1, Ordering::Relaxed) == 1 {
                        freed.push(edge.parent);
                    }
                }
            }
            progress.advance(children.len() as u64);
            freed
        });
        wave = next_wave.concat();
    }
    // Whatever still waits is, in the end, waiting for itself.
    if let Some(open) = classes.iter().position(|class| children(class) > 0) {
        return Err(repetition(game, &canonical(game, keys[open])));
    }
    Ok(classes
        .into_iter()
        .map(|class| class.best.into_inner())
        .collect())
}

/// For each class, how many unfinished children it waits for, and the best of its finished ones.
fn look_one_move_ahead<G: Notation>(
    game: &G,
    keys: &[u128],
    progress: &dyn Progress,
) -> Result<Vec<Waiting>, SolveError> {
    let look = |&key: &u128, moves: &mut Vec<G::Move>| {
        let position = canonical(game, key);
        let side = game.side_to_move(&position);
        game.moves(&position, moves);
        let mut children = 0;
        let mut best = i32::MIN;
        for &mv in moves.iter() {
            let child = game.play(&position, mv);
            match game.final_score(&child) {
                None => children += 1,
                Some(score) if game.side_to_move(&child) == side => best = best.max(score),
                Some(score) => best = best.max(-score),
            }
        }
        Waiting {
            children: AtomicU32::new(children),
            best: AtomicI32::new(best),
        }
    };
    let tasks: Vec<&[u128]> = keys.chunks(TASK).collect();
    let by_task = try_map_of(&tasks, |keys| {
        if progress.cancelled() {
            return Err(SolveError::Interrupted);
        }
        let mut moves = Vec::new();
        let looked = keys.iter().map(|key| look(key, &mut moves));
        Ok(looked.collect::<Vec<_>>())
    });
    Ok(by_task?.into_iter().flatten().collect())
}

/// All edges, sorted by child.
fn link<G: Notation>(
    game: &G,
    keys: &[u128],
    count: usize,
    progress: &dyn Progress,
) -> Result<Vec<Edge>, SolveError> {
    let mut edges = Vec::with_capacity(count);
    // Blocks keep what the tasks hand over small beside the whole.
    for (block, block_keys) in keys.chunks(64 * TASK).enumerate() {
        if progress.cancelled() {
            return Err(SolveError::Interrupted);
        }
        let tasks: Vec<&[u128]> = block_keys.chunks(TASK).collect();
        let by_task = map(tasks.len(), |task| {
            let first = (64 * block + task) * TASK;
            let mut moves = Vec::new();
            let mut edges = Vec::with_capacity(4 * TASK);
            for (index, &key) in tasks[task].iter().enumerate() {
                let position = canonical(game, key);
                let side = game.side_to_move(&position);
                game.moves(&position, &mut moves);
                for &mv in &moves {
                    let child = game.play(&position, mv);
                    if game.final_score(&child).is_some() {
                        continue;
                    }
                    let key = game.key(&game.canonical(&child));
                    edges.push(Edge {
                        child: keys
                            .binary_search(&key)
                            .expect("children of reachable classes are reachable")
                            as u32,
                        parent: (first + index) as u32,
                        banked: game.banked(&child),
                        passes: game.side_to_move(&child) != side,
                    });
                }
            }
            edges
        });
        edges.extend(by_task.into_iter().flatten());
        progress.advance(block_keys.len() as u64);
    }
    edges.par_sort_unstable();
    Ok(edges)
}

/// The bytes that so many classes and edges take.
fn needed(classes: u64, edges: u64) -> u64 {
    // Key, best score, count of children, begin of its run, place in a wave, and the result.
    let a_class = 16 + 4 + 4 + 8 + 4 + 32;
    classes * a_class + edges * size_of::<Edge>() as u64
}
