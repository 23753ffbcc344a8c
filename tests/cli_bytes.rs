//! Tests that `solve` writes the same bytes by any method, threads and memory.

use crate::run::{Home, ROOT};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

fn solved(home: &Home, game: &[&str], options: &[&str]) -> Vec<u8> {
    let args = [&["solve"], game, &["--out", "t.bin", "--force"], options].concat();
    home.zermelo(&args).succeeds();
    fs::read(home.path("t.bin")).unwrap()
}

#[track_caller]
fn same_bytes(game: &[&str]) {
    let home = Home::new();
    let expected = solved(&home, game, &["--threads", "1"]);
    for (method, threads) in [
        ("backward", "1"),
        ("backward", "2"),
        ("backward", "4"),
        ("search", "1"),
        ("search", "2"),
        ("search", "4"),
    ] {
        let bytes = solved(&home, game, &["--method", method, "--threads", threads]);
        // `assert_eq!` would print both tables.
        assert!(bytes == expected, "{game:?}, {method}, {threads} threads");
    }
    home.zermelo(&["verify", "--table", "t.bin"]).succeeds();
}

#[test]
fn tic_tac_toe_has_the_same_bytes_by_either_method_on_any_threads() {
    same_bytes(&["tictactoe"]);
    same_bytes(&["tictactoe", "--scoring", "outcome"]);
}

#[test]
fn eight_has_the_same_bytes_by_either_method_on_any_threads() {
    same_bytes(&["eight"]);
}

#[test]
#[ignore = "exhaustive: 2 s"]
fn reversi_has_the_same_bytes_by_either_method_on_any_threads() {
    for start in ["cross", "parallel"] {
        same_bytes(&["reversi4", "--start", start]);
    }
}

#[test]
fn small_boards_of_kalah_have_the_same_bytes_by_either_method_on_any_threads() {
    kalah_has_the_same_bytes(&[("3", "--seeds=2"), ("4", "--seeds=1"), ("3", "--up-to=6")]);
}

#[test]
#[ignore = "exhaustive: 7 s"]
fn boards_of_kalah_have_the_same_bytes_by_either_method_on_any_threads() {
    kalah_has_the_same_bytes(&[
        ("3", "--seeds=3"),
        ("4", "--seeds=2"),
        ("5", "--seeds=1"),
        ("6", "--seeds=1"),
        ("3", "--up-to=9"),
        ("6", "--up-to=6"),
    ]);
}

fn kalah_has_the_same_bytes(boards: &[(&str, &str)]) {
    for &(pits, size) in boards {
        let game = ["kalah", "--pits", pits, size];
        same_bytes(&game);
        same_bytes(&[&game[..], &["--empty-capture"]].concat());
    }
}

#[test]
fn different_rules_have_different_bytes() {
    let home = Home::new();
    let kalah = ["kalah", "--pits", "4", "--seeds", "2"];
    let standard = solved(&home, &kalah, &[]);
    let empty = solved(&home, &kalah, &["--empty-capture"]);
    assert!(standard != empty);
}

#[test]
fn the_committed_table_of_tic_tac_toe_is_what_solve_writes() {
    let committed = Path::new(ROOT).join("data/ttt.bin");
    let committed = fs::read(committed).expect("data/ttt.bin belongs to the project");
    let again = solved(&Home::new(), &["tictactoe"], &[]);
    assert!(
        again == committed,
        "data/ttt.bin is out of date: `zermelo solve tictactoe --force` writes it anew"
    );
}

/// Returns the checksums that `data/README.md` publishes, by file name.
fn published_sums() -> BTreeMap<String, String> {
    let readme = Path::new(ROOT).join("data/README.md");
    let readme = fs::read_to_string(readme).unwrap();
    let lines = readme.lines().filter_map(|line| line.split_once("  "));
    let sums = lines
        .filter(|(sum, _)| sum.len() == 64 && sum.bytes().all(|digit| digit.is_ascii_hexdigit()));
    sums.map(|(sum, file)| (file.to_owned(), sum.to_owned()))
        .collect()
}

#[test]
fn the_published_sums_are_those_of_the_tables() {
    let sums = published_sums();
    let home = Home::new();
    for (game, file) in [("tictactoe", "ttt.bin"), ("eight", "eight.bin")] {
        home.zermelo(&["solve", game, "--out", file]).succeeds();
        let bytes = fs::read(home.path(file)).unwrap();
        let sum: String = Sha256::digest(bytes)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        assert_eq!(sums[file], sum, "{file}");
    }
    let table = |name: &str| sums.contains_key(&format!("{name}.bin"));
    assert!(table("kalah-6-2") && table("kalah-6-2-empty-capture") && table("kalah-6-up-to-24"));
}
