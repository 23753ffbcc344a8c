//! Tests of the suite and its scorecards: its scores against tables and searches, and the command.

use crate::run::{Home, ROOT};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use zermelo::any::{AnyOracle, FAMILIES, game_of_rules};
use zermelo::check::suite::{SUITE, Suite, SuiteGame};
use zermelo::game::{NoProgress, SearchSetup, SolveOptions};
use zermelo::oracle::Wanted;

/// Compares every `each`-th position of a game with an oracle.
fn agrees(of: &SuiteGame, oracle: &AnyOracle<'_>, each: usize) {
    let wanted = Wanted {
        moves: true,
        ..Wanted::default()
    };
    for one in of.positions.iter().step_by(each) {
        let answer = oracle.ask(Some(&one.position), wanted, None).unwrap();
        let moves = BTreeMap::from_iter(answer.moves.unwrap());
        assert_eq!(moves, one.moves, "{} {}", of.game, one.position);
    }
}

#[test]
fn scores_are_those_of_a_solver() {
    let small = ["tictactoe", "dots-and-boxes-2-2", "morris3", "kalah-4-3"];
    let suite = Suite::of("1").unwrap();
    let games = suite.games.iter();
    let games: Vec<_> = games.filter(|of| small.contains(&&*of.game)).collect();
    assert_eq!(games.len(), small.len());
    for of in games {
        let game = game_of_rules(&of.rules, FAMILIES).unwrap();
        let options = SolveOptions {
            threads: 2,
            memory: 1 << 28,
        };
        agrees(of, &game.solve_in_memory(options, &NoProgress).unwrap(), 1);
    }
}

#[test]
#[ignore = "searches for a minute"]
fn scores_are_those_of_searches() {
    let searched = [
        "reversi4",
        "kalah-6-2",
        "connect4-5-4",
        "connect4-7-6",
        "dots-and-boxes-3-3",
        "reversi24",
    ];
    for of in &Suite::of("1").unwrap().games {
        if searched.contains(&&*of.game) {
            let game = game_of_rules(&of.rules, FAMILIES).unwrap();
            let setup = SearchSetup::new(2, 256 << 20);
            agrees(of, &game.search(&setup, &NoProgress).unwrap(), 12);
        }
    }
}

#[test]
fn the_card_has_the_digest_and_the_numbers() {
    let card = fs::read_to_string(Path::new(ROOT).join("docs/results/suite.md")).unwrap();
    let digest: String = Sha256::digest(SUITE)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    assert!(card.contains(&digest), "{digest}");
    for of in &Suite::of("1").unwrap().games {
        let of_split = |split| of.positions.iter().filter(|one| one.split == split).count();
        let [test, train, validation] = ["test", "train", "validation"].map(of_split);
        let row = format!(
            "| `{}` | {} | {test} | {train} | {validation} |",
            of.game,
            of.positions.len()
        );
        assert!(card.contains(&row), "{row}");
    }
}

#[test]
fn programs_are_started_for_each_game_and_scored() {
    let home = Home::new();
    // It names the game that it is started for, which is no move.
    fs::write(
        home.path("ai.sh"),
        "while read -r line; do echo \"$1\"; done\n",
    )
    .unwrap();
    let args = [
        "check-ai",
        "--suite",
        "1",
        "--split",
        "validation",
        "--ai",
        "sh ai.sh {game}",
        "--json",
    ];
    let done = home.zermelo(&[&args[..], &["--game", "morris3", "--game", "oware-4-2"]].concat());
    assert_eq!(done.code, Some(2));
    let card: Value = serde_json::from_str(&done.out).unwrap();
    let rows = card["games"].as_array().unwrap();
    assert_eq!(rows.len(), 2);
    assert_eq!(card["all"]["faults"], card["all"]["asked"]);
    assert_eq!(card["all"]["best_moves"]["rate"], 0.0);
    assert_eq!(card["all"]["regret"], Value::Null);
    let cut = home.zermelo(&[&args[..], &["--max-faults", "3"]].concat());
    let card: Value = serde_json::from_str(&cut.out).unwrap();
    assert_eq!(card["games"].as_array().unwrap().len(), 1);
    assert_eq!(card["all"]["faults"], 3);
}

#[test]
fn other_suites_and_games_are_refused() {
    let home = Home::new();
    for (more, words) in [
        (&["--suite", "2"][..], ["no suite \"2\"", "only suite 1"]),
        (
            &["--suite", "1", "--game", "chess"],
            ["no game \"chess\"", "kalah-6-4"],
        ),
        (&["--suite", "1", "--sample", "3"], ["--suite", "--sample"]),
        (&["--game", "tictactoe"], ["--suite", "required"]),
    ] {
        let args = [&["check-ai", "--ai", "builtin:first"], more].concat();
        home.zermelo(&args).assert_refused_with(&words);
    }
}
