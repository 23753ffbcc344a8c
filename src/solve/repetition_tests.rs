//! Tests of games in which positions repeat.

use super::tests::unchecked_error;
use super::{Method, solve};
use crate::game::{
    Endless, Family, NoProgress, Notation, ScoreRange, Side, Solution, SolveError, SolveOptions,
    WON, distance,
};
use crate::games::lgame::LGame;
use crate::games::merels::Kind;
use crate::games::oware::OwareFamily;
use crate::table::{Table, TableFile, Verdict, VerifyOptions, WriteOptions, verify, write_to_vec};
use crate::testing::random_graph::{Node, RandomGraph, by_value_iteration};
use std::sync::Arc;

const OPTIONS: SolveOptions = SolveOptions {
    threads: 1,
    memory: 1 << 28,
};

fn entries<G: Notation>(game: &G) -> Vec<(u128, i32)> {
    let solved = solve(game, Method::Backward, OPTIONS, &NoProgress).unwrap();
    let Solution::Keyed(entries) = solved.solution else {
        panic!("the game has no ranking");
    };
    entries
}

/// Checks that the solver and value iteration agree, and that the proof accepts their scores only.
fn agrees_with_value_iteration<G: Notation>(game: &G) -> Vec<(u128, i32)> {
    let entries = entries(game);
    let mut expected: Vec<(u128, i32)> = by_value_iteration(game).into_iter().collect();
    expected.sort_unstable();
    assert!(entries == expected, "{}", game.rules());
    assert!(matches!(verdict(game, &entries), Verdict::Proved { .. }));
    entries
}

fn verdict<G: Notation>(game: &G, entries: &[(u128, i32)]) -> Verdict {
    let solution = Solution::Keyed(entries.to_vec());
    let bytes = write_to_vec(game, &solution, WriteOptions::default(), &NoProgress).unwrap();
    let table = Table::new(TableFile::from_bytes(bytes).unwrap(), game.clone()).unwrap();
    verify(&table, &VerifyOptions::within(1, 1 << 28), &NoProgress).unwrap()
}

#[test]
fn games_with_repetition_are_solved_and_proved() {
    let mut outcomes = [0; 3];
    let mut longest = 0;
    for seed in 0..60 {
        let graph = RandomGraph::random(seed, 1 + seed as u32 % 3, 40);
        for (_, score) in agrees_with_value_iteration(&graph) {
            outcomes[(1 + score.signum()) as usize] += 1;
            longest = longest.max(distance(score).unwrap_or(0));
        }
    }
    assert!(outcomes.iter().all(|&count| count > 100), "{outcomes:?}");
    assert!(longest > 15, "{longest}");
}

#[test]
fn games_that_people_play_are_solved_and_proved() {
    let mut solved = vec![agrees_with_value_iteration(&LGame)];
    for steps in ["any", "neighbours", "orthogonal", "lines"] {
        let morris = Kind::Morris.read_rules(&format!("steps={steps}")).unwrap();
        solved.push(agrees_with_value_iteration(&morris));
    }
    for rules in ["pits=2 seeds=2", "pits=2 seeds=4"] {
        let oware = OwareFamily.read_rules(rules).unwrap();
        solved.push(agrees_with_value_iteration(&oware));
    }
    let longest = solved.iter().map(|entries| {
        let distances = entries.iter().filter_map(|entry| distance(entry.1));
        distances.max().unwrap()
    });
    assert_eq!(longest.take(5).collect::<Vec<_>>(), [9, 5, 7, 9, 10]);
}

#[test]
fn every_wrong_score_and_every_wrong_set_of_positions_is_refuted() {
    let mut tried = 0;
    for seed in 0..8 {
        let graph = RandomGraph::random(seed, 2, 12);
        let right = entries(&graph);
        for place in 0..right.len() {
            let others = [
                0,
                WON - 1,
                2 - WON,
                right[place].1 + 1,
                right[place].1 - 1,
                -right[place].1,
            ];
            for score in others {
                let mut wrong = right.clone();
                wrong[place].1 = score;
                if score == right[place].1 || ScoreRange::PLIES.code(score).is_none() {
                    continue;
                }
                assert!(
                    matches!(verdict(&graph, &wrong), Verdict::Refuted(_)),
                    "{seed} {place}"
                );
                tried += 1;
            }
            let mut missing = right.clone();
            missing.remove(place);
            if !missing.is_empty() {
                assert!(matches!(verdict(&graph, &missing), Verdict::Refuted(_)));
            }
        }
        // Nodes that no way leads to, with the scores that they would have: even in a circle they are
        // refuted, although each follows another.
        let known: Vec<u128> = right.iter().map(|entry| entry.0).collect();
        let unknown: Vec<u32> = (0..24)
            .filter(|&node| graph.node(node).score.is_none())
            .collect();
        let unknown = unknown
            .into_iter()
            .filter(|&node| !known.contains(&node.into()));
        let mut more = right.clone();
        more.extend(unknown.map(|node| (node.into(), 0)));
        more.sort_unstable();
        if more.len() > right.len() {
            assert!(matches!(verdict(&graph, &more), Verdict::Refuted(_)));
        }
    }
    assert!(tried > 200, "{tried}");
}

/// Two nodes that lead to each other and that nothing leads to.
#[test]
fn a_circle_that_nothing_leads_to_is_refuted() {
    let node = |edges: &[u32], score| Node {
        side: Side::First,
        edges: edges.to_vec(),
        score,
    };
    let nodes = vec![
        node(&[1], None),
        node(&[], Some(0)),
        node(&[3], None),
        node(&[2], None),
    ];
    let graph = RandomGraph {
        nodes: Arc::new(nodes),
        width: 4,
        endless: Endless::Draw,
    };
    assert!(matches!(verdict(&graph, &[(0, 0)]), Verdict::Proved { .. }));
    let found = verdict(&graph, &[(0, 0), (2, 0), (3, 0)]);
    assert!(matches!(found, Verdict::Refuted(_)), "{found:?}");
}

#[test]
fn a_cycle_that_was_not_promised_is_an_error() {
    let graph = RandomGraph {
        endless: Endless::Impossible,
        ..RandomGraph::random(0, 2, 40)
    };
    let error = unchecked_error(&graph, Method::Backward);
    assert!(matches!(error, SolveError::Repetition { .. }), "{error}");
}

#[test]
fn a_single_position_is_not_searched() {
    let error = solve(
        &RandomGraph::random(0, 1, 20),
        Method::Search,
        OPTIONS,
        &NoProgress,
    );
    let error = error.err().unwrap();
    assert!(matches!(error, SolveError::OnlyBySolving { .. }), "{error}");
}
