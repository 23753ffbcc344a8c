//! Tests of errors: they have exit code 2 and leave no unfinished output.

use crate::run::{Done, Home, ZERMELO, done, names_in};
#[cfg(unix)]
use crate::run::{send, wait_until, wait_until_it_has_worked};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;
use std::time::Duration;

const KALAH: [&str; 5] = ["kalah", "--pits", "4", "--seeds", "2"];

// The output file.

#[test]
fn an_existing_file_is_kept_without_force_and_replaced_with_it() {
    let home = Home::new();
    fs::write(home.path("t.bin"), "precious").unwrap();
    let args = ["solve", "eight", "--out", "t.bin"];
    home.zermelo(&args)
        .assert_refused_with(&["t.bin exists and is not a valid table", "--force"]);
    assert_eq!(fs::read(home.path("t.bin")).unwrap(), b"precious");
    home.zermelo(&[&args[..], &["--force"]].concat()).succeeds();
    home.zermelo(&["verify", "--table", "t.bin"]).succeeds();
    assert_eq!(home.files(), ["t.bin"]);
}

#[test]
fn an_output_that_can_be_no_file_is_refused_before_solving() {
    let home = Home::new();
    fs::write(home.path("file"), "").unwrap();
    fs::create_dir(home.path("directory")).unwrap();
    // No machine can solve this game, so an attempt would fail with another message.
    let long = ["kalah", "--seeds", "6", "--method", "search"];
    for (out, words) in [
        (
            "directory",
            "directory: can't write there: expected the name of a file",
        ),
        ("directory/", "found the name of a directory"),
        ("file/t.bin", "file/t.bin: can't write there"),
        ("file/deeper/t.bin", "file/deeper/t.bin: can't write there"),
        (
            "new/t.bin",
            "new: can't write there: there is no such folder",
        ),
        (".", "expected the name of a file"),
    ] {
        let args = [&["solve"], &long[..], &["--force", "--out", out]].concat();
        home.zermelo(&args)
            .assert_refused_with(&[out.split('/').next().unwrap(), words]);
    }
    assert_eq!(home.files(), ["directory", "file"]);
    assert!(names_in(&home.path("directory")).is_empty());
}

#[cfg(target_os = "linux")]
#[test]
fn an_output_in_a_directory_that_takes_no_files_is_refused() {
    let home = Home::new();
    for out in ["/proc/t.bin", "/proc/new/t.bin", "/dev/null"] {
        for force in [&[][..], &["--force"]] {
            let args = [&["solve", "eight", "--out", out], force].concat();
            home.zermelo(&args).assert_refused_with(&["/"]);
        }
    }
}

#[cfg(unix)]
#[test]
fn an_output_in_a_directory_without_the_permission_to_write_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    let directory = home.path("closed");
    fs::create_dir(&directory).unwrap();
    fs::set_permissions(&directory, fs::Permissions::from_mode(0o555)).unwrap();
    // Root may write everywhere.
    if fs::write(directory.join("probe"), "").is_err() {
        home.zermelo(&["solve", "eight", "--out", "closed/t.bin"])
            .assert_refused_with(&["closed/t.bin", "ermission denied"]);
    }
    fs::set_permissions(&directory, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn only_the_folder_of_tables_is_made() {
    let home = Home::new();
    home.zermelo(&["solve", "eight"]).succeeds();
    assert_eq!(names_in(&home.path("data")), ["eight.bin"]);
    let args = ["solve", "eight", "--out", "other/eight.bin"];
    home.zermelo(&args)
        .assert_refused_with(&["other: can't write there: there is no such folder"]);
    assert_eq!(home.files(), ["data"]);
    let mut command = home.command(ZERMELO, &["solve", "eight"]);
    let folder = home.path("tables");
    done(command.env("ZERMELO_TABLES", &folder).output().unwrap()).succeeds();
    assert_eq!(names_in(&folder), ["eight.bin"]);
    let mut command = home.command(ZERMELO, &["solve", "eight"]);
    let deeper = home.path("a/b");
    let done = done(command.env("ZERMELO_TABLES", &deeper).output().unwrap());
    done.assert_refused_with(&["can't make the directory of the tables"]);
    assert!(!home.path("a").exists());
}

/// Runs `solve` with files limited to `blocks` blocks of 512 or 1024 bytes.
#[cfg(unix)]
fn solve_with_file_limit(home: &Home, blocks: &str, args: &[&str]) -> Done {
    let script = format!("ulimit -f {blocks}; exec \"$0\" \"$@\"");
    let args = [&["-c", &script, ZERMELO, "solve"], args].concat();
    done(home.command("sh", &args).output().unwrap())
}

#[cfg(unix)]
#[test]
fn a_table_too_large_for_the_file_system_leaves_nothing_behind() {
    let home = Home::new();
    for (blocks, words) in [
        ("0", "t.bin.partial/checkpoints.log: can't write it"),
        ("1", "t.bin: can't write the table"),
        ("8", "t.bin: can't write the table"),
    ] {
        solve_with_file_limit(&home, blocks, &[&KALAH[..], &["--out", "t.bin"]].concat())
            .assert_refused_with(&[words, "too large"]);
        assert!(home.files().is_empty(), "{blocks}: {:?}", home.files());
    }
}

#[cfg(unix)]
#[test]
fn a_table_too_large_for_the_file_system_leaves_the_old_one() {
    let home = Home::with_table("t.bin", &["eight"]);
    let old = fs::read(home.path("t.bin")).unwrap();
    let args = [&KALAH[..], &["--out", "t.bin", "--force"]].concat();
    solve_with_file_limit(&home, "8", &args).assert_refused();
    assert_eq!(fs::read(home.path("t.bin")).unwrap(), old);
    assert_eq!(home.files(), ["t.bin"]);
}

// The table of a query.

#[test]
fn files_that_are_no_tables_are_refused_by_every_command() {
    let home = Home::with_table("good.bin", &KALAH);
    let good = fs::read(home.path("good.bin")).unwrap();
    fs::write(home.path("empty"), "").unwrap();
    fs::write(home.path("text"), "once upon a time\n").unwrap();
    fs::write(home.path("cut"), &good[..good.len() / 2]).unwrap();
    fs::write(home.path("short"), &good[..good.len() - 1]).unwrap();
    fs::write(home.path("header"), &good[..50]).unwrap();
    fs::write(home.path("long"), [&good[..], b"x"].concat()).unwrap();
    fs::create_dir(home.path("directory")).unwrap();
    for (table, words) in [
        ("missing", "there is no table missing"),
        ("empty", "empty is not a table"),
        ("text", "text is not a table"),
        ("cut", "cut is damaged"),
        ("short", "short is damaged"),
        ("header", "header is damaged"),
        ("long", "long is damaged"),
        (
            "directory",
            "directory is not a table: expected a file that begins",
        ),
        ("text/t.bin", "there is no table text/t.bin"),
    ] {
        for command in [
            &["query"][..],
            &["query", "--json"],
            &["query", "--batch"],
            &["query", "draw?", "--no-mmap"],
            &["verify"],
            &["verify", "--json", "--checksums"],
            &["info"],
            &["info", "--json"],
        ] {
            let args = [command, &["--table", table]].concat();
            let done = home.zermelo(&args).without_json(args.contains(&"--json"));
            done.assert_refused_with(&[words]);
        }
    }
}

#[cfg(unix)]
#[test]
fn a_table_without_the_permission_to_read_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::with_table("t.bin", &["eight"]);
    fs::set_permissions(home.path("t.bin"), fs::Permissions::from_mode(0o000)).unwrap();
    // Root may read everything.
    if fs::read(home.path("t.bin")).is_err() {
        home.zermelo(&["query", "--table", "t.bin"])
            .assert_refused_with(&["t.bin: can't open it", "ermission denied"]);
    }
}

#[test]
fn a_damaged_table_is_no_proof_and_gives_no_answer() {
    let home = Home::with_table("t.bin", &["tictactoe"]);
    let mut bytes = fs::read(home.path("t.bin")).unwrap();
    let report = home
        .zermelo(&["info", "--table", "t.bin", "--json"])
        .succeeds();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let header = report["sections"]["header"].as_u64().unwrap() as usize;
    bytes[header + 20] ^= 1;
    fs::write(home.path("t.bin"), bytes).unwrap();
    for command in [
        &["query"][..],
        &["query", "draw?"],
        &["verify"],
        &["verify", "--checksums"],
    ] {
        let args = [command, &["--table", "t.bin"]].concat();
        home.zermelo(&args)
            .assert_refused_with(&["t.bin is damaged"]);
    }
    let args = ["query", "--table", "t.bin", "--batch"];
    let done = home.zermelo_reading(&args, b".........\n");
    assert_eq!(done.code, Some(2));
    assert!(done.out.starts_with("error: t.bin is damaged"), "{done:?}");
}

#[test]
fn a_table_with_a_wrong_score_is_refuted_with_the_position() {
    use zermelo::game::{Game, NoProgress, Solution, SolveOptions};
    use zermelo::games::eight::Eight;
    use zermelo::solve::{Method, solve};
    use zermelo::table::{WriteOptions, write_table};

    let home = Home::new();
    let solved = solve(
        &Eight,
        Method::Backward,
        SolveOptions {
            threads: 1,
            memory: 1 << 30,
        },
        &NoProgress,
    );
    let Solution::Keyed(mut entries) = solved.unwrap().solution else {
        panic!("Eight has no ranking");
    };
    let start = Eight.key(&Eight.start());
    let entry = entries.iter_mut().find(|entry| entry.0 == start).unwrap();
    entry.1 = -entry.1;
    let path = home.path("t.bin");
    let solution = Solution::Keyed(entries);
    write_table(
        &Eight,
        &solution,
        &path,
        WriteOptions::default(),
        &NoProgress,
    )
    .unwrap();

    let done = home.zermelo(&["verify", "--table", "t.bin"]);
    assert_eq!((done.code, done.err.as_str()), (Some(1), ""));
    assert!(
        done.out
            .starts_with("Refuted: the table has the score 1 for 0 first"),
        "{done:?}"
    );
    let done = home.zermelo(&["verify", "--table", "t.bin", "--json"]);
    assert_eq!((done.code, done.err.as_str()), (Some(1), ""));
    let report: serde_json::Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(report["verdict"], "refuted");
    assert_eq!(report["position"], "0 first");
    // The exit code doesn't depend on the reader.
    let mut child = home
        .command(ZERMELO, &["verify", "--table", "t.bin"])
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
    // Only the proof can find this error, since the file itself is undamaged.
    home.zermelo(&["verify", "--table", "t.bin", "--checksums"])
        .succeeds();
}

// Parameters and positions.

#[test]
fn absurd_parameters_are_refused_and_nothing_is_written() {
    let home = Home::new();
    for (args, words) in [
        ("--pits 0 --seeds 2", "played here with 1 to 6,"),
        ("--pits 7 --seeds 2", "played here with 1 to 6,"),
        ("--pits -3 --seeds 2", "not a number of pits"),
        ("--pits six --seeds 2", "not a number of pits"),
        ("--seeds 0", "at least one seed"),
        ("--seeds 300", "--seeds can be at most 21"),
        ("--seeds 99999999999999999999", "not a number of seeds"),
        ("--seeds two", "not a number of seeds"),
        ("--seeds 2.5", "not a number of seeds"),
        ("--seeds -1", "not a number of seeds"),
        ("--seeds", "--seeds <N>"),
        ("--pits 6", "--seeds <N>"),
        ("--seeds 2 --threads 0", "a whole number from 1 to 1024"),
        ("--seeds 2 --threads -1", "a whole number from 1 to 1024"),
        ("--seeds 2 --threads many", "a whole number from 1 to 1024"),
        ("--seeds 2 --memory 0", "such as 8G or 500M"),
        ("--seeds 2 --memory lots", "such as 8G or 500M"),
        ("--seeds 2 --method magic", "backward, search"),
        ("--seeds 2 --scoring outcome", "--scoring"),
        ("--seed 2", "'--seeds'"),
        ("6 2", "'6'"),
    ] {
        let args: Vec<&str> = "solve kalah".split(' ').chain(args.split(' ')).collect();
        home.zermelo(&args).assert_refused_with(&[words]);
    }
    assert!(home.files().is_empty());
}

#[test]
fn a_game_too_large_for_the_memory_is_refused_at_once_with_what_it_needs() {
    let home = Home::new();
    for (args, words) in [
        (
            &["--seeds", "6"][..],
            ["solving kalah(6,6) needs about", "TB of memory"],
        ),
        (
            &["--seeds", "6", "--method", "search"],
            ["kalah(6,6) needs about", "TB of memory"],
        ),
        (
            &["--seeds", "2", "--memory", "1M"],
            ["kalah(6,2) needs about", "1.00 MB may be used"],
        ),
    ] {
        let args = [&["solve", "kalah"], args].concat();
        let message = home.zermelo(&args).assert_refused();
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
        assert!(message.contains("--memory"), "{message}");
    }
    assert!(home.files().is_empty());
}

#[test]
fn nonsense_positions_of_kalah_are_answered_with_what_is_wrong_and_a_right_example() {
    let home = Home::with_table("t.bin", &KALAH);
    for (position, words) in [
        ("", "an empty position"),
        ("2,2,2:0/2,2,2,2:0 first", "3 pits for the first player"),
        ("2,2,2,2/2,2,2,2,2", "5 pits for the second player"),
        ("2,2,2,2", "separated by \"/\""),
        ("2,2,2,2/2,2,2,2/0", "separated by \"/\""),
        ("-1,2,2,2/2,2,2,2", "not \"-1\""),
        ("a,2,2,2/2,2,2,2", "not \"a\""),
        ("2,,2,2/2,2,2,2", "not \"\""),
        ("2.5,2,2,2/2,2,2,2", "not \"2.5\""),
        ("999,2,2,2/2,2,2,2", "not \"999\""),
        ("2,2,2,2:1/2,2,2,2:0", "17, but kalah(4,2) has 16"),
        ("2,2,2,1:0/2,2,2,2:0", "15, but kalah(4,2) has 16"),
        ("2,2,2,2:x/2,2,2,2:0", "not \"x\""),
        ("2,2,2,2:0/2,2,2,2 first", "only one of the two stores"),
        ("9,9,9,9/9,9,9,9", "72 seeds on the board"),
        ("2,2,2,2/2,2,2,2 third", "not \"third\""),
        ("2,2,2,2/2,2,2,2 first move", "\"move\""),
        (
            "0,0,0,0:8/0,0,0,0:8",
            "the game is over in \"0,0,0,0:8/0,0,0,0:8 first\": a draw",
        ),
        (
            "0,0,0,0/1,1,1,1",
            "the game is over in \"0,0,0,0/1,1,1,1 first\": second player wins by 4",
        ),
    ] {
        home.zermelo(&["query", "--table", "t.bin", "--position", position])
            .assert_refused_with(&[words, position, "2,2,2,2:0/2,2,2,2:0 first"]);
    }
}

#[test]
fn a_position_that_can_not_come_up_is_not_in_the_table() {
    let home = Home::with_table("t.bin", &KALAH);
    for position in [
        "0,0,0,15:0/1,0,0,0:0 first",
        "0,0,0,15:0/1,0,0,0:0 second",
        "0,3,3,3:0/2,2,2,1:0 second",
    ] {
        // The message names the queried position, not one after a move.
        let words = format!("t.bin has no score for the position {position}: it can't come up");
        home.zermelo(&["query", "--table", "t.bin", "--position", position])
            .assert_refused_with(&[&words, "kalah(4,2)"]);
    }
}

#[test]
fn nonsense_positions_of_tic_tac_toe_are_answered_with_what_is_wrong_and_a_right_example() {
    let home = Home::with_table("t.bin", &["tictactoe"]);
    for (position, words, example) in [
        ("X..O", "has 4 squares instead of 9", "X.O......"),
        ("X.O......X", "has 10 squares instead of 9", "X.O......"),
        ("X.O.Z....", "not \"Z\"", "X.O......"),
        ("x...q....", "not \"x\"", "X.O......"),
        ("--------", "has 8 squares instead of 9", "X.O......"),
        ("XXX......", "3 X and 0 O can't arise", "X.O......"),
        ("O........", "0 X and 1 O can't arise", "X.O......"),
        (
            "XXXOOO...",
            "both X and O have three in a line",
            "X.O......",
        ),
        (
            "XXXOO....",
            "the game is over in \"XXXOO....\": first player wins",
            ".........",
        ),
        (
            "XOXXOOOXX",
            "the game is over in \"XOXXOOOXX\": a draw",
            ".........",
        ),
    ] {
        home.zermelo(&["query", "--table", "t.bin", "--position", position])
            .assert_refused_with(&[words, position, example]);
    }
}

#[test]
fn nonsense_positions_of_eight_are_answered_with_a_right_example() {
    let home = Home::with_table("t.bin", &["eight"]);
    for position in [
        "",
        "five",
        "5",
        "5,2",
        "5,2 third",
        "5,x first",
        "99,2 first",
        "-5,2 first",
    ] {
        home.zermelo(&["query", "--table", "t.bin", "--position", position])
            .assert_refused_with(&[position, "5,2 first"]);
    }
}

// Interruptions.

/// Interrupts `solve` a moment after it has started to solve.
#[cfg(unix)]
fn interrupted_while_solving(signal: &str) {
    let home = Home::new();
    // Takes far longer than the test waits for the end.
    let args = "solve kalah --pits 5 --seeds 3 --method search --threads 2";
    let args: Vec<&str> = args.split(' ').collect();
    let mut child = home.command(ZERMELO, &args).spawn().unwrap();
    // Signals are caught before the directory is made.
    wait_until("the folder", || home.path("data").exists());
    wait_until_it_has_worked(&mut child, 50);
    send(signal, &child);
    wait_until("the end", || child.try_wait().unwrap().is_some());
    let done = done(child.wait_with_output().unwrap());
    done.assert_refused_with(&["interrupted; no table was written"]);
    assert!(names_in(&home.path("data")).is_empty());
}

#[cfg(unix)]
#[test]
fn an_interrupt_while_solving_ends_in_order() {
    interrupted_while_solving("INT");
}

#[cfg(unix)]
#[test]
fn the_wish_to_terminate_while_solving_ends_in_order() {
    interrupted_while_solving("TERM");
}

/// Returns the bytes of blocks in the checkpoint directory next to the table.
#[cfg(unix)]
fn written_so_far(home: &Home) -> u64 {
    let header = 128;
    fs::metadata(home.path(".t.bin.partial/table"))
        .map_or(0, |metadata| metadata.len().saturating_sub(header))
}

#[cfg(unix)]
const MEDIUM: [&str; 9] = [
    "solve", "kalah", "--pits", "5", "--seeds", "2", "--out", "t.bin", "--force",
];

#[cfg(unix)]
#[test]
fn an_interrupt_while_writing_keeps_the_old_table() {
    let home = Home::with_table("t.bin", &["eight"]);
    let old = fs::read(home.path("t.bin")).unwrap();
    // On an idle machine the first attempt succeeds.
    for _ in 0..100 {
        let mut child = home.command(ZERMELO, &MEDIUM).spawn().unwrap();
        wait_until("the table's first bytes", || {
            written_so_far(&home) > 0 || child.try_wait().unwrap().is_some()
        });
        send("INT", &child);
        let done = done(child.wait_with_output().unwrap());
        if done.code == Some(0) {
            // The signal came too late, so try again.
            assert_eq!(home.files(), ["t.bin"]);
            fs::write(home.path("t.bin"), &old).unwrap();
            continue;
        }
        done.assert_refused_with(&["interrupted; "]);
        assert_eq!(fs::read(home.path("t.bin")).unwrap(), old);
        return;
    }
    panic!("the signal always came too late");
}

#[cfg(unix)]
#[test]
fn a_kill_leaves_no_table_or_a_whole_one() {
    kills_leave_no_table_or_a_whole_one(&[20, 200], &[500_000]);
}

#[cfg(unix)]
#[test]
#[ignore = "exhaustive: seventeen runs"]
fn a_kill_at_any_moment_leaves_no_table_or_a_whole_one() {
    kills_leave_no_table_or_a_whole_one(
        &[0, 2, 5, 10, 20, 50, 100, 150, 200, 300, 400, 500],
        &[1, 100_000, 500_000, 1_000_000, 1_500_000],
    );
}

/// Kills `solve` after these milliseconds, and at these sizes of the table.
///
/// The result must be the same at any moment.
#[cfg(unix)]
fn kills_leave_no_table_or_a_whole_one(times: &[u64], sizes: &[u64]) {
    let home = Home::new();
    let kill_after = |wait: &dyn Fn(&mut std::process::Child)| {
        let mut child = home.command(ZERMELO, &MEDIUM).spawn().unwrap();
        wait(&mut child);
        child.kill().unwrap();
        child.wait().unwrap();
        if home.path("t.bin").exists() {
            home.zermelo(&["verify", "--table", "t.bin"]).succeeds();
        }
        let _ = fs::remove_file(home.path("t.bin"));
        let _ = fs::remove_dir_all(home.path(".t.bin.partial"));
        assert!(home.files().is_empty());
    };
    for &milliseconds in times {
        kill_after(&|_| std::thread::sleep(Duration::from_millis(milliseconds)));
    }
    for &bytes in sizes {
        kill_after(&|child| {
            wait_until("some of the table", || {
                written_so_far(&home) >= bytes || child.try_wait().unwrap().is_some()
            });
        });
    }
}

// Pipes.

#[test]
fn pipes_receive_only_the_result() {
    let home = Home::new();
    // Long enough to show a progress bar on a terminal.
    let args = ["kalah", "--pits", "6", "--seeds", "1", "--method", "search"];
    let args = [&["solve"], &args[..], &["--threads", "1", "--out", "t.bin"]].concat();
    let out = home.zermelo(&args).succeeds();
    assert_eq!(out.lines().count(), 3, "{out}");
    assert!(!out.contains(['\r', '\x1b']), "{out}");
    let out = home.zermelo(&["verify", "--table", "t.bin"]).succeeds();
    assert_eq!(out.lines().count(), 1, "{out}");
    assert!(!out.contains(['\r', '\x1b']), "{out}");
}

#[test]
fn a_batch_whose_reader_has_left_stops_without_a_word() {
    let home = Home::with_table("t.bin", &KALAH);
    let args = ["query", "--table", "t.bin", "--batch"];
    let mut command = home.command(ZERMELO, &args);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || {
        // The answers exceed the capacity of a pipe, and the reader stops early.
        let lines = "2,2,2,2/2,2,2,2\n".repeat(1000);
        (0..1000).all(|_| stdin.write_all(lines.as_bytes()).is_ok())
    });
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut first = String::new();
    out.read_line(&mut first).unwrap();
    drop(out);
    let mut err = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut err)
        .unwrap();
    // Not all lines have an answer.
    assert_eq!(child.wait().unwrap().code(), Some(2), "{err}");
    assert_eq!((first.as_str(), err.as_str()), ("+6\twin\t4\n", ""));
    assert!(
        !writer.join().unwrap(),
        "all was read although nobody read the answers"
    );
}

#[test]
fn a_reader_that_is_gone_from_the_start_is_no_error() {
    let home = Home::with_table("t.bin", &KALAH);
    for args in [
        &["query", "--table", "t.bin"][..],
        &["query", "--table", "t.bin", "--json"],
        &["info", "--table", "t.bin"],
        &["verify", "--table", "t.bin"],
        &["solve", "eight"],
        &["--help"],
    ] {
        let mut child = home.command(ZERMELO, args).spawn().unwrap();
        drop(child.stdout.take());
        let done = done(child.wait_with_output().unwrap());
        assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{args:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_can_not_be_written_is_an_error() {
    let home = Home::with_table("t.bin", &KALAH);
    for args in [
        &["query", "--table", "t.bin"][..],
        &["query", "--table", "t.bin", "draw?"],
        &["info", "--table", "t.bin", "--json"],
        &["query", "--table", "t.bin", "--batch"],
    ] {
        fs::write(home.path("input"), "2,2,2,2/2,2,2,2\n").unwrap();
        let mut command = home.command(ZERMELO, args);
        command.stdin(fs::File::open(home.path("input")).unwrap());
        command.stdout(fs::File::create("/dev/full").unwrap());
        done(command.output().unwrap())
            .assert_refused_with(&["can't write the answer", "No space left"]);
    }
}
