//! Tests of the example AIs in `tools/ais/`.

use serde_json::Value;
use std::path::Path;

use crate::common;
use crate::run::{Home, ROOT};
use zermelo::game::{Game, Notation};
use zermelo::games::kalah::Kalah;
use zermelo::search::{Algorithm, Search};

const KALAH: [&str; 5] = ["kalah", "--pits", "4", "--seeds", "2"];

fn report(home: &Home, table: &str, ai: &str, options: &[&str]) -> Value {
    let ais = Path::new(ROOT).join("tools/ais");
    let ai = ai.replace("AIS", ais.to_str().unwrap());
    let args = [
        "check-ai", "--json", "--quiet", "--jobs", "2", "--table", table, "--ai", &ai,
    ];
    let done = home.zermelo(&[&args[..], options].concat());
    assert_eq!(done.err, "");
    serde_json::from_str(&done.out).unwrap()
}

#[test]
#[ignore = "exhaustive: needs python3"]
fn the_examples_in_python_work() {
    let home = Home::with_table("ttt.bin", &["tictactoe"]);
    let perfect = "python3 AIS/minimax_ttt.py";
    for scope in ["all", "play"] {
        let of = report(&home, "ttt.bin", perfect, &["--scope", scope]);
        assert_eq!(of["verdict"], "perfect", "{of:#}");
    }
    let random = report(&home, "ttt.bin", "python3 AIS/random_ttt.py", &[]);
    assert_eq!(
        (&random["verdict"], &random["asked"]),
        (&"imperfect".into(), &4520.into())
    );
    assert!(random["diagnosis"]["explanation"].is_null());
}

/// Checks that moves which turn out to be mistakes were best as far as the examples look ahead.
///
/// Which of several such moves they choose is their own business.
#[test]
#[ignore = "exhaustive: needs python3"]
fn the_kalah_examples_in_python_choose_what_looks_best() {
    let home = Home::with_table("kalah.bin", &KALAH);
    let game = common::kalah(4, 2, false);
    for (python, depth, protocol) in [
        ("python3 AIS/alphabeta_kalah.py 3", 3, "line"),
        ("python3 AIS/ugi_kalah.py", 1, "ugi"),
    ] {
        let options = ["--sample", "3000", "--protocol", protocol];
        let options = [&options[..], &["--mistakes", "list.jsonl"]].concat();
        let report = report(&home, "kalah.bin", python, &options);
        let error = &report["diagnosis"]["explanation"]["sentence"];
        let error = error.as_str().unwrap();
        match depth {
            1 => assert!(error.ends_with("(greedy)"), "{python}: {error}"),
            _ => assert!(
                error.contains(&format!("{depth} moves deep")),
                "{python}: {error}"
            ),
        }
        let list = std::fs::read_to_string(home.path("list.jsonl")).unwrap();
        assert!(list.lines().count() > 100, "{python}");
        let mut search = Search::new(&game).to_depth(depth - 1, Kalah::evaluate);
        for line in list.lines() {
            let mistake: Value = serde_json::from_str(line).unwrap();
            let position = mistake["position"].as_str().unwrap();
            let position = game.parse_position(position).unwrap();
            let mut looks = |mv| {
                let child = game.play(&position, mv);
                let score = match game.final_score(&child) {
                    Some(score) => score,
                    None if depth == 1 => game.evaluate(&child),
                    None => search.score(Algorithm::AlphaBeta, &child).unwrap(),
                };
                game.seen_from(game.side_to_move(&position), &child, score)
            };
            let made = game.parse_move(mistake["move"].as_str().unwrap());
            let best = game.legal_moves(&position).into_iter().map(&mut looks);
            let best = best.max().unwrap();
            assert_eq!(looks(made.unwrap()), best, "{python}: {line}");
        }
    }
}

#[test]
#[cfg(unix)]
fn the_example_in_shell_works() {
    let home = Home::with_table("ttt.bin", &["tictactoe"]);
    let shell = report(&home, "ttt.bin", "sh AIS/first_ttt.sh", &[]);
    let builtin = report(&home, "ttt.bin", "builtin:first", &[]);
    assert_eq!(shell["mistakes"], builtin["mistakes"]);
    assert_eq!(shell["verdict"], "imperfect");
}
