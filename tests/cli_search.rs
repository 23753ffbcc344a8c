//! Tests of the command `search`.

use crate::run::Home;
#[cfg(unix)]
use crate::run::{Done, interrupted_once};
use serde_json::Value;
use std::fs;

const METHODS: [&str; 10] = [
    "minimax",
    "minimax-tt",
    "negamax",
    "negamax-tt",
    "alphabeta",
    "alphabeta-tt",
    "negascout",
    "negascout-tt",
    "mtdf",
    "mtdf-tt",
];

fn searches(report: &Value) -> &Vec<Value> {
    report["searches"].as_array().unwrap()
}

/// Returns the words of the grid with this title, line by line, its heading first.
fn grid(text: &str, title: &str) -> Vec<Vec<String>> {
    let lines = text.lines().skip_while(|line| *line != title).skip(1);
    // Lines of a grid end in a number or a method; an empty line or a sentence follows.
    let rows = lines.take_while(|line| !line.is_empty() && !line.ends_with('.'));
    rows.map(|row| row.split_whitespace().map(str::to_owned).collect())
        .collect()
}

#[test]
fn the_json_of_search_keeps_its_contract() {
    let home = Home::new();
    let report = home.zermelo(&["search", "tictactoe", "--json"]).succeeds();
    let report: Value = serde_json::from_str(&report).unwrap();
    for (key, value) in [
        ("game", "tictactoe"),
        ("name", "tictactoe(shortest)"),
        ("rules", "tictactoe scoring=shortest"),
        ("position", "........."),
        ("to_move", "first"),
    ] {
        assert_eq!(report[key], value, "{key}");
    }
    assert_eq!(report["interrupted"], false);
    assert!(report["estimate"].is_null() && report["limit_seconds"].is_null());
    let names: Vec<&str> = searches(&report)
        .iter()
        .map(|search| search["method"].as_str().unwrap())
        .collect();
    assert_eq!(names, METHODS);
    for search in searches(&report) {
        assert_eq!(search["status"], "finished");
        assert_eq!(
            (&search["value"], &search["best_move"]),
            (&0.into(), &"a1".into())
        );
        assert!(search["depth"].is_null());
        let number = |key: &str| search[key].as_f64().unwrap();
        assert!((number("ratio") - number("nodes") / 549_946.0).abs() < 1e-12);
        assert!(number("seconds") > 0.0 && number("evaluations") < number("nodes"));
        let has_table = search["method"].as_str().unwrap().ends_with("-tt");
        assert_eq!(number("table_hits") > 0.0, has_table);
        assert_eq!(number("table_stores") > 0.0, has_table);
        assert!(number("table_cutoffs") <= number("table_hits"));
        assert_eq!(number("table_replacements"), 0.0);
    }
    assert_eq!(searches(&report)[0]["nodes"], 549_946);
    assert_eq!(searches(&report)[0]["evaluations"], 255_168);
}

#[test]
fn the_text_of_search_says_the_same_as_json() {
    let home = Home::new();
    let search = |more: &[&str]| {
        let args = ["search", "kalah", "--seeds", "3", "--depths", "2..=4"];
        let methods = ["--methods", "alphabeta,mtdf-tt,minimax"];
        home.zermelo(&[&args[..], &methods, more].concat())
            .succeeds()
    };
    let json: Value = serde_json::from_str(&search(&["--json"])).unwrap();
    assert_eq!(json["estimate"], "the static evaluation");
    let searches = searches(&json);
    assert_eq!(searches.len(), 9);
    // All are compared with the first method of the command line.
    assert_eq!(
        (&searches[0]["method"], &searches[0]["ratio"]),
        (&"alphabeta".into(), &1.0.into())
    );
    let nodes = grid(&search(&[]), "nodes");
    assert_eq!(
        nodes[0],
        ["depth", "value", "move", "alphabeta", "mtdf-tt", "minimax"]
    );
    assert_eq!(nodes.len(), 4);
    for row in &nodes[1..] {
        let of_depth = |search: &&Value| search["depth"] == row[0].parse::<u64>().unwrap();
        for (cell, search) in row[3..].iter().zip(searches.iter().filter(of_depth)) {
            assert_eq!(cell.replace(',', ""), search["nodes"].to_string());
            assert_eq!(
                (row[1].replace('+', ""), &*row[2]),
                (
                    search["value"].to_string(),
                    search["best_move"].as_str().unwrap()
                )
            );
        }
    }
}

#[test]
fn values_are_those_of_the_side_to_move() {
    let home = Home::new();
    // O is to move and loses; every search reports this from O's side.
    let args = ["search", "ttt", "--position", "XX..O.X.O", "--json"];
    let report: Value = serde_json::from_str(&home.zermelo(&args).succeeds()).unwrap();
    let table = Home::with_table("t.bin", &["tictactoe"]);
    let args = [
        "query",
        "--table",
        "t.bin",
        "--position",
        "XX..O.X.O",
        "--json",
    ];
    let known: Value = serde_json::from_str(&table.zermelo(&args).succeeds()).unwrap();
    assert_eq!(report["to_move"], "second");
    assert!(known["score"].as_i64().unwrap() < 0, "{known}");
    for search in searches(&report) {
        assert_eq!(search["value"], known["score"], "{search}");
        assert_eq!(search["best_move"], known["moves"][0]["move"], "{search}");
    }
}

#[test]
fn a_tree_is_written_as_json_and_as_a_picture() {
    let home = Home::new();
    let tree = |file: &str, more: &[&str]| {
        let args = ["search", "kalah", "--pits", "3", "--seeds", "2", "--depth"];
        let depth = if more.contains(&"--tree-depth") {
            "12"
        } else {
            "3"
        };
        let done = home.zermelo(&[&args[..], &[depth, "--tree", file], more].concat());
        (
            done.code,
            done.err,
            fs::read_to_string(home.path(file)).unwrap_or_default(),
        )
    };
    let (_, _, json) = tree("tree.json", &["--methods", "negascout"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&json["method"], &json["depth"]),
        (&"negascout".into(), &3.into())
    );
    let visits = json["visits"].as_array().unwrap();
    let (root, first) = (&visits[0], &visits[1]);
    assert!(root["parent"].is_null() && root["move"].is_null());
    assert!(root["entry"]["alpha"].is_null() && root["exit"]["alpha"] == root["value"]);
    assert_eq!(
        (&first["parent"], &first["move"]),
        (&0.into(), &root["searched"][0])
    );
    let skipped = |visit: &&Value| !visit["skipped"].as_array().unwrap().is_empty();
    let cut: Vec<&Value> = visits.iter().filter(skipped).collect();
    assert!(!cut.is_empty() && cut.iter().all(|visit| visit["end"] == "cut"));

    // Alpha-beta, if no method is named.
    let (_, _, svg) = tree("tree.svg", &[]);
    assert!(svg.contains("alphabeta"), "{svg}");
    for (class, text) in [
        ("visit cut", "cut"),
        ("visit skipped", "never visited"),
        ("visit leaf", "leaf"),
    ] {
        let boxes = svg.matches(&format!("class=\"{class}\"")).count();
        assert!(boxes > 0 && svg.matches(text).count() >= boxes, "{class}");
    }
    for (file, more, problem) in [
        ("tree.png", &[][..], "ends in .json or .svg"),
        (
            "tree.svg",
            &["--methods", "minimax,mtdf"],
            "name one of --methods",
        ),
        (
            "tree.svg",
            &["--order", "good"],
            "the orders are own, best, worst, static and random:SEED",
        ),
        (
            "tree.svg",
            &["--methods", "minimax", "--tree-depth", "12"],
            "at most 3000",
        ),
    ] {
        let (code, err, _) = tree(file, more);
        assert_eq!(code, Some(2), "{err}");
        assert!(err.contains(problem), "{err}");
    }
}

#[test]
fn iterative_deepening_shows_the_changes_of_the_line() {
    let home = Home::new();
    let args = [
        "search",
        "kalah",
        "--seeds",
        "4",
        "--depths",
        "1..=6",
        "--methods",
        "mtdf-tt",
    ];
    let text = home.zermelo(&args).succeeds();
    let lines = text.split_once("best play to each depth").unwrap().1;
    let lines: Vec<&str> = lines.lines().skip(1).take(6).collect();
    let json = home.zermelo(&[&args[..], &["--json"]].concat()).succeeds();
    let json: Value = serde_json::from_str(&json).unwrap();
    let mut before: Vec<&str> = Vec::new();
    for (line, search) in lines.iter().zip(searches(&json)) {
        let moves = search["line"].as_array().unwrap().iter();
        let moves: Vec<&str> = moves.map(|mv| mv.as_str().unwrap()).collect();
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(words[0], search["depth"].to_string());
        let changed = before
            .iter()
            .zip(&moves)
            .position(|(one, other)| one != other);
        for (number, (word, mv)) in words[1..].iter().zip(&moves).enumerate() {
            let is_change = changed == Some(number);
            assert_eq!(
                *word,
                if is_change {
                    format!("[{mv}]")
                } else {
                    (*mv).to_owned()
                }
            );
        }
        before = moves;
    }
    assert_eq!(before.len(), 6);
}

/// Returns the texts of a picture, which must be well-formed XML.
fn texts(svg: &str) -> Vec<String> {
    let picture = roxmltree::Document::parse(svg).unwrap();
    assert_eq!(picture.root_element().tag_name().name(), "svg");
    let texts = picture
        .descendants()
        .filter(|node| node.has_tag_name("text"));
    texts
        .filter_map(|node| node.text().map(str::to_owned))
        .collect()
}

#[test]
fn pictures_name_every_method_and_have_round_ticks() {
    let home = Home::new();
    let lines = [
        "search",
        "kalah",
        "--seeds",
        "2",
        "--depths",
        "1..=4",
        "--plot",
        "lines.svg",
    ];
    home.zermelo(&lines).succeeds();
    let found = texts(&fs::read_to_string(home.path("lines.svg")).unwrap());
    for text in METHODS {
        assert!(found.iter().any(|other| other == text), "{text}");
    }
    for text in [
        "1",
        "4",
        "10",
        "1,000",
        "moves ahead",
        "nodes (logarithmic scale)",
    ] {
        assert!(
            found.iter().any(|other| other == text),
            "{text} in {found:?}"
        );
    }
}

#[test]
fn the_picture_in_the_documentation_is_what_the_command_draws() {
    let home = Home::new();
    let args = [
        "search", "kalah", "--seeds", "4", "--depths", "1..=7", "--plot", "p.svg",
    ];
    home.zermelo(&args).succeeds();
    let drawn = fs::read_to_string(home.path("p.svg")).unwrap();
    let shown = include_str!("../docs/search-methods.svg");
    assert!(drawn == shown, "draw it anew: zermelo {}", args.join(" "));
}

#[test]
fn pictures_replace_only_pictures() {
    let home = Home::new();
    fs::write(home.path("ai.py"), "print(1)").unwrap();
    fs::write(home.path("page.svg"), "<?xml version=\"1.0\"?><html/>").unwrap();
    fs::write(home.path("empty.svg"), "").unwrap();
    fs::write(home.path("other.svg"), "<?xml version=\"1.0\"?>\n<svg/>").unwrap();
    let plot = |path: &str| home.zermelo(&["search", "eight", "--depths", "1..=2", "--plot", path]);
    for (path, words) in [
        ("ai.py", "name a file that ends in .svg"),
        ("page.svg", "is not a picture"),
        ("empty.svg", "is not a picture"),
        ("no/p.svg", "there is no such directory"),
        (".", "name a file that ends in .svg"),
    ] {
        plot(path).assert_refused_with(&[path, words]);
    }
    assert_eq!(fs::read(home.path("ai.py")).unwrap(), b"print(1)");
    plot("other.svg").succeeds();
    texts(&fs::read_to_string(home.path("other.svg")).unwrap());
}

#[test]
fn slow_searches_are_shown_as_not_finished() {
    let home = Home::new();
    let args = ["search", "kalah", "--seeds", "4", "--limit", "0.05"];
    let depths = ["--depths", "1..=40", "--methods", "minimax,mtdf-tt"];
    let text = home.zermelo(&[&args[..], &depths].concat()).succeeds();
    assert!(
        text.contains("Not finished within 0.05 s: minimax, mtdf-tt."),
        "{text}"
    );
    let json = [&args[..], &depths, &["--json"]].concat();
    let json: Value = serde_json::from_str(&home.zermelo(&json).succeeds()).unwrap();
    for method in ["minimax", "mtdf-tt"] {
        let all = searches(&json).iter();
        let of_method = all.filter(|search| search["method"] == method);
        let statuses: Vec<&str> = of_method
            .map(|search| search["status"].as_str().unwrap())
            .collect();
        assert_eq!(statuses.len(), 40);
        let over = statuses
            .iter()
            .position(|&status| status == "over limit")
            .unwrap();
        assert!(over > 0 && statuses[..over].iter().all(|&status| status == "finished"));
        assert!(
            statuses[over + 1..]
                .iter()
                .all(|&status| status == "not tried")
        );
    }
    // Without a finished search there is no answer.
    let tree = ["--methods", "minimax", "--tree", "tree.json"];
    let done = home.zermelo(&[&args[..], &tree].concat());
    assert_eq!((done.code, &*done.err), (Some(2), ""));
    assert!(done.out.contains("not finished"), "{done:?}");
    // A part of a tree would say what isn't so.
    assert!(!home.path("tree.json").exists());
}

#[test]
fn a_table_that_is_too_small_says_so_or_is_refused() {
    let home = Home::new();
    let search = |memory: &str| {
        let args = [
            "search",
            "kalah",
            "--pits",
            "4",
            "--seeds",
            "2",
            "--methods",
            "minimax-tt",
            "--limit",
            "600",
        ];
        home.zermelo(&[&args[..], &["--memory", memory]].concat())
    };
    search("24M")
        .assert_refused_with(&["24.00 MB is too little", "25.00 MB or more with --memory"]);
    let text = search("25M").succeeds();
    assert!(
        text.contains("A table of 1.00 MB was too small for all positions"),
        "{text}"
    );
    assert!(!search("200M").succeeds().contains("was too small"));
}

#[test]
fn impossible_searches_are_refused_with_advice() {
    let home = Home::new();
    for (args, words) in [
        (&["eight", "--position", "9"][..], &["\"9\""][..]),
        (
            &["ttt", "--position", "XXXOO...."],
            &["the game is over", "first player wins"],
        ),
        (&["kalah", "--up-to", "5"], &["has no start", "--position"]),
        (&["eight", "--methods", "mtdf,mtdf"], &["mtdf twice"]),
        (
            &["eight", "--methods", "best"],
            &["no method \"best\"", "negascout"],
        ),
        (&["eight", "--depths", "5..=2"], &["2..=5"]),
        (&["eight", "--depth", "0"], &["from 1 to 99"]),
        (&["eight", "--limit", "0"], &["write seconds"]),
        (&["chess"], &["chess", "the games are kalah"]),
    ] {
        let done = home.zermelo(&[&["search"], args].concat());
        done.without_json(args.contains(&"--json"))
            .assert_refused_with(words);
    }
}

/// A game too large for minimax, and small enough for MTD(f) with a table.
#[cfg(unix)]
#[test]
fn an_interrupted_comparison_shows_what_is_finished() {
    let home = Home::new();
    // A limit, so that the comparison doesn't turn to depths on a busy machine.
    let methods = [
        "--methods",
        "mtdf-tt,minimax,alphabeta-tt",
        "--limit",
        "600",
    ];
    let args = [
        &["search", "kalah", "--pits", "4", "--seeds", "2"][..],
        &methods,
    ]
    .concat();
    for json in [false, true] {
        let format: &[&str] = if json { &["--json"] } else { &[] };
        let begun = |done: &Done| !done.err.contains("0 of 3");
        let done = interrupted_once(&home, &[&args[..], format].concat(), begun);
        assert_eq!(done.code, Some(2), "{done:?}");
        assert!(
            done.err
                .contains("error: interrupted; 1 of 3 searches are finished"),
            "{done:?}"
        );
        if json {
            let report: Value = serde_json::from_str(&done.out).unwrap();
            assert_eq!(report["interrupted"], true);
            assert_eq!(report["error"], "interrupted; 1 of 3 searches are finished");
            let statuses = searches(&report)
                .iter()
                .map(|search| search["status"].as_str().unwrap());
            assert_eq!(
                statuses.collect::<Vec<_>>(),
                ["finished", "interrupted", "not tried"]
            );
            assert_eq!(searches(&report)[0]["value"], 6);
        } else {
            assert!(
                done.out.contains("interrupted") && done.out.contains("not tried"),
                "{done:?}"
            );
        }
    }
}

/// Depths that weren't reached are left out.
#[cfg(unix)]
#[test]
fn an_interrupted_comparison_leaves_out_the_depths_that_it_did_not_reach() {
    let home = Home::new();
    let args = [
        "search",
        "kalah",
        "--seeds",
        "4",
        "--methods",
        "minimax,negamax",
    ];
    let args = [&args[..], &["--depths", "1..=60"]].concat();
    let begun = |done: &Done| !done.err.contains("interrupted; 0 of");
    let done = interrupted_once(&home, &args, begun);
    let depths = |depth: &str| {
        let rows = done.out.lines().map(|line| line.split_whitespace().next());
        rows.filter(|first| *first == Some(depth)).count()
    };
    assert_eq!((done.code, depths("60")), (Some(2), 0), "{done:?}");
    assert!(depths("1") > 1, "{done:?}");
}
