//! Backward induction on a game whose moves go up one layer: the layers one after the other, upwards
//! to find what is reachable, downwards for the scores.
//!
//! Of most layers no more is in memory than the sorted keys, and of no move anything but the
//! position that it leads to.

use super::limits::check_memory;
use super::reach::canonical;
use super::solved::Solved;
use crate::conformance::position_of;
use crate::game::{
    Broken, Notation, Progress, Roots, Solution, SolveError, SolveOptions, SolveTimes,
};
use crate::pool::try_map_of;
use rayon::slice::ParallelSliceMut;
use std::time::Instant;

/// Classes that one task handles.
const TASK: usize = 1 << 10;

/// Classes that are expanded before their children are sorted out.
const BLOCK: usize = 1 << 20;

/// What a class takes in the end: its entry in the solution, and its key or its score.
pub(super) const BYTES_A_CLASS: u64 = (size_of::<(u128, i32)>() + 16) as u64;

/// Whether a game can be solved so.
pub(super) fn serves<G: Notation>(game: &G) -> bool {
    let solving = game.capabilities().solving;
    solving.moves_go_up_a_layer()
        && solving.roots() == Roots::Start
        && solving.ranking().is_none()
        && game.key_bits() <= u64::BITS
}

pub(super) fn solve<G: Notation>(
    game: &G,
    options: SolveOptions,
    progress: &dyn Progress,
) -> Result<Solved, SolveError> {
    let started = Instant::now();
    let mut layers = reachable(game, options, progress)?;
    let reach = started.elapsed().as_secs_f64();
    let classes: u64 = layers.iter().map(|keys| keys.len() as u64).sum();
    check_memory(game, classes.saturating_mul(BYTES_A_CLASS), options.memory)?;
    progress.phase("solving", "classes", classes);
    let mut entries: Vec<(u128, i32)> = Vec::with_capacity(classes as usize);
    let mut above = Layer::default();
    while let Some(keys) = layers.pop() {
        let scores = scores(game, &keys, &above, progress)?;
        let both = keys.iter().zip(&scores);
        entries.extend(both.map(|(&key, &score)| (u128::from(key), score)));
        above = Layer::new(keys, scores, game.key_bits());
    }
    drop(above);
    entries.par_sort_unstable_by_key(|entry| entry.0);
    Ok(Solved {
        solution: Solution::Keyed(entries),
        times: SolveTimes {
            reach,
            solve: started.elapsed().as_secs_f64() - reach,
        },
    })
}

/// The keys of all reachable classes of unfinished positions, those of each layer ascending.
fn reachable<G: Notation>(
    game: &G,
    options: SolveOptions,
    progress: &dyn Progress,
) -> Result<Vec<Vec<u64>>, SolveError> {
    progress.phase("finding reachable positions", "classes", 0);
    let mut layers = Vec::new();
    let mut layer = vec![key_of(game, &game.start())];
    let mut number = game.layer(&game.canonical(&game.start()));
    let mut count = 0;
    while !layer.is_empty() {
        progress.advance(layer.len() as u64);
        count += layer.len();
        let mut next: Vec<u64> = Vec::new();
        for block in layer.chunks(BLOCK) {
            if progress.cancelled() {
                return Err(SolveError::Interrupted);
            }
            let tasks: Vec<&[u64]> = block.chunks(TASK).collect();
            let found = try_map_of(&tasks, |keys| {
                let mut children = children(game, keys, number)?;
                children.sort_unstable();
                children.dedup();
                Ok::<_, Broken>(children)
            });
            next.extend(found?.into_iter().flatten());
            next.par_sort_unstable();
            next.dedup();
            // How many there are still to come is not known.
            let bytes = (count + 2 * next.len()) * size_of::<u64>();
            if bytes as u64 > options.memory {
                return Err(SolveError::Memory {
                    game: game.name(),
                    needed: None,
                    allowed: options.memory,
                });
            }
        }
        next.shrink_to_fit();
        layers.push(std::mem::replace(&mut layer, next));
        number += 1;
    }
    Ok(layers)
}

/// The key of a position's class, which fits as [`serves`] has made sure.
fn key_of<G: Notation>(game: &G, position: &G::Position) -> u64 {
    game.key(&game.canonical(position)) as u64
}

/// The classes of unfinished positions that the moves from a layer lead to.
fn children<G: Notation>(game: &G, keys: &[u64], layer: u32) -> Result<Vec<u64>, Broken> {
    let mut moves = Vec::new();
    let mut children = Vec::with_capacity(4 * keys.len());
    for &key in keys {
        let position = position_of(game, key.into(), &mut moves)?;
        // Where that isn't so, moves may go round in circles, or come to a class twice.
        if game.layer(&position) != layer {
            let name = game.format_position(&position);
            let found = format!("one leads to \"{name}\", which is not in layer {layer}");
            let promise = "each move leads to the next layer, as moves_go_up_a_layer says";
            return Err(Broken::new(game.rules(), promise, found));
        }
        let played = moves.iter().map(|&mv| game.play(&position, mv));
        let open = played.filter(|child| game.final_score(child).is_none());
        children.extend(open.map(|child| key_of(game, &child)));
    }
    Ok(children)
}

/// The scores of a layer's classes, from those of the layer above.
fn scores<G: Notation>(
    game: &G,
    keys: &[u64],
    above: &Layer,
    progress: &dyn Progress,
) -> Result<Vec<i32>, SolveError> {
    let tasks: Vec<&[u64]> = keys.chunks(TASK).collect();
    let by_task = try_map_of(&tasks, |keys| {
        if progress.cancelled() {
            return Err(SolveError::Interrupted);
        }
        let mut moves = Vec::new();
        let scores = keys.iter().map(|&key| {
            let position = canonical(game, key.into());
            let side = game.side_to_move(&position);
            game.moves(&position, &mut moves);
            let worth = moves.iter().map(|&mv| {
                let child = game.play(&position, mv);
                let score = match game.final_score(&child) {
                    Some(score) => score,
                    None => game.banked(&child) + above.score(key_of(game, &child)),
                };
                game.seen_from(side, &child, score)
            });
            worth.max().expect("an unfinished position has moves")
        });
        let scores: Vec<i32> = scores.collect();
        progress.advance(keys.len() as u64);
        Ok(scores)
    });
    Ok(by_task?.concat())
}

/// A layer whose scores are known.
#[derive(Default)]
struct Layer {
    keys: Vec<u64>,
    scores: Vec<i32>,
    /// Where the keys with the same high bits begin, and the end.
    starts: Vec<u32>,
    /// How many bits are below these.
    shift: u32,
}

impl Layer {
    fn new(keys: Vec<u64>, scores: Vec<i32>, key_bits: u32) -> Layer {
        let bits = keys.len().max(1).ilog2().min(22).min(key_bits);
        let shift = key_bits - bits;
        let mut starts = Vec::with_capacity((1 << bits) + 1);
        for (index, &key) in (0..).zip(&keys) {
            let high = key.unbounded_shr(shift) as usize;
            starts.resize(starts.len().max(high + 1), index);
        }
        starts.resize((1 << bits) + 1, keys.len() as u32);
        Layer {
            keys,
            scores,
            starts,
            shift,
        }
    }

    /// The score of the class with this key, which is one of the layer's.
    fn score(&self, key: u64) -> i32 {
        let high = key.unbounded_shr(self.shift) as usize;
        let (start, end) = (self.starts[high] as usize, self.starts[high + 1] as usize);
        let found = self.keys[start..end].binary_search(&key);
        self.scores[start + found.expect("children of reachable classes are reachable")]
    }
}
