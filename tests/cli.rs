//! Tests of the examples in `tests/cli/*.md`, and of what examples can't show.
//!
//! The commands of each file run one after the other in a copy of the directory `NAME.out` beside
//! it; only a file that writes nothing does without. After an intended change, `TRYCMD=overwrite
//! cargo test --test all cli::` writes the new output into the files.

use crate::run::{Home, ROOT, ZERMELO, done};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

fn behave_as_written(files: &[&str]) {
    let cases = trycmd::TestCases::new();
    for file in files {
        cases.case(Path::new(ROOT).join(file));
    }
    cases
        .register_bin("zermelo", Path::new(ZERMELO))
        .register_bin("solve", Path::new(env!("CARGO_BIN_EXE_solve")))
        .register_bin("check-ai", Path::new(env!("CARGO_BIN_EXE_check-ai")))
        // Fixes the width of the help, whatever terminal the tests run in.
        .env("COLUMNS", "100")
        .env("CLICOLOR_FORCE", "");
}

#[test]
fn examples_behave_as_written() {
    behave_as_written(&["tests/cli/*.md", "docs/reference/*.md"]);
}

/// The numbers printed in the documents must be true.
#[test]
#[ignore = "exhaustive: comparisons of searches, Kalah(6,2)"]
fn slow_examples_behave_as_written() {
    // A copy, beside a directory for the results, is run in a directory of its own.
    let home = Home::new();
    let folders = ["tutorials", "how-to", "explanation", "results"];
    let folders = folders.map(|folder| Path::new(ROOT).join("docs").join(folder));
    let files = folders
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let pages = files.map(|file| file.unwrap().path());
    for page in pages.chain([Path::new(ROOT).join("README.md")]) {
        let text = std::fs::read_to_string(&page).unwrap();
        if !text.contains("```console") {
            continue;
        }
        let copy = home.path("").join(page.file_name().unwrap());
        // The README has no exit codes, and what takes long is announced before the answer.
        let verdict = "report.html\nimperfect";
        let shown = text.replace(verdict, "report.html\n? 1\n...\nimperfect");
        let shown = shown.replace("win?\"\nyes: ", "win?\"\n...\nyes: ");
        std::fs::write(&copy, shown).unwrap();
        std::fs::create_dir(copy.with_extension("out")).unwrap();
        // The AI that the page shows.
        if let Some((_, rest)) = text.split_once("```python\nimport sys") {
            let (program, _) = rest.split_once("```").unwrap();
            let folder = copy.with_extension("in");
            std::fs::create_dir(&folder).unwrap();
            std::fs::write(folder.join("my_ai.py"), format!("import sys{program}")).unwrap();
        }
    }
    behave_as_written(&[home.path("*.md").to_str().unwrap()]);
}

const KALAH: [&str; 5] = ["kalah", "--pits", "4", "--seeds", "2"];

fn parse(line: &str) -> Value {
    assert_eq!(line.trim_end_matches('\n').lines().count(), 1, "{line}");
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
}

fn keys(value: &Value) -> Vec<&str> {
    let object = value.as_object().unwrap();
    object.keys().map(String::as_str).collect()
}

/// Valid lines, and one of each kind of invalid ones, the last without a line end.
const BATCH: &[u8] = b"2,2,2,2:0/2,2,2,2:0 first\n\
    rubbish\n\
    \n\
    \x20 0,1,1,0:6/0,2,0,1:5 second  \r\n\
    0,0,0,0:8/0,0,0,0:8\n\
    0,0,0,15/1,0,0,0\n\
    \xff\xfe\n\
    2,2,2,2/2,2,2,2 second";

#[test]
fn a_batch_is_answered_line_by_line_past_bad_lines() {
    let home = Home::with_table("t.bin", &KALAH);
    let done = home.zermelo_reading(&["query", "--table", "t.bin", "--batch"], BATCH);
    let lines: Vec<&str> = done.out.lines().collect();
    assert_eq!((done.code, done.err.as_str()), (Some(2), ""));
    assert_eq!(lines.len(), 8, "{}", done.out);
    assert_eq!(lines[0], "+6\twin\t4");
    assert_eq!(lines[3], "0\tdraw\t4");
    assert_eq!(lines[7], "+6\twin\t4");
    for (line, words) in [
        (1, "can't read \"rubbish\": "),
        (2, "an empty position"),
        (4, "the game is over"),
        (
            5,
            "t.bin has no score for the position 0,0,0,15:0/1,0,0,0:0 first",
        ),
        (6, "; tip: write it like 2,2,2,2:0/2,2,2,2:0 first"),
    ] {
        assert!(lines[line].starts_with("error: "), "{}", lines[line]);
        assert!(lines[line].contains(words), "{}", lines[line]);
    }
}

#[test]
fn a_batch_in_json_has_an_object_a_line() {
    let home = Home::with_table("t.bin", &KALAH);
    let args = ["query", "--table", "t.bin", "--batch", "--json"];
    let done = home.zermelo_reading(&args, BATCH);
    let lines: Vec<Value> = done.out.lines().map(parse).collect();
    assert_eq!((done.code, done.err.as_str()), (Some(2), ""));
    assert_eq!(lines.len(), 8, "{}", done.out);
    for (number, line) in lines.iter().enumerate() {
        if [0, 3, 7].contains(&number) {
            assert_eq!(
                line["outcome"],
                ["win", "", "", "draw", "", "", "", "win"][number]
            );
            assert!(line.get("error").is_none() && line.get("line").is_none());
        } else {
            // Texts that can't be read get a tip.
            let has_tip = [1, 2, 6].contains(&number);
            let tip = if has_tip { &["tip"][..] } else { &[] };
            assert_eq!(keys(line), [&["error", "position"], tip].concat());
        }
    }
    assert_eq!(lines[1]["position"], "rubbish");
    assert_eq!(lines[2]["position"], "");
    assert_eq!(lines[3]["position"], "0,1,1,0:6/0,2,0,1:5 second");
}

#[test]
fn a_batch_of_good_lines_or_of_none_succeeds() {
    let home = Home::with_table("t.bin", &KALAH);
    let args = ["query", "--table", "t.bin", "--batch"];
    assert_eq!(home.zermelo_reading(&args, b"").succeeds(), "");
    let good = b"2,2,2,2/2,2,2,2\n0,1,1,0/0,2,0,1 second\n";
    assert_eq!(
        home.zermelo_reading(&args, good).succeeds(),
        "+6\twin\t4\n+1\twin\t4\n"
    );
    let args = ["query", "--table", "t.bin", "--batch", "first-player win?"];
    assert_eq!(home.zermelo_reading(&args, good).succeeds(), "yes\nno\n");
}

#[test]
fn questions_of_all_spellings_set_the_exit_code() {
    let home = Home::with_table("t.bin", &KALAH);
    for (question, code) in [
        ("first-player win?", 0),
        ("First player wins", 0),
        ("second-player win?", 1),
        ("draw?", 1),
        ("draw", 1),
        ("Can the second player force a draw?", 1),
        ("does player 2 lose", 0),
        ("will it rain?", 2),
        ("", 2),
    ] {
        let done = home.zermelo(&["query", "--table", "t.bin", question]);
        assert_eq!(done.code, Some(code), "{question}: {done:?}");
        let words = ["yes: ", "no: ", ""][code as usize];
        assert!(done.out.starts_with(words), "{done:?}");
        assert_eq!(done.err.is_empty(), code < 2, "{done:?}");
    }
    for question in ["who wins?", "winner", "By how much?", "best move?"] {
        let out = home
            .zermelo(&["query", "--table", "t.bin", question])
            .succeeds();
        assert!(
            out.starts_with("With best play the first player wins by 6; "),
            "{out}"
        );
    }
}

#[test]
fn the_json_of_solve_keeps_its_contract() {
    let home = Home::new();
    let args = [&["solve"], &KALAH[..], &["--threads", "2", "--json"]].concat();
    let report = parse(&home.zermelo(&args).succeeds());
    for (key, value) in [
        ("game", json!("kalah")),
        ("rules", json!("kalah pits=4 seeds=2 capture=standard")),
        ("score", json!(6)),
        ("outcome", json!("first-player-win")),
        ("best_moves", json!(["4"])),
        ("classes", json!(66265)),
        ("method", json!("backward")),
        ("threads", json!(2)),
    ] {
        assert_eq!(report[key], value, "{key}");
    }
    let table = &report["table"];
    assert_eq!(
        table["path"].as_str().map(Path::new),
        Some(Path::new("data/kalah-4-2.bin"))
    );
    let bytes = std::fs::metadata(home.path("data/kalah-4-2.bin"))
        .unwrap()
        .len();
    assert_eq!(table["bytes"], bytes);
    let bits = table["bits_per_class"].as_f64().unwrap();
    assert!((bits - bytes as f64 * 8.0 / 66265.0).abs() < 1e-9, "{bits}");
    let seconds = |key: &str| report["seconds"][key].as_f64().unwrap();
    let parts = seconds("reach") + seconds("solve") + seconds("write");
    assert!(parts > 0.0 && parts <= seconds("total"), "{report}");
    if cfg!(unix) {
        assert!(report["peak_memory_bytes"].as_u64().unwrap() > 1_000_000);
    }
}

#[test]
fn the_score_of_solve_is_the_first_players() {
    let home = Home::new();
    for (args, score, outcome, moves) in [
        (
            vec!["eight"],
            -1,
            "second-player-win",
            json!(["1", "2", "3"]),
        ),
        (
            vec!["kalah", "--pits", "3", "--seeds", "1"],
            0,
            "draw",
            json!(["1", "3"]),
        ),
        (
            vec!["kalah", "--pits", "2", "--seeds", "2"],
            -2,
            "second-player-win",
            json!(["2"]),
        ),
        (
            vec!["kalah", "--pits", "1", "--seeds", "3"],
            6,
            "first-player-win",
            json!(["1"]),
        ),
    ] {
        let args = [&["solve"], &args[..], &["--json", "--method", "search"]].concat();
        let report = parse(&home.zermelo(&args).succeeds());
        assert_eq!(report["score"], score, "{args:?}");
        assert_eq!(report["outcome"], outcome, "{args:?}");
        assert_eq!(report["best_moves"], moves, "{args:?}");
        assert_eq!(report["method"], "search");
    }
}

#[test]
fn the_json_of_query_keeps_its_contract() {
    let home = Home::with_table("t.bin", &KALAH);
    let args = ["query", "--table", "t.bin", "--json"];
    let report = parse(&home.zermelo(&args).succeeds());
    assert_eq!(report["position"], "2,2,2,2:0/2,2,2,2:0 first");
    assert_eq!(
        (&report["score"], &report["outcome"]),
        (&json!(6), &json!("win"))
    );
    assert_eq!(
        report["moves"],
        json!([
            {"move": "4", "score": 6},
            {"move": "3", "score": 4},
            {"move": "2", "score": -10},
            {"move": "1", "score": -12},
        ])
    );
    assert!(report.get("line").is_none());

    let report = parse(&home.zermelo(&[&args[..], &["--line"]].concat()).succeeds());
    let line = report["line"].as_array().unwrap();
    assert!(
        line.len() > 5 && line.iter().all(Value::is_string),
        "{report}"
    );
    assert_eq!(line[0], "4");

    // Scores are seen from the side to move and include the stores.
    let second = ["--position", "0,1,1,0:1/0,2,0,1:10 second"];
    let report = parse(&home.zermelo(&[&args[..], &second].concat()).succeeds());
    assert_eq!(
        (&report["score"], &report["outcome"]),
        (&json!(10), &json!("win"))
    );
    assert_eq!(report["moves"][0], json!({"move": "4", "score": 10}));

    for position in ["nonsense", "0,0,0,15/1,0,0,0", "0,0,0,0:8/0,0,0,0:8"] {
        let done = home.zermelo(&[&args[..], &["--position", position]].concat());
        assert_eq!(done.code, Some(2));
        let report = parse(&done.out);
        assert_eq!(report["position"], position);
        // The message for people is the same.
        let error = report["error"].as_str().unwrap();
        let (keys_of_error, told) = match report["tip"].as_str() {
            Some(tip) => (&["error", "position", "tip"][..], format!("\n  tip: {tip}")),
            None => (&["error", "position"][..], String::new()),
        };
        assert_eq!(keys(&report), keys_of_error);
        assert_eq!(report["tip"].is_string(), position == "nonsense");
        assert_eq!(done.err, format!("error: {error}{told}\n"));
        assert!(report["error"].as_str().unwrap().len() > 20, "{report}");
    }
}

#[test]
fn the_json_of_verify_and_info_keeps_its_contract() {
    let home = Home::with_table("t.bin", &KALAH);
    let report = parse(
        &home
            .zermelo(&["verify", "--table", "t.bin", "--json"])
            .succeeds(),
    );
    assert_eq!(
        (&report["verdict"], &report["classes"]),
        (&json!("proved"), &json!(66265))
    );
    assert!(report["seconds"].as_f64().unwrap() > 0.0);

    let report = parse(
        &home
            .zermelo(&["info", "--table", "t.bin", "--json"])
            .succeeds(),
    );
    let number = |value: &Value| value.as_u64().unwrap();
    assert_eq!(report["rules"], "kalah pits=4 seeds=2 capture=standard");
    assert_eq!(report["classes"], 66265);
    let outcomes = ["wins", "draws", "losses"].map(|key| number(&report[key]));
    assert_eq!(outcomes.iter().sum::<u64>(), 66265);
    let sections = report["sections"].as_object().unwrap();
    let bytes = std::fs::metadata(home.path("t.bin")).unwrap().len();
    assert_eq!(number(&report["bytes"]), bytes);
    assert_eq!(sections.values().map(number).sum::<u64>(), bytes);
    let layers = report["by_layer"].as_array().unwrap();
    let total: u64 = layers.iter().map(|layer| number(&layer["classes"])).sum();
    assert_eq!(total, 66265);
    for layer in layers {
        let scores = layer["scores"].as_object().unwrap();
        let sum: u64 = scores.values().map(number).sum();
        assert_eq!(sum, number(&layer["classes"]));
    }
}

#[test]
fn a_table_read_piecewise_gives_the_same_answers() {
    let home = Home::with_table("t.bin", &KALAH);
    let args = ["query", "--table", "t.bin"];
    let mapped = home.zermelo(&args).succeeds();
    let pieces = home.zermelo(&[&args[..], &["--no-mmap"]].concat());
    assert_eq!(mapped, pieces.succeeds());
}

#[test]
fn colour_is_for_terminals_unless_asked_for() {
    let home = Home::with_table("t.bin", &["tictactoe"]);
    let is_coloured = |options: &[&str], environment: &[(&str, &str)]| {
        let outputs = [
            &["query", "--table", "t.bin"][..], // an answer
            &["query", "--table", "no.bin"],    // an error
            &["--help"],
            &["nonsense"],
        ]
        .map(|args| {
            let mut command = home.command(ZERMELO, &[options, args].concat());
            let done = done(command.envs(environment.iter().copied()).output().unwrap());
            format!("{}{}", done.out, done.err)
        });
        let coloured = outputs.each_ref().map(|output| output.contains('\x1b'));
        assert!(coloured.iter().all(|&c| c == coloured[0]), "{outputs:#?}");
        coloured[0]
    };
    let (no, force) = (("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1"));
    assert!(!is_coloured(&[], &[]));
    assert!(is_coloured(&["--color", "always"], &[]));
    assert!(is_coloured(&["--color=always"], &[no]));
    assert!(!is_coloured(&["--color", "never"], &[force]));
    assert!(is_coloured(&[], &[force]));
    assert!(!is_coloured(&[], &[force, no]));
}

#[test]
fn long_help_of_a_game_begins_with_its_rules() {
    let home = Home::new();
    for family in zermelo::any::FAMILIES {
        for command in ["solve", "query", "check-ai"] {
            let help = |option| home.zermelo(&[command, family.name(), option]).succeeds();
            // Line breaks depend on the terminal.
            let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            let rules = words(family.rules_in_words());
            let (long, short) = (words(&help("--help")), words(&help("-h")));
            assert!(long.contains(&rules), "{command}: {long}");
            assert!(long.find(&rules) < long.find("Usage:"), "{long}");
            assert!(!short.contains(&rules) && short.contains("see more with '--help'"));
        }
    }
}

#[test]
fn short_help_fits_a_screen() {
    let home = Home::new();
    let mut commands = vec![String::new()];
    for command in [
        "solve",
        "query",
        "verify",
        "info",
        "check-ai",
        "new-ai",
        "tournament",
        "export",
        "search",
        "games",
        "serve",
        "generate",
    ] {
        commands.push(command.to_owned());
    }
    for family in zermelo::any::FAMILIES {
        let game = |command| format!("{command} {}", family.name());
        commands.extend(
            [
                "solve",
                "query",
                "check-ai",
                "new-ai",
                "tournament",
                "search",
            ]
            .map(game),
        );
    }
    for words in commands {
        let args: Vec<&str> = words.split_whitespace().chain(["-h"]).collect();
        let mut command: Command = home.command(ZERMELO, &args);
        let help = done(command.env("COLUMNS", "80").output().unwrap()).succeeds();
        assert!(help.lines().count() <= 40, "{words}: {help}");
        assert!(
            help.lines().all(|line| line.chars().count() <= 80),
            "{help}"
        );
    }
}

#[test]
fn help_fits_narrow_terminals() {
    let home = Home::new();
    for args in [
        &["--help"][..],
        &["solve", "-h"],
        &["solve", "--help"],
        &["solve", "kalah", "--help"],
        &["query", "kalah", "--help"],
        &["solve", "tictactoe", "--help"],
        &["check-ai", "reversi4", "--help"],
        &["check-ai", "reversi24", "--help"],
        &["query", "connect4", "--help"],
        &["solve", "connect4", "--help"],
        &["query", "--help"],
        &["verify", "--help"],
        &["info", "--help"],
        &["check-ai", "--help"],
        &["search", "--help"],
        &["search", "kalah", "--help"],
        &["serve", "--help"],
    ] {
        let mut command: Command = home.command(ZERMELO, args);
        let help = done(command.env("COLUMNS", "40").output().unwrap()).succeeds();
        // Usage lines are not wrapped.
        let is_usage =
            |line: &&str| line.starts_with("Usage:") || line.contains(" <GAME> [OPTIONS]");
        for line in help.lines().filter(|line| !is_usage(line)) {
            assert!(line.chars().count() <= 40, "{args:?}: {line}");
        }
    }
}
