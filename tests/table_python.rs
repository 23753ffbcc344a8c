//! Tests of the reader in `tools/read-table`, written only from the documents.
//!
//! It reads tables that the program has written.

use std::fs;
use std::path::Path;

use crate::run::{Done, Home, ROOT, done};

fn read(home: &Home, args: &[&str]) -> Done {
    let reader = Path::new(ROOT).join("tools/read-table");
    let args = [&[reader.to_str().unwrap()], args].concat();
    done(home.command("python3", &args).output().unwrap())
}

/// Compares each line of the reader with the program's answer.
///
/// Returns the numbers of positions with and without a score.
fn agree(home: &Home, table: &str, options: &[&str]) -> [usize; 2] {
    let theirs = read(home, &[&[table], options].concat()).succeeds();
    let theirs: Vec<(&str, &str)> = theirs
        .lines()
        .map(|line| line.rsplit_once(' ').unwrap())
        .collect();
    let positions: String = theirs.iter().map(|(at, _)| format!("{at}\n")).collect();
    let own = home.zermelo_reading(&["query", table, "--batch"], positions.as_bytes());
    let own: Vec<&str> = own.out.lines().collect();
    assert_eq!(own.len(), theirs.len(), "{table}");
    let mut counts = [0; 2];
    for ((position, score), answer) in theirs.into_iter().zip(own) {
        if score == "-" {
            assert!(answer.contains("can't come up"), "{position}: {answer}");
            counts[1] += 1;
        } else {
            let (own, _) = answer.split_once('\t').unwrap_or_else(|| {
                panic!("{position} scores {score} for the reader: {answer}");
            });
            assert_eq!(own.trim_start_matches('+'), score, "{position}");
            counts[0] += 1;
        }
    }
    counts
}

#[test]
#[ignore = "exhaustive: needs python3"]
fn the_reader_in_python_finds_the_scores_of_small_games() {
    // All classes; the vacant slots; and all positions, if there is a start.
    for (game, counts, positions) in [
        (&["tictactoe"] as &[&str], [627, 0], Some(4520)),
        (&["tictactoe", "--scoring", "outcome"], [627, 0], Some(4520)),
        (&["eight"], [17, 0], Some(24)),
        (&["reversi4"], [11_494, 0], Some(56_621)),
        (
            &["reversi4", "--start", "parallel"],
            [18_677, 0],
            Some(58_175),
        ),
        (
            &["connect4", "--columns", "4", "--rows", "3"],
            [5_525, 0],
            Some(11_035),
        ),
        (&["kalah", "--pits", "1", "--seeds", "5"], [3, 42], Some(3)),
        // More than 32 scores in a segment.
        (
            &["kalah", "--pits", "2", "--seeds", "12"],
            [6_431, 261_845],
            None,
        ),
        (
            &["kalah", "--pits", "3", "--seeds", "3", "--empty-capture"],
            [6_915, 125_022],
            Some(23_090),
        ),
        (
            &["kalah", "--pits", "5", "--seeds", "1"],
            [20_005, 158_746],
            Some(56_171),
        ),
        (
            &["kalah", "--pits", "2", "--up-to", "40"],
            [134_030, 0],
            None,
        ),
        (
            &["kalah", "--pits", "6", "--up-to", "5", "--empty-capture"],
            [5_265, 0],
            None,
        ),
    ] {
        let home = Home::with_table("table.bin", game);
        assert_eq!(agree(&home, "table.bin", &["--absent"]), counts, "{game:?}");
        if let Some(positions) = positions {
            let found = agree(&home, "table.bin", &["--walk"]);
            assert_eq!(found, [positions, 0], "{game:?}");
        }
    }
}

#[test]
#[ignore = "exhaustive: needs python3"]
fn the_reader_in_python_finds_all_scores_of_kalah_4_2() {
    let home = Home::with_table("table.bin", &["kalah", "--pits", "4", "--seeds", "2"]);
    assert_eq!(agree(&home, "table.bin", &["--absent"]), [66_265, 659_517]);
    assert_eq!(agree(&home, "table.bin", &["--walk"]), [303_299, 0]);
    // The golden tables, which were written once.
    let kept = Path::new(ROOT);
    for (file, classes) in [("tests/data/table.bin", 66_265), ("data/ttt.bin", 627)] {
        fs::copy(kept.join(file), home.path("golden.bin")).unwrap();
        assert_eq!(agree(&home, "golden.bin", &[]), [classes, 0], "{file}");
    }
}

/// Of games whose rules it doesn't know it reads the keys.
#[test]
#[ignore = "exhaustive: needs python3"]
fn the_reader_in_python_reads_keys() {
    let home = Home::with_table("table.bin", &["morris3"]);
    let lines = read(&home, &["table.bin"]).succeeds();
    let wins = lines
        .lines()
        .filter(|line| !line.contains('-') && !line.ends_with(" 0"));
    assert_eq!((lines.lines().count(), wins.count()), (498, 290));
    let position = ["table.bin", "-p", ".../.../... first"];
    read(&home, &position).assert_refused_with(&["doesn't know the rules"]);
}

#[test]
#[ignore = "exhaustive: needs python3"]
fn the_reader_in_python_notices_damage() {
    let home = Home::with_table("table.bin", &["kalah", "--pits", "2", "--seeds", "2"]);
    let whole = fs::read(home.path("table.bin")).unwrap();
    for at in (0..whole.len()).step_by(whole.len() / 40) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x10;
        fs::write(home.path("damaged.bin"), damaged).unwrap();
        read(&home, &["damaged.bin"]).assert_refused();
    }
    for length in [0, 100, 128, whole.len() - 1] {
        fs::write(home.path("damaged.bin"), &whole[..length]).unwrap();
        read(&home, &["damaged.bin"]).assert_refused();
    }
}
