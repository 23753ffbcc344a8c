//! Tests of the files that commands are given: of any kind, name and encoding.

use crate::run::Home;
#[cfg(unix)]
use crate::run::{Done, ZERMELO, done, send, wait_until, wait_until_it_catches_interrupts};
#[cfg(unix)]
use std::ffi::OsStr;
use std::fs;
#[cfg(unix)]
use std::io::Write;
#[cfg(unix)]
use std::process::{Child, Command, Stdio};

const TTT: [&str; 1] = ["tictactoe"];

#[cfg(unix)]
fn make_pipe(home: &Home, name: &str) {
    nix::unistd::mkfifo(&home.path(name), nix::sys::stat::Mode::S_IRWXU).unwrap();
}

/// Returns the result of a command that ends by itself.
#[cfg(unix)]
fn ended(mut child: Child) -> Done {
    wait_until("the end", || child.try_wait().unwrap().is_some());
    done(child.wait_with_output().unwrap())
}

// Pipes and devices.

#[cfg(unix)]
#[test]
fn positions_come_from_a_pipe() {
    let home = Home::with_table("t.bin", &TTT);
    make_pipe(&home, "p");
    let args = ["check-ai", "t.bin", "--ai", "builtin:perfect", "--json"];
    let args = [&args[..], &["--positions", "p"]].concat();
    let child = home.command(ZERMELO, &args).spawn().unwrap();
    fs::write(home.path("p"), "# two\n.........\nX........\n").unwrap();
    let report: serde_json::Value = serde_json::from_str(&ended(child).succeeds()).unwrap();
    assert_eq!(report["asked"], 2);
}

#[cfg(unix)]
#[test]
fn positions_from_an_endless_pipe_are_refused() {
    let home = Home::with_table("t.bin", &TTT);
    for (part, words) in [
        ("x", "line 1: the line has"),
        ("# a comment\n", "a list of positions may have at most that"),
    ] {
        make_pipe(&home, "p");
        let args = ["check-ai", "t.bin", "--ai", "builtin:first"];
        let args = [&args[..], &["--positions", "p"]].concat();
        let child = home.command(ZERMELO, &args).spawn().unwrap();
        let mut pipe = fs::File::options()
            .write(true)
            .open(home.path("p"))
            .unwrap();
        let parts = part.repeat(1 << 16);
        while pipe.write_all(parts.as_bytes()).is_ok() {}
        ended(child).assert_refused_with(&["p", words]);
        fs::remove_file(home.path("p")).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn one_interrupt_ends_a_command_that_waits_for_input() {
    let home = Home::with_table("t.bin", &TTT);
    make_pipe(&home, "p");
    for args in [
        "check-ai t.bin --ai builtin:first --positions p",
        "query kalah --pits 4 --seeds 2 --batch",
    ] {
        let args: Vec<&str> = args.split(' ').collect();
        let mut command = home.command(ZERMELO, &args);
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        // Otherwise waiting for the end would end the input.
        let stdin = child.stdin.take();
        wait_until_it_catches_interrupts(&mut child);
        send("INT", &child);
        assert_eq!(ended(child).code, Some(2), "{args:?}");
        drop(stdin);
    }
}

#[cfg(unix)]
#[test]
fn exports_replace_pipes_by_nothing_and_read_none() {
    let home = Home::with_table("t.bin", &TTT);
    fs::create_dir(home.path("out")).unwrap();
    let export = |args: &[&str]| {
        let export = ["export", "t.bin", "--out", "out", "--format", "csv"];
        let args = [&export[..], args].concat();
        ended(home.command(ZERMELO, &args).spawn().unwrap())
    };
    make_pipe(&home, "out/layer-000.csv.part");
    export(&[]).assert_refused_with(&["layer-000.csv.part", "expected a regular file"]);
    fs::remove_file(home.path("out/layer-000.csv.part")).unwrap();
    make_pipe(&home, "out/manifest.json");
    export(&["--force"]).succeeds();
}

#[cfg(target_os = "linux")]
#[test]
fn directories_that_hold_no_files_are_refused_for_saved_work() {
    let home = Home::with_table("t.bin", &TTT);
    for args in [
        "query kalah --pits 4 --seeds 2 --save /proc/1",
        "tournament t.bin --ai a=builtin:first --ai b=builtin:random --games /proc/1",
    ] {
        let args: Vec<&str> = args.split(' ').collect();
        let child = home.command(ZERMELO, &args).spawn().unwrap();
        ended(child).assert_refused_with(&["/proc/1", "it can't hold files"]);
    }
    let script = "mkdir g; cd g; rmdir ../g; exec \"$0\" query kalah --pits 4 --seeds 2 --save .";
    let child = home
        .command("sh", &["-c", script, ZERMELO])
        .spawn()
        .unwrap();
    ended(child).assert_refused_with(&["it was removed"]);
}

// Size limits.

#[cfg(unix)]
#[test]
fn files_at_their_size_limit_are_errors_of_every_command() {
    let home = Home::with_table("t.bin", &TTT);
    let limited = |args: &str, to_file: bool| {
        let script = format!("ulimit -f 0; exec \"$0\" {args}");
        let mut command = home.command("sh", &["-c", &script, ZERMELO]);
        if to_file {
            command.stdout(fs::File::create(home.path("out")).unwrap());
        }
        done(command.output().unwrap())
    };
    for args in [
        "query t.bin",
        "info t.bin",
        "generate man",
        "generate completions bash",
        "games",
        "new-ai eight --output -",
        "--help",
    ] {
        limited(args, true).assert_refused_with(&["can't write the answer"]);
    }
    limited("query t.bin --svg b.svg", false).assert_refused_with(&["can't write the picture"]);
    fs::create_dir(home.path("man")).unwrap();
    limited("generate man man", false).assert_refused_with(&["can't write the manual pages"]);
    limited("new-ai eight", false).assert_refused_with(&["can't write the program"]);
    assert_eq!(home.files(), ["man", "out", "t.bin"]);
}

// Names.

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_utf_8_name_tables_and_lists() {
    use std::os::unix::ffi::OsStrExt;
    let home = Home::with_table("t.bin", &TTT);
    let table = OsStr::from_bytes(b"t\xff.bin");
    let list = OsStr::from_bytes(b"p\xff");
    let here = home.path("");
    fs::copy(home.path("t.bin"), here.join(table)).unwrap();
    fs::write(here.join(list), ".........\n").unwrap();
    let run = |before: &[&str], name: &OsStr, after: &[&str]| {
        let mut command: Command = home.command(ZERMELO, before);
        done(command.arg(name).args(after).output().unwrap()).succeeds()
    };
    run(&["query"], table, &["draw?"]);
    run(&["query", "--table"], table, &["draw?"]);
    for command in ["query", "info", "verify"] {
        run(&[command], table, &[]);
    }
    run(&["check-ai"], table, &["--ai", "builtin:perfect"]);
    let players = ["--ai", "a=builtin:first", "--ai", "b=builtin:random"];
    let openings = ["--openings", "1"];
    run(&["tournament"], table, &[&players[..], &openings].concat());
    let check = ["check-ai", "t.bin", "--ai", "builtin:perfect"];
    run(&[&check[..], &["--positions"]].concat(), list, &[]);
}

// Encodings.

#[test]
fn text_in_utf_16_is_refused_once_and_named() {
    let home = Home::with_table("t.bin", &TTT);
    let text = "\n.........\nX........\n";
    let with_mark = format!("\u{feff}{text}");
    let little =
        |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    let big = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_be_bytes).collect() };
    for bytes in [little(text), big(text), little(&with_mark), big(&with_mark)] {
        let words = [
            "it is not text in UTF-8",
            "UTF-16",
            "Out-File -Encoding utf8",
        ];
        let batch = ["query", "t.bin", "--batch"];
        home.zermelo_reading(&batch, &bytes)
            .assert_refused_with(&words);
        fs::write(home.path("p"), &bytes).unwrap();
        let args = [
            "check-ai",
            "t.bin",
            "--ai",
            "builtin:first",
            "--positions",
            "p",
        ];
        home.zermelo(&args).assert_refused_with(&words);
    }
    // UTF-8 with a byte order mark, as other editors write it, is text.
    home.zermelo_reading(
        &["query", "t.bin", "--batch"],
        "\u{feff}.........\n".as_bytes(),
    )
    .succeeds();
}

// Names of output.

#[test]
fn exports_are_not_mixed_with_other_files() {
    let home = Home::with_table("t.bin", &TTT);
    for name in ["data", "labels"] {
        fs::create_dir(home.path(name)).unwrap();
    }
    fs::copy(home.path("t.bin"), home.path("data/ttt.bin")).unwrap();
    let export = |args: &[&str]| home.zermelo(&[&["export", "t.bin"], args].concat());
    export(&["--out", "data"]).assert_refused_with(&["ttt.bin", "--out", "--force"]);
    assert_eq!(crate::run::names_in(&home.path("data")), ["ttt.bin"]);
    export(&["--out", "data", "--force"]).succeeds();
    // Hidden files and those of an export that was stopped don't matter.
    for name in [".keep", "layer-000.npy", "layer-001.npy.part"] {
        fs::write(home.path("labels").join(name), "").unwrap();
    }
    export(&["--out", "labels"]).succeeds();
}

#[test]
fn outputs_with_the_wrong_ending_are_refused() {
    let home = Home::with_table("t.bin", &TTT);
    let check = ["check-ai", "t.bin", "--ai", "builtin:first", "--report"];
    let players = ["--ai", "a=builtin:first", "--ai", "b=builtin:random"];
    let tournament = [&["tournament", "t.bin"], &players[..], &["--report"]].concat();
    for command in [&check[..], &tournament] {
        for name in ["x.pdf", "x", "x.csv", ".html"] {
            let done = home.zermelo(&[command, &[name]].concat());
            done.assert_refused_with(&[name, "page in HTML", "report.html"]);
        }
    }
    home.zermelo(&[&tournament[..], &["X.HTM", "--openings", "1"]].concat())
        .succeeds();
    assert_eq!(home.files(), ["X.HTM", "t.bin"]);
}
