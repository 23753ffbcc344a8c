//! Scores on the list: children before parents, wave by wave.

use super::graph::{Graph, UNFINISHED};
use crate::game::{Progress, ScoreRange, short_cycle};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Why there are no scores, or none that a table can hold.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScoresError {
    /// A position can come up twice in one play.
    #[error(
        "a position can come up twice in one play, and only games without repetition can be \
         solved{}",
        crate::text::cycle(cycle)
    )]
    Repetition {
        /// Positions and moves in turn, from a position back to itself.
        cycle: Vec<String>,
    },
    /// More different scores than a table's bytes can tell.
    #[error(
        "scores from {lowest} to {highest} in steps of {step} are too many: a table holds 256 at most"
    )]
    Range {
        /// The lowest score.
        lowest: i32,
        /// The highest.
        highest: i32,
        /// The largest step that all are multiples of.
        step: i32,
    },
    /// A score that arrays can't hold.
    #[error("the score {0} is out of range: scores are from -32,767 to 32,767")]
    Large(i32),
    /// The caller wanted it to stop.
    #[error("interrupted")]
    Interrupted,
}

/// The score of every position, seen from its side to move, on the threads of the pool that the
/// caller is in.
///
/// # Errors
/// If a position can come up twice in one play: such a cycle. Or if the caller wants it to stop.
pub fn solve(graph: &Graph, progress: &dyn Progress) -> Result<Vec<i32>, ScoresError> {
    let count = graph.positions();
    // How many moves of each lead to positions whose scores are not known yet.
    let waiting: Vec<AtomicU32> = (0..count as u32)
        .map(|node| AtomicU32::new(graph.moves_of(node).len() as u32))
        .collect();
    let parents = Parents::of(graph);
    let mut scores = graph.finals.clone();
    let mut wave: Vec<u32> = (0..count as u32)
        .filter(|&node| graph.final_score(node).is_some())
        .collect();
    let mut done = wave.len();
    while !wave.is_empty() {
        if progress.cancelled() {
            return Err(ScoresError::Interrupted);
        }
        progress.advance(wave.len() as u64);
        let next = |&node: &u32| {
            let ready = parents.of_node(node).iter().copied();
            ready.filter(|&parent| waiting[parent as usize].fetch_sub(1, Relaxed) == 1)
        };
        let next: Vec<u32> = wave
            .par_iter()
            .with_min_len(512)
            .flat_map_iter(next)
            .collect();
        let found: Vec<i32> = next
            .par_iter()
            .with_min_len(512)
            .map(|&node| best(graph, node, &scores))
            .collect();
        for (&node, score) in next.iter().zip(found) {
            scores[node as usize] = score;
        }
        done += next.len();
        wave = next;
    }
    if done < count {
        return Err(ScoresError::Repetition {
            cycle: cycle(graph, &scores),
        });
    }
    Ok(scores)
}

/// The best of a position's moves, all of whose scores are known.
fn best(graph: &Graph, node: u32, scores: &[i32]) -> i32 {
    let side = graph.side(node);
    let children = graph.children[graph.moves_of(node)].iter();
    let worth = children.map(|&child| {
        let score = scores[child as usize];
        // Without sides the turn passes with every move.
        if side.is_some() && graph.side(child) == side {
            score
        } else {
            -score
        }
    });
    worth.max().unwrap_or(UNFINISHED)
}

/// Who leads to whom.
struct Parents {
    firsts: Vec<u64>,
    parents: Vec<u32>,
}

impl Parents {
    fn of(graph: &Graph) -> Parents {
        let mut firsts = vec![0u64; graph.positions() + 1];
        for &child in &graph.children {
            firsts[child as usize + 1] += 1;
        }
        for node in 0..graph.positions() {
            firsts[node + 1] += firsts[node];
        }
        let mut next = firsts.clone();
        let mut parents = vec![0; graph.edges()];
        for node in 0..graph.positions() as u32 {
            for &child in &graph.children[graph.moves_of(node)] {
                let place = &mut next[child as usize];
                parents[*place as usize] = node;
                *place += 1;
            }
        }
        Parents { firsts, parents }
    }

    fn of_node(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.parents[self.firsts[node] as usize..self.firsts[node + 1] as usize]
    }
}

/// A short cycle among positions without a score. Each of them has a move to another of them.
fn cycle(graph: &Graph, scores: &[i32]) -> Vec<String> {
    let is_open = |node: u32| scores[node as usize] == UNFINISHED;
    let moves = |&node: &u32| {
        let edges = graph
            .moves_of(node)
            .filter(|&edge| is_open(graph.children[edge]));
        edges.map(|edge| (edge, graph.children[edge])).collect()
    };
    let name = |edge: usize| graph.names[graph.moves[edge] as usize].clone();
    let tell = |&node: &u32, edge| [graph.text(node).to_owned(), name(edge)];
    let first = (0..graph.positions() as u32).find(|&node| is_open(node));
    first.map_or_else(Vec::new, |first| {
        short_cycle(first, usize::MAX, moves, tell)
    })
}

/// The scores of unfinished positions, as a table's bytes tell them.
pub(super) fn range(graph: &Graph, scores: &[i32]) -> Result<ScoreRange, ScoresError> {
    let stored = || {
        (0..)
            .zip(scores)
            .filter(|&(node, _)| graph.final_score(node).is_none())
    };
    let lowest = stored().map(|(_, &score)| score).min().unwrap_or(0);
    let highest = stored().map(|(_, &score)| score).max().unwrap_or(0);
    scores.iter().try_for_each(|&score| check_score(score))?;
    let step = stored()
        .fold(0, |step, (_, &score)| gcd(step, score - lowest))
        .max(1);
    if (highest - lowest) / step > 255 {
        return Err(ScoresError::Range {
            lowest,
            highest,
            step,
        });
    }
    Ok(ScoreRange {
        lowest,
        highest,
        step,
    })
}

/// What can be seen at a single score.
pub(super) fn check_score(score: i32) -> Result<(), ScoresError> {
    match score {
        -32_767..=32_767 => Ok(()),
        _ => Err(ScoresError::Large(score)),
    }
}

fn gcd(one: i32, other: i32) -> i32 {
    if other == 0 {
        one
    } else {
        gcd(other, one % other)
    }
}
