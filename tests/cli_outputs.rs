//! Tests of output streams, and of exit codes that don't depend on the reader.

use crate::run::{Done, Home, ZERMELO, done};
use serde_json::Value;
use std::fs;
use std::process::Stdio;

const KALAH: [&str; 5] = ["kalah", "--pits", "3", "--seeds", "2"];

/// Runs a command whose standard output has no reader.
fn unread(home: &Home, args: &[&str], input: &str) -> Done {
    fs::write(home.path("input"), input).unwrap();
    let mut command = home.command(ZERMELO, args);
    command.stdin(fs::File::open(home.path("input")).unwrap());
    let (reader, writer) = std::io::pipe().unwrap();
    command.stdout(Stdio::from(writer));
    drop(reader);
    done(command.output().unwrap())
}

#[test]
fn the_answers_code_stands_whoever_reads() {
    let home = Home::with_table("t.bin", &KALAH);
    let (line, nonsense) = ("2,2,2/2,2,2\n", "2,2,2/2,2,2\nnonsense\n");
    for (args, input, code) in [
        (&["query", "t.bin", "first-player win?"][..], "", 0),
        (&["query", "t.bin", "second-player win?"], "", 1),
        (&["query", "t.bin", "draw?", "--json"], "", 1),
        (&["query", "eight", "first-player win?"], "", 1),
        (&["query", "t.bin", "--batch"], line, 0),
        (&["query", "t.bin", "--batch"], nonsense, 2),
        (&["query", "t.bin", "--batch", "--json"], nonsense, 2),
        (&["check-ai", "t.bin", "--ai", "builtin:first"], "", 1),
        (
            &["check-ai", "t.bin", "--ai", "builtin:first", "--json"],
            "",
            1,
        ),
        (&["info", "t.bin"], "", 0),
        (&["info", "t.bin", "--json"], "", 0),
        (&["search", "eight"], "", 0),
        (&["query", "--help"], "", 0),
    ] {
        let done = unread(&home, args, input);
        assert_eq!((done.code, &*done.err), (Some(code), ""), "{args:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_in_every_format_and_of_help() {
    let home = Home::with_table("t.bin", &KALAH);
    for args in [
        &["info", "t.bin"][..],
        &["info", "t.bin", "--json"],
        &["check-ai", "t.bin", "--ai", "builtin:first"],
        &["verify", "t.bin", "--json"],
        &["search", "eight", "--json"],
        &["query", "t.bin", "draw?"],
        &["generate", "completions", "bash"],
        &["--help"],
    ] {
        let mut command = home.command(ZERMELO, args);
        command.stdout(fs::File::create("/dev/full").unwrap());
        done(command.output().unwrap())
            .assert_refused_with(&["can't write the answer: No space left"]);
    }
    // Failure to write messages doesn't change the exit code either.
    for (args, code) in [(&["query", "t.bin", "draw?"][..], 1), (&["nonsense"], 2)] {
        let mut command = home.command(ZERMELO, args);
        command.stderr(fs::File::create("/dev/full").unwrap());
        assert_eq!(command.output().unwrap().status.code(), Some(code));
    }
}

#[test]
fn with_json_every_error_is_a_line_of_json() {
    let home = Home::with_table("t.bin", &KALAH);
    for (args, words) in [
        (
            &["query", "t.bin", "--json", "--positin", "x"][..],
            "--positin",
        ),
        (&["query", "--json"], "no table is given"),
        (&["query", "no.bin", "--json"], "no.bin"),
        (&["query", "t.bin", "--json", "--position", "x"], "\"x\""),
        (&["query", "t.bin", "--json", "--batch", "why?"], "why?"),
        (&["query", "kalah", "--pits", "x", "--json"], "'--pits <N>'"),
        (&["verify", "no.bin", "--json"], "no.bin"),
        (&["info", "no.bin", "--json"], "no.bin"),
        (&["search", "eight", "--json", "--what"], "--what"),
        (&["solve", "--json"], "requires a subcommand"),
        (
            &["solve", "eight", "--json", "--out", "no/t.bin"],
            "there is no such folder",
        ),
        (&["check-ai", "t.bin", "--json"], "--ai <COMMAND>"),
        (&["check-ai", "no.bin", "--ai", "x", "--json"], "no.bin"),
        (&["search", "eight", "--json", "--position", "9"], "\"9\""),
        (&["nonsense", "--json"], "nonsense"),
    ] {
        let done = home.zermelo(args);
        assert_eq!(done.code, Some(2), "{args:?}");
        assert!(done.err.starts_with("error: "), "{done:?}");
        assert_eq!(done.out.lines().count(), 1, "{done:?}");
        let report: Value = serde_json::from_str(&done.out).unwrap();
        let error = report["error"].as_str().unwrap();
        assert!(error.contains(words), "{args:?}: {error}");
        assert!(!error.contains('\n') && !error.contains("Usage"), "{error}");
        let given = args.iter().skip_while(|&&word| word != "--position").nth(1);
        if let Some(position) = given {
            assert_eq!(report["position"], *position);
        }
    }
    // Without `--json`, no JSON is printed.
    home.zermelo(&["query", "no.bin"]).assert_refused();
}

#[test]
fn a_line_that_is_too_long_is_an_error_of_its_own() {
    let home = Home::with_table("t.bin", &KALAH);
    let mut input = vec![b'1'; 5_000_000];
    input.extend(b"\n2,2,2/2,2,2\n");
    let done = home.zermelo_reading(&["query", "t.bin", "--batch"], &input);
    assert_eq!((done.code, &*done.err), (Some(2), ""));
    let lines: Vec<&str> = done.out.lines().collect();
    assert!(lines[0].starts_with("error: the line has 5,000,000 bytes"));
    assert_eq!(lines[1..], ["+4\twin\t2"]);
}

#[cfg(unix)]
#[test]
fn foreign_files_in_the_work_directory_are_refused() {
    use std::os::unix::fs::symlink;
    let home = Home::new();
    let folder = home.path(".t.bin.partial");
    fs::write(home.path("precious"), "mine").unwrap();
    let refused = |what: &str| {
        for more in [&[][..], &["--restart"], &["--force"]] {
            let args = [&["solve", "eight", "--out", "t.bin"], more].concat();
            let words = [".t.bin.partial", "expected", what];
            home.zermelo(&args).assert_refused_with(&words);
        }
        assert_eq!(fs::read(home.path("precious")).unwrap(), b"mine");
    };
    let fifo = |path: &std::path::Path| {
        let mut command = std::process::Command::new("mkfifo");
        assert!(command.arg(path).status().unwrap().success());
    };
    fs::create_dir(&folder).unwrap();
    for name in ["lock", "table", "checkpoints.log", "reached.piece"] {
        let path = folder.join(name);
        fifo(&path);
        refused("found something else");
        fs::remove_file(&path).unwrap();
        symlink(home.path("precious"), &path).unwrap();
        refused("found a symbolic link");
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        refused("found a folder");
        fs::remove_dir(&path).unwrap();
    }
    fs::remove_dir_all(&folder).unwrap();
    fifo(&folder);
    refused("found something else");
    fs::remove_file(&folder).unwrap();
    fs::write(&folder, "").unwrap();
    refused("found a file");
    fs::remove_file(&folder).unwrap();
    symlink(home.path("."), &folder).unwrap();
    refused("found a symbolic link");
}

#[test]
fn a_run_that_waited_for_another_finds_its_table() {
    use crate::run::wait_until;
    // A run waits two seconds for another. If this test is delayed that long, it is rightly
    // refused.
    for _ in 0..50 {
        let home = Home::with_table("other.bin", &["eight"]);
        let folder = home.path(".t.bin.partial");
        fs::create_dir(&folder).unwrap();
        let lock = fs::File::create(folder.join("lock")).unwrap();
        lock.lock().unwrap();
        let args = ["solve", "eight", "--out", "t.bin", "--json"];
        let mut child = home.command(ZERMELO, &args).spawn().unwrap();
        if cfg!(target_os = "linux") {
            let path = fs::canonicalize(folder.join("lock")).unwrap();
            let open = format!("/proc/{}/fd", child.id());
            // While the run waits, it has the lock file open most of the time.
            wait_until("a run that waits", || {
                let mut files = fs::read_dir(&open).into_iter().flatten().flatten();
                let waits = files.any(|file| fs::read_link(file.path()).is_ok_and(|to| to == path));
                waits || child.try_wait().unwrap().is_some()
            });
        } else {
            // By then the run waits, or nearly so.
            std::thread::sleep(std::time::Duration::from_millis(500));
        }
        fs::rename(home.path("other.bin"), home.path("t.bin")).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        drop(lock);
        let done = done(child.wait_with_output().unwrap());
        if done.code == Some(2) {
            let done = done.without_json(true);
            done.assert_refused_with(&[
                ".t.bin.partial: can't use the folder for unfinished work: another run works there",
            ]);
            continue;
        }
        let report: Value = serde_json::from_str(&done.succeeds()).unwrap();
        assert_eq!(report["was_there"], true);
        assert_eq!(home.files(), ["t.bin"]);
        return;
    }
    panic!("it never waited for long enough");
}

#[cfg(unix)]
#[test]
fn all_outputs_treat_links_alike() {
    use std::os::unix::fs::symlink;
    let home = Home::with_table("t.bin", &["eight"]);
    fs::create_dir(home.path("deeper")).unwrap();
    let ai = ["check-ai", "t.bin", "--ai", "builtin:first"];
    for (option, name) in [
        ("--report", "a.html"),
        ("--mistakes", "a.jsonl"),
        ("--plot", "a.svg"),
        ("--out", "a.bin"),
    ] {
        let write = |to: &str| {
            let args = match option {
                "--plot" => ["search", "eight", "--depths", "1..=2", option, to].to_vec(),
                "--out" => ["solve", "eight", "--force", option, to].to_vec(),
                _ => [&ai[..], &[option, to]].concat(),
            };
            home.zermelo(&args)
        };
        let target = format!("deeper/{name}");
        assert_ne!(write(&target).code, Some(2));
        let before = fs::symlink_metadata(home.path(&target)).unwrap();
        symlink(home.path(&target), home.path(name)).unwrap();
        let done = write(name);
        assert_ne!(done.code, Some(2), "{done:?}");
        let is_link = |name| fs::symlink_metadata(home.path(name)).unwrap().is_symlink();
        assert!(is_link(name), "{option}");
        let after = fs::symlink_metadata(home.path(&target)).unwrap();
        use std::os::unix::fs::MetadataExt;
        assert_ne!(
            before.ino(),
            after.ino(),
            "{option} did not replace the file"
        );
        fs::remove_file(home.path(name)).unwrap();

        let to_device: &[&str] = if cfg!(target_os = "linux") {
            &["/dev/null", "/dev/stdout"]
        } else {
            &["/dev/null"]
        };
        for to in [&["nothing", name, "deeper"], to_device].concat() {
            symlink(to, home.path(name)).unwrap();
            let done = write(name);
            assert_eq!((done.code, &*done.out), (Some(2), ""), "{option} {to}");
            assert!(is_link(name) && !home.path("nothing").exists());
            fs::remove_file(home.path(name)).unwrap();
        }
    }
}

/// A limit of the address space counts even if `--memory` allows more.
#[cfg(target_os = "linux")]
#[test]
fn memory_that_the_system_does_not_give_is_refused() {
    let home = Home::new();
    let script = "ulimit -v 400000; exec \"$0\" \"$@\"";
    let solve = ["solve", "kalah", "--seeds", "2", "--memory", "4G"];
    let args = [&["-c", script, ZERMELO], &solve[..]].concat();
    done(home.command("sh", &args).output().unwrap())
        .assert_refused_with(&["kalah(6,2) needs", "of memory"]);
}

#[cfg(unix)]
#[test]
fn an_interrupted_proof_says_so() {
    use crate::run::{send, wait_until_it_catches_interrupts};
    let home = Home::with_table("t.bin", &["kalah", "--pits", "4", "--seeds", "3"]);
    let args = ["verify", "t.bin", "--json", "--threads", "1"];
    for _ in 0..100 {
        let mut child = home.command(ZERMELO, &args).spawn().unwrap();
        wait_until_it_catches_interrupts(&mut child);
        send("INT", &child);
        let done = done(child.wait_with_output().unwrap());
        if done.code == Some(0) {
            // The signal came too late, so try again.
            continue;
        }
        assert_eq!(done.code, Some(2), "{done:?}");
        let report: Value = serde_json::from_str(&done.out).unwrap();
        let words = "interrupted; t.bin is neither proved nor refuted";
        assert_eq!(report["error"], words);
        assert_eq!(done.err, format!("error: {words}\n"));
        return;
    }
    panic!("the signal always came too late");
}

#[test]
fn a_board_is_drawn_to_a_file() {
    let home = Home::with_table("t.bin", &["tictactoe"]);
    let draw = |position: &str, file: &str| {
        let args = ["query", "t.bin", "--position", position, "--svg", file];
        home.zermelo(&args)
    };
    draw("XX.OO....", "board.svg").succeeds();
    let svg = fs::read_to_string(home.path("board.svg")).unwrap();
    assert!(
        svg.starts_with("<svg ") && svg.contains("<style>") && svg.ends_with("</svg>\n"),
        "{svg}"
    );
    assert_eq!(svg.matches("class=\"cross\"").count(), 2);
    assert_eq!(svg.matches("class=\"nought\"").count(), 2);
    // A finished game has a board, but no answer.
    assert_eq!(draw("XXXOO....", "end.svg").code, Some(2));
    assert!(
        fs::read_to_string(home.path("end.svg"))
            .unwrap()
            .contains("X has won")
    );
    // Nothing but a picture is overwritten.
    fs::write(home.path("text.svg"), "text").unwrap();
    draw("XX.OO....", "text.svg").assert_refused_with(&["is not a picture"]);
    draw("XX.OO....", "t.bin").assert_refused_with(&["name a file that ends in .svg"]);
    assert!(home.path("t.bin").exists());
}
