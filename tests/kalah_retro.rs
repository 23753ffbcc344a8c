//! Tests of Kalah's retrograde solver against other solvers and published values.

use crate::common::{kalah, kalah_counts_hold, kalah_values_hold, known_of_kalah};
use zermelo::game::{
    Game, NoCheckpoints, NoProgress, Notation, OwnSolver, Progress, Scores, Solution, SolveError,
    SolveOptions, Solving, Tile,
};
use zermelo::games::kalah::Kalah;
use zermelo::games::kalah::solver::{Forms, KalahSolver};
use zermelo::solve::{Method, score_of, solve};

fn options(threads: usize) -> SolveOptions {
    SolveOptions {
        threads,
        memory: 4 << 30,
    }
}

fn by_own_solver(game: &Kalah) -> Solution {
    solve(game, Method::Backward, options(2), &NoProgress)
        .unwrap()
        .solution
}

/// Checks that all scores are the same, and the same slots vacant.
fn assert_same(game: &Kalah, what: &str, found: &dyn Scores, wanted: &dyn Scores) {
    assert_eq!(found.count(), wanted.count(), "{}, {what}", game.name());
    let ranking = game.capabilities().solving.ranking().unwrap();
    let (mut one, mut other) = (Tile::default(), Tile::default());
    for (number, segment) in ranking.segments().iter().enumerate() {
        let number = number as u32;
        // Read rectangles that begin and end anywhere.
        for (rows, columns) in [(97, 71), (segment.rows, segment.columns)] {
            for row in (0..segment.rows).step_by(rows as usize) {
                for column in (0..segment.columns).step_by(columns as usize) {
                    let rows = row..segment.rows.min(row + rows);
                    let columns = column..segment.columns.min(column + columns);
                    found.tile(number, rows.clone(), columns.clone(), &mut one);
                    wanted.tile(number, rows.clone(), columns.clone(), &mut other);
                    assert!(one == other, "{}, {what}, segment {number}", game.name());
                    if found.is_vacant(number, rows, columns) {
                        assert_eq!(other.count(), 0);
                    }
                }
            }
        }
    }
}

#[test]
fn the_own_solver_agrees_with_the_generic_solver_on_small_boards() {
    // Small boards with many seeds have laps; boards with 5 pits have all kinds of captures.
    own_solvers_agree_with_the_generic_solver(
        &[(1, 3), (1, 20), (2, 2), (2, 5), (3, 2), (5, 1)],
        &[2],
    );
}

#[test]
#[ignore = "exhaustive: 35 s"]
fn the_own_solver_agrees_with_the_generic_solver_on_many_boards() {
    let boards = [
        (1, 1),
        (1, 3),
        (1, 20),
        (2, 1),
        (2, 2),
        (2, 5),
        (2, 6),
        (3, 1),
        (3, 2),
        (3, 4),
        (4, 1),
        (4, 2),
        (5, 1),
        (6, 1),
    ];
    own_solvers_agree_with_the_generic_solver(&boards, &[1, 2, 4]);
}

fn own_solvers_agree_with_the_generic_solver(
    boards: &[(usize, usize)],
    numbers_of_threads: &[usize],
) {
    for &(pits, seeds) in boards {
        for empty_capture in [false, true] {
            let game = kalah(pits, seeds, empty_capture);
            let generic = solve(&game, Method::Rules, options(2), &NoProgress).unwrap();
            let Solution::Ranked(generic) = generic.solution else {
                panic!("Kalah has a ranking");
            };
            let total = game.total_seeds();
            for &threads in numbers_of_threads {
                // All layers but the lowest sparse, some of them, none, and the solver's own
                // choice.
                let up_to = |saved_up_to, dense_up_to| {
                    [false, true].map(|packed| {
                        Some(Forms {
                            packed,
                            saved_up_to,
                            dense_up_to,
                            in_files: false,
                        })
                    })
                };
                let forms = [
                    up_to(0, 0),
                    up_to(0, total),
                    up_to(total / 3, total / 2),
                    up_to(total / 2, total),
                    up_to(total, total),
                    [None; 2],
                ];
                for forms in forms.into_iter().flatten() {
                    let mut solver = KalahSolver::new(&game);
                    solver.forms = forms;
                    let pool = rayon::ThreadPoolBuilder::new()
                        .num_threads(threads)
                        .build()
                        .unwrap();
                    let (found, _) = pool
                        .install(|| solver.solve(options(threads), &NoProgress, &mut NoCheckpoints))
                        .unwrap();
                    let what = format!("{threads} threads, {forms:?}");
                    assert_same(&game, &what, &*found, &*generic);
                }
            }
        }
    }
}

#[test]
fn known_margins_hold() {
    let quick = |pits: usize, seeds: usize| match pits {
        1..=3 => true,
        4 => seeds <= 2,
        5 => seeds == 1,
        _ => false,
    };
    assert_eq!(kalah_values_hold(quick, by_own_solver), 2 * (18 + 2 + 1));
}

#[test]
#[ignore = "exhaustive: 5 s"]
fn known_margins_of_larger_boards_hold() {
    let slow = |pits: usize, seeds: usize| match pits {
        1..=3 => false,
        4 => (3..=4).contains(&seeds),
        5 => seeds == 2,
        _ => seeds == 1,
    };
    assert_eq!(kalah_values_hold(slow, by_own_solver), 2 * (2 + 1 + 1));
}

#[test]
fn known_counts_hold() {
    let quick = |pits, seeds| [(4, 1), (4, 2), (5, 1)].contains(&(pits, seeds));
    assert_eq!(kalah_counts_hold(quick, by_own_solver), 6);
}

#[test]
#[ignore = "exhaustive: 3 s"]
fn known_counts_of_all_boards_hold() {
    assert_eq!(kalah_counts_hold(|_, _| true, by_own_solver), 13);
}

/// The side to move can lose every remaining seed under standard rules.
///
/// A solver that assumes a gain of at least one seed finds +4.
#[test]
#[ignore = "exhaustive: 30 s"]
fn kalah_with_6_pits_and_2_seeds_is_won_by_6_or_10() {
    let rows = known_of_kalah(include_str!("data/kalah_first_moves.csv"), |pits, seeds| {
        (pits, seeds) == (6, 2)
    });
    assert_eq!(rows.len(), 2);
    for (game, row) in rows {
        let solution = by_own_solver(&game);
        let start = game.start();
        let scores: Vec<String> = game
            .legal_moves(&start)
            .into_iter()
            .map(|mv| {
                let child = game.play(&start, mv);
                let score = score_of(&game, &solution, &child).unwrap();
                let passes = child.side != start.side;
                (if passes { -score } else { score }).to_string()
            })
            .collect();
        assert_eq!(scores.join(" "), row["scores"], "{}", game.name());
        let margin = if game.parameters().empty_capture {
            10
        } else {
            6
        };
        assert_eq!(score_of(&game, &solution, &start), Some(margin));
    }
}

struct CancelAt(std::sync::atomic::AtomicU64);

impl Progress for CancelAt {
    fn phase(&self, _name: &str, _unit: &str, _total: u64) {}
    fn advance(&self, _units: u64) {}
    fn cancelled(&self) -> bool {
        use std::sync::atomic::Ordering::Relaxed;
        self.0
            .fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1))
            .is_err()
    }
}

#[test]
fn the_own_solver_can_be_cancelled_anywhere() {
    let game = kalah(4, 2, false);
    let mut finished = false;
    for questions in 0..10_000 {
        let result = KalahSolver::new(&game).solve(
            options(2),
            &CancelAt(questions.into()),
            &mut NoCheckpoints,
        );
        match result {
            Err(SolveError::Interrupted) => {}
            Err(other) => panic!("{other}"),
            Ok((scores, _)) => {
                assert_eq!(scores.count(), 66_265);
                finished = true;
                break;
            }
        }
    }
    assert!(finished, "never finished");
}

#[test]
fn memory_needed_is_known_before_solving() {
    let needed = |seeds| KalahSolver::new(&kalah(6, seeds, false)).memory_needed(1);
    assert!(needed(2) < 300_000_000);
    assert!(needed(3) > 2_000_000_000);
    // With 10^13 positions and more, the computation must not overflow.
    assert!(needed(6) > 1 << 40);
    assert!(needed(21) > needed(6));
}

/// Compares the scores of an endgame with those of complete games.
///
/// Every slot of the endgame has a score.
#[test]
fn an_endgame_serves_every_start() {
    for empty_capture in [false, true] {
        let endgame = Kalah::endgame(4, 9, empty_capture).unwrap();
        let by_own_solver = by_own_solver(&endgame);
        let generic = solve(&endgame, Method::Rules, options(2), &NoProgress).unwrap();
        let (Solution::Ranked(found), Solution::Ranked(wanted)) =
            (&by_own_solver, &generic.solution)
        else {
            panic!("Kalah has a ranking");
        };
        assert_same(&endgame, "by solver", &**found, &**wanted);
        let slots: u64 = endgame
            .ranking()
            .unwrap()
            .segments()
            .iter()
            .map(|segment| segment.slots())
            .sum();
        assert_eq!(by_own_solver.count(), slots);

        let game = kalah(4, 2, empty_capture);
        let solution = self::by_own_solver(&game);
        let mut compared = 0;
        let keys = zermelo::solve::reachable(&game, 1 << 30, &NoProgress).unwrap();
        for position in keys.iter().map(|&key| game.position_of_key(key).unwrap()) {
            if position.seeds_on_board() <= 9 {
                let wanted = score_of(&game, &solution, &position);
                assert_eq!(score_of(&endgame, &by_own_solver, &position), wanted);
                compared += 1;
            }
        }
        assert!(compared > 10_000);
    }
}

#[test]
fn the_memory_that_an_endgame_needs_is_known_beforehand() {
    let endgame = Kalah::endgame(4, 12, false).unwrap();
    let memory = KalahSolver::new(&endgame).memory_needed(1);
    for (memory, enough) in [(memory - 1, false), (memory + 1_000_000, true)] {
        let options = SolveOptions { threads: 1, memory };
        let solved = solve(&endgame, Method::Backward, options, &NoProgress);
        assert_eq!(solved.is_ok(), enough);
    }
}
