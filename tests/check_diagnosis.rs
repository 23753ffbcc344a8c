//! Tests of faults whose cause can be diagnosed, and of faults whose cause can't.

use crate::check::table_of;
use crate::common;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use zermelo::check::{Ai, CheckOptions, Contender, Coverage, InProcess, Report, check};
use zermelo::game::{Game, NoProgress, Notation, Side};
use zermelo::games::Cell;
use zermelo::games::kalah::{Kalah, Move, Position};
use zermelo::games::tictactoe::{self, TicTacToe};
use zermelo::table::Table;

fn ask<'a, G: Notation>(table: &'a Table<G>, contender: &'a dyn Contender<'a, G>) -> Report {
    // A sample, because otherwise all positions of Kalah would be listed.
    let options = CheckOptions {
        coverage: Coverage::Sample {
            count: 400,
            seed: 1,
        },
        ..CheckOptions::default()
    };
    check(table, contender, &options, &NoProgress).unwrap()
}

fn cause<G: Notation, A: Ai<G>>(table: &Table<G>, ai: impl Fn() -> A + Sync) -> Option<String> {
    let report = ask(table, &InProcess(ai));
    assert!(report.faults.total() > 0, "{report:#?}");
    report.likely_cause
}

/// Returns a pseudorandom number.
fn next(state: &AtomicU64) -> u64 {
    let step = |old: u64| {
        old.wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407)
    };
    step(state.fetch_add(0x9e37_79b9_7f4a_7c15, Relaxed)) >> 33
}

/// Diagnoses an AI that makes a legal move and numbers the pits as `written` does.
fn kalah_cause(table: &Table<Kalah>, written: fn(&Kalah, &Position, u8) -> u8) -> Option<String> {
    cause(table, || {
        |game: &Kalah, position: &Position| {
            let legal = game.legal_moves(position);
            // Vary the move, because the wrong number of the first or last pit is often legal.
            let mv = legal[position.seeds_on_board() % legal.len()];
            Move(written(game, position, mv.0 + 1) - 1)
        }
    })
}

#[test]
fn kalah_s_pits_are_miscounted_in_known_ways() {
    pits_are_miscounted_in_known_ways(&common::kalah(4, 1, false));
}

#[test]
#[ignore = "exhaustive: 2 s"]
fn a_larger_kalah_s_pits_are_miscounted_in_known_ways() {
    pits_are_miscounted_in_known_ways(&common::kalah(4, 2, false));
}

fn pits_are_miscounted_in_known_ways(game: &Kalah) {
    let table = table_of(game);
    for (written, words) in [
        (
            (|_, _, pit| pit + 1) as fn(&Kalah, &Position, u8) -> u8,
            "writes numbers that are one too high",
        ),
        (
            |game, _, pit| game.pits() as u8 + 1 - pit,
            "counts from the other end",
        ),
        (
            |game, position, pit| match position.side {
                Side::First => pit,
                Side::Second => game.pits() as u8 + 1 - pit,
            },
            "counts the second player's pits from the other end",
        ),
        (
            |game, position, pit| pit + position.side.index() as u8 * game.pits() as u8,
            "numbers the second player's pits on",
        ),
        (
            |game, position, pit| pit + position.side.index() as u8 * (game.pits() as u8 + 1),
            "round the board, stores included",
        ),
        (
            |_, position, _| {
                let row = position.pits[0];
                row.iter().position(|&seeds| seeds > 0).unwrap_or(0) as u8 + 1
            },
            "as if the first player were always to move",
        ),
    ] {
        let cause = kalah_cause(&table, written);
        let found = cause.as_ref().is_some_and(|cause| cause.contains(words));
        assert!(found, "{words}: {cause:?}");
    }
}

#[test]
fn faults_without_a_pattern_have_no_cause() {
    let kalah = common::kalah(3, 2, false);
    let table = table_of(&kalah);
    for seed in 0..4 {
        let state = AtomicU64::new(seed);
        let random =
            || |game: &Kalah, _: &Position| Move((next(&state) % game.pits() as u64) as u8);
        assert_eq!(cause(&table, random), None, "seed {seed}");
        // Correct rules with occasional slips.
        let slips = || {
            |game: &Kalah, position: &Position| match next(&state) % 5 {
                0 => Move((next(&state) % game.pits() as u64) as u8),
                _ => game.legal_moves(position)[0],
            }
        };
        let report = ask(&table, &InProcess(slips));
        assert_eq!(report.likely_cause, None, "seed {seed}");
    }
    let table = table_of(&TicTacToe::default());
    for seed in 0..4 {
        let state = AtomicU64::new(seed);
        let random = || {
            |_: &TicTacToe, _: &tictactoe::Position| {
                let cell = (next(&state) % 9) as u8;
                Cell::at(cell / 3, cell % 3)
            }
        };
        assert_eq!(cause(&table, random), None, "seed {seed}");
    }
    for cell in 0..9 {
        let always = || move |_: &TicTacToe, _: &tictactoe::Position| Cell::at(cell / 3, cell % 3);
        assert_eq!(cause(&table, always), None, "always {cell}");
    }
}

#[test]
fn equal_faults_are_shown_once() {
    let table = table_of(&TicTacToe::default());
    let always = || |_: &TicTacToe, _: &tictactoe::Position| Cell(1);
    let report = ask(&table, &InProcess(always));
    assert_eq!(report.fault_list.len(), 10);
    let groups = serde_json::to_value(&report).unwrap()["fault_groups"].take();
    assert_eq!(groups.as_array().unwrap().len(), 1);
    let group = &groups[0];
    assert_eq!(
        (
            &group["times"],
            group["positions"].as_array().unwrap().len()
        ),
        (&10.into(), 3)
    );
    assert_eq!(group["detail"], "answered b1, which is not legal there");
}
