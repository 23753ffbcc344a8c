//! Tests of the lines that punish a mistake, and of the list of all mistakes.

use crate::check::{line_is_a_refutation, table_of, timeless};
use crate::common;
use crate::run::{Home, TTT, ZERMELO, done};
#[cfg(unix)]
use crate::run::{send, wait_until};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use zermelo::check::builtin::Builtin;
use zermelo::check::{Ai, CheckOptions, Coverage, InProcess, Scope, check};
use zermelo::game::{Game, NoProgress, Notation};
use zermelo::games::Cell;
use zermelo::games::kalah::{Kalah, Position};
use zermelo::games::tictactoe::{self, TicTacToe};
use zermelo::oracle::Oracle;

/// Returns the builtin AI with this name.
fn builtin(name: &str) -> Builtin {
    name.parse().unwrap()
}

/// Returns whether a position is reachable when an AI plays one side from the start.
fn comes_up<G: Notation>(game: &G, ai: &mut dyn Ai<G>, wanted: &G::Position) -> bool {
    let side = game.side_to_move(wanted);
    let mut known = HashSet::new();
    let mut stack = vec![game.start()];
    while let Some(position) = stack.pop() {
        if game.final_score(&position).is_some() || !known.insert(position.clone()) {
            continue;
        }
        if game.side_to_move(&position) == side {
            stack.push(game.play(&position, ai.choose(game, &position)));
        } else {
            let moves = game.legal_moves(&position);
            stack.extend(moves.iter().map(|&mv| game.play(&position, mv)));
        }
    }
    known.contains(wanted)
}

#[test]
fn refutations_begin_at_the_start_if_the_mistake_is_reachable() {
    let game = TicTacToe::default();
    let table = table_of(&game);
    let mut places = common::all_positions(&game);
    places.retain(|place| game.final_score(place).is_none());
    places.sort_by_key(|place| game.format_position(place));
    let mut seen = [0, 0];
    for place in places.into_iter().step_by(41) {
        let scores = table.move_scores(&place).unwrap();
        let (mv, worst) = *scores.last().unwrap();
        if worst == scores[0].1 {
            continue;
        }
        let ai = || {
            let mut perfect = builtin("perfect").make(&table);
            move |game: &TicTacToe, position: &tictactoe::Position| -> Cell {
                if *position == place {
                    mv
                } else {
                    perfect.choose(game, position)
                }
            }
        };
        let report = check(
            &table,
            &InProcess(ai),
            &CheckOptions::default(),
            &NoProgress,
        )
        .unwrap();
        line_is_a_refutation(&game, &report, &mut ai());
        let line = report.refutation_line.unwrap();
        let can_happen = comes_up(&game, &mut ai(), &place);
        assert_eq!(
            line.from_start,
            can_happen,
            "{}",
            game.format_position(&place)
        );
        assert_eq!(line.why_not_from_start.is_none(), can_happen);
        // All answers were known already.
        assert_eq!((line.questions, line.of_worst), (0, Some(0)));
        seen[usize::from(can_happen)] += 1;
    }
    assert!(seen[0] > 5 && seen[1] > 5, "{seen:?}");
}

#[test]
fn refutations_of_samples_begin_at_the_mistake() {
    let game = common::kalah(4, 2, false);
    let table = table_of(&game);
    let greedy = || {
        |game: &Kalah, position: &Position| builtin("greedy").make(&table).choose(game, position)
    };
    let sample = Coverage::Sample {
        count: 300,
        seed: 1,
    };
    let options = CheckOptions {
        coverage: sample,
        ..CheckOptions::default()
    };
    let report = check(&table, &InProcess(greedy), &options, &NoProgress).unwrap();
    line_is_a_refutation(&game, &report, &mut greedy());
    let line = report.refutation_line.as_ref().unwrap();
    assert!(!line.from_start && line.mistake == 0 && line.of_worst == Some(0));
    let why = line.why_not_from_start.unwrap();
    assert!(why.contains("was seen"), "{why}");
    // Only the line's own moves are asked.
    assert!(line.questions <= line.steps.len() as u64);
    let again = check(
        &table,
        &InProcess(greedy),
        &CheckOptions {
            jobs: 3,
            ..options.clone()
        },
        &NoProgress,
    )
    .unwrap();
    assert_eq!(timeless(&again), timeless(&report));
}

/// An AI whose answers change from one time to the next.
#[test]
fn unstable_answers_do_no_harm() {
    let table = table_of(&TicTacToe::default());
    for scope in [Scope::All, Scope::Play] {
        let count = AtomicU64::new(0);
        let ai = || {
            |game: &TicTacToe, position: &tictactoe::Position| {
                let moves = game.legal_moves(position);
                let number = count.fetch_add(7, Relaxed) as usize;
                // Sometimes the move isn't even legal.
                if number % 5000 == 6 {
                    Cell(63)
                } else {
                    moves[number % moves.len()]
                }
            }
        };
        let options = CheckOptions {
            scope,
            ..CheckOptions::default()
        };
        let report = check(&table, &InProcess(ai), &options, &NoProgress).unwrap();
        let line = report.refutation_line.as_ref().expect("a line");
        assert!(line.from_start && line.score < line.target, "{line:?}");
        // The line is not confirmed to happen again.
        assert!(
            !line.confirmed && !line.story().contains("can happen"),
            "{line:?}"
        );
        let again = &report.asked_again;
        assert!(
            again.changed > 0 && again.changed <= again.asked,
            "{again:?}"
        );
        let [position, first, other] = again.example.as_ref().unwrap();
        let sentence = report.inconstancy().unwrap();
        assert!(first != other && sentence.contains(position), "{sentence}");
    }
}

/// AIs that err only while their process is young, or never in the order of a game.
#[test]
fn refutations_are_unconfirmed_if_a_fresh_process_plays_otherwise() {
    let table = table_of(&TicTacToe::default());
    let report_of = |last: u64, scope| {
        let ai = || {
            let mut perfect = builtin("perfect").make(&table);
            let mut asked = 0;
            move |game: &TicTacToe, position: &tictactoe::Position| {
                asked += 1;
                if asked > last {
                    *game.legal_moves(position).last().unwrap()
                } else {
                    perfect.choose(game, position)
                }
            }
        };
        let options = CheckOptions {
            scope,
            ..CheckOptions::default()
        };
        check(&table, &InProcess(ai), &options, &NoProgress).unwrap()
    };
    for scope in [Scope::All, Scope::Play] {
        for last in [0, 100] {
            let report = report_of(last, scope);
            let line = report.refutation_line.as_ref().unwrap();
            let again = &report.asked_again;
            let is_constant = last == 0;
            assert_eq!(line.confirmed, is_constant, "{scope:?}, {last}: {line:?}");
            assert_eq!(again.changed == 0, is_constant, "{again:?}");
            assert_eq!(report.inconstancy().is_none(), is_constant);
            assert_eq!(
                line.story().contains("This can happen"),
                is_constant && line.from_start
            );
            let own = line.steps.iter().filter(|step| step.side == line.side);
            assert!(again.asked >= own.count() as u64);
        }
    }
}

#[test]
fn equivalent_mistakes_are_counted_and_shown_once() {
    let game = TicTacToe::default();
    let table = table_of(&game);
    let mut alike: HashMap<(u128, i32, i32), u64> = HashMap::new();
    for position in common::all_positions(&game) {
        if game.final_score(&position).is_some() {
            continue;
        }
        let scores = table.move_scores(&position).unwrap();
        let target = scores[0].1;
        let after = table
            .score_after(&position, game.legal_moves(&position)[0])
            .unwrap();
        if after < target {
            let key = game.key(&game.canonical(&position));
            *alike.entry((key, target, after)).or_default() += 1;
        }
    }
    let first = InProcess(|| builtin("first").make(&table));
    let report = check(&table, &first, &CheckOptions::default(), &NoProgress).unwrap();
    assert_eq!(report.worst.len(), 10);
    let mut classes = HashSet::new();
    for worst in &report.worst {
        let mistake = &worst.mistake;
        let position = game.parse_position(&mistake.position).unwrap();
        let key = (
            game.key(&game.canonical(&position)),
            mistake.target,
            mistake.after,
        );
        assert_eq!(worst.equivalent, alike[&key], "{mistake:?}");
        assert!(classes.insert(key));
    }
    assert!(report.worst.iter().any(|mistake| mistake.equivalent > 3));
    // The report has both counts.
    assert_eq!((report.classes, report.positions), (Some(627), Some(4520)));
}

fn check_ai(home: &Home, options: &[&str]) -> crate::run::Done {
    let args = ["check-ai", "--table", TTT, "--ai", "builtin:first"];
    home.zermelo(&[&args[..], options].concat())
}

#[test]
fn all_mistakes_are_listed_in_the_same_order_for_any_number_of_jobs() {
    let home = Home::new();
    for scope in ["all", "play"] {
        let list = |name: &str, jobs: &str| {
            let options = [
                "--json",
                "--scope",
                scope,
                "--mistakes",
                name,
                "--jobs",
                jobs,
            ];
            let done = check_ai(&home, &options);
            assert_eq!((done.code, done.err.as_str()), (Some(1), ""));
            let report: Value = serde_json::from_str(&done.out).unwrap();
            (report, std::fs::read_to_string(home.path(name)).unwrap())
        };
        let (report, one) = list("one.jsonl", "1");
        let (_, three) = list("three.ndjson", "3");
        assert_eq!(one, three);
        let mistakes: Vec<Value> = one
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(report["mistakes"]["total"], mistakes.len());
        let lost: i64 = mistakes
            .iter()
            .map(|of| of["regret"].as_i64().unwrap())
            .sum();
        assert_eq!(report["total_regret"], lost);
        for worst in report["worst"].as_array().unwrap() {
            let is_it = |of: &&Value| of["position"] == worst["position"];
            let listed = mistakes.iter().find(is_it).unwrap();
            for key in ["move", "best", "target", "after", "regret"] {
                assert_eq!(listed[key], worst[key], "{key}");
            }
        }
        let (_, csv) = list("list.csv", "2");
        let rows: Vec<&str> = csv.lines().collect();
        assert_eq!(
            rows[0],
            "position,side,move,best,before,target,after,before_distance,target_distance,after_distance,regret,outcomes,layer,class"
        );
        assert_eq!(rows.len(), mistakes.len() + 1);
        let (row, of) = (rows[1], &mistakes[0]);
        let text = |key: &str| of[key].as_str().unwrap().to_owned();
        let begins = format!("{},{},{},", text("position"), text("side"), text("move"));
        assert!(
            row.starts_with(&begins) && row.ends_with(&text("class")),
            "{row}"
        );
    }
    assert_eq!(home.files(), ["list.csv", "one.jsonl", "three.ndjson"]);
}

/// A limit to the size of files, as on a full disk, loses no results.
#[cfg(unix)]
#[test]
fn reports_are_printed_if_a_file_cannot_be_written() {
    let home = Home::new();
    let check = |blocks: &str, options: &[&str]| {
        let script = format!("ulimit -f {blocks}; exec \"$0\" \"$@\"");
        let args = [
            &["-c", &script, ZERMELO, "check-ai", "--table", TTT],
            &["--ai", "builtin:first"][..],
            options,
        ]
        .concat();
        done(home.command("sh", &args).output().unwrap())
    };
    let whole = check("unlimited", &[]).out;
    // The list is longer than one write, and the page is longer than the limit.
    for blocks in ["0", "64"] {
        for (files, words) in [
            (&["--report", "page.html"][..], &["page.html"][..]),
            (&["--mistakes", "list.csv"], &["list.csv"]),
            (
                &["--report", "page.html", "--mistakes", "list.jsonl"],
                &["page.html", "list.jsonl"],
            ),
        ] {
            let done = check(blocks, files);
            assert_eq!(done.code, Some(2), "{done:?}");
            let lines = |text: &str| -> Vec<String> {
                let untimed = text.lines().filter(|line| !line.starts_with("Time:"));
                untimed.map(str::to_owned).collect()
            };
            assert_eq!(lines(&done.out), lines(&whole), "{files:?}");
            let error = done.err.lines().last().unwrap();
            for word in words.iter().chain(&["too large"]) {
                assert!(error.contains(word), "{word}: {error}");
            }
            let done = check(blocks, &[files, &["--json"]].concat());
            assert_eq!(done.code, Some(2), "{done:?}");
            let report: Value = serde_json::from_str(&done.out).unwrap();
            assert_eq!(report["verdict"], "imperfect");
            assert!(done.err.contains(words[0]), "{}", done.err);
            assert!(home.files().is_empty(), "{:?}", home.files());
        }
    }
}

#[test]
fn lists_replace_only_lists() {
    let home = Home::new();
    std::fs::write(home.path("mine.csv"), "a,b\n1,2\n").unwrap();
    std::fs::write(home.path("mine.json"), "{\"mine\":1}").unwrap();
    for (options, words) in [
        (
            &["--mistakes", "list.txt"][..],
            &["list.txt", ".jsonl", ".csv"][..],
        ),
        (
            &["--mistakes", "mine.csv"],
            &["mine.csv", "not a list of mistakes"],
        ),
        (
            &["--mistakes", "mine.json"],
            &["mine.json", "not a list of mistakes"],
        ),
        (&["--mistakes", "no/such/list.csv"], &["no such directory"]),
        (
            &["--mistakes", "both.csv", "--report", "./both.csv"],
            &["page in HTML", "both.csv"],
        ),
    ] {
        check_ai(&home, options).assert_refused_with(words);
    }
    assert_eq!(
        std::fs::read_to_string(home.path("mine.csv")).unwrap(),
        "a,b\n1,2\n"
    );
    assert_eq!(home.files(), ["mine.csv", "mine.json"]);
    // An older list, or one without mistakes, may be replaced.
    for _ in 0..2 {
        let done = check_ai(&home, &["--mistakes", "list.jsonl"]);
        assert!(
            done.out.contains("All mistakes: list.jsonl"),
            "{}",
            done.out
        );
        std::fs::write(home.path("empty.jsonl"), "").unwrap();
        assert_eq!(
            check_ai(&home, &["--mistakes", "empty.jsonl"]).code,
            Some(1)
        );
    }
}

#[test]
#[cfg(unix)]
fn an_interrupted_check_leaves_no_list() {
    let home = Home::new();
    // The AI is wrong from the first answer on, and then silent.
    let elsewhere = Home::new();
    let silent = elsewhere.path("silent");
    let sleeps = format!(
        "n=0; while read -r p; do n=$((n+1)); [ $n -gt 300 ] && : > {} && sleep 86400",
        silent.display()
    );
    let script = sleeps + "
q=${p%%.*}; case ${#q} in 0) echo a1;; 1) echo b1;; 2) echo c1;; 3) echo a2;; 4) echo b2;; 5) echo c2;; 6) echo a3;; 7) echo b3;; 8) echo c3;; esac; done";
    std::fs::write(home.path("ai.sh"), script).unwrap();
    let args = [
        "check-ai",
        "--table",
        TTT,
        "--ai",
        "sh ai.sh",
        "--timeout",
        "86400",
        "--mistakes",
        "list.jsonl",
    ];
    let mut child = home.command(ZERMELO, &args).spawn().unwrap();
    // Wait until the list has been started next to its final path.
    wait_until("the list", || home.files().len() > 1);
    wait_until("an AI that is silent", || silent.exists());
    send("INT", &child);
    wait_until("the end", || child.try_wait().unwrap().is_some());
    let done = done(child.wait_with_output().unwrap());
    assert_eq!(done.code, Some(2), "{done:?}");
    assert_eq!(home.files(), ["ai.sh"]);
}
