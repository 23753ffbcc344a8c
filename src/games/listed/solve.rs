//! Retrograde analysis of an explicit game graph.

use super::error::{BuildError, refused};
use super::graph::{Graph, LOOK_EVERY};
use crate::game::{Endless, Progress, ScoreRange, WON, distance, short_cycle};

/// The range of the scores of unfinished positions, and every position's score.
///
/// There are no scores if positions can repeat. The range of scores that count plies is known.
///
/// # Errors
/// Those of [`solve`], and if there are too many scores for the byte codes of a table.
pub(super) fn scored(
    graph: &Graph,
    progress: &dyn Progress,
) -> Result<(ScoreRange, Option<Vec<i32>>), BuildError> {
    let scores = match graph.endless {
        Endless::Impossible => Some(solve(graph, progress)?),
        Endless::Draw => None,
    };
    let range = match (graph.scores.counts_plies(), &scores) {
        (false, Some(scores)) => check_range(graph, scores)?,
        (_, scores) => {
            let range = range_in_plies(graph);
            check_distances(graph, range, scores.as_deref().unwrap_or_default())?;
            range
        }
    };
    Ok((range, scores))
}

/// The score of every position, seen from its side to move.
///
/// # Errors
/// If a position can repeat (the error shows a cycle), or the caller cancels.
pub fn solve(graph: &Graph, progress: &dyn Progress) -> Result<Vec<i32>, BuildError> {
    let nodes = 0..graph.positions() as u32;
    let parents = Parents::of(graph);
    // For each position, the number of moves to positions without a known score.
    let mut waiting: Vec<u32> = nodes
        .clone()
        .map(|node| graph.moves_of(node).len() as u32)
        .collect();
    // For an unfinished position, the best score of its known moves; initially less than any.
    let mut scores = graph.finals.clone();
    let mut ready: Vec<u32> = nodes
        .clone()
        .filter(|&node| graph.final_score(node).is_some())
        .collect();
    let mut done = 0;
    // Each score improves its parents', and completes those that waited only for it.
    while let Some(child) = ready.pop() {
        if done % LOOK_EVERY == 0 {
            if progress.cancelled() {
                return Err(BuildError::Interrupted);
            }
            progress.advance(u64::from(LOOK_EVERY.min(nodes.end - done)));
        }
        done += 1;
        for &parent in parents.of_node(child) {
            let worth = graph.worth(parent, child, scores[child as usize]);
            let best = &mut scores[parent as usize];
            *best = worth.max(*best);
            waiting[parent as usize] -= 1;
            if waiting[parent as usize] == 0 {
                ready.push(parent);
            }
        }
    }
    // The positions that still wait are on a cycle or lead to one.
    let is_open = |node: u32| waiting[node as usize] > 0;
    match nodes.into_iter().find(|&node| is_open(node)) {
        Some(first) => Err(BuildError::Repetition(cycle(graph, first, is_open))),
        None => Ok(scores),
    }
}

/// The parents of all positions.
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

/// A short cycle among open positions, each of which has a move to another one.
fn cycle(graph: &Graph, first: u32, is_open: impl Fn(u32) -> bool) -> Vec<String> {
    let moves = |&node: &u32| {
        let edges = graph
            .moves_of(node)
            .filter(|&edge| is_open(graph.children[edge]));
        edges.map(|edge| (edge, graph.children[edge])).collect()
    };
    let name = |edge: usize| graph.names[graph.moves[edge] as usize].clone();
    let tell = |&node: &u32, edge| [graph.text(node).to_owned(), name(edge)];
    short_cycle(first, usize::MAX, moves, tell)
}

/// The range of scores that count plies.
fn range_in_plies(graph: &Graph) -> ScoreRange {
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
    let mut open = (0..)
        .zip(scores)
        .filter(|&(node, _)| graph.final_score(node).is_none());
    match open.find(|&(_, &score)| range.code(score).is_none()) {
        Some((node, &score)) => refused(format!(
            "{} is {} plies from the end, but a table holds {range}",
            graph.text(node),
            distance(score).unwrap_or_default()
        )),
        None => Ok(()),
    }
}

/// The range of the scores of unfinished positions.
///
/// # Errors
/// If there are too many for the byte codes of a table.
fn check_range(graph: &Graph, scores: &[i32]) -> Result<ScoreRange, BuildError> {
    let all = (0..).zip(scores.iter().copied());
    let open = all.filter(|&(node, _)| graph.final_score(node).is_none());
    let (mut lowest, mut highest) = ((0, i32::MAX), (0, i32::MIN));
    for one in open.clone() {
        lowest = if one.1 < lowest.1 { one } else { lowest };
        highest = if one.1 > highest.1 { one } else { highest };
    }
    let step = open.fold(0, |step, (_, score)| gcd(step, score - lowest.1));
    let step = step.max(1);
    if (highest.1 - lowest.1) / step > 255 {
        let [lowest, highest] =
            [lowest, highest].map(|(node, score)| format!("{score} in {}", graph.text(node)));
        return refused(format!(
            "scores go from {lowest} to {highest} in steps of {step}, but a table holds 256 different \
             ones at most: count in larger steps, or only who wins (1, 0 or -1)"
        ));
    }
    Ok(ScoreRange {
        lowest: lowest.1,
        highest: highest.1,
        step,
    })
}

fn gcd(one: i32, other: i32) -> i32 {
    if other == 0 {
        one.abs()
    } else {
        gcd(other, one % other)
    }
}
