//! Tests of the ways to name a table, and of suggested next commands.

use crate::run::{Home, ZERMELO, done};
use serde_json::Value;
use std::fs;
use std::process::Command;

const KALAH: [&str; 5] = ["kalah", "--pits", "4", "--seeds", "2"];

fn home() -> Home {
    let home = Home::new();
    home.zermelo(&[&["solve"], &KALAH[..]].concat()).succeeds();
    home
}

#[test]
fn tables_win_over_short_names_of_games() {
    let home = Home::new();
    home.zermelo(&["solve", "tictactoe"]).succeeds();
    let answer = home.zermelo(&["query", "ttt", "--json"]).succeeds();
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["best_moves"].as_array().unwrap().len(), 9);
    let code = home.zermelo(&["query", "ttt", "first-player win?"]).code;
    assert_eq!(code, Some(1));
    // Options of a search are for the game.
    let refused = home.zermelo(&["query", "ttt", "--threads", "1"]);
    assert_eq!(refused.code, Some(2));
    home.zermelo(&["query", "tictactoe", "--threads", "1"])
        .succeeds();
    home.zermelo(&["check-ai", "ttt", "--ai", "builtin:perfect", "--no-mmap"])
        .succeeds();
}

#[test]
fn a_table_is_found_by_its_file_and_by_its_name() {
    let home = home();
    let asked = home
        .zermelo(&["query", "--table", "data/kalah-4-2.bin", "draw?"])
        .out;
    assert!(asked.starts_with("no: "), "{asked}");
    for words in [
        &["data/kalah-4-2.bin", "draw?"][..],
        &["kalah-4-2", "draw?"],
        &["kalah-4-2.bin", "draw?"],
        &["--table", "kalah-4-2", "draw?"],
        &["draw?", "--table", "kalah-4-2"],
    ] {
        let done = home.zermelo(&[&["query"], words].concat());
        assert_eq!((done.code, &done.out), (Some(1), &asked), "{words:?}");
    }
    for words in [
        &["info", "kalah-4-2"][..],
        &["info", "data/kalah-4-2.bin"],
        &["verify", "kalah-4-2"],
        &["verify", "--table", "kalah-4-2.bin"],
        &[
            "check-ai",
            "kalah-4-2",
            "--ai",
            "builtin:perfect",
            "--canonical",
        ],
        &[
            "check-ai",
            "--table",
            "kalah-4-2",
            "--ai",
            "builtin:perfect",
            "--canonical",
        ],
    ] {
        home.zermelo(words).succeeds();
    }
    let message = home.zermelo(&["info", "kalah-4-3"]).assert_refused();
    assert!(message.contains("no table kalah-4-3"), "{message}");
    assert!(message.contains("data has kalah-4-2"), "{message}");
}

#[test]
fn tables_have_a_folder_of_their_own_if_that_is_wanted() {
    let home = Home::new();
    let folder = home.path("my tables");
    let run = |args: &[&str]| {
        let mut command = home.command(ZERMELO, args);
        done(command.env("ZERMELO_TABLES", &folder).output().unwrap())
    };
    run(&["solve", "eight"]).succeeds();
    assert_eq!(home.files(), ["my tables"]);
    assert!(
        run(&["query", "eight.bin", "second-player win?"])
            .out
            .starts_with("yes")
    );
    // Without the directory the name has no meaning.
    home.zermelo(&["info", "eight.bin"])
        .assert_refused_with(&["no table eight.bin"]);
    run(&["info", "eight"]).succeeds();
}

#[test]
fn questions_need_no_quotation_marks() {
    let home = home();
    for words in [
        &["kalah-4-2", "first-player", "win?"][..],
        &["--table", "kalah-4-2", "First", "player", "wins"],
        &[
            "kalah",
            "--pits",
            "4",
            "--seeds",
            "2",
            "first-player",
            "win?",
        ],
    ] {
        let done = home.zermelo(&[&["query"], words].concat());
        assert_eq!(done.code, Some(0), "{done:?}");
        assert!(done.out.starts_with("yes: "), "{done:?}");
    }
    for words in [
        &["who", "wins"][..],
        &["kalah-4-3"],
        &["first-player", "win?"],
    ] {
        home.zermelo(&[&["query"], words].concat())
            .assert_refused_with(&["table", "kalah"]);
    }
}

#[test]
fn a_game_that_is_solved_already_answers_at_once() {
    let home = home();
    let path = home.path("data/kalah-4-2.bin");
    let before = fs::metadata(&path).unwrap().modified().unwrap();
    let again = home.zermelo(&[&["solve"], &KALAH[..]].concat()).succeeds();
    assert!(
        again.starts_with("kalah(4,2): first player wins by 6"),
        "{again}"
    );
    assert!(
        again.contains("already solved") && again.contains("--force"),
        "{again}"
    );
    assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), before);
    let json = |more: &[&str]| -> Value {
        let args = [&["solve"], &KALAH[..], &["--json"], more].concat();
        serde_json::from_str(&home.zermelo(&args).succeeds()).unwrap()
    };
    let (there, anew) = (json(&[]), json(&["--force"]));
    assert_eq!(
        (&there["was_there"], &anew["was_there"]),
        (&true.into(), &false.into())
    );
    for key in [
        "score",
        "outcome",
        "best_moves",
        "classes",
        "table",
        "rules",
    ] {
        assert_eq!(there[key], anew[key], "{key}");
    }
    assert_ne!(fs::metadata(&path).unwrap().modified().unwrap(), before);
    // A table of another game is in the way.
    let args = ["solve", "eight", "--out", "data/kalah-4-2.bin"];
    home.zermelo(&args).assert_refused_with(&[
        "is not a valid table of eight",
        "kalah pits=4 seeds=2",
        "--force",
        "--out",
    ]);
}

/// The situation after a run was killed just after it had renamed its table.
#[test]
fn leftovers_beside_a_finished_table_are_removed() {
    let home = Home::with_table("t.bin", &["eight"]);
    let folder = home.path(".t.bin.partial");
    let args = ["solve", "eight", "--out", "t.bin"];
    for (file, stays) in [("checkpoints.log", false), ("table", true)] {
        fs::create_dir(&folder).unwrap();
        for name in ["lock", file] {
            fs::write(folder.join(name), "").unwrap();
        }
        home.zermelo(&args).succeeds();
        assert_eq!(folder.exists(), stays, "{file}");
    }
}

#[test]
fn refusals_for_lack_of_memory_name_alternatives() {
    let home = Home::new();
    let args = [
        "solve",
        "kalah",
        "--seeds",
        "3",
        "--empty-capture",
        "--memory",
        "100M",
    ];
    let message = home.zermelo(&args).assert_refused();
    let works = "zermelo query kalah --seeds 3 --empty-capture";
    assert!(message.contains(&format!("`{works}`")), "{message}");
}

#[test]
fn completions_and_manual_pages_are_generated() {
    let home = Home::new();
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let script = home.zermelo(&["generate", "completions", shell]).succeeds();
        for word in ["check-ai", "kalah", "empty-capture"] {
            assert!(script.contains(word), "{shell}: no {word}");
        }
    }
    let page = home.zermelo(&["generate", "man"]).succeeds();
    assert!(page.contains(".TH zermelo 1"), "{page}");
    fs::write(home.path("file"), "").unwrap();
    home.zermelo(&["generate", "man", "file"])
        .assert_refused_with(&["can't write the manual pages into file"]);
    home.zermelo(&["generate", "man", "man1"]).succeeds();
    let query = fs::read_to_string(home.path("man1/zermelo-query-kalah.1")).unwrap();
    assert!(query.contains("seeds"), "{query}");
}

#[cfg(unix)]
#[test]
fn a_completion_script_is_understood_by_its_shell() {
    let home = Home::new();
    let script = home
        .zermelo(&["generate", "completions", "bash"])
        .succeeds();
    fs::write(home.path("script"), script).unwrap();
    let Ok(output) = Command::new("bash")
        .args(["-n", "script"])
        .current_dir(home.path("."))
        .output()
    else {
        // Not every system has this shell.
        return;
    };
    assert!(output.status.success(), "{output:?}");
}

/// Returns the words between the backquotes of a tip that name a command of the program.
fn commands_in(tip: &str) -> Vec<Vec<&str>> {
    let quoted = tip.split('`').skip(1).step_by(2);
    let words = quoted.map(|command| command.split_whitespace().collect::<Vec<_>>());
    words.filter(|words| words[0] == "zermelo").collect()
}

/// `solve` is refused for want of memory before it begins, so `--plan` or a limit shows whether it
/// would be.
#[test]
fn tips_name_no_command_that_is_refused() {
    let home = Home::new();
    let mut named = 0;
    for words in [
        "check-ai oware --pits 6 --seeds 4 --ai builtin:first",
        "check-ai dobutsu --ai builtin:first --by-search",
        "query oware --pits 6 --seeds 4",
        "query dobutsu",
        "tournament oware --pits 6 --seeds 4 --ai a=builtin:first --ai b=builtin:random",
        "query kalah-6-6",
        "query kalah-6-9",
        "query oware-6-4",
        "query oware-3-2",
        "query connect4-9-9-4",
        "check-ai reversi24-cross --ai builtin:first",
        "query dots-and-boxes-9-9",
        "info kalah-6-3",
    ] {
        let words: Vec<&str> = words.split(' ').collect();
        let refusal = home.zermelo(&words).assert_refused();
        for command in commands_in(&refusal) {
            named += 1;
            let kind = command[1];
            // Only the check of the memory is of interest.
            let limits: &[&str] = match kind {
                "solve" => &["--out", "nowhere/x.bin"],
                _ => &["--svg", "x.pdf"],
            };
            let words = [&command[1..], limits].concat();
            let found = home.zermelo(&words).assert_refused();
            let expected = ["nowhere", ".svg"][usize::from(kind == "query")];
            assert!(found.contains(expected), "{refusal}\n{words:?}: {found}");
        }
    }
    assert!(named >= 4, "{named}");
}
