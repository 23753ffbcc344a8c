//! Tests of Kalah's search, compared with other methods and published values.
//!
//! The other methods are the retrograde solver, the generic solver and negamax.

use crate::common::{Random, kalah, known_of_kalah};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use zermelo::game::{Bounds, Game, NoProgress, Notation, Progress, Searcher};
use zermelo::games::kalah::endgame::{Endgame, Form};
use zermelo::games::kalah::search::{KalahSearch, MemoryPlan};
use zermelo::games::kalah::{Kalah, Position};
use zermelo::search::{Algorithm, Search};

/// Returns a search with the smallest endgame table, to search nearly everything.
fn bare_search(game: &Kalah, seeds: usize, table_bytes: u64, threads: usize) -> KalahSearch {
    let rules = game.parameters();
    let endgame = Endgame::new(rules.pits, 2, rules.empty_capture, &NoProgress).unwrap();
    KalahSearch::with_endgame(game, seeds, endgame, table_bytes, threads).unwrap()
}

fn planned_search(game: &Kalah, threads: usize) -> KalahSearch {
    let seeds = game.total_seeds();
    let plan = MemoryPlan::new(game.pits(), seeds, 300 << 20, 1, 1, None).unwrap();
    KalahSearch::new(game, seeds, plan, threads, &NoProgress).unwrap()
}

fn score(search: &KalahSearch, position: &Position) -> i32 {
    let found = search.score(position, 0, &NoProgress, &mut |_| ());
    found.unwrap().score().unwrap()
}

/// Returns all arrangements of seeds in a side's pits, in lexicographic order.
fn arrangements(pits: usize, seeds: usize) -> Vec<[u8; 6]> {
    if pits == 1 {
        return vec![[seeds as u8, 0, 0, 0, 0, 0]];
    }
    let mut all = Vec::new();
    for first in 0..=seeds {
        for mut rest in arrangements(pits - 1, seeds - first) {
            rest.rotate_right(1);
            rest[0] = first as u8;
            all.push(rest);
        }
    }
    all
}

/// All positions of small boards, reachable or not, in the order of their ranks.
///
/// Positions with few seeds come first. With `backwards` large ones do, while the table is empty.
#[test]
fn every_position_of_small_boards_scores_as_in_the_endgame_table() {
    let mut checked = 0;
    for (pits, seeds) in [(1, 30), (2, 16), (3, 9), (4, 7), (6, 6)] {
        for empty_capture in [false, true] {
            let game = Kalah::endgame(pits, seeds, empty_capture).unwrap();
            let solver = Endgame::new(pits, seeds, empty_capture, &NoProgress).unwrap();
            let of: Vec<_> = (0..=seeds).map(|seeds| arrangements(pits, seeds)).collect();
            for backwards in [false, true] {
                let search = bare_search(&game, seeds, if backwards { 1 << 20 } else { 64 }, 1);
                for i in 1..seeds {
                    let mover_seeds = if backwards { seeds - i } else { i };
                    for opponent_seeds in 1..=seeds - mover_seeds {
                        for &mover in &of[mover_seeds] {
                            for &opponent in &of[opponent_seeds] {
                                let position = Position::bare(mover, opponent);
                                let wanted = solver.score(&mover, &opponent).unwrap();
                                assert_eq!(score(&search, &position), wanted, "{position:?}");
                                checked += 1;
                            }
                        }
                    }
                }
            }
        }
    }
    assert!(checked > 100_000, "{checked}");
}

#[test]
#[ignore = "exhaustive: 2 s"]
fn random_positions_of_larger_boards_score_as_in_the_endgame_table() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for (pits, seeds) in [(4, 20), (5, 16), (6, 14)] {
        for empty_capture in [false, true] {
            let game = Kalah::endgame(pits, seeds, empty_capture).unwrap();
            let solver = Endgame::new(pits, seeds, empty_capture, &NoProgress).unwrap();
            for (threads, table_bytes) in [(1, 1 << 22), (2, 1 << 22), (4, 256)] {
                let search = bare_search(&game, seeds, table_bytes, threads);
                for _ in 0..60 {
                    let mut position = Position::bare([0; 6], [0; 6]);
                    for _ in 0..seeds - 6 + random.below(7) {
                        position.pits[random.below(2)][random.below(pits)] += 1;
                    }
                    if game.final_score(&position).is_some() {
                        continue;
                    }
                    let wanted = solver.score(&position.pits[0], &position.pits[1]).unwrap();
                    assert_eq!(score(&search, &position), wanted, "{position:?}");
                }
            }
        }
    }
}

/// Compares every reachable position of small games, stores included, with negamax.
#[test]
fn every_position_of_small_games_scores_as_in_negamax() {
    fn collect(game: &Kalah, position: &Position, scores: &mut HashMap<Position, i32>) -> i32 {
        if let Some(score) = game.final_score(position) {
            return score;
        }
        if let Some(&score) = scores.get(position) {
            return score;
        }
        let children = game
            .legal_moves(position)
            .into_iter()
            .map(|mv| game.play(position, mv));
        let best = children
            .map(|child| {
                let score = collect(game, &child, scores);
                if child.side == position.side {
                    score
                } else {
                    -score
                }
            })
            .max()
            .unwrap();
        scores.insert(*position, best);
        best
    }
    for (pits, seeds) in [(1, 5), (2, 3), (3, 2), (4, 1)] {
        for empty_capture in [false, true] {
            let game = kalah(pits, seeds, empty_capture);
            let mut scores = HashMap::new();
            let start = collect(&game, &game.start(), &mut scores);
            let by_generic = Search::new(&game).score(Algorithm::AlphaBeta, &game.start());
            assert_eq!(by_generic, Ok(start));
            let search = bare_search(&game, game.total_seeds(), 1 << 16, 1);
            for (position, wanted) in scores {
                assert_eq!(score(&search, &position), wanted, "{position:?}");
            }
        }
    }
}

#[test]
fn known_values_come_out() {
    known_values_hold(|pits, seeds| pits * seeds <= 12, 40);
}

#[test]
#[ignore = "exhaustive: 2 s"]
fn known_values_of_larger_boards_come_out() {
    known_values_hold(|pits, seeds| (13..=18).contains(&(pits * seeds)), 8);
}

/// Checks the published values of at least `least` boards.
fn known_values_hold(wanted: impl Fn(usize, usize) -> bool, least: usize) {
    let rows = known_of_kalah(include_str!("data/kalah_values.csv"), wanted);
    assert!(rows.len() >= least, "{}", rows.len());
    for (game, row) in rows {
        let search = planned_search(&game, 2);
        let margin = score(&search, &game.start());
        assert_eq!(margin.to_string(), row["margin"], "{}", game.name());
    }
}

#[test]
fn known_scores_of_first_moves_come_out() {
    let small = |_: usize, seeds: usize| seeds <= 3;
    let rows = known_of_kalah(include_str!("data/kalah_first_moves.csv"), small);
    assert_eq!(rows.len(), 4);
    for (game, row) in rows {
        let search = planned_search(&game, 2);
        let start = game.start();
        let scores: Vec<String> = game
            .legal_moves(&start)
            .into_iter()
            .map(|mv| {
                let child = game.play(&start, mv);
                let score = score(&search, &child);
                let score = if child.side == start.side {
                    score
                } else {
                    -score
                };
                score.to_string()
            })
            .collect();
        assert_eq!(scores.join(" "), row["scores"], "{}", game.name());
    }
}

/// A search that assumes a gain of at least one seed per move finds +4 here.
#[test]
fn a_mover_can_lose_every_seed() {
    let game = kalah(6, 2, false);
    for (threads, bytes) in [(1, 1 << 24), (2, 1 << 24), (1, 1 << 12)] {
        assert_eq!(
            score(&bare_search(&game, 24, bytes, threads), &game.start()),
            6
        );
    }
    let game = Kalah::endgame(6, 24, false).unwrap();
    let lost = game.parse_position("0,0,0,0,1,0/1,0,0,0,0,1").unwrap();
    assert_eq!(game.legal_moves(&lost).len(), 1);
    let search = bare_search(&game, 24, 1 << 16, 1);
    let solver = Endgame::new(6, 3, false, &NoProgress).unwrap();
    let wanted = solver.score(&lost.pits[0], &lost.pits[1]).unwrap();
    assert_eq!(score(&search, &lost), wanted);
}

/// Every null window must agree with the score.
#[test]
fn null_windows_agree_with_the_score() {
    for (pits, seeds, empty_capture) in [(3, 3, false), (3, 3, true), (6, 2, false), (4, 3, true)] {
        let game = kalah(pits, seeds, empty_capture);
        let most = game.total_seeds() as i32;
        let exact = score(&planned_search(&game, 1), &game.start());
        for wanted in -most - 2..=most + 2 {
            // Each window has its own table, so that no window knows the answer of another.
            let search = bare_search(&game, game.total_seeds(), 1 << 22, 2);
            let bound = search.bound(&game.start(), wanted, &NoProgress).unwrap();
            let bound = bound.unwrap();
            assert_eq!(bound >= wanted, exact >= wanted, "{wanted}: {bound}");
            let holds = if bound >= wanted {
                bound <= exact
            } else {
                bound >= exact
            };
            assert!(holds, "{wanted}: {bound}, but the score is {exact}");
        }
    }
}

/// A `Progress` that cancels after a number of positions.
struct Patience(AtomicU64);

impl Progress for Patience {
    fn phase(&self, _name: &str, _unit: &str, _total: u64) {}
    fn advance(&self, units: u64) {
        let left = self.0.load(Relaxed);
        self.0.store(left.saturating_sub(units), Relaxed);
    }
    fn cancelled(&self) -> bool {
        self.0.load(Relaxed) == 0
    }
}

#[test]
fn bounds_proven_before_an_interruption_hold() {
    let game = kalah(4, 4, false);
    let mut interrupted = 0;
    for threads in [1, 2] {
        for patience in [1, 5_000, 10_000, 20_000, 40_000, 1_000_000] {
            let search = bare_search(&game, 32, 1 << 24, threads);
            let patience = Patience(AtomicU64::new(patience));
            let mut last = (-32, 32);
            let mut hear = |Bounds { lower, upper }| {
                assert!(lower >= last.0 && upper <= last.1 && (lower, upper) != last);
                last = (lower, upper);
            };
            let found = search
                .score(&game.start(), -10, &patience, &mut hear)
                .unwrap();
            assert!(found.lower <= 2 && 2 <= found.upper, "{found:?}");
            if found.score().is_none() {
                interrupted += 1;
                // The entries in the table serve the next attempt.
                assert_eq!(score(&search, &game.start()), 2);
            }
        }
    }
    assert!(interrupted >= 4, "{interrupted}");
}

#[test]
fn the_likely_best_move_is_a_best_one() {
    let game = kalah(6, 2, false);
    let search = planned_search(&game, 2);
    assert_eq!(search.likely_best(&game.start()), None);
    let bound = search.bound(&game.start(), 6, &NoProgress).unwrap();
    assert!(bound.unwrap() >= 6);
    let mv = search.likely_best(&game.start()).unwrap();
    assert_eq!(game.format_move(mv), "5");
}

/// Returns a position with at most `seeds` seeds on the board from a random game.
///
/// Returns `None` if the game ended with more seeds.
fn random_play(game: &Kalah, random: &mut Random, seeds: usize) -> Option<Position> {
    let mut position = game.start();
    while position.seeds_on_board() > seeds {
        let moves = game.legal_moves(&position);
        if moves.is_empty() {
            return None;
        }
        position = game.play(&position, moves[random.below(moves.len())]);
    }
    game.final_score(&position).is_none().then_some(position)
}

/// Returns the score by the rules, and by solved scores once few seeds remain.
fn by_endgame_and_rules(
    game: &Kalah,
    solver: &Endgame,
    position: &Position,
    known: &mut HashMap<Position, i32>,
) -> i32 {
    if let Some(score) = game.final_score(position) {
        return score;
    }
    let (mover, opponent) = position.mover_and_opponent();
    if let Some(to_come) = solver.score(mover, opponent) {
        return game.banked(position) + to_come;
    }
    if let Some(&score) = known.get(position) {
        return score;
    }
    let children = game.legal_moves(position).into_iter().map(|mv| {
        let child = game.play(position, mv);
        let score = by_endgame_and_rules(game, solver, &child, known);
        if child.side == position.side {
            score
        } else {
            -score
        }
    });
    let best = children.max().unwrap();
    known.insert(*position, best);
    best
}

/// Compares random positions of Kalah(6,4) with the solver's scores and the rules.
///
/// Each form of the endgame table has one searcher.
fn random_play_scores_as_in_the_endgame_table(
    positions: usize,
    (fewest, most): (usize, usize),
    swept: usize,
    plan: MemoryPlan,
) {
    let game = kalah(6, 4, false);
    let solver = Endgame::new(6, swept, false, &NoProgress).unwrap();
    for (threads, form) in [(1, Form::Bytes), (2, Form::Half)] {
        let plan = MemoryPlan { form, ..plan };
        let search = KalahSearch::new(&game, most, plan, threads, &NoProgress).unwrap();
        let mut random = Random(0x2545_f491_4f6c_dd1d);
        let mut checked = 0;
        while checked < positions {
            let seeds = fewest + random.below(most - fewest + 1);
            let Some(position) = random_play(&game, &mut random, seeds) else {
                continue;
            };
            if position.seeds_on_board() < fewest {
                continue;
            }
            let wanted = by_endgame_and_rules(&game, &solver, &position, &mut HashMap::new());
            assert_eq!(score(&search, &position), wanted, "{position:?}");
            checked += 1;
        }
    }
}

#[test]
fn late_positions_of_random_play_score_as_in_the_endgame_table() {
    let plan = MemoryPlan {
        endgame_seeds: 6,
        form: Form::Bytes,
        table_bytes: 1 << 20,
    };
    random_play_scores_as_in_the_endgame_table(100, (9, 14), 12, plan);
}

#[test]
#[ignore = "takes 6 GB of memory and minutes"]
fn huge_positions_in_the_midst_of_random_play_score_as_in_the_endgame_table() {
    let plan = MemoryPlan {
        endgame_seeds: 14,
        form: Form::Bytes,
        table_bytes: 1 << 26,
    };
    random_play_scores_as_in_the_endgame_table(2000, (25, 30), 28, plan);
}
