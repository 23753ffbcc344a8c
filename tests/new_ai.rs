//! Tests of the programs that `new-ai` writes.

use crate::run::{Home, ZERMELO, done};
use fastrand::Rng;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::process::{Child, Stdio};
use zermelo::any::{FAMILIES, game_named};

/// Games as the program writes them. Each program also plays the boards after it.
const PROGRAMS: [(&str, &[&str]); 17] = [
    (
        "kalah --pits 3 --seeds 2",
        &["kalah --pits 1 --seeds 3", "kalah --seeds 4"],
    ),
    ("kalah --pits 2 --seeds 4 --empty-capture", &[]),
    ("tictactoe", &[]),
    ("reversi4", &["reversi4 --start parallel"]),
    ("reversi24", &[]),
    (
        "connect4 --columns 4 --rows 4",
        &[
            "connect4",
            "connect4 --columns 11 --rows 3",
            "connect4 --columns 1 --rows 3",
        ],
    ),
    ("connect4 --columns 10 --rows 1 --connect 3", &[]),
    (
        "dots-and-boxes --rows 2 --columns 2",
        &[
            "dots-and-boxes",
            "dots-and-boxes --rows 1 --columns 7",
            "dots-and-boxes --rows 7 --columns 3",
        ],
    ),
    ("lgame", &[]),
    ("morris3", &[]),
    ("morris3 --steps lines", &[]),
    ("morris3 --steps neighbours", &[]),
    ("morris3 --steps any", &[]),
    ("teeko", &["teeko --squares all"]),
    ("dobutsu", &[]),
    (
        "oware",
        &["oware --pits 6 --seeds 4", "oware --pits 1 --seeds 2"],
    ),
    ("eight", &[]),
];

/// Games that take `check-ai` more than 20 seconds.
const LONG: [&str; 4] = ["reversi24", "lgame", "teeko", "dobutsu"];

/// Number of questions about moves that a program must find.
const QUESTIONS: usize = 3000;

/// Returns positions of random games, each with its legal moves.
fn positions(words: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut words = words.split(' ').peekable();
    let name = words.next().unwrap();
    let mut given = Vec::new();
    while let Some(option) = words.next() {
        let value = words.next_if(|word| !word.starts_with("--"));
        let option = option.strip_prefix("--").unwrap();
        given.push((option, value.unwrap_or("yes").to_owned()));
    }
    let game = game_named(name, &given, FAMILIES).unwrap().without_scores();
    let mut random = Rng::with_seed(1);
    let mut found = BTreeMap::new();
    for _ in 0..40 {
        let mut view = game.view(None, &[]).unwrap();
        // Some games can go on for ever.
        for _ in 0..80 {
            if view.moves.is_empty() {
                break;
            }
            let moves: Vec<&str> = view.moves.iter().map(|mv| &*mv.name).collect();
            let legal = moves.iter().map(|&mv| mv.to_owned()).collect();
            found.insert(view.position.clone(), legal);
            let mv = moves[random.usize(..moves.len())];
            view = game.view(Some(&view.position), &[mv]).unwrap();
        }
    }
    found
}

/// Returns a program's answers to all questions.
fn answers(mut child: Child, questions: &[&str]) -> Vec<String> {
    let mut input = child.stdin.take().unwrap();
    let text = questions.join("\n") + "\n";
    // Write on another thread, because both sides could wait for the other to read.
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let answers = done(child.wait_with_output().unwrap()).succeeds();
    writer.join().unwrap().unwrap();
    answers.lines().map(str::to_owned).collect()
}

/// Checks that a program answers with legal moves at a game, and finds all of them.
fn plays_by_the_rules(start: impl Fn() -> Child, words: &str) {
    let positions: Vec<_> = positions(words).into_iter().collect();
    let questions: Vec<&str> = positions.iter().map(|(position, _)| &**position).collect();
    let given = answers(start(), &questions);
    assert_eq!(given.len(), questions.len(), "{words}");
    for ((position, legal), mv) in positions.iter().zip(given) {
        assert!(legal.contains(&mv), "{words}: {position} {mv}");
    }
    // A program that never finds a move is improbable: e^-30.
    let mut sampled = positions;
    Rng::with_seed(2).shuffle(&mut sampled);
    let mut count = 0;
    sampled.retain(|(_, legal)| {
        count += 30 * legal.len();
        count <= QUESTIONS.max(30 * legal.len())
    });
    let each =
        |(position, legal): &(String, BTreeSet<String>)| vec![position.clone(); 30 * legal.len()];
    let questions: Vec<String> = sampled.iter().flat_map(each).collect();
    let questions: Vec<&str> = questions.iter().map(|question| &**question).collect();
    let mut found: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (question, mv) in questions.iter().zip(answers(start(), &questions)) {
        found.entry(question).or_default().insert(mv);
    }
    for (position, legal) in &sampled {
        assert_eq!(found[&**position], *legal, "{words}: {position}");
    }
}

/// Each language with the ending of its files.
const LANGUAGES: [(&str, &str); 4] = [
    ("python", "py"),
    ("rust", "rs"),
    ("c", "c"),
    ("javascript", "js"),
];

/// Checks the programs in a language for these games, by the commands that `new-ai` prints.
fn check_programs(language: &str, programs: &[(&str, &[&str])]) {
    let home = Home::new();
    let (_, ending) = LANGUAGES
        .iter()
        .find(|(name, _)| *name == language)
        .unwrap();
    for (number, (words, others)) in programs.iter().enumerate() {
        let mut args = vec!["new-ai"];
        args.extend(words.split(' '));
        let name = format!("ai_{number}.{ending}");
        args.extend(["--language", language, "--output", &name]);
        let printed = home.zermelo(&args).succeeds();
        let line = |label: &str| {
            let line = printed.lines().find_map(|line| line.strip_prefix(label));
            line.map(str::trim)
        };
        if let Some(compile) = line("Compile it:") {
            let compile =
                compile.replace("cc -O2", "cc -std=c99 -pedantic -Wall -Wextra -Werror -O2");
            let compile = compile.replace("rustc", "rustc -D warnings");
            done(home.command("sh", &["-c", &compile]).output().unwrap()).succeeds();
        }
        let check = line("Check it:").unwrap();
        let (_, start) = check.split_once('"').unwrap();
        let (start, _) = start.split_once('"').unwrap();
        let started: Vec<&str> = start.split(' ').collect();
        let child = || {
            let mut command = home.command(started[0], &started[1..]);
            command.stdin(Stdio::piped()).spawn().unwrap()
        };
        for words in [words].into_iter().chain(*others) {
            plays_by_the_rules(child, words);
        }
        if LONG.contains(words) {
            continue;
        }
        let command = format!(
            "{} --sample 200 --json --quiet",
            check.replacen("zermelo", ZERMELO, 1)
        );
        let checked = done(home.command("sh", &["-c", &command]).output().unwrap());
        let report: serde_json::Value = serde_json::from_str(&checked.out).unwrap();
        let mut faults = report["faults"].as_object().unwrap().values();
        assert!(faults.all(|count| count == 0), "{report:#}");
        assert!(report["asked"].as_u64() >= Some(20), "{report:#}");
        assert_eq!(checked.err, "");
    }
}

#[test]
#[cfg(unix)]
fn programs_in_rust_play_by_the_rules_of_small_games() {
    check_programs("rust", &PROGRAMS[..3]);
}

#[test]
#[cfg(unix)]
#[ignore = "exhaustive: compiles 17 programs"]
fn programs_in_rust_play_by_the_rules() {
    check_programs("rust", &PROGRAMS[3..]);
}

#[test]
#[cfg(unix)]
#[ignore = "exhaustive: needs python3"]
fn programs_in_python_play_by_the_rules() {
    check_programs("python", &PROGRAMS);
}

#[test]
#[cfg(unix)]
#[ignore = "exhaustive: needs a C compiler"]
fn programs_in_c_play_by_the_rules() {
    check_programs("c", &PROGRAMS);
}

#[test]
#[cfg(unix)]
#[ignore = "exhaustive: needs node"]
fn programs_in_javascript_play_by_the_rules() {
    check_programs("javascript", &PROGRAMS);
}

#[test]
fn programs_are_complete_in_every_language() {
    let home = Home::new();
    let named = |words: &str| words.split(' ').next().unwrap().to_owned();
    let tested: BTreeSet<String> = PROGRAMS.iter().map(|(words, _)| named(words)).collect();
    let names: BTreeSet<String> = FAMILIES
        .iter()
        .map(|family| family.name().to_owned())
        .collect();
    assert_eq!(tested, names);
    for (words, _) in PROGRAMS {
        for (language, ending) in LANGUAGES {
            let mut args = vec!["new-ai"];
            args.extend(words.split(' '));
            args.extend(["--language", language, "--output", "-"]);
            let text = home.zermelo(&args).succeeds();
            assert!(text.contains(" parse("), "{text}");
            assert!(text.contains(&format!("check-ai {words} --ai ")), "{text}");
            assert!(text.contains(&format!("{}_ai", named(words).replace('-', "_"))));
            for placeholder in ["RULES", "GAME", "COMPILE", "CHECK"] {
                assert!(!text.contains(placeholder), "{words}.{ending}: {text}");
            }
            assert!(
                text.lines().all(|line| line.chars().count() <= 100),
                "{text}"
            );
        }
    }
    assert_eq!(home.files(), [""; 0]);
}

#[test]
fn programs_never_replace_files() {
    let home = Home::new();
    let new = |options: &[&str]| home.zermelo(&[&["new-ai", "dots"], options].concat());
    let printed = new(&[]).succeeds();
    assert!(
        printed.contains("zermelo check-ai dots-and-boxes --ai \"python3 dots_and_boxes_ai.py\"")
    );
    let before = std::fs::read_to_string(home.path("dots_and_boxes_ai.py")).unwrap();
    new(&[]).assert_refused_with(&["dots_and_boxes_ai.py exists already", "--output"]);
    new(&["--output", "."]).assert_refused_with(&[". exists already"]);
    let after = std::fs::read_to_string(home.path("dots_and_boxes_ai.py")).unwrap();
    assert_eq!(before, after);
    new(&["--output", "none/ai.py"])
        .assert_refused_with(&["can't write the program to none/ai.py"]);
    assert_eq!(home.files(), ["dots_and_boxes_ai.py"]);
}

#[test]
fn unknown_games_and_languages_are_refused() {
    let home = Home::new();
    let refused = |words: &str, expected: &[&str]| {
        let args: Vec<&str> = words.split(' ').collect();
        home.zermelo(&args).assert_refused_with(expected);
    };
    refused(
        "new-ai chess",
        &["'chess'", "the games are kalah, tictactoe"],
    );
    refused(
        "new-ai eight --language basic",
        &["'basic'", "python, rust, c, javascript"],
    );
    refused("new-ai kalah", &["--seeds", "add --seeds 2"]);
    refused("new-ai kalah --seeds 2 --pits 9", &["9"]);
    assert_eq!(home.files(), [""; 0]);
}
