//! Solvers on artificial games.

use super::by_search::STACK;
use super::*;
use crate::conformance::tests::{Stones, WRONG_RANKINGS, stones};
use crate::game::{NoProgress, Side, Tile};
use crate::search::deepest_on;
use crate::testing::walk::{Walk, walk};
use std::sync::atomic::{AtomicU64, Ordering};

const OPTIONS: SolveOptions = SolveOptions {
    threads: 2,
    memory: 1 << 30,
};

const METHODS: [Method; 2] = [Method::Backward, Method::Search];

#[test]
fn ranked_and_keyed_solutions_say_the_same() {
    let length = 20;
    let keyed = walk(length);
    let ranked = Walk {
        ranked: true,
        ..keyed.clone()
    };
    let swept = Walk {
        swept: true,
        ..ranked.clone()
    };
    for (method, ranked) in [
        (Method::Backward, ranked.clone()),
        (Method::Search, ranked),
        (Method::Search, swept),
    ] {
        let solution = |game| solve(game, method, OPTIONS, &NoProgress).unwrap().solution;
        let (keyed_solution, ranked_solution) = (solution(&keyed), solution(&ranked));
        assert!(matches!(keyed_solution, Solution::Keyed(_)));
        let Solution::Ranked(scores) = &ranked_solution else {
            panic!("a game with a ranking gets a ranked solution");
        };
        assert_eq!(scores.count(), u64::from(length));
        for place in 0..length {
            // One or two places before the end, two steps win by 2; three before it, all moves
            // lose.
            let right = if (length - place) % 3 == 0 { -2 } else { 2 };
            let position = (place, Side::Second, 1);
            assert_eq!(score_of(&keyed, &keyed_solution, &position), Some(right));
            assert_eq!(score_of(&ranked, &ranked_solution, &position), Some(right));
        }
        let beyond = (length, Side::First, 1);
        assert_eq!(score_of(&ranked, &ranked_solution, &beyond), Some(-1));

        let mut tile = Tile::default();
        scores.tile(1, 0..2, 0..3, &mut tile);
        let present: Vec<bool> = (0..6).map(|index| tile.get(index).is_some()).collect();
        assert_eq!(present, [false, true, true, true, true, true]);
        assert_eq!((tile.rows, tile.columns, tile.count()), (2, 3, 5));
        // A tile that begins inside: places 8, 9 and 11, 12.
        scores.tile(1, 1..3, 0..2, &mut tile);
        let codes: Vec<Option<u8>> = (0..4).map(|index| tile.get(index)).collect();
        assert_eq!(codes, [Some(0), Some(4), Some(0), Some(4)]);
    }
}

#[test]
fn repetition_is_found_out() {
    let circular = Walk {
        returns: 1..5,
        ..walk(5)
    };
    for (ranked, swept) in [(false, false), (true, false), (true, true)] {
        let circular = Walk {
            ranked,
            swept,
            ..circular.clone()
        };
        let early = solve(&circular, Method::Search, OPTIONS, &NoProgress);
        assert!(matches!(early, Err(SolveError::Rules(_))));
        // Without the check before solving, as if the cycle were far from the start.
        for method in METHODS {
            if swept && method == Method::Backward {
                continue;
            }
            let text = unchecked_error(&circular, method).to_string();
            assert!(text.starts_with("walk(5) has positions that can come up twice"));
            assert!(text.contains("(0) -> 0"), "{text}");
        }
    }
}

#[test]
fn too_little_memory_is_reported() {
    let long = walk(10_000);
    for method in METHODS {
        // Too little for anything; for a hundredth of the walk; for the walk but not the scores.
        for memory in [0, 10_000, 500_000] {
            let options = SolveOptions { memory, ..OPTIONS };
            let error = solve(&long, method, options, &NoProgress).err().unwrap();
            let SolveError::Memory { allowed, .. } = &error else {
                panic!("{error}");
            };
            assert_eq!(*allowed, memory);
        }
    }
    let ranked = Walk {
        ranked: true,
        swept: true,
        ..long.clone()
    };
    // Two bounds and a bit for each of three slots per place.
    let slots = 3 * (2 + 10_000);
    let least = memory_estimate(&ranked, Method::Search, 1, 2).unwrap();
    assert!(least > slots * 17 / 8);
    for (memory, enough) in [(0, false), (least - 1, false), (least, true)] {
        let options = SolveOptions { memory, ..OPTIONS };
        let result = solve(&ranked, Method::Search, options, &NoProgress);
        match result {
            Ok(solved) => assert!(enough && solved.solution.count() == 10_000),
            Err(error) => {
                assert!(matches!(error, SolveError::Memory { needed, .. } if needed == Some(least)))
            }
        }
    }
    // Barely enough to find and link the positions.
    let options = SolveOptions {
        memory: 1_500_000,
        ..OPTIONS
    };
    assert!(solve(&long, Method::Backward, options, &NoProgress).is_ok());
}

/// Cancels after some units of work.
struct CancelAfter {
    units: u64,
    seen: AtomicU64,
}

impl Progress for CancelAfter {
    fn phase(&self, _name: &str, _unit: &str, _total: u64) {}
    fn advance(&self, units: u64) {
        self.seen.fetch_add(units, Ordering::Relaxed);
    }
    fn cancelled(&self) -> bool {
        self.seen.load(Ordering::Relaxed) >= self.units
    }
}

#[test]
fn solving_stops_when_cancelled_in_any_phase() {
    // Each of the two phases reports 5,000 classes.
    for method in METHODS {
        for units in [0, 2_500, 7_500] {
            let progress = CancelAfter {
                units,
                seen: AtomicU64::new(0),
            };
            let result = solve(&walk(5_000), method, OPTIONS, &progress);
            assert!(
                matches!(result, Err(SolveError::Interrupted)),
                "{method} {units}"
            );
            let seen = progress.seen.into_inner();
            assert!(seen < units + 5_000, "{method} {units}: {seen}");
        }
    }
    let ranked = Walk {
        ranked: true,
        swept: true,
        ..walk(5_000)
    };
    for units in [0, 2_500, 7_500] {
        let progress = CancelAfter {
            units,
            seen: AtomicU64::new(0),
        };
        let result = solve(&ranked, Method::Search, OPTIONS, &progress);
        assert!(matches!(result, Err(SolveError::Interrupted)), "{units}");
    }
}

#[test]
fn plays_too_long_to_recurse_are_refused_by_search_alone() {
    let error = solve(&walk(150_000), Method::Search, OPTIONS, &NoProgress);
    let error = error.err().unwrap();
    let longest = deepest_on::<Walk>(STACK);
    assert!(matches!(error, SolveError::TooLong { moves, .. } if moves == longest));
}

#[test]
#[ignore = "exhaustive: 2 s"]
fn plays_as_long_as_the_stack_allows_for_are_searched() {
    let longest = deepest_on::<Walk>(STACK);
    for swept in [false, true] {
        let walk = |length| Walk {
            ranked: swept,
            swept,
            ..walk(length)
        };
        let error = solve(&walk(150_000), Method::Search, OPTIONS, &NoProgress);
        let error = error.err().unwrap();
        assert!(matches!(error, SolveError::TooLong { moves, .. } if moves == longest));
        let solved = solve(&walk(longest - 1), Method::Search, OPTIONS, &NoProgress).unwrap();
        assert_eq!(solved.solution.count(), u64::from(longest - 1));
    }
}

/// Returns the error of solving a game without the check of the rules before.
pub(super) fn unchecked_error<G: Notation>(game: &G, method: Method) -> SolveError {
    let (solver, team) = (method.solver(game), Team::alone(&NoProgress));
    let storage = SolveStorage {
        checkpoints: &mut NoCheckpoints,
        folder: None,
        save_share: 0.0,
        block: BLOCK,
    };
    let found = find_scores(game, &solver, OPTIONS, &team, storage);
    let collected = found.and_then(|(scores, _)| scores.unwrap().collect(game, OPTIONS));
    collected.err().expect("the game is solved")
}

/// Returns the errors of solving, with and without the check of the rules before.
fn refusals(game: &Stones, method: Method) -> [String; 2] {
    let checked = solve(game, method, OPTIONS, &NoProgress);
    let checked = checked.err().expect("the game is solved");
    [checked, unchecked_error(game, method)].map(|error| match error {
        SolveError::Rules(broken) => broken.to_string(),
        other => panic!("{}: {other}", game.fault),
    })
}

#[test]
fn wrong_rankings_and_keys_are_errors_in_every_solver() {
    for method in METHODS {
        for ranked in [false, true] {
            let right = Stones {
                ranked,
                ..stones("none")
            };
            let solution = solve(&right, method, OPTIONS, &NoProgress)
                .unwrap()
                .solution;
            for left in 1..=7 {
                let score = score_of(&right, &solution, &(left, Side::Second));
                assert_eq!(score, Some(if left % 3 == 0 { -1 } else { 1 }));
            }
        }
        // A slot for a finished position doesn't affect scores.
        for (fault, promise) in WRONG_RANKINGS
            .into_iter()
            .filter(|&(fault, _)| fault != "ended")
        {
            let wrong = Stones {
                ranked: true,
                ..stones(fault)
            };
            for refusal in refusals(&wrong, method) {
                assert!(refusal.contains(promise), "{fault}: {refusal}");
            }
        }
        for fault in ["refused", "stuck"] {
            for refusal in refusals(&stones(fault), method) {
                assert!(refusal.contains("position"), "{fault}: {refusal}");
            }
        }
    }
}
