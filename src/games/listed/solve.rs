//! Solves an explicit game graph in which no position repeats.

use super::graph::{BuildError, CHECK_EVERY, Graph, UNFINISHED, digest, refused};
use crate::game::{Endless, Progress, ScoreRange, WON, check_cancelled, distance, short_cycle};

/// Returns the range of the scores of unfinished positions, and every position's score.
///
/// There are no scores if positions can repeat. Then `is_long` says that some are too far from the
/// end for codes of a byte.
///
/// # Errors
/// The errors of [`solve`], and if a position is too far from the end for a table.
pub(super) fn scored(
    graph: &Graph,
    is_long: bool,
    progress: &dyn Progress,
) -> Result<(ScoreRange, Option<Vec<i32>>), BuildError> {
    let scores = match graph.endless {
        Endless::Impossible => Some(solve(graph, progress)?),
        Endless::Draw => None,
    };
    let range = match &scores {
        Some(scores) if !graph.scores.counts_plies() => range_of(graph, scores),
        _ => {
            let scores = scores.as_deref().unwrap_or_default();
            let short = range_in_plies(graph, is_long);
            if check_distances(graph, short, scores).is_ok() {
                short
            } else {
                let long = range_in_plies(graph, true);
                check_distances(graph, long, scores)?;
                long
            }
        }
    };
    Ok((range, scores))
}

impl Graph {
    /// Returns the graph with scores for distances whose codes take more than a byte.
    pub(crate) fn lengthened(mut self, progress: &dyn Progress) -> Result<Graph, BuildError> {
        self.scores = range_in_plies(&self, true);
        self.digest = digest(&self, progress).ok_or(BuildError::Interrupted)?;
        Ok(self)
    }
}

/// Returns the score of every position, seen from its side to move.
///
/// # Errors
/// If a position can repeat (the error shows a cycle), or the caller cancels.
pub fn solve(graph: &Graph, progress: &dyn Progress) -> Result<Vec<i32>, BuildError> {
    // A small graph is done before the next time.
    check_cancelled(progress, BuildError::Interrupted)?;
    // For an unfinished position, the best score of the moves so far; initially less than any.
    let mut scores = graph.finals.clone();
    // For each position, its first move that isn't in its score yet.
    let mut next = graph.firsts.clone();
    // Depth-first search: the targets of a position's moves come before it.
    let mut path = vec![0];
    let finished = scores.iter().filter(|&&score| score != UNFINISHED);
    let mut unreported = finished.count() as u64;
    while let Some(&node) = path.last() {
        let is_solved = |node: u32| next[node as usize] == graph.firsts[node as usize + 1];
        if is_solved(node) {
            path.pop();
            unreported += 1;
            if unreported >= u64::from(CHECK_EVERY) {
                progress.advance(std::mem::take(&mut unreported));
                check_cancelled(progress, BuildError::Interrupted)?;
            }
            continue;
        }
        let child = graph.children[next[node as usize] as usize];
        if is_solved(child) {
            let worth = graph.worth(node, child, scores[child as usize]);
            let best = &mut scores[node as usize];
            *best = worth.max(*best);
            next[node as usize] += 1;
        } else if path.len() < graph.positions() {
            path.push(child);
        } else {
            return Err(BuildError::Repetition(cycle(graph)));
        }
    }
    progress.advance(unreported);
    Ok(scores)
}

/// Returns a short cycle of a graph that has one.
fn cycle(graph: &Graph) -> Vec<String> {
    let moves = |&node: &u32| {
        let edges = graph.moves_of(node);
        edges.map(|edge| (edge, graph.children[edge])).collect()
    };
    let name = |edge: usize| graph.names[graph.moves[edge] as usize].clone();
    let format_step = |&node: &u32, edge| [graph.text(node).to_owned(), name(edge)];
    short_cycle(0, usize::MAX, moves, format_step)
}

/// Returns the range of scores that count plies: of a byte each, or a `long` one.
fn range_in_plies(graph: &Graph, long: bool) -> ScoreRange {
    let most = (graph.greatest / WON).max(1);
    if long || most > 1 {
        return ScoreRange::long(most);
    }
    let passes = |node| {
        let mut children = graph.children[graph.moves_of(node)].iter();
        children.all(|&child| !graph.moves_again(node, child))
    };
    let alternates = !graph.finals.contains(&WON) && (0..graph.positions() as u32).all(passes);
    match alternates {
        true => ScoreRange::ALTERNATE_PLIES,
        false => ScoreRange::PLIES,
    }
}

/// Checks that the scores of unfinished positions are in a range that counts plies.
fn check_distances(graph: &Graph, range: ScoreRange, scores: &[i32]) -> Result<(), BuildError> {
    match open(graph, scores).find(|&(_, score)| range.code(score).is_none()) {
        Some((node, score)) => refused(format!(
            "{} is {} plies from the end, but a table holds {range}",
            graph.text(node),
            distance(score).unwrap_or_default()
        )),
        None => Ok(()),
    }
}

/// Returns the unfinished positions with their scores.
fn open<'a>(graph: &'a Graph, scores: &'a [i32]) -> impl Iterator<Item = (u32, i32)> {
    let all = (0..).zip(scores.iter().copied());
    all.filter(|&(node, _)| graph.final_score(node).is_none())
}

/// Returns the range of the scores of unfinished positions.
fn range_of(graph: &Graph, scores: &[i32]) -> ScoreRange {
    let open = || open(graph, scores).map(|(_, score)| score);
    let (lowest, highest) = (open().min().unwrap_or(0), open().max().unwrap_or(0));
    let step = open().fold(0, |step, score| gcd(step, score - lowest));
    ScoreRange {
        lowest,
        highest,
        step: step.max(1),
    }
}

fn gcd(one: i32, other: i32) -> i32 {
    if other == 0 {
        one.abs()
    } else {
        gcd(other, one % other)
    }
}
