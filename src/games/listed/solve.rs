//! Solves an explicit game graph in which no position repeats.

use super::graph::{BuildError, CHECK_EVERY, Graph, UNFINISHED, refused};
use crate::game::{Endless, Progress, ScoreRange, WON, check_cancelled, distance, short_cycle};

/// Returns the range of the scores of unfinished positions, and every position's score.
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

/// Returns the range of scores that count plies.
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

/// Returns the range of the scores of unfinished positions.
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
    if lowest.1 > highest.1 {
        // The start is finished.
        return Ok(ScoreRange::default());
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
