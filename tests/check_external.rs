//! AIs that are programs: well-behaved ones, and ones that do all that a program can do wrong.
//!
//! They are shell scripts, which any Unix can run.

use serde_json::Value;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::run::{Done, Home, ZERMELO, done};

pub const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/ttt.bin");

/// The first free cell, from the position in `$p`.
pub const FIRST: &str = r#"q=${p%%.*}
case ${#q} in 0) m=a1;; 1) m=b1;; 2) m=c1;; 3) m=a2;; 4) m=b2;; 5) m=c2;; 6) m=a3;; 7) m=b3;; 8) m=c3;; esac
"#;

/// A right answer to each position but X..OX...., where something else happens.
fn answering(instead: &str) -> String {
    format!(
        "while read -r p; do {FIRST} if [ \"$p\" = X..OX.... ]; then {instead}\nelse echo $m; fi; done"
    )
}

fn check(home: &Home, script: &str, options: &[&str]) -> Done {
    std::fs::write(home.path("ai.sh"), script).unwrap();
    let args = ["check-ai", "--table", GOLDEN, "--ai", "sh ai.sh"];
    home.zermelo(&[&args[..], options].concat())
}

pub fn report(done: &Done) -> Value {
    serde_json::from_str(&done.out).unwrap_or_else(|error| panic!("{error}: {done:?}"))
}

fn timeless(mut report: Value) -> Value {
    for name in ["seconds", "ai"] {
        report.as_object_mut().unwrap().remove(name);
    }
    report
}

#[test]
fn a_program_is_judged_like_the_same_ai_in_process() {
    let home = Home::new();
    let builtin = [
        "check-ai",
        "--table",
        GOLDEN,
        "--ai",
        "builtin:first",
        "--json",
    ];
    for scope in ["all", "play"] {
        let own = home.zermelo(&[&builtin[..], &["--scope", scope]].concat());
        assert_eq!((own.code, own.err.as_str()), (Some(1), ""));
        let right = timeless(report(&own));
        let script = format!("while read -r p; do {FIRST} echo $m; done");
        for jobs in ["1", "3"] {
            let options = ["--json", "--scope", scope, "--jobs", jobs];
            let done = check(&home, &script, &options);
            assert_eq!((done.code, done.err.as_str()), (Some(1), ""));
            assert_eq!(timeless(report(&done)), right);
        }
    }
}

#[test]
fn lines_may_end_as_on_other_systems() {
    let home = Home::new();
    let script = format!("while read -r p; do {FIRST} printf ' %s\\r\\n' $m; done");
    let done = check(&home, &script, &["--json"]);
    assert_eq!(report(&done)["verdict"], "imperfect");
}

/// What goes wrong in one position is put down to it, and everything else is asked as if nothing
/// had happened.
#[test]
fn a_fault_in_one_position_is_put_down_to_it() {
    let home = Home::new();
    let cases = [
        ("exit 3", "crash", "exited with code 3"),
        ("kill -9 $$", "crash", "SIGKILL"),
        ("echo sorry", "garbled", "answered \"sorry\""),
        ("echo", "garbled", "answered \"\""),
        ("echo a1", "illegal", "the legal moves are b1, c1"),
        ("echo d4", "garbled", "a move is a cell"),
        ("printf 'b1\\nc1\\n'", "garbled", "more than one line"),
        ("printf '\\377\\n'", "garbled", "UTF-8"),
        ("sleep 100", "timeout", "no answer within 1.5 s"),
        ("exec >&-; sleep 100", "crash", "closed its output"),
        ("exec <&-; echo b1; sleep 100", "crash", "closed its input"),
        ("tr '\\0' x < /dev/zero", "garbled", "more than 8192 bytes"),
        ("while :; do echo b1; done", "garbled", "line"),
    ];
    for ((instead, kind, words), jobs) in cases.into_iter().zip(["1", "2"].into_iter().cycle()) {
        // Long enough for a busy machine; only what never answers takes so long.
        let options = ["--json", "--timeout", "1.5", "--jobs", jobs];
        let done = check(&home, &answering(instead), &options);
        assert_eq!((done.code, done.err.as_str()), (Some(2), ""), "{instead}");
        let report = report(&done);
        assert_eq!(report["verdict"], "faulty");
        let faults = report["fault_list"].as_array().unwrap();
        assert_eq!(faults.len(), 1, "{instead}: {faults:?}");
        // A closed input is noticed with the next question.
        if !instead.starts_with("exec <&-") {
            assert_eq!(faults[0]["position"], "X..OX....", "{instead}: {faults:?}");
        }
        assert_eq!(faults[0]["kind"], kind, "{instead}: {faults:?}");
        let detail = faults[0]["detail"].as_str().unwrap();
        assert!(detail.contains(words), "{instead}: {detail}");
        assert_eq!(report["faults"][kind], 1);
        assert_eq!(report["asked"], 4520, "{instead}");
    }
}

/// Programs that never do right are given up after a bounded number of faults, however long they
/// would go on.
#[test]
fn hostile_programs_are_given_up() {
    let home = Home::new();
    for (script, kind) in [
        ("while read -r p; do :; done", "timeout"),
        ("sleep 100", "timeout"),
        ("exit 0", "crash"),
        ("exec >&-; cat > /dev/null; sleep 100", "crash"),
        ("while read -r p; do echo hello; done", "garbled"),
        ("while :; do echo hello; done", "garbled"),
        ("tr '\\0' x < /dev/zero", "garbled"),
        ("while read -r p; do echo z9; echo a1; done", "garbled"),
        ("head -c 100000000 /dev/zero", "garbled"),
        (
            "while read -r p; do echo error >&2; head -c 200000 /dev/zero >&2; exit 1; done",
            "crash",
        ),
    ] {
        let done = check(
            &home,
            script,
            &["--json", "--timeout", "1.5", "--max-faults", "2"],
        );
        assert_eq!(done.code, Some(2), "{script}: {done:?}");
        let report = report(&done);
        assert_eq!(
            (&report["verdict"], &report["stopped_early"]),
            (&"faulty".into(), &true.into())
        );
        let faults = report["fault_list"].as_array().unwrap();
        assert!(
            !faults.is_empty() && faults.len() <= 2,
            "{script}: {faults:?}"
        );
        assert_eq!(report["faults"][kind], faults.len(), "{script}: {faults:?}");
    }
}

#[test]
fn the_end_of_standard_error_is_kept() {
    let home = Home::new();
    let noise = "i=0; while [ $i -lt 3000 ]; do echo line $i >&2; i=$((i+1)); done; exit 1";
    let done = check(&home, &answering(noise), &["--json"]);
    let report = report(&done);
    let stderr = report["fault_list"][0]["stderr"].as_str().unwrap();
    assert!(
        stderr.len() <= 4096 && stderr.len() > 4000,
        "{}",
        stderr.len()
    );
    assert!(stderr.ends_with("line 2999\n"), "{stderr}");
}

/// Whether some process sleeps so long; the number is no one else's.
fn sleeps(seconds: &str) -> bool {
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return false;
    };
    processes.flatten().any(|process| {
        let line = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
        let words: Vec<&[u8]> = line.split(|&byte| byte == 0).collect();
        words.len() >= 2 && words[0] == b"sleep" && words[1] == seconds.as_bytes()
    })
}

#[test]
fn no_process_is_left_behind() {
    let home = Home::new();
    // One in the AI's own group; one that has left it, holding the AI's pipes open.
    for (seconds, command) in [
        ("98712.5", "sleep 98712.5 &"),
        ("98713.5", "setsid sleep 98713.5 &"),
    ] {
        let leaves = answering(&format!("{command}\n exit 1"));
        let done = check(&home, &leaves, &["--json", "--timeout", "2"]);
        assert_eq!(report(&done)["faults"]["crash"], 1);
        assert!(!sleeps(seconds), "{command}");
        let stays = format!("{command} while read -r p; do {FIRST} echo $m; done");
        let done = check(&home, &stays, &["--json", "--jobs", "2"]);
        assert_eq!(report(&done)["verdict"], "imperfect");
        assert!(!sleeps(seconds), "{command}");
    }
}

#[test]
fn an_interrupt_ends_it_and_its_programs() {
    let home = Home::new();
    std::fs::write(home.path("ai.sh"), "sleep 98714.5").unwrap();
    let args = [
        "check-ai",
        "--table",
        GOLDEN,
        "--ai",
        "sh ai.sh",
        "--jobs",
        "2",
        "--timeout",
        "60",
    ];
    let child = home.command(ZERMELO, &args).spawn().unwrap();
    let began = Instant::now();
    while !sleeps("98714.5") && began.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(10));
    }
    let pid = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &pid])
            .status()
            .unwrap()
            .success()
    );
    let ended = Instant::now();
    let done = done(child.wait_with_output().unwrap());
    // Long before the timeout of a move.
    assert!(ended.elapsed() < Duration::from_secs(30));
    assert_eq!((done.code, done.out.as_str()), (Some(2), ""));
    assert!(done.err.contains("stopped before"), "{}", done.err);
    assert!(!sleeps("98714.5"));
}

/// An engine that takes the position's words after `startpos` or `fen` and knows tic-tac-toe's
/// moves.
pub fn ugi(go: &str) -> String {
    format!(
        r#"play() {{ i=$(( $(printf %d "'$1") - 97 + 3 * (${{1#?}} - 1) )); s=X; x=$(printf %s "$p" | tr -d .); [ $(( ${{#x}} % 2 )) = 1 ] && s=O
a=$(printf %s "$p" | cut -c1-$i 2>/dev/null); [ $i = 0 ] && a=; b=$(printf %s "$p" | cut -c$((i+2))-9); p=$a$s$b; }}
while read -r verb rest; do case $verb in
ugi) echo id name test; echo ugiok;;
isready) echo readyok;;
position) set -- $rest; if [ $1 = startpos ]; then p=.........; shift; else p=$2; shift 2; fi
  [ "$1" = moves ] && {{ shift; for m in "$@"; do play $m; done; }};;
go) {FIRST} {go};;
quit) exit;;
esac; done"#
    )
}

/// Where positions come up in plays, an engine that can't read a position is told the moves.
#[test]
fn engines_are_told_the_moves_where_they_are_known() {
    let home = Home::new();
    let blind = ugi("echo bestmove $m").replace("else p=$2;", "else exit 7;");
    let moves_only = |options: &[&str]| {
        let sample = ["--json", "--protocol", "ugi", "--movetime", "5"];
        let done = check(&home, &blind, &[&sample, options].concat());
        let report = report(&done);
        assert!(report["asked"].as_u64().unwrap() >= 10, "{done:?}");
        report["faults"]["crash"].as_u64().unwrap()
    };
    for options in [
        &["--sample", "20", "--positions", "mixture"][..],
        &["--scope", "play"],
    ] {
        assert_eq!(moves_only(options), 0, "{options:?}");
    }
    assert!(moves_only(&["--sample", "20"]) > 0);
}

/// Options to check such an engine quickly.
pub const UGI_OPTIONS: [&str; 7] = [
    "--json",
    "--protocol",
    "ugi",
    "--movetime",
    "5",
    "--sample",
    "40",
];

#[test]
fn engines_speak_the_universal_game_interface() {
    let home = Home::new();
    let builtin = [
        "check-ai",
        "--table",
        GOLDEN,
        "--ai",
        "builtin:first",
        "--json",
        "--sample",
        "40",
    ];
    let right = timeless(report(&home.zermelo(&builtin)));
    let done = check(
        &home,
        &ugi("echo info depth 1 score 0; echo bestmove $m ponder b2"),
        &UGI_OPTIONS,
    );
    assert_eq!(timeless(report(&done)), right);

    for (go, kind, words) in [
        ("echo bestmove", "garbled", "answered \"\""),
        ("echo bestmove nothing", "garbled", "answered \"nothing\""),
        (
            "echo bestmove $m; echo bestmove $m",
            "garbled",
            "more than once",
        ),
        ("echo info 1", "timeout", "no answer within 1"),
        ("exit 7", "crash", "exited with code 7"),
    ] {
        let limits = ["--timeout", "1", "--max-faults", "2"];
        let done = check(&home, &ugi(go), &[&UGI_OPTIONS[..], &limits].concat());
        assert_eq!(done.code, Some(2), "{go}: {done:?}");
        let report = report(&done);
        let fault = &report["fault_list"][0];
        assert_eq!(fault["kind"], kind, "{go}: {fault}");
        assert!(
            fault["detail"].as_str().unwrap().contains(words),
            "{go}: {fault}"
        );
    }

    // One that doesn't greet is no engine.
    let done = check(
        &home,
        "while read -r p; do :; done",
        &["--protocol", "ugi", "--timeout", "0.3"],
    );
    done.assert_refused_with(&["doesn't speak UGI", "\"ugiok\""]);
}

/// Many faults, which end the check early: what one process leaves unsaid must not be heard from
/// the next.
#[test]
fn an_early_end_is_the_same_for_any_number_of_jobs() {
    let home = Home::new();
    let script = format!(
        "while read -r p; do {FIRST} case $p in *XX.O*) echo zz;; *.XO*) exit 1;; *) echo $m;; esac; done"
    );
    let reports = ["1", "2", "4"].map(|jobs| {
        let done = check(&home, &script, &["--json", "--jobs", jobs]);
        assert_eq!(done.code, Some(2));
        timeless(report(&done))
    });
    assert_eq!(reports[0]["stopped_early"], true);
    assert!(!reports[0]["refutation"].as_array().unwrap().is_empty());
    assert_eq!(reports[1], reports[0]);
    assert_eq!(reports[2], reports[0]);
}

/// What was asked until then is reported.
#[test]
fn a_program_that_cannot_be_started_again_is_a_crash() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    let path = home.path("once");
    let script = format!("#!/bin/sh\nrm once\n{}", answering("exit 3"));
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let args = ["check-ai", "--table", GOLDEN, "--ai", "./once", "--json"];
    let done = home.zermelo(&args);
    assert_eq!((done.code, done.err.as_str()), (Some(2), ""));
    let report = report(&done);
    assert_eq!(report["stopped_early"], true);
    let faults = report["fault_list"].as_array().unwrap();
    assert_eq!(faults[0]["position"], "X..OX....");
    assert_eq!(faults[0]["detail"], "exited with code 3");
    let again = faults[1]["detail"].as_str().unwrap();
    assert!(again.contains("could not be started again"), "{again}");
    assert!(report["perfect_moves"].as_u64() > Some(0));
}

/// Who reads only the beginning of the report still gets the verdict's exit code.
#[test]
fn a_closed_output_does_not_change_the_verdict() {
    let home = Home::new();
    let args = ["check-ai", "--table", GOLDEN, "--ai", "builtin:first"];
    let mut child = home.command(ZERMELO, &args).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let home = Home::new();
    let refused = |args: &[&str], words: &[&str]| {
        let args = [&["check-ai", "--table", GOLDEN], args].concat();
        home.zermelo(&args).assert_refused_with(words);
    };
    refused(
        &["--ai", "builtin:best"],
        &["no builtin AI \"best\"", "greedy", "negamax:DEPTH"],
    );
    refused(
        &["--ai", "builtin:minimax-simplified:4"],
        &["plays Kalah", "tictactoe"],
    );
    refused(
        &["--ai", "./no-such-program"],
        &["can't start", "no-such-program"],
    );
    refused(&["--ai", ""], &["is empty"]);
    refused(&["--ai", "sh 'ai"], &["a quotation mark is not closed"]);
    refused(
        &["--ai", "builtin:first", "--timeout", "0"],
        &["--timeout", "seconds"],
    );
    refused(
        &["--ai", "builtin:first", "--max-positions", "5"],
        &["--scope play"],
    );
    refused(
        &["--ai", "builtin:first", "--scope", "play", "--sample", "5"],
        &["--max-positions"],
    );
    refused(
        &["--ai", "builtin:first", "--side", "first"],
        &["--scope play"],
    );
    refused(
        &["--ai", "builtin:first", "--report", "no/such/page.html"],
        &["no such directory"],
    );
    std::fs::write(home.path("mine.bin"), "a table, say").unwrap();
    refused(
        &["--ai", "builtin:first", "--report", "mine.bin"],
        &["mine.bin", "no report"],
    );
    let kept = std::fs::read_to_string(home.path("mine.bin")).unwrap();
    assert_eq!(kept, "a table, say");
    refused(
        &["--ai", "builtin:first", "--protocol", "ugi"],
        &["is built in"],
    );
    refused(
        &["--ai", "builtin:first", "--memory", "1K"],
        &["doesn't fit", "--sample"],
    );
}

#[test]
fn a_report_is_written_as_a_page() {
    let home = Home::new();
    let script = answering("echo '<b>bold</b>' >&2; exit 1");
    let done = check(&home, &script, &["--report", "page.html"]);
    assert_eq!(done.code, Some(2));
    assert!(done.out.contains("Report: page.html"), "{}", done.out);
    let page = std::fs::read_to_string(home.path("page.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>"));
    assert!(page.contains("&lt;b&gt;bold") && !page.contains("<b>bold"));
    assert_eq!(home.files(), ["ai.sh", "page.html"]);
}

/// Programs whose faults show their cause, and one whose don't.
#[test]
fn faults_show_their_likely_cause() {
    let home = Home::new();
    let each = |say: &str| format!("while read -r p; do {FIRST} {say}; done");
    for (script, words) in [
        (each("echo ${m#?}${m%?}"), "the row before the column"),
        (each("echo \"move: $m\""), "more than the move"),
        (each("echo ${m%?}$((${m#?} - 1))"), "counts from 0"),
        (each("echo $((${#q} + 1))"), "numbers the cells from 1 to 9"),
        (each("echo $m; echo done"), "lines besides its moves"),
        (
            format!("echo Hello; {}", each("echo $m")),
            "begins with a line",
        ),
        (
            format!("read -r p; {FIRST} echo $m"),
            "answers one position and ends",
        ),
        (
            format!("for p in $(cat); do {FIRST} echo $m; done"),
            "answers only when its input ends",
        ),
        (
            "while read -r p; do :; done; sleep 100".into(),
            "flush its output",
        ),
        (
            "echo 'Traceback (most recent call last):' >&2; echo 'KeyError: 7' >&2; exit 1".into(),
            "a Python error ends it, each time: KeyError: 7",
        ),
        (
            "read -r p; echo 'Traceback (most recent call last):' >&2; echo \"ValueError: '$p'\" >&2; \
             exit 1"
                .into(),
            "a Python error ends it, each time: ValueError: '",
        ),
        (
            "echo 'x: not found' >&2; echo \"$$\" >&2; exit 1".into(),
            "it ends with the message, each time: x: not found",
        ),
        (each("printf %s $m"), "it doesn't end its lines"),
        (
            format!("echo Hello; {}", each("sleep 0.2; echo $m")),
            "begins with a line",
        ),
        (each("echo x${#q}y"), ""),
    ] {
        let done = check(
            &home,
            &script,
            &["--json", "--timeout", "1", "--max-faults", "6"],
        );
        assert_eq!(done.code, Some(2), "{script}: {done:?}");
        let cause = report(&done)["likely_cause"].clone();
        match words {
            "" => assert!(cause.is_null(), "{script}: {cause}"),
            words => {
                let found = cause.as_str().is_some_and(|cause| cause.contains(words));
                assert!(found, "{script}: {cause}");
            }
        }
    }
}

/// Answers to questions that were sent together have no time of their own.
#[test]
fn times_are_shown_only_where_they_were_measured() {
    let home = Home::new();
    let script = format!("while read -r p; do {FIRST} echo $m; done");
    let report = report(&check(&home, &script, &["--json"]));
    let seconds = &report["seconds"];
    for key in ["mean", "median", "p95", "longest"] {
        assert!(seconds[key].is_null(), "{seconds}");
    }
    assert!(
        seconds["moves_per_second"].as_f64() > Some(0.0),
        "{seconds}"
    );
}
