//! Solving by searching each class on its own, for any game.

use super::keyed::canonical_of_key as canonical;
use super::limits::{check_memory, check_numbers};
use crate::game::{Notation, Progress, SolveError, SolveOptions, repetition};
use crate::pool::try_map_of;
use crate::search::{Algorithm, Search, TranspositionTable, deepest_on};

/// The stack of each thread, in bytes: a search recurses as deep as plays are long. Untouched pages
/// cost nothing.
pub(crate) const STACK: usize = 128 << 20;

/// Classes that one task searches.
const TASK: usize = 64;

pub(super) fn solve<G: Notation>(
    game: &G,
    keys: &[u128],
    options: SolveOptions,
    progress: &dyn Progress,
) -> Result<Vec<i32>, SolveError> {
    // Key, mark and score, the result, and the least table that is any use.
    let classes = keys.len() as u64;
    let fixed = classes * (16 + 4 + 4 + 32);
    check_memory(game, fixed + classes, options.memory)?;
    check_numbers(game, keys)?;
    let moves = longest_play(game, keys, progress)?;
    if moves > deepest_on::<G>(STACK) {
        let game = game.name();
        return Err(SolveError::TooLong { game, moves });
    }
    progress.phase("searching", "classes", classes);
    let for_table = (options.memory - fixed).min(TranspositionTable::bytes_for(classes));
    let table = TranspositionTable::new(for_table);
    let stop = |_| progress.cancelled();
    let tasks: Vec<&[u128]> = keys.chunks(TASK).collect();
    let by_task = try_map_of(&tasks, |task| {
        let mut search = Search::new(game).with_table(&table).stop_when(&stop);
        let scores: Result<Vec<i32>, _> = task
            .iter()
            .map(|&key| search.score(Algorithm::AlphaBeta, &canonical(game, key)))
            .collect();
        if progress.cancelled() {
            return Err(SolveError::Interrupted);
        }
        progress.advance(task.len() as u64);
        scores.map_err(|_| SolveError::Interrupted)
    });
    Ok(by_task?.concat())
}

/// How many moves the longest play has: a search goes as deep, and for ever if a play can go round
/// in circles.
fn longest_play<G: Notation>(
    game: &G,
    keys: &[u128],
    progress: &dyn Progress,
) -> Result<u32, SolveError> {
    progress.phase("looking for repetition", "classes", keys.len() as u64);
    // The longest play from each class, in moves.
    const NEW: u32 = u32::MAX;
    const ON_PATH: u32 = u32::MAX - 1;
    let mut longest = vec![NEW; keys.len()];
    let mut moves = Vec::new();
    let mut children = |index: usize| -> Vec<u32> {
        let position = canonical(game, keys[index]);
        game.moves(&position, &mut moves);
        moves
            .iter()
            .map(|&mv| game.play(&position, mv))
            .filter(|child| game.final_score(child).is_none())
            .map(|child| {
                keys.binary_search(&game.key(&game.canonical(&child)))
                    .expect("children of reachable classes are reachable") as u32
            })
            .collect()
    };
    // The path from some class down: each with its children that are still to be looked at, and its
    // longest play so far.
    let mut path: Vec<(usize, Vec<u32>, u32)> = Vec::new();
    for root in 0..keys.len() {
        if longest[root] != NEW {
            continue;
        }
        longest[root] = ON_PATH;
        path.push((root, children(root), 1));
        while let Some((index, left, moves)) = path.last_mut() {
            let Some(&child) = left.last() else {
                longest[*index] = *moves;
                path.pop();
                progress.advance(1);
                if progress.cancelled() {
                    return Err(SolveError::Interrupted);
                }
                continue;
            };
            let child = child as usize;
            match longest[child] {
                ON_PATH => return Err(repetition(game, &canonical(game, keys[child]))),
                NEW => {
                    longest[child] = ON_PATH;
                    path.push((child, children(child), 1));
                }
                known => {
                    *moves = (*moves).max(known + 1);
                    left.pop();
                }
            }
        }
    }
    Ok(longest.into_iter().max().unwrap_or(0))
}
