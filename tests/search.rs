//! Tests of the searches against a visit of all lines of play.
//!
//! That reference uses neither windows nor classes nor tables.

use crate::common::{all_positions, kalah, random_plays};
use rustc_hash::FxHashMap;
use zermelo::game::{Game, NoProgress, Notation, SolveOptions};
use zermelo::games::eight::Eight;
use zermelo::games::kalah::Kalah;
use zermelo::games::reversi::{Board, Reversi, Start};
use zermelo::games::tictactoe::{Scoring, TicTacToe};
use zermelo::oracle::{Comparison, RunResult, SearchMethod, compare};
use zermelo::search::{Algorithm, Counts, Search, Stopped, TranspositionTable, Window};
use zermelo::solve::{Method as SolveMethod, score_of, solve};

/// The score by its definition, for each position separately.
struct Reference<'a, G: Notation> {
    game: &'a G,
    evaluate: fn(&G, &G::Position) -> i32,
    known: FxHashMap<(G::Position, u32), i32>,
}

const TO_THE_END: u32 = 1000;

impl<'a, G: Notation> Reference<'a, G> {
    fn new(game: &'a G, evaluate: fn(&G, &G::Position) -> i32) -> Self {
        Reference {
            game,
            evaluate,
            known: FxHashMap::default(),
        }
    }

    fn score(&mut self, position: &G::Position, depth: u32) -> i32 {
        let game = self.game;
        if let Some(score) = game.final_score(position) {
            return score;
        }
        if depth == 0 {
            return (self.evaluate)(game, position);
        }
        if let Some(&score) = self.known.get(&(position.clone(), depth)) {
            return score;
        }
        let scores = self.play_scores(position, depth);
        let best = scores.into_iter().map(|(_, score)| score).max().unwrap();
        self.known.insert((position.clone(), depth), best);
        best
    }

    fn play_scores(&mut self, position: &G::Position, depth: u32) -> Vec<(G::Move, i32)> {
        let game = self.game;
        let mut scores = Vec::new();
        for mv in game.legal_moves(position) {
            let child = game.play(position, mv);
            let score = self.score(&child, depth.saturating_sub(1));
            let same = game.side_to_move(&child) == game.side_to_move(position);
            scores.push((mv, if same { score } else { -score }));
        }
        scores
    }
}

/// Returns the full window, and windows at, below, above and around the score.
fn windows(score: i32) -> [Window; 6] {
    let window = |alpha, beta| Window { alpha, beta };
    [
        Window::FULL,
        Window::at_least(score),
        Window::at_least(score + 1),
        window(score - 1, score + 1),
        window(score - 5, score - 2),
        window(score + 2, score + 5),
    ]
}

#[track_caller]
fn answers_rightly<G: Notation>(
    search: &mut Search<G>,
    algorithm: Algorithm,
    position: &G::Position,
    exact: i32,
) {
    assert_eq!(
        search.score(algorithm, position),
        Ok(exact),
        "{algorithm} {position:?}"
    );
    // Minimax and negamax ignore windows and are slow, so one window is enough.
    let looks_at_all = matches!(algorithm, Algorithm::Minimax | Algorithm::Negamax);
    let windows = windows(exact)
        .into_iter()
        .skip(if looks_at_all { 5 } else { 0 });
    for window in windows {
        let found = search.in_window(algorithm, position, window).unwrap();
        let right = if looks_at_all {
            found == exact
        } else if found <= window.alpha {
            exact <= found
        } else if found >= window.beta {
            exact >= found
        } else {
            exact == found
        };
        assert!(
            right,
            "{algorithm} {position:?}: {found} for {exact} in {window:?}"
        );
    }
}

/// Checks all algorithms without a table, with a large table and with a tiny one.
fn searches_are_right<G: Notation>(game: &G, positions: &[G::Position]) {
    let mut reference = Reference::new(game, |_, _| unreachable!());
    for algorithm in Algorithm::ALL {
        for table in [None, Some(1 << 22), Some(0)] {
            let table = table.map(TranspositionTable::new);
            let mut search = Search::new(game);
            if let Some(table) = &table {
                search = search.with_table(table);
            }
            for position in positions {
                let exact = reference.score(position, TO_THE_END);
                answers_rightly(&mut search, algorithm, position, exact);
            }
        }
    }
}

/// Checks the same at limited depths, with one table for all depths.
fn searches_to_a_depth_are_right<G: Notation>(
    game: &G,
    positions: &[G::Position],
    evaluate: fn(&G, &G::Position) -> i32,
) {
    let mut reference = Reference::new(game, evaluate);
    for algorithm in Algorithm::ALL {
        for table in [None, Some(1 << 22), Some(0)] {
            let table = table.map(TranspositionTable::new);
            for depth in [3, 0, 1, 4, 2] {
                let mut search = Search::new(game).to_depth(depth, evaluate);
                if let Some(table) = &table {
                    search = search.with_table(table);
                }
                for position in positions {
                    let exact = reference.score(position, depth);
                    answers_rightly(&mut search, algorithm, position, exact);
                    moves_are_right(&mut search, algorithm, position, |position| {
                        reference.play_scores(position, depth)
                    });
                }
            }
        }
    }
}

fn moves_are_right<G: Notation>(
    search: &mut Search<G>,
    algorithm: Algorithm,
    position: &G::Position,
    mut play_scores: impl FnMut(&G::Position) -> Vec<(G::Move, i32)>,
) {
    let mut expected = play_scores(position);
    // The sort is stable, so the first of the best moves stays first.
    expected.sort_by_key(|&(_, score)| -score);
    let found = search.play_scores(algorithm, position);
    assert_eq!(found, Ok(expected), "{algorithm}");
}

fn every_position_is_right<G: Notation>(game: &G) {
    searches_are_right(game, &all_positions(game));
}

fn reversi(board: Board) -> [Reversi; 2] {
    Start::ALL.map(|start| Reversi { board, start })
}

/// Returns up to `count` positions of random games that satisfy the condition.
fn random_positions<G: Notation>(
    game: &G,
    count: usize,
    wanted: impl Fn(&G::Position) -> bool,
) -> Vec<G::Position> {
    let mut positions = random_plays(game, count);
    positions.retain(|position| wanted(position));
    let step = positions.len().div_ceil(count);
    positions.into_iter().step_by(step).collect()
}

const SCORINGS: [Scoring; 2] = [Scoring::Outcome, Scoring::Shortest];

/// Returns the seeds on the side to move minus those on the other side.
fn seed_difference(game: &Kalah, position: &<Kalah as Game>::Position) -> i32 {
    let text = game.format_position(&game.canonical(position));
    let sum_of = |row: &str| -> i32 {
        let pits = row.split([':', ' ']).next().unwrap();
        pits.split(',').map(|pit| pit.parse::<i32>().unwrap()).sum()
    };
    let (first, second) = text.split_once('/').unwrap();
    game.banked(position) + sum_of(first) - sum_of(second)
}

#[test]
fn every_position_of_eight() {
    every_position_is_right(&Eight);
}

#[test]
fn every_position_of_tictactoe() {
    every_position_is_right(&TicTacToe::default());
}

#[test]
#[ignore = "exhaustive: 2 s"]
fn every_position_of_tictactoe_by_outcome() {
    let scoring = Scoring::Outcome;
    every_position_is_right(&TicTacToe { scoring });
}

#[test]
fn every_position_of_small_kalah() {
    for empty_capture in [false, true] {
        for (pits, seeds) in [(1, 4), (2, 2), (2, 3), (3, 1), (4, 1)] {
            every_position_is_right(&kalah(pits, seeds, empty_capture));
        }
    }
}

#[test]
fn some_positions_of_small_reversi() {
    for game in reversi(Board::FourByFour) {
        let positions = random_positions(&game, 100, |position| game.empty_cells(position) <= 7);
        searches_are_right(&game, &positions);
    }
}

#[test]
#[ignore = "exhaustive: 40 s"]
fn every_position_of_small_reversi() {
    for game in reversi(Board::FourByFour) {
        every_position_is_right(&game);
    }
}

#[test]
fn random_positions_of_larger_games() {
    for empty_capture in [false, true] {
        for (pits, seeds) in [(6, 2), (6, 4), (5, 6)] {
            let game = kalah(pits, seeds, empty_capture);
            let positions = random_positions(&game, 50, |position| {
                game.layer(&game.canonical(position)) <= 8
            });
            searches_are_right(&game, &positions);
        }
    }
    for game in reversi(Board::Octagon) {
        let positions = random_positions(&game, 50, |position| game.empty_cells(position) <= 6);
        searches_are_right(&game, &positions);
    }
}

#[test]
fn searches_to_a_depth() {
    searches_of_positions_to_a_depth(12);
}

#[test]
#[ignore = "exhaustive: 2 s"]
fn searches_of_many_positions_to_a_depth() {
    searches_of_positions_to_a_depth(40);
}

/// Checks positions of `count` random games, for each game.
fn searches_of_positions_to_a_depth(count: usize) {
    for scoring in SCORINGS {
        let game = TicTacToe { scoring };
        let positions = all_positions(&game);
        let step = positions.len() / (6 * count);
        let positions: Vec<_> = positions.into_iter().step_by(step).collect();
        searches_to_a_depth_are_right(&game, &positions, Game::evaluate);
    }
    for game in [kalah(3, 2, false), kalah(6, 4, false), kalah(6, 4, true)] {
        let positions = random_positions(&game, count, |_| true);
        searches_to_a_depth_are_right(&game, &positions, Game::evaluate);
        searches_to_a_depth_are_right(&game, &positions, seed_difference);
    }
    for game in [reversi(Board::FourByFour)[1], reversi(Board::Octagon)[0]] {
        let positions = random_positions(&game, count, |_| true);
        searches_to_a_depth_are_right(&game, &positions, |_, position| position.disc_difference());
    }
}

#[test]
fn moves_have_their_scores() {
    scores_of_moves_are_right(&kalah(3, 2, false));
}

#[test]
#[ignore = "exhaustive: 5 s"]
fn moves_of_a_larger_game_have_their_scores() {
    scores_of_moves_are_right(&kalah(4, 2, false));
}

fn scores_of_moves_are_right(game: &Kalah) {
    let mut reference = Reference::new(game, |_, _| unreachable!());
    let table = TranspositionTable::new(1 << 22);
    for position in random_positions(game, 60, |_| true) {
        for algorithm in Algorithm::ALL {
            let mut search = Search::new(game).with_table(&table);
            moves_are_right(&mut search, algorithm, &position, |position| {
                reference.play_scores(position, TO_THE_END)
            });
        }
    }
}

fn counts(algorithm: Algorithm, table: Option<&TranspositionTable>) -> Counts {
    let game = TicTacToe::default();
    let mut search = Search::new(&game);
    if let Some(table) = table {
        search = search.with_table(table);
    }
    assert_eq!(search.score(algorithm, &game.start()), Ok(0));
    search.counts()
}

#[test]
fn minimax_and_negamax_count_the_whole_tree() {
    let whole = Counts {
        nodes: 549_946,
        evaluations: 255_168,
        ..Counts::default()
    };
    for algorithm in [Algorithm::Minimax, Algorithm::Negamax] {
        assert_eq!(counts(algorithm, None), whole, "{algorithm}");
    }
}

/// Checks that every method finds the value and the first of the best moves.
///
/// The tables are one that holds everything and one that loses nearly everything.
#[track_caller]
fn methods_agree<G: Notation>(
    game: &G,
    position: &G::Position,
    depths: &[u32],
    mut right: impl FnMut(u32) -> (i32, G::Move),
) {
    for table_bytes in [0, 1 << 20] {
        let mut comparison = Comparison::default();
        comparison.methods = SearchMethod::all();
        comparison.depths = depths.to_vec();
        comparison.table_bytes = table_bytes;
        let compared = compare(game, position, &comparison, &NoProgress).unwrap();
        assert!(!compared.is_interrupted);
        assert_eq!(compared.runs.len(), 10 * depths.len().max(1));
        for run in compared.runs {
            let (value, best_move) = right(run.depth.unwrap_or(TO_THE_END));
            let best_move = Some(game.format_move(best_move));
            let found = RunResult::Found { value, best_move };
            let name = game.format_position(position);
            assert_eq!(run.outcome, found, "{} in {name}", run.method);
            assert!(run.counts.nodes > run.counts.cutoffs && run.counts.evaluations > 0);
        }
    }
}

fn methods_agree_to_depths<G: Notation>(game: &G) {
    let mut reference = Reference::new(game, G::evaluate);
    for position in random_positions(game, 12, |position| is_open(game, position)) {
        methods_agree(game, &position, &[1, 2, 3, 4], |depth| {
            let scores = reference.play_scores(&position, depth);
            first_best(scores)
        });
    }
}

/// Compares searches to the end of the game with the generic solver.
fn methods_agree_to_the_end<G: Notation>(game: &G, wanted: impl Fn(&G::Position) -> bool) {
    let options = SolveOptions {
        threads: 1,
        memory: 1 << 30,
    };
    let solved = solve(game, SolveMethod::Backward, options, &NoProgress).unwrap();
    let score = |position: &G::Position| score_of(game, &solved.solution, position).unwrap();
    let wanted = |position: &_| is_open(game, position) && wanted(position);
    for position in random_positions(game, 12, wanted) {
        let side = game.side_to_move(&position);
        let moves = game.legal_moves(&position).into_iter();
        let scores = moves.map(|mv| {
            let child = game.play(&position, mv);
            let known = game.final_score(&child);
            let known = known.unwrap_or_else(|| score(&child));
            (mv, game.seen_from(side, &child, known))
        });
        let best = first_best(scores.collect());
        assert_eq!(best.0, score(&position));
        methods_agree(game, &position, &[], |_| best);
    }
}

fn is_open<G: Notation>(game: &G, position: &G::Position) -> bool {
    game.final_score(position).is_none()
}

/// Returns the highest score and the first move that has it.
fn first_best<M: Copy>(scores: Vec<(M, i32)>) -> (i32, M) {
    let highest = scores.iter().map(|&(_, score)| score).max().unwrap();
    let first = scores.iter().find(|&&(_, score)| score == highest).unwrap();
    (highest, first.0)
}

#[test]
fn compared_methods_agree_at_every_depth() {
    for scoring in SCORINGS {
        methods_agree_to_depths(&TicTacToe { scoring });
    }
    methods_agree_to_depths(&Eight);
    for empty_capture in [false, true] {
        methods_agree_to_depths(&kalah(6, 4, empty_capture));
        methods_agree_to_depths(&kalah(3, 2, empty_capture));
    }
    methods_agree_to_depths(&reversi(Board::FourByFour)[0]);
    methods_agree_to_depths(&reversi(Board::Octagon)[1]);
}

#[test]
fn compared_methods_agree_with_solved_games() {
    for scoring in SCORINGS {
        methods_agree_to_the_end(&TicTacToe { scoring }, |_| true);
    }
    methods_agree_to_the_end(&Eight, |_| true);
    for empty_capture in [false, true] {
        let game = kalah(3, 2, empty_capture);
        methods_agree_to_the_end(&game, |position| game.layer(&game.canonical(position)) <= 8);
    }
    let game = reversi(Board::FourByFour)[1];
    methods_agree_to_the_end(&game, |position| game.empty_cells(position) <= 8);
}

#[test]
fn cutoffs_and_the_table_save_work() {
    let everything = counts(Algorithm::Negamax, None);
    let table = TranspositionTable::new(1 << 20);
    let classes = counts(Algorithm::Negamax, Some(&table));
    // Each class is searched once: nodes not found in the table are finished or one of the 627.
    let known_before = classes.evaluations + classes.table_cutoffs;
    assert_eq!(classes.nodes - known_before, 627);
    assert_eq!(classes.table_hits, classes.table_cutoffs);
    assert_eq!(classes.cutoffs, 0);
    for algorithm in Algorithm::ALL.into_iter().skip(2) {
        let table = TranspositionTable::new(1 << 20);
        let plain = counts(algorithm, None);
        let tabled = counts(algorithm, Some(&table));
        assert!(everything.nodes > 10 * plain.nodes, "{algorithm} {plain:?}");
        assert!(plain.nodes > 10 * tabled.nodes, "{algorithm} {tabled:?}");
        assert!(plain.cutoffs > 0 && plain.evaluations < plain.nodes);
        assert_eq!((plain.table_hits, plain.table_cutoffs), (0, 0));
        assert!(tabled.table_cutoffs > 0 && tabled.table_hits >= tabled.table_cutoffs);
    }
}

#[test]
fn a_search_that_is_told_to_stop_stops() {
    let game = TicTacToe::default();
    let stop = |_| true;
    for algorithm in Algorithm::ALL {
        let mut search = Search::new(&game).stop_when(&stop);
        assert_eq!(search.score(algorithm, &game.start()), Err(Stopped));
        assert_eq!(search.play_scores(algorithm, &game.start()), Err(Stopped));
        assert!(search.counts().nodes < 10_000);
    }
}
