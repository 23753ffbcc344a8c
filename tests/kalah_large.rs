//! Tests of the largest tables, which take 24 GB of memory, 4 GB of disk, and time:
//!
//! ```text
//! cargo test --release --test all kalah_large::huge_ -- --ignored --test-threads 1
//! ```

use serde_json::Value;
use std::path::Path;
use std::process::Command;

fn zermelo(arguments: &[&str], table: &Path) -> Value {
    let place = if arguments[0] == "solve" {
        "--out"
    } else {
        "--table"
    };
    let output = Command::new(env!("CARGO_BIN_EXE_zermelo"))
        .args(arguments)
        .arg(place)
        .arg(table)
        .arg("--json")
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Returns the scores of the first moves, pit 1 first.
fn first_moves(table: &Path) -> Vec<i64> {
    let answer = zermelo(&["query"], table);
    let moves = answer["moves"].as_array().unwrap();
    let score = |pit: &str| {
        let mv = moves.iter().find(|mv| mv["move"] == pit);
        mv.unwrap()["score"].as_i64().unwrap()
    };
    ["1", "2", "3", "4", "5", "6"].map(score).to_vec()
}

/// Returns the number of classes in a layer.
fn layer(info: &Value, seeds: u64) -> u64 {
    let layers = info["by_layer"].as_array().unwrap();
    let layer = layers.iter().find(|layer| layer["layer"] == seeds);
    layer.unwrap()["classes"].as_u64().unwrap()
}

#[test]
#[ignore = "takes minutes and 20 GB of memory"]
fn huge_kalah_with_3_seeds_is_what_others_counted() {
    let home = tempfile::tempdir().unwrap();
    let table = home.path().join("kalah-6-3.bin");
    let report = zermelo(&["solve", "kalah", "--seeds", "3"], &table);
    assert_eq!(report["score"], 2);
    assert_eq!(first_moves(&table), [-14, -16, -10, -2, 2, 0]);
    let info = zermelo(&["info"], &table);
    let highest = [36, 35, 34, 33, 32].map(|seeds| layer(&info, seeds));
    assert_eq!(highest, [168, 7_429, 263_643, 7_158_510, 104_916_784]);
    let sample = zermelo(&["verify", "--sample", "100000", "--seed", "5"], &table);
    assert_eq!(sample["verdict"], "sample-agrees", "{sample}");
}

#[test]
#[ignore = "takes minutes and 20 GB of memory"]
fn huge_kalah_with_3_seeds_and_empty_captures_is_what_others_counted() {
    let home = tempfile::tempdir().unwrap();
    let table = home.path().join("kalah-6-3-empty-capture.bin");
    let arguments = ["solve", "kalah", "--seeds", "3", "--empty-capture"];
    assert_eq!(zermelo(&arguments, &table)["score"], 2);
    assert_eq!(first_moves(&table), [-12, -16, -10, -2, 2, 0]);
}

#[test]
#[ignore = "takes 2 GB of memory"]
fn huge_the_endgame_of_24_seeds_has_all_positions() {
    let home = tempfile::tempdir().unwrap();
    let table = home.path().join("kalah-6-up-to-24.bin");
    let report = zermelo(&["solve", "kalah", "--up-to", "24"], &table);
    assert_eq!(report["classes"], 1_250_490_151u64);
    let sample = zermelo(&["verify", "--sample", "100000", "--seed", "5"], &table);
    assert_eq!(sample["verdict"], "sample-agrees", "{sample}");
}
