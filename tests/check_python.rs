//! Tests of the example AIs in `tools/ais/`.

use serde_json::Value;
use std::path::Path;

use crate::run::Home;

const KALAH: [&str; 5] = ["kalah", "--pits", "4", "--seeds", "2"];

fn report(home: &Home, table: &str, ai: &str, options: &[&str]) -> Value {
    let ais = Path::new(env!("CARGO_MANIFEST_DIR")).join("tools/ais");
    let ai = ai.replace("AIS", ais.to_str().unwrap());
    let args = [
        "check-ai", "--json", "--jobs", "2", "--table", table, "--ai", &ai,
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
    assert_eq!(random["rules"]["verdict"], "followed");
}

#[test]
#[ignore = "exhaustive: needs python3"]
fn the_kalah_examples_in_python_search_as_the_builtin_ones() {
    let home = Home::with_table("kalah.bin", &KALAH);
    let sample = ["--sample", "3000"];
    for (python, builtin, protocol) in [
        (
            "python3 AIS/alphabeta_kalah.py 3",
            "builtin:alphabeta:3",
            "line",
        ),
        ("python3 AIS/ugi_kalah.py", "builtin:greedy", "ugi"),
    ] {
        let options = [&sample[..], &["--protocol", protocol]].concat();
        let own = report(&home, "kalah.bin", python, &options);
        let other = report(&home, "kalah.bin", builtin, &sample);
        for key in [
            "verdict",
            "asked",
            "mistakes",
            "total_regret",
            "worst",
            "refutation",
            "rules",
        ] {
            assert_eq!(own[key], other[key], "{python}: {key}");
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
