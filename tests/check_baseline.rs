//! Tests of `check-ai --baseline`, which compares a check with an earlier one.

use crate::run::{Done, Home, PATIENT, TTT};
use serde_json::Value;
use std::collections::HashSet;

fn check(home: &Home, ai: &str, options: &[&str]) -> Done {
    let args = ["check-ai", "--table", TTT, "--timeout", PATIENT, "--ai", ai];
    home.zermelo(&[&args[..], options].concat())
}

fn report(done: &Done) -> Value {
    serde_json::from_str(&done.out).unwrap_or_else(|error| panic!("{error}: {done:?}"))
}

/// Saves the report on an AI and returns it.
fn save(home: &Home, ai: &str, options: &[&str]) -> Value {
    let done = check(home, ai, &[options, &["--json"]].concat());
    std::fs::write(home.path("old.json"), &done.out).unwrap();
    report(&done)
}

fn positions(report: &Value) -> HashSet<&str> {
    let positions = report["mistake_positions"].as_array().unwrap();
    positions.iter().map(|of| of.as_str().unwrap()).collect()
}

#[test]
fn new_and_fixed_mistakes_are_counted_exactly() {
    let home = Home::new();
    for options in [
        &[][..],
        &["--sample", "300"],
        &["--sample", "40", "--positions", "random"],
        &["--scope", "play"],
        &["--criterion", "outcome", "--canonical"],
    ] {
        let old = save(&home, "builtin:error:0.2:1", options);
        assert_eq!(old["baseline"], Value::Null);
        let compared = [options, &["--baseline", "old.json", "--json"]].concat();
        let done = check(&home, "builtin:error:0.2:2", &compared);
        let new = report(&done);
        let (before, now) = (positions(&old), positions(&new));
        let baseline = &new["baseline"];
        assert_eq!(
            baseline["fixed"],
            before.difference(&now).count(),
            "{options:?}"
        );
        assert_eq!(
            baseline["new"],
            now.difference(&before).count(),
            "{options:?}"
        );
        assert_eq!(baseline["new_faults"], 0);
        assert_eq!(done.code, Some(1), "{options:?}");
        let first = new["mistake_positions"].as_array().unwrap().iter();
        let mut first = first.filter(|of| !before.contains(of.as_str().unwrap()));
        assert_eq!(Some(&baseline["first_new"]["position"]), first.next());
        // The same AI is no worse than itself, though imperfect, and a perfect one is better.
        for (ai, fixed) in [
            ("builtin:error:0.2:1", 0),
            ("builtin:perfect", before.len()),
        ] {
            let done = check(&home, ai, &compared);
            assert_eq!(done.code, Some(0), "{options:?} {done:?}");
            assert_eq!(report(&done)["baseline"]["fixed"], fixed, "{options:?}");
            assert_eq!(report(&done)["baseline"]["first_new"], Value::Null);
        }
    }
}

#[test]
fn the_comparison_is_a_sentence_of_the_text_and_the_page() {
    let home = Home::new();
    save(&home, "builtin:perfect", &[]);
    let options = ["--baseline", "old.json", "--report", "page.html"];
    let done = check(&home, "builtin:first", &options);
    let said = "2,253 new; the first new one: X........, where it plays b1 (best: b2).";
    assert!(
        done.out
            .contains(&format!("Baseline: 0 mistakes fixed, {said}")),
        "{}",
        done.out
    );
    let page = std::fs::read_to_string(home.path("page.html")).unwrap();
    let (top, _) = page.split_once("<nav").unwrap();
    for words in [
        said,
        "it always plays the first legal square",
        "the smallest position that fails",
    ] {
        assert!(top.contains(words), "{words}: {top}");
    }
}

/// Returns an AI that plays the first empty square, except for a fault in some positions.
#[cfg(unix)]
fn faulty(home: &Home, name: &str, positions: &str) -> String {
    let first = crate::check_external::FIRST;
    let script = format!(
        "while read -r p; do {first} case $p in {positions}) echo x;; *) echo $m;; esac; done"
    );
    std::fs::write(home.path(name), script).unwrap();
    format!("sh {name}")
}

#[test]
#[cfg(unix)]
fn only_faults_in_other_positions_are_new() {
    let home = Home::new();
    // The first player errs in the first of these positions, but not in the second.
    let (one, two) = ("X..OX....", "X.O.OX...");
    let (one_faulty, both_faulty) = (
        faulty(&home, "one.sh", one),
        faulty(&home, "both.sh", &format!("{one}|{two}")),
    );
    let compared = ["--baseline", "old.json", "--json"];
    for (before, now, new_faults, code) in [
        (&*one_faulty, &*one_faulty, 0, 0),
        (&one_faulty, &both_faulty, 1, 1),
        (&both_faulty, &one_faulty, 0, 0),
        // A mistake in place of a fault isn't new.
        (&both_faulty, "builtin:first", 0, 0),
    ] {
        save(&home, before, &[]);
        let done = check(&home, now, &compared);
        let baseline = &report(&done)["baseline"];
        assert_eq!(baseline["new_faults"], new_faults, "{before} {now}");
        assert_eq!(baseline["new"], 0, "{before} {now}");
        assert_eq!(done.code, Some(code), "{before} {now}");
    }
    // A check that ends early is not compared.
    let stopped = [&compared[..], &["--max-faults", "1"]].concat();
    let done = check(&home, &both_faulty, &stopped);
    assert_eq!(done.code, Some(2));
    assert_eq!(report(&done)["baseline"], Value::Null);
}

#[test]
fn a_baseline_of_other_positions_is_refused_before_the_check() {
    let home = Home::new();
    let old = save(&home, "builtin:first", &["--sample", "20"]);
    let change = |key: &str, value: Value| {
        let mut changed = old.clone();
        changed[key] = value;
        changed.to_string()
    };
    for (name, text) in [
        ("torn.json", old.to_string()[..200].to_owned()),
        ("error.json", r#"{"error":"no table"}"#.to_owned()),
        ("game.json", change("game", "eight".into())),
        ("stopped.json", change("stopped_by", "faults".into())),
        ("unresolved.json", change("unresolved", 1.into())),
        ("many.json", change("mistake_positions", Value::Null)),
    ] {
        std::fs::write(home.path(name), text).unwrap();
    }
    std::fs::write(home.path("list.txt"), "X........\n").unwrap();
    let sample = ["--sample", "20"];
    for (baseline, options, words) in [
        (
            "none.json",
            &sample[..],
            "can't read the baseline none.json",
        ),
        (
            "torn.json",
            &sample,
            "torn.json is not the report of a check",
        ),
        ("error.json", &sample, "tip: write one with check-ai --json"),
        (
            "game.json",
            &sample,
            "another game: eight instead of tictactoe(shortest)",
        ),
        ("stopped.json", &sample, "did not cover all"),
        ("unresolved.json", &sample, "did not cover all"),
        ("many.json", &sample, "too many mistakes"),
        (
            "old.json",
            &["--sample", "20", "--criterion", "outcome"],
            "another criterion: score instead of outcome",
        ),
        (
            "old.json",
            &["--sample", "20", "--seed", "2"],
            "20 positions, uniform, seed 1 instead of 20 positions, uniform, seed 2",
        ),
        ("old.json", &["--sample", "21"], "instead of 21 positions"),
        ("old.json", &[], "instead of every position"),
        (
            "old.json",
            &["--scope", "play"],
            "instead of lines of play, side both",
        ),
        (
            "old.json",
            &["--positions", "list.txt"],
            "instead of 1 listed positions, checksum ",
        ),
        (
            "old.json",
            &["--sample", "20", "--positions", "self"],
            "tip: sample others with --positions random",
        ),
    ] {
        let options = [options, &["--baseline", baseline]].concat();
        // This AI would be at fault.
        let done = check(&home, "false", &options);
        assert_eq!(
            (done.code, &*done.out),
            (Some(2), ""),
            "{baseline} {options:?}"
        );
        assert!(done.err.contains(words), "{words}: {}", done.err);
    }
}
