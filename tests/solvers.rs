//! Tests of both solving methods, plain search and published values.

use crate::common::{kalah, kalah_counts_hold, kalah_values_hold, known};
use std::collections::BTreeMap;
use zermelo::game::{Game, NoProgress, Notation, Side, Solution, SolveOptions};
use zermelo::games::eight::Eight;
use zermelo::games::kalah::Kalah;
use zermelo::games::reversi::{Board, Reversi, Start};
use zermelo::games::tictactoe::{Scoring, TicTacToe};
use zermelo::search::{Algorithm, Search, TranspositionTable};
use zermelo::solve::{Method, reachable, score_of, solve};

fn options(threads: usize) -> SolveOptions {
    SolveOptions {
        threads,
        memory: 1 << 30,
    }
}

fn keys<G: Notation>(game: &G) -> Vec<u128> {
    reachable(game, 1 << 30, &NoProgress).unwrap()
}

/// Returns the scores of these classes, in their order; there must be no others.
fn scores<G: Notation>(game: &G, solution: &Solution, keys: &[u128]) -> Vec<i32> {
    assert_eq!(solution.count(), keys.len() as u64);
    keys.iter()
        .map(|&key| score_of(game, solution, &game.position_of_key(key).unwrap()).unwrap())
        .collect()
}

/// Compares both methods on several numbers of threads, and a small-table search.
fn both_methods_agree<G: Notation>(game: &G) {
    let keys = keys(game);
    let mut first: Option<Vec<i32>> = None;
    let mut agree = |what: String, scores: Vec<i32>| {
        let first = first.get_or_insert_with(|| scores.clone());
        // `assert_eq!` would print long lists.
        assert!(*first == scores, "{}: {what} differs", game.name());
    };
    for threads in [1, 2, 4] {
        let options = options(threads);
        let backward = solve(game, Method::Rules, options, &NoProgress).unwrap();
        agree(
            format!("backward on {threads} threads"),
            scores(game, &backward.solution, &keys),
        );
        let search = solve(game, Method::Search, options, &NoProgress).unwrap();
        agree(
            format!("search on {threads} threads"),
            scores(game, &search.solution, &keys),
        );
    }
    let own = solve(game, Method::Backward, options(2), &NoProgress).unwrap();
    agree(
        "the game's own method".into(),
        scores(game, &own.solution, &keys),
    );
}

fn negamax_agrees<G: Notation>(game: &G) {
    let solved = solve(game, Method::Rules, options(2), &NoProgress).unwrap();
    for key in keys(game) {
        let position = game.position_of_key(key).unwrap();
        let exact = Search::new(game)
            .score(Algorithm::Negamax, &position)
            .unwrap();
        let text = game.format_position(&position);
        assert_eq!(
            score_of(game, &solved.solution, &position),
            Some(exact),
            "{text}"
        );
    }
}

#[test]
fn both_methods_agree_on_tictactoe() {
    both_methods_agree(&TicTacToe {
        scoring: Scoring::Outcome,
    });
    both_methods_agree(&TicTacToe {
        scoring: Scoring::Shortest,
    });
}

#[test]
fn both_methods_agree_on_eight() {
    both_methods_agree(&Eight);
}

#[test]
fn both_methods_agree_on_kalah() {
    for empty_capture in [false, true] {
        for (pits, seeds) in [(2, 2), (3, 2), (4, 1)] {
            both_methods_agree(&kalah(pits, seeds, empty_capture));
        }
    }
}

#[test]
#[ignore = "exhaustive: 5 s"]
fn both_methods_agree_on_larger_kalah() {
    for empty_capture in [false, true] {
        for (pits, seeds) in [(4, 2), (5, 1)] {
            both_methods_agree(&kalah(pits, seeds, empty_capture));
        }
    }
}

#[test]
fn negamax_agrees_on_every_position_of_small_games() {
    negamax_agrees(&Eight);
    negamax_agrees(&TicTacToe {
        scoring: Scoring::Outcome,
    });
    negamax_agrees(&TicTacToe {
        scoring: Scoring::Shortest,
    });
    for empty_capture in [false, true] {
        for (pits, seeds) in [(1, 4), (2, 2), (2, 3), (3, 1), (3, 2), (4, 1)] {
            negamax_agrees(&kalah(pits, seeds, empty_capture));
        }
    }
}

#[test]
fn a_table_too_small_to_remember_much_changes_no_score() {
    let game = kalah(3, 1, false);
    let solved = solve(&game, Method::Rules, options(1), &NoProgress).unwrap();
    let table = TranspositionTable::new(0);
    let mut search = Search::new(&game).with_table(&table);
    for key in keys(&game) {
        let position = game.position_of_key(key).unwrap();
        assert_eq!(
            search.score(Algorithm::AlphaBeta, &position).ok(),
            score_of(&game, &solved.solution, &position)
        );
    }
    assert!(search.counts().table_hits > 0);
}

#[test]
fn both_methods_agree_on_reversi() {
    for start in Start::ALL {
        let board = Board::FourByFour;
        both_methods_agree(&Reversi { board, start });
    }
}

#[test]
fn the_second_player_wins_eight() {
    let solved = solve(&Eight, Method::Backward, options(1), &NoProgress).unwrap();
    assert_eq!(solved.solution.count(), 17);
    assert_eq!(score_of(&Eight, &solved.solution, &Eight.start()), Some(-1));
}

fn by_generic_backward(game: &Kalah) -> Solution {
    solve(game, Method::Rules, options(2), &NoProgress)
        .unwrap()
        .solution
}

#[test]
fn known_values_of_kalah_hold() {
    let small = |pits: usize, seeds: usize| match pits {
        1..=2 => true,
        3 => seeds <= 3,
        _ => pits <= 5 && seeds == 1,
    };
    assert_eq!(
        kalah_values_hold(small, by_generic_backward),
        2 * (12 + 3 + 2)
    );
}

#[test]
#[ignore = "exhaustive: 10 s"]
fn known_values_of_larger_kalah_hold() {
    let larger = |pits: usize, seeds: usize| match pits {
        1..=2 => false,
        3 => seeds > 3,
        4 => (2..=3).contains(&seeds),
        _ => pits == 6 && seeds == 1,
    };
    assert_eq!(
        kalah_values_hold(larger, by_generic_backward),
        2 * (3 + 2 + 1)
    );
}

#[test]
fn known_counts_of_kalah_hold() {
    let small = |pits: usize, seeds: usize| pits + seeds <= 6;
    assert_eq!(kalah_counts_hold(small, by_generic_backward), 2 * 3);
}

#[test]
#[ignore = "exhaustive: 6 s"]
fn known_counts_of_larger_kalah_hold() {
    let larger = |pits: usize, seeds: usize| pits + seeds == 7 && seeds != 2;
    assert_eq!(kalah_counts_hold(larger, by_generic_backward), 2 * 2);
}

#[derive(Default)]
struct Tree {
    nodes: u64,
    won_by_x: u64,
    won_by_o: u64,
    drawn: u64,
}

fn walk(game: &TicTacToe, position: &<TicTacToe as Game>::Position, tree: &mut Tree) {
    tree.nodes += 1;
    match (game.final_score(position), game.side_to_move(position)) {
        (Some(0), _) => tree.drawn += 1,
        (Some(_), Side::First) => tree.won_by_o += 1,
        (Some(_), Side::Second) => tree.won_by_x += 1,
        (None, _) => {
            for mv in game.legal_moves(position) {
                walk(game, &game.play(position, mv), tree);
            }
        }
    }
}

#[test]
fn known_numbers_of_tictactoe_hold() {
    let game = TicTacToe::default();
    let mut tree = Tree::default();
    walk(&game, &game.start(), &mut tree);

    let mut level = vec![game.start()];
    let mut positions = Vec::new();
    while !level.is_empty() {
        let mut children = BTreeMap::new();
        for position in &level {
            for mv in game.legal_moves(position) {
                let child = game.play(position, mv);
                children.insert(game.format_position(&child), child);
            }
        }
        positions.append(&mut level);
        level = children.into_values().collect();
    }
    let classes: BTreeMap<String, _> = positions
        .iter()
        .map(|position| game.canonical(position))
        .map(|position| (game.format_position(&position), position))
        .collect();
    let is_finished = |position: &&_| game.final_score(position).is_some();

    let solved = solve(&game, Method::Backward, options(2), &NoProgress).unwrap();
    let keys = keys(&game);
    assert_eq!(solved.solution.count(), keys.len() as u64);
    let depth = |key| game.layer(&game.position_of_key(key).unwrap());
    let at_depth = |wanted: u32| keys.iter().filter(|&&key| depth(key) == wanted).count();

    let rows = known(include_str!("data/tictactoe.csv"));
    assert_eq!(rows.len(), 19);
    for row in rows {
        let found = match row["what"] {
            "reachable positions" => positions.len() as i64,
            "finished positions" => positions.iter().filter(is_finished).count() as i64,
            "classes" => classes.len() as i64,
            "finished classes" => classes.values().filter(is_finished).count() as i64,
            "games" => (tree.won_by_x + tree.won_by_o + tree.drawn) as i64,
            "games won by X" => tree.won_by_x as i64,
            "games won by O" => tree.won_by_o as i64,
            "games drawn" => tree.drawn as i64,
            "nodes of the game tree" => tree.nodes as i64,
            "score of the start" => {
                i64::from(score_of(&game, &solved.solution, &game.start()).unwrap())
            }
            other => {
                let wanted = other.strip_prefix("unfinished classes at depth ").unwrap();
                at_depth(wanted.parse().unwrap()) as i64
            }
        };
        assert_eq!(found.to_string(), row["value"], "{}", row["what"]);
    }
}
