//! Tests of `query GAME` that examples can't show, such as interruptions.

use crate::run::Home;
#[cfg(unix)]
use crate::run::{Done, interrupted_once};
use serde_json::Value;

fn parse(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
}

/// A table and a search print the same, `--moves` included, except for the effort.
#[test]
fn search_and_table_say_the_same() {
    let kalah = ["kalah", "--pits", "4", "--seeds", "2"];
    a_search_says_what_a_table_says(&[
        (
            &kalah,
            &[
                "2,2,2,2:0/2,2,2,2:0 first",
                "0,1,1,0:6/0,2,0,1:5 second",
                "0,1,1,0/0,2,0,1 second",
            ],
        ),
        (&["tictactoe"], &["X...O....", ".........", "XX.OO...."]),
        (&["eight"], &["0 first", "3,3 second"]),
    ]);
}

#[test]
#[ignore = "exhaustive: 3 s"]
fn search_and_table_say_the_same_of_reversi() {
    a_search_says_what_a_table_says(&[(
        &["reversi4", "--start", "parallel"],
        &["..../.WB./.WB./.... B"],
    )]);
}

fn a_search_says_what_a_table_says(cases: &[(&[&str], &[&str])]) {
    for &(game, positions) in cases {
        let home = Home::with_table("t.bin", game);
        for position in positions {
            let table = [
                "query",
                "--table",
                "t.bin",
                "--position",
                position,
                "--json",
            ];
            let table = parse(&home.zermelo(&table).succeeds());
            let search = [
                &["query"],
                game,
                &["--position", position, "--json", "--moves"],
            ]
            .concat();
            let search = parse(&home.zermelo(&search).succeeds());
            for (key, value) in table.as_object().unwrap() {
                assert_eq!(&search[key], value, "{position}: {key}");
            }
            let best: Vec<&Value> = table["moves"].as_array().unwrap().iter().collect();
            let is_best = best
                .iter()
                .any(|mv| mv["move"] == search["best_moves"][0] && mv["score"] == table["score"]);
            assert!(is_best, "{search}");
            for (question, code) in [
                (
                    "first-player win?",
                    table["first_player_score"].as_i64() > Some(0),
                ),
                (
                    "second-player win?",
                    table["first_player_score"].as_i64() < Some(0),
                ),
                ("draw?", table["first_player_score"] == 0),
            ] {
                let args = [&["query"], game, &["--position", position, question]].concat();
                let answered = home.zermelo(&args);
                assert_eq!(
                    answered.code,
                    Some(i32::from(!code)),
                    "{position} {question}"
                );
            }
        }
    }
}

#[test]
fn an_endgame_from_a_table_gives_the_same_score() {
    let home = Home::with_table("e.bin", &["kalah", "--pits", "5", "--up-to", "14"]);
    for options in [
        &[][..],
        &["--endgame", "e.bin"],
        &["--threads", "4"],
        &["--memory", "34M"],
    ] {
        let args = [
            &[
                "query", "kalah", "--pits", "5", "--seeds", "3", "--json", "--moves",
            ],
            options,
        ]
        .concat();
        let report = parse(&home.zermelo(&args).succeeds());
        assert_eq!(report["score"], 6, "{options:?}");
        assert_eq!(report["moves"].as_array().unwrap().len(), 5);
    }
    let game = home.zermelo(&[
        "solve", "kalah", "--pits", "5", "--seeds", "1", "--out", "g.bin",
    ]);
    game.succeeds();
    let args = [
        "query",
        "kalah",
        "--pits",
        "5",
        "--seeds",
        "3",
        "--endgame",
        "g.bin",
    ];
    home.zermelo(&args)
        .assert_refused_with(&["g.bin can't serve as endgame", "--up-to 20"]);
}

#[cfg(unix)]
#[test]
fn an_interrupted_search_says_what_is_proven() {
    let home = Home::new();
    for json in [false, true] {
        // The search is far too large to finish; its endgame table is made at once.
        let mut args = vec!["query", "kalah", "--seeds", "6", "--memory", "60M"];
        if json {
            args.push("--json");
        }
        let begun = |done: &Done| !done.err.contains("nothing is proven yet");
        let done = interrupted_once(&home, &args, begun);
        assert_eq!(done.code, Some(2), "{done:?}");
        if json {
            let report = parse(&done.out);
            assert_eq!(report["error"], "interrupted");
            let lower = report["score_at_least"].as_i64().unwrap();
            let upper = report["score_at_most"].as_i64().unwrap();
            assert!((-72..=72).contains(&lower) && lower < upper && upper <= 72);
        } else {
            let known = done
                .err
                .strip_prefix("error: interrupted; proven so far: the ");
            assert!(
                known.is_some_and(|known| known.contains("player")),
                "{done:?}"
            );
        }
    }
}

/// Questions in everyday words, with players' names, or mixed up with a position.
#[test]
fn questions_may_be_asked_in_other_words() {
    let home = Home::new();
    for (words, answer) in [
        (&["tictactoe", "Does the first player win?"][..], Some(1)),
        (&["tictactoe", "Is it a draw?"], Some(0)),
        (&["tictactoe", "X wins?"], Some(1)),
        (
            &["tictactoe", "--position", "XX.OO....", "does", "X", "win"],
            Some(0),
        ),
        (&["reversi4", "Does White win?"], Some(0)),
        (&["reversi4", "Does Black win?"], Some(1)),
        (&["tictactoe", "Does White win?"], Some(2)),
    ] {
        let done = home.zermelo(&[&["query"], words].concat());
        assert_eq!(done.code, answer, "{words:?}: {done:?}");
    }
    let done = home.zermelo(&["query", "tictactoe", "X........"]);
    done.assert_refused_with(&["\"X........\" is a position", "--position \"X........\""]);
}
