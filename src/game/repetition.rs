//! Finds a short cycle of positions in a game that can repeat a position.

use super::{Notation, SolveError};
use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::Hash;

/// Largest number of positions to search for a cycle.
const LOOKED_AT: usize = 1 << 16;
/// Number of positions of a cycle from which to search for a shorter one.
const BEGINNINGS: usize = 8;

/// Returns the error of a game that lasts `moves` moves or more, or never ends.
pub(crate) fn too_long<G: Notation>(game: &G, from: &G::Position, moves: u32) -> SolveError {
    match repetition(game, from) {
        SolveError::Repetition { game, cycle } if cycle.is_empty() => {
            SolveError::TooLong { game, moves }
        }
        repetition => repetition,
    }
}

/// Returns the error of a game in which a position can repeat.
///
/// It shows a short cycle of canonical positions reachable from `from`, unless finding one takes
/// too long.
pub(crate) fn repetition<G: Notation>(game: &G, from: &G::Position) -> SolveError {
    let moves = |position: &G::Position| {
        let moves = game.legal_moves(position).into_iter();
        let children = moves.map(|mv| (mv, game.play(position, mv)));
        let open = children.filter(|(_, child)| game.final_score(child).is_none());
        open.map(|(mv, child)| (mv, game.canonical(&child)))
            .collect()
    };
    let format_step = |position: &_, mv| [game.format_position(position), game.format_move(mv)];
    SolveError::Repetition {
        game: game.name(),
        cycle: short_cycle(game.canonical(from), LOOKED_AT, moves, format_step),
    }
}

/// Returns a short cycle among the first `most` positions reachable from a position.
///
/// Empty if there is none.
///
/// It lists positions and moves in turn, as `format_step` formats them, from a position back to itself.
pub(crate) fn short_cycle<N: Clone + Eq + Hash, M: Copy>(
    from: N,
    most: usize,
    moves: impl Fn(&N) -> Vec<(M, N)>,
    format_step: impl Fn(&N, M) -> [String; 2],
) -> Vec<String> {
    // Depth-first search: `known` says whether a position is on the current path, `path` has its
    // moves that are still to be followed.
    let mut known = FxHashMap::from_iter([(from.clone(), true)]);
    let open = moves(&from);
    let mut path = vec![(from, open)];
    while let Some((node, open)) = path.last_mut() {
        let Some((_, child)) = open.pop() else {
            known.insert(node.clone(), false);
            path.pop();
            continue;
        };
        match known.get(&child) {
            Some(true) => {
                let first = path.iter().position(|step| step.0 == child);
                let cycle = &path[first.unwrap_or(0)..];
                let beginnings = cycle.iter().step_by(cycle.len().div_ceil(BEGINNINGS));
                // Only known positions count, so that this doesn't visit all of a large game.
                let is_known = |node: &N| known.contains_key(node);
                let shortest = |(node, _): &(N, _)| shortest_through(node, is_known, &moves);
                let shortest = beginnings.map(shortest).min_by_key(Vec::len);
                let steps = shortest.unwrap_or_default().into_iter();
                let mut texts: Vec<String> = steps
                    .flat_map(|(node, mv)| format_step(&node, mv))
                    .collect();
                texts.extend(texts.first().cloned());
                return texts;
            }
            None if known.len() < most => {
                known.insert(child.clone(), true);
                let open = moves(&child);
                path.push((child, open));
            }
            _ => {}
        }
    }
    Vec::new()
}

/// Returns the shortest cycle through `start` among known positions, empty if none.
///
/// Each position comes with the move to the next one, and the last with the move to `start`.
pub(crate) fn shortest_through<N: Clone + Eq + Hash, M: Copy>(
    start: &N,
    is_known: impl Fn(&N) -> bool,
    moves: impl Fn(&N) -> Vec<(M, N)>,
) -> Vec<(N, M)> {
    // Breadth-first search: each position with its predecessor's index and the move from it.
    let mut found: Vec<(N, Option<(usize, M)>)> = vec![(start.clone(), None)];
    let mut reached = FxHashSet::default();
    let mut place = 0;
    while let Some((node, _)) = found.get(place) {
        for (mv, child) in moves(node) {
            if child == *start {
                let steps = std::iter::successors(Some((place, mv)), |step| found[step.0].1);
                let steps = steps.map(|(place, mv)| (found[place].0.clone(), mv));
                let mut cycle: Vec<(N, M)> = steps.collect();
                cycle.reverse();
                return cycle;
            }
            if is_known(&child) && reached.insert(child.clone()) {
                found.push((child, Some((place, mv))));
            }
        }
        place += 1;
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a cycle found on a ring of positions with steps forward, and of `back` backward.
    fn on_ring(length: u32, back: u32) -> Vec<String> {
        let moves = |&place: &u32| {
            let mut moves = vec![(1, (place + 1) % length)];
            moves.extend((back > 0 && place >= back).then(|| (2, place - back)));
            moves
        };
        let cycle = short_cycle(0, usize::MAX, moves, |node, mv| {
            [node.to_string(), mv.to_string()]
        });
        for step in cycle.windows(3).step_by(2) {
            let [from, mv, to] = [0, 1, 2].map(|at| step[at].parse::<u32>().unwrap());
            assert!(moves(&from).contains(&(mv, to)), "{cycle:?}");
        }
        assert_eq!(cycle.first(), cycle.last());
        cycle
    }

    #[test]
    fn a_short_cycle_is_found_beside_a_long_one() {
        assert_eq!(on_ring(1000, 0).len(), 2 * 1000 + 1);
        for back in [1, 2, 7] {
            assert_eq!(on_ring(1000, back).len() as u32, 2 * (back + 1) + 1);
        }
        assert_eq!(on_ring(1, 0), ["0", "1", "0"]);
    }

    #[test]
    fn no_cycle_is_found_where_there_is_none() {
        let format_step = |node: &u64, ()| [node.to_string(), String::new()];
        let ending = |&place: &u64| match place {
            0..1000 => vec![((), place + 1), ((), place + 2)],
            _ => Vec::new(),
        };
        assert_eq!(short_cycle(0, usize::MAX, ending, format_step), [""; 0]);
        // A cycle beyond the limit is not found.
        assert_eq!(
            short_cycle(0, 100, |&n| vec![((), (n + 1) % 200)], format_step),
            [""; 0]
        );
    }
}
