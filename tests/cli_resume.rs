//! Tests of stopped or killed solves: they resume and write the same table.

use crate::common::Random;
use crate::run::{Done, Home, ZERMELO, done, names_in, wait_until};
use std::fs;
use std::process::Child;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// A game that takes about a second and saves a few checkpoints.
const SOLVE: [&str; 8] = [
    "solve", "kalah", "--pits", "4", "--seeds", "4", "--out", "t.bin",
];
const FOLDER: &str = ".t.bin.partial";

/// The table and the time of [`SOLVE`].
static WHOLE: LazyLock<(Vec<u8>, Duration)> = LazyLock::new(|| undisturbed(&SOLVE));

/// Returns the table of an undisturbed run, and its time.
fn undisturbed(args: &[&str]) -> (Vec<u8>, Duration) {
    let home = Home::new();
    let began = Instant::now();
    home.zermelo(args).succeeds();
    (fs::read(home.path("t.bin")).unwrap(), began.elapsed())
}

const LOG: &str = "checkpoints.log";

/// Returns the number of checkpoints.
fn checkpoints(home: &Home) -> usize {
    let is_there = |number: &usize| {
        let name = format!("group-{number}.piece");
        home.path(FOLDER).join(name).exists()
    };
    (0..).take_while(is_there).count()
}

fn kill(mut child: Child) -> Done {
    // The process may have ended already.
    let _ = child.kill();
    done(child.wait_with_output().unwrap())
}

/// Runs `solve` until `wanted` checkpoints exist and stops it; retries if too late.
fn stopped_at(home: &Home, args: &[&str], wanted: usize, stop: impl Fn(Child) -> Done) -> Done {
    for _ in 0..100 {
        let mut child = home.command(ZERMELO, args).spawn().unwrap();
        while checkpoints(home) < wanted && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let done = stop(child);
        if done.code != Some(0) {
            assert!(checkpoints(home) >= wanted, "{done:?}");
            return done;
        }
        fs::remove_file(home.path("t.bin")).unwrap();
    }
    panic!("it always came to its end");
}

/// Completes a `solve`, and returns its messages about an earlier run.
fn finish(home: &Home, args: &[&str], wanted: &[u8]) -> String {
    let done = home.zermelo(args);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(fs::read(home.path("t.bin")).unwrap() == wanted, "{done:?}");
    assert_eq!(home.files(), ["t.bin"]);
    done.err
}

fn interrupt(child: Child) -> Done {
    let pid = child.id().to_string();
    let mut kill = std::process::Command::new("kill");
    assert!(kill.args(["-s", "INT", &pid]).status().unwrap().success());
    done(child.wait_with_output().unwrap())
}

#[test]
fn killed_at_random_moments_it_gives_the_same_table() {
    kills_at_random_moments(1);
}

#[test]
#[ignore = "exhaustive: ten runs"]
fn killed_at_ten_random_moments_it_gives_the_same_table() {
    kills_at_random_moments(10);
}

fn kills_at_random_moments(kills: usize) {
    let (wanted, whole) = &*WHOLE;
    let home = Home::new();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..kills {
        let child = home.command(ZERMELO, &SOLVE).spawn().unwrap();
        std::thread::sleep(whole.mul_f64(random.below(1000) as f64 / 1000.0));
        kill(child);
        // The resumed run may have finished.
        if home.path("t.bin").exists() {
            assert!(fs::read(home.path("t.bin")).unwrap() == *wanted);
            fs::remove_file(home.path("t.bin")).unwrap();
        }
    }
    finish(&home, &SOLVE, wanted);
}

#[test]
#[ignore = "exhaustive: a run for each checkpoint, and another to its end"]
fn killed_after_any_checkpoint_it_goes_on_from_there() {
    let wanted = &WHOLE.0;
    let mut written = Vec::new();
    for checkpoints in 1..=4 {
        let home = Home::new();
        stopped_at(&home, &SOLVE, checkpoints, kill);
        assert_eq!(home.files(), [FOLDER]);
        // On a busy machine there may be more checkpoints than the test waited for.
        let checkpoints = self::checkpoints(&home);
        let notes = finish(&home, &SOLVE, wanted);
        let (before, after) = notes.split_once(" of 32 seeds on the board\n").unwrap();
        let seeds = before.strip_prefix("table: written by an earlier run up to ");
        written.push((checkpoints, seeds.unwrap().parse::<u32>().unwrap()));
        assert_eq!(after, "");
    }
    written.sort_unstable();
    assert!(written[0].1 >= 16, "{written:?}");
    let (first, last) = (written[0], written[written.len() - 1]);
    assert!(
        written.is_sorted_by_key(|of| of.1) && (last.0 == first.0 || last.1 > first.1),
        "{written:?}"
    );
}

#[test]
fn an_interrupted_solve_says_where_it_goes_on_and_does() {
    let wanted = &WHOLE.0;
    let home = Home::new();
    stopped_at(&home, &SOLVE, 1, interrupt).assert_refused_with(&[
        "interrupted; the work so far is saved in .t.bin.partial",
        "tip: the same command resumes",
        "--restart",
    ]);
    assert_eq!(home.files(), [FOLDER]);
    // Fewer threads or less memory don't change the table.
    let args = [&SOLVE[..], &["--threads", "1", "--memory", "100M"]].concat();
    assert!(finish(&home, &args, wanted).contains("earlier run"));
}

#[test]
#[ignore = "exhaustive: four runs"]
fn an_old_table_stays_until_the_new_one_is_complete() {
    let wanted = &WHOLE.0;
    let home = Home::with_table("t.bin", &["eight"]);
    let old = fs::read(home.path("t.bin")).unwrap();
    let args = [&SOLVE[..], &["--force"]].concat();
    for _ in 0..2 {
        // `stopped_at` would remove the table.
        let mut child = home.command(ZERMELO, &args).spawn().unwrap();
        while checkpoints(&home) < 2 && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let done = kill(child);
        let found = fs::read(home.path("t.bin")).unwrap();
        assert!(found == if done.code == Some(0) { wanted } else { &old }[..]);
    }
    finish(&home, &args, wanted);
}

#[test]
#[ignore = "exhaustive: three runs"]
fn restart_discards_what_was_left() {
    let wanted = &WHOLE.0;
    let home = Home::new();
    stopped_at(&home, &SOLVE, 2, kill);
    let args = [&SOLVE[..], &["--restart"]].concat();
    assert_eq!(finish(&home, &args, wanted), "");
}

#[test]
fn another_table_does_not_go_on_from_there() {
    another_table_is_refused();
}

#[test]
#[ignore = "exhaustive: two runs"]
fn another_table_can_be_begun_instead() {
    let (other, home) = another_table_is_refused();
    let (wanted, _) = undisturbed(&other);
    let args = [&other[..], &["--restart"]].concat();
    assert_eq!(finish(&home, &args, &wanted), "");
}

/// Checks that a table of other rules is refused; returns arguments and directory.
fn another_table_is_refused() -> (Vec<&'static str>, Home) {
    let other = [&SOLVE[..], &["--empty-capture"]].concat();
    let home = Home::new();
    stopped_at(&home, &SOLVE, 1, kill);
    let left = names_in(&home.path(FOLDER));
    home.zermelo(&other).assert_refused_with(&[
        "t.bin: an earlier run has left an unfinished table in .t.bin.partial",
        "capture=empty, found kalah pits=4 seeds=4 capture=standard",
        "--restart",
    ]);
    assert_eq!(names_in(&home.path(FOLDER)), left);
    (other, home)
}

#[test]
#[ignore = "exhaustive: two runs for each file"]
fn damage_to_any_file_that_was_left_is_noticed() {
    damage_is_noticed(&["table", "group-1.piece", LOG]);
    a_file_that_was_cut_off_is_noticed();
}

fn damage_is_noticed(names: &[&str]) {
    let wanted = &WHOLE.0;
    for &name in names {
        let home = Home::new();
        stopped_at(&home, &SOLVE, 2, kill);
        let path = home.path(FOLDER).join(name);
        let mut bytes = fs::read(&path).unwrap();
        // The byte is in the blocks of the second checkpoint or in its index.
        let at = bytes.len() * 3 / 4;
        bytes[at] ^= 1;
        fs::write(&path, bytes).unwrap();
        finish(&home, &SOLVE, wanted);
    }
}

fn a_file_that_was_cut_off_is_noticed() {
    let wanted = &WHOLE.0;
    let home = Home::new();
    stopped_at(&home, &SOLVE, 2, kill);
    let table = home.path(FOLDER).join("table");
    let bytes = fs::read(&table).unwrap();
    fs::write(&table, &bytes[..200]).unwrap();
    let notes = finish(&home, &SOLVE, wanted);
    assert!(notes.contains("can't all be used: only 0 of "), "{notes}");
}

#[test]
fn two_runs_at_once_are_refused() {
    runs_beside_another_are_refused(&[&SOLVE]);
}

#[test]
#[ignore = "exhaustive: each run waits for another for two seconds"]
fn all_runs_beside_another_are_refused() {
    runs_beside_another_are_refused(&[
        &LONG,
        &SOLVE,
        &["solve", "eight", "--out", "t.bin", "--restart"],
    ]);
}

/// A game that takes far longer than any test waits.
const LONG: [&str; 12] = [
    "solve",
    "kalah",
    "--pits",
    "5",
    "--seeds",
    "3",
    "--method",
    "search",
    "--threads",
    "1",
    "--out",
    "t.bin",
];

fn runs_beside_another_are_refused(runs: &[&[&str]]) {
    let home = Home::new();
    let child = home.command(ZERMELO, &LONG).spawn().unwrap();
    let log = home.path(FOLDER).join(LOG);
    wait_until("the first run", || {
        !fs::read(&log).unwrap_or_default().is_empty()
    });
    for args in runs {
        home.zermelo(args)
            .assert_refused_with(&["another run works there; wait for it", FOLDER]);
    }
    interrupt(child).assert_refused_with(&["interrupted; no table was written"]);
    assert!(home.files().is_empty());
}

#[test]
#[ignore = "exhaustive: three runs"]
fn a_full_disk_leaves_what_was_done_and_no_table() {
    let wanted = &WHOLE.0;
    // In units of 512 or 1024 bytes, depending on the shell; less than the table either way.
    let blocks = wanted.len() * 9 / 10 / 1024;
    let script = format!("ulimit -f {blocks}; exec \"$0\" \"$@\"");
    let home = Home::new();
    let args = [&["-c", &script, ZERMELO], &SOLVE[..]].concat();
    let limited = done(home.command("bash", &args).output().unwrap());
    limited.assert_refused_with(&["t.bin: can't write the table", "too large", "is saved in"]);
    assert_eq!(home.files(), [FOLDER]);
    assert!(finish(&home, &SOLVE, wanted).contains("earlier run"));
}

#[test]
fn no_more_memory_is_used_than_is_allowed() {
    assert_eq!(solved_in_their_memory(&[15, 80]), 1);
}

#[test]
#[ignore = "exhaustive: ten runs"]
fn no_more_of_any_memory_is_used_than_is_allowed() {
    let solved = solved_in_their_memory(&[15, 40, 50, 60, 70, 80, 90, 100, 110, 120]);
    assert!((4..10).contains(&solved), "{solved}");
}

/// Checks that less memory doesn't change the table; counts the successful runs.
///
/// The budget applies to the whole program.
fn solved_in_their_memory(all: &[u64]) -> u64 {
    let wanted = &WHOLE.0;
    let mut solved = 0;
    for &megabytes in all {
        let home = Home::new();
        let memory = format!("{megabytes}M");
        let args = [
            &SOLVE[..],
            &["--threads", "2", "--memory", &memory, "--json"],
        ]
        .concat();
        let done = home.zermelo(&args);
        if done.code == Some(2) {
            done.without_json(true)
                .assert_refused_with(&["kalah(4,4) needs ", "--memory"]);
            assert_eq!(
                solved, 0,
                "{megabytes} MB are refused, though less is enough"
            );
            assert!(home.files().is_empty());
            continue;
        }
        let report: serde_json::Value = serde_json::from_str(&done.succeeds()).unwrap();
        let peak = report["peak_memory_bytes"].as_u64().unwrap();
        assert!(peak <= megabytes * 1_000_000, "{peak} of {megabytes} MB");
        assert!(fs::read(home.path("t.bin")).unwrap() == *wanted);
        solved += 1;
    }
    solved
}

/// Each process has its own directory of scratch files.
///
/// The run that finishes the table removes those of processes that no longer exist.
#[test]
fn leftovers_of_other_processes_are_removed_with_the_table() {
    let home = Home::new();
    let table = fs::canonicalize(home.path(".")).unwrap().join("t.bin");
    let path = crc32fast::hash(table.as_os_str().as_encoded_bytes());
    let of = |table: &str, process: &str| format!(".{table}.{path:08x}{process}.scratch");
    let [theirs, others] = [of("t.bin", "-2"), of("u.bin", "-2")];
    for folder in [&theirs, &others] {
        fs::create_dir(home.path(folder)).unwrap();
        fs::write(home.path(folder).join("packed-1-1-rich.scratch"), "some").unwrap();
    }
    home.zermelo(&["solve", "tictactoe", "--out", "t.bin"])
        .succeeds();
    assert!(!home.path(&theirs).exists());
    assert!(home.path(&others).exists());
}
