//! Tests of AIs that are programs: correct ones, and ones with every kind of fault.
//!
//! The programs are shell scripts that run on any Unix.

use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use zermelo::check::{CheckOptions, External, Protocol, Scope};
use zermelo::game::NoProgress;
use zermelo::games::tictactoe::TicTacToe;
use zermelo::table::{Table, TableFile};

use crate::run::{Done, Home, PATIENT, TTT, ZERMELO, done, wait_until};

/// A shell script that sets `$m` to the first empty square of the position in `$p`.
pub const FIRST: &str = r#"q=${p%%.*}
case ${#q} in 0) m=a1;; 1) m=b1;; 2) m=c1;; 3) m=a2;; 4) m=b2;; 5) m=c2;; 6) m=a3;; 7) m=b3;; 8) m=c3;; esac
"#;

/// Returns a correct AI, except that it runs `instead` in the position X..OX....
fn answering(instead: &str) -> String {
    format!(
        "while read -r p; do {FIRST} if [ \"$p\" = X..OX.... ]; then {instead}\nelse echo $m; fi; done"
    )
}

/// Options with a long time limit per answer, unless `options` has one.
fn patience(options: &[&str]) -> &'static [&'static str] {
    if options.contains(&"--timeout") {
        &[]
    } else {
        &["--timeout", PATIENT]
    }
}

/// Checks an AI that a command starts, whose script is `ai.sh`.
fn check_command(home: &Home, ai: &str, script: &str, options: &[&str]) -> Done {
    std::fs::write(home.path("ai.sh"), script).unwrap();
    let args = ["check-ai", "--table", TTT, "--ai", ai];
    home.zermelo(&[&args[..], options].concat())
}

/// Checks a script.
///
/// It is quiet: on standard error, the time that a check will take depends on the machine.
pub fn check(home: &Home, script: &str, options: &[&str]) -> Done {
    let options = [options, &["--quiet"], patience(options)].concat();
    check_command(home, "sh ai.sh", script, &options)
}

/// The clock by which an AI is timed, so that a busy machine changes no verdict.
///
/// It serves one process at a time.
#[derive(Clone, Debug)]
pub struct TestTime {
    /// The seconds per real second. A slow clock gives the AI more time for everything; a fast one
    /// shortens waits for output that never comes.
    rate: f64,
    /// The file that the AI creates, once, before it stops writing. Soon after, an hour is skipped.
    silent: PathBuf,
    /// The extra time for the first answer after a start.
    startup: Duration,
}

impl TestTime {
    pub fn new(home: &Home, rate: f64) -> TestTime {
        let silent = home.path("silent");
        TestTime {
            rate,
            silent,
            startup: Duration::ZERO,
        }
    }

    /// Returns the shell command by which an AI announces its silence.
    pub fn fall_silent(&self) -> String {
        format!(": > {}", self.silent.display())
    }

    fn clock(&self) -> impl Fn() -> Instant + Send + Sync + 'static {
        struct State {
            skipped: Duration,
            looked: Instant,
            idle_looks: u32,
        }
        let TestTime { rate, silent, .. } = self.clone();
        let began = Instant::now();
        let state = Mutex::new(State {
            skipped: Duration::ZERO,
            looked: began,
            idle_looks: 0,
        });
        move || {
            let mut state = state.lock().unwrap();
            let real = Instant::now();
            // The checker polls every 25 ms while there is no output, and more often while it
            // reads. The clock must not skip output that the AI wrote before it fell silent. On a
            // busy machine, the thread that reads it waits as long as a new thread, or less.
            let is_idle = real - state.looked > Duration::from_millis(10);
            state.looked = real;
            if !silent.exists() {
                state.idle_looks = 0;
            } else if is_idle {
                let touch_memory = || std::hint::black_box(vec![1_u8; 1 << 18]).len();
                std::thread::spawn(touch_memory).join().unwrap();
                state.idle_looks += 1;
            }
            // Each file skips one hour, so the next process has the usual time for its answers.
            if state.idle_looks >= 12 && std::fs::remove_file(&silent).is_ok() {
                state.idle_looks = 0;
                state.skipped += Duration::from_secs(3600);
            }
            began + (real - began).mul_f64(rate) + state.skipped
        }
    }
}

/// Returns the report on an AI that this process checks with the test's clock.
pub fn check_in(
    time: &TestTime,
    home: &Home,
    script: &str,
    protocol: Protocol,
    timeout: Duration,
    options: &CheckOptions,
) -> Value {
    let path = home.path("ai.sh");
    std::fs::write(&path, script).unwrap();
    let command = format!("sh {}", path.display());
    let file = TableFile::open(TTT.as_ref(), Default::default()).unwrap();
    let table = Table::new(file, TicTacToe::default()).unwrap();
    let ai = External::new(&command, protocol, timeout).unwrap();
    let ai = ai.with_startup(time.startup).with_clock(time.clock());
    let report = zermelo::check::check(&table, &ai, options, &NoProgress).unwrap();
    serde_json::to_value(&report).unwrap()
}

/// A time limit that every answer meets; the skipped hour exceeds it.
pub const ENOUGH: Duration = Duration::from_secs(1800);

pub fn report(done: &Done) -> Value {
    serde_json::from_str(&done.out).unwrap_or_else(|error| panic!("{error}: {done:?}"))
}

fn timeless(mut report: Value) -> Value {
    for name in ["seconds_per_move", "ai"] {
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
        TTT,
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

/// Faults in one position: command, kind of fault, and words of the message.
const FAULTS: [(&str, &str, &str); 13] = [
    ("sleep 1000", "timeout", "no answer within"),
    ("exec >&-; sleep 1000", "crash", "closed its output"),
    ("exec <&-; echo b1; sleep 1000", "crash", "closed its input"),
    ("exit 3", "crash", "exited with code 3"),
    ("kill -9 $$", "crash", "SIGKILL"),
    ("echo sorry", "malformed", "answered \"sorry\""),
    ("echo", "malformed", "answered \"\""),
    ("echo a1", "illegal", "the legal moves are b1, c1"),
    ("echo d4", "malformed", "a move is a square"),
    ("printf 'b1\\nc1\\n'", "malformed", "more than one line"),
    ("printf '\\377\\n'", "malformed", "UTF-8"),
    (
        "tr '\\0' x < /dev/zero",
        "malformed",
        "more than 8192 bytes",
    ),
    ("while :; do echo b1; done", "malformed", "line"),
];

/// Checks that a fault in one position is attributed to it, and affects no other.
fn is_attributed_to_its_position(report: &Value, (instead, kind, words): (&str, &str, &str)) {
    assert_eq!(report["verdict"], "faulty");
    let faults = report["fault_list"].as_array().unwrap();
    assert_eq!(faults.len(), 1, "{instead}: {faults:?}");
    // A closed input is noticed at the next question.
    if !instead.starts_with("exec <&-") {
        assert_eq!(faults[0]["position"], "X..OX....", "{instead}: {faults:?}");
    }
    assert_eq!(faults[0]["kind"], kind, "{instead}: {faults:?}");
    let detail = faults[0]["detail"].as_str().unwrap();
    assert!(detail.contains(words), "{instead}: {detail}");
    assert_eq!(report["faults"][kind], 1);
    assert_eq!(report["asked"], 4520, "{instead}");
}

fn faults_are_attributed_to_their_position(cases: &[(&str, &str, &str)]) {
    let home = Home::new();
    for (&case, jobs) in cases.iter().zip(["1", "2"].into_iter().cycle()) {
        let (instead, kind, _) = case;
        // Correct answers under the same limit must not be late on a busy machine.
        let options = ["--json", "--timeout", PATIENT, "--jobs", jobs];
        let done = check(&home, &answering(instead), &options);
        assert_eq!((done.code, done.err.as_str()), (Some(2), ""), "{instead}");
        let report = report(&done);
        is_attributed_to_its_position(&report, case);
        if kind == "timeout" {
            let detail = report["fault_list"][0]["detail"].as_str().unwrap();
            assert!(detail.contains("no answer within 60 s"), "{detail}");
        }
    }
}

#[test]
fn a_fault_in_one_position_is_attributed_to_it() {
    // The faults that the checker notices without waiting.
    let quick = [
        "exit 3",
        "kill -9 $$",
        "printf 'b1\\nc1\\n'",
        "while :; do echo b1; done",
    ];
    let quick = FAULTS.into_iter().filter(|of| quick.contains(&of.0));
    std::thread::scope(|scope| {
        for (case, jobs) in quick.zip([1, 2].into_iter().cycle()) {
            scope.spawn(move || {
                let home = Home::new();
                // Between two lines of an AI, a busy machine may pause it for longer than the
                // checker waits for a second line. A slow clock makes this wait longer.
                let time = TestTime::new(&home, 0.05);
                let options = CheckOptions {
                    jobs,
                    ..CheckOptions::default()
                };
                let script = answering(case.0);
                let report = check_in(&time, &home, &script, Protocol::Line, ENOUGH, &options);
                is_attributed_to_its_position(&report, case);
            });
        }
    });
}

#[test]
#[ignore = "exhaustive: waits two minutes for an AI that says nothing"]
fn all_faults_in_one_position_are_attributed_to_it() {
    faults_are_attributed_to_their_position(&FAULTS);
}

/// Silence in one position, skipped by the clock.
#[test]
fn a_timeout_in_one_position_is_attributed_to_it() {
    let home = Home::new();
    let time = TestTime::new(&home, 1.0);
    let script = answering(&format!("{}; sleep 1000", time.fall_silent()));
    let options = CheckOptions::default();
    let report = check_in(&time, &home, &script, Protocol::Line, ENOUGH, &options);
    let case = ("sleep 1000", "timeout", "no answer within 1800 s");
    is_attributed_to_its_position(&report, case);
}

/// Programs that always fail are given up after a bounded number of faults.
#[test]
fn checks_of_hostile_programs_end() {
    let cases = [
        ("while read -r p; do :; done", "timeout"),
        ("sleep 100", "timeout"),
        ("exit 0", "crash"),
        ("exec >&-; cat > /dev/null; sleep 100", "crash"),
        ("while read -r p; do echo hello; done", "malformed"),
        ("while :; do echo hello; done", "malformed"),
        ("tr '\\0' x < /dev/zero", "malformed"),
        ("while read -r p; do echo z9; echo a1; done", "malformed"),
        ("head -c 100000000 /dev/zero", "malformed"),
        (
            "while read -r p; do echo error >&2; head -c 200000 /dev/zero >&2; exit 1; done",
            "crash",
        ),
    ];
    let try_one = |(script, kind): (&str, &str)| {
        let home = Home::new();
        // Programs that never answer exceed any limit; the others must never exceed it.
        let limit = if kind == "timeout" { "0.3" } else { PATIENT };
        let startup = if kind == "timeout" { "0.1" } else { "10" };
        let limits = [
            ["--json", "--max-faults=2"],
            ["--timeout", limit],
            ["--startup", startup],
        ];
        let done = check(&home, script, &limits.concat());
        assert_eq!(done.code, Some(2), "{script}: {done:?}");
        let report = report(&done);
        assert_eq!(
            (&report["verdict"], &report["stopped_by"]),
            (&"faulty".into(), &"faults".into())
        );
        let faults = report["fault_list"].as_array().unwrap();
        assert!(
            !faults.is_empty() && faults.len() <= 2,
            "{script}: {faults:?}"
        );
        assert_eq!(report["faults"][kind], faults.len(), "{script}: {faults:?}");
    };
    // The programs mostly wait.
    std::thread::scope(|scope| {
        for case in cases {
            scope.spawn(move || try_one(case));
        }
    });
}

#[test]
fn the_end_of_standard_error_is_reported() {
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

/// Returns a time to sleep that no other process uses, in any run of the tests.
///
/// Times of the same process differ in their `number`.
pub fn sleep_of_its_own(number: u32) -> String {
    format!("{}.{number}5", 1_000_000 + std::process::id())
}

/// Returns whether some process sleeps for this time.
pub fn sleeps(seconds: &str) -> bool {
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
fn no_process_remains_after_a_check() {
    let home = Home::new();
    // One child in the AI's own group, and one that has left it and holds the AI's pipes open.
    for (number, group) in [(1, ""), (2, "setsid ")] {
        let seconds = sleep_of_its_own(number);
        let command = format!("{group}sleep {seconds} &");
        let leaves = answering(&format!("{command}\n exit 1"));
        let done = check(&home, &leaves, &["--json", "--timeout", PATIENT]);
        assert_eq!(report(&done)["faults"]["crash"], 1);
        wait_until(&command, || !sleeps(&seconds));
        let stays = format!("{command} while read -r p; do {FIRST} echo $m; done");
        let options = ["--json", "--jobs", "2", "--timeout", PATIENT];
        let done = check(&home, &stays, &options);
        assert_eq!(report(&done)["verdict"], "imperfect");
        wait_until(&command, || !sleeps(&seconds));
    }
}

#[test]
fn an_interrupt_ends_the_checker_and_its_programs() {
    let home = Home::new();
    let seconds = sleep_of_its_own(3);
    std::fs::write(home.path("ai.sh"), format!("sleep {seconds}")).unwrap();
    // Far longer than the test waits for the end.
    let timeout = "86400";
    let args = [
        "check-ai",
        "--table",
        TTT,
        "--ai",
        "sh ai.sh",
        "--jobs",
        "2",
        "--timeout",
        timeout,
    ];
    let mut child = home.command(ZERMELO, &args).spawn().unwrap();
    wait_until("the AI", || sleeps(&seconds));
    let pid = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &pid])
            .status()
            .unwrap()
            .success()
    );
    // Long before the time limit of a move.
    wait_until("the end", || child.try_wait().unwrap().is_some());
    let done = done(child.wait_with_output().unwrap());
    assert_eq!((done.code, done.out.as_str()), (Some(2), ""));
    assert!(done.err.contains("stopped before"), "{}", done.err);
    wait_until("the end of the AI", || !sleeps(&seconds));
}

/// Returns an engine that reads positions after `startpos` or `fen`, and plays tic-tac-toe.
///
/// It starts no other programs, which would take most of the time.
pub fn ugi(go: &str) -> String {
    format!(
        r#"play() {{ case $1 in a1) i=0;; b1) i=1;; c1) i=2;; a2) i=3;; b2) i=4;; c2) i=5;; a3) i=6;; b3) i=7;; c3) i=8;; esac
s=X; t=$p; while [ "$t" ]; do case $t in .*) ;; *) if [ $s = X ]; then s=O; else s=X; fi;; esac; t=${{t#?}}; done
a=; b=$p; while [ $i -gt 0 ]; do a=$a${{b%"${{b#?}}"}}; b=${{b#?}}; i=$((i-1)); done; p=$a$s${{b#?}}; }}
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

/// In games from the start, an engine that can't read positions gets the moves.
#[test]
fn engines_receive_known_moves() {
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

/// An engine that ignores a move by its own rules.
///
/// The report shows the position that it was sent, and the move after which it differs.
#[test]
fn an_engine_s_own_rules_that_lead_elsewhere_are_located() {
    let home = Home::new();
    let wrong = ugi("echo bestmove $m").replace("do play $m;", "do [ $m = b1 ] || play $m;");
    // The engine never answers twice, so the wait for a second answer can be short.
    let time = TestTime::new(&home, 20.0);
    let movetime = Duration::from_millis(5);
    let options = CheckOptions {
        scope: Scope::Play,
        max_faults: 2,
        ..CheckOptions::default()
    };
    let report = check_in(
        &time,
        &home,
        &wrong,
        Protocol::Ugi { movetime },
        ENOUGH,
        &options,
    );
    let faults = report["fault_list"].as_array().unwrap();
    let mut located = 0;
    for fault in faults {
        assert_eq!(fault["kind"], "illegal", "{fault}");
        let (detail, sent) = (&fault["detail"], fault["sent"].as_str().unwrap());
        let detail = detail.as_str().unwrap();
        let moves = sent.strip_prefix("position startpos moves ").unwrap();
        let moves: Vec<&str> = moves.split(' ').collect();
        assert!(
            detail.contains("given the position by fen, it answers"),
            "{detail}"
        );
        // The answers differ once both a1 and b1, which the engine ignores, are taken.
        let number = 1 + ["a1", "b1"].map(|of| moves.iter().position(|mv| *mv == of).unwrap())[..]
            .iter()
            .max()
            .unwrap();
        let words = format!("its own rules lead elsewhere after move {number}");
        located += usize::from(detail.contains("elsewhere"));
        assert_eq!(
            detail.contains(&words),
            detail.contains("elsewhere"),
            "{fault}"
        );
    }
    assert_eq!((faults.len(), located), (2, 1), "{faults:#?}");
}

#[test]
fn an_engine_s_fault_that_does_not_come_again_says_so() {
    let home = Home::new();
    for (go, kind) in [("echo bestmove zz", "malformed"), ("exit 7", "crash")] {
        let script = ugi(&format!(
            "if [ -e once ]; then echo bestmove $m; else : > once; {go}; fi"
        ));
        let done = check(&home, &script, &UGI_OPTIONS);
        let fault = &report(&done)["fault_list"][0];
        assert_eq!(fault["kind"], kind, "{fault}");
        let detail = fault["detail"].as_str().unwrap();
        assert!(detail.ends_with("(but not when asked again)"), "{detail}");
        std::fs::remove_file(home.path("once")).unwrap();
    }
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
        TTT,
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
        ("echo bestmove", "malformed", "answered \"\""),
        ("echo bestmove nothing", "malformed", "answered \"nothing\""),
        (
            "echo bestmove $m; echo bestmove $m",
            "malformed",
            "more than once",
        ),
        ("exit 7", "crash", "exited with code 7"),
    ] {
        let limits = ["--timeout", PATIENT, "--max-faults", "2"];
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

    // It greets in time, and then never answers.
    let time = TestTime::new(&home, 1.0);
    let script = ugi(&format!("echo info 1; {}", time.fall_silent()));
    let options = CheckOptions {
        max_faults: 1,
        ..CheckOptions::default()
    };
    let movetime = Duration::from_millis(5);
    let protocol = Protocol::Ugi { movetime };
    let silent = check_in(&time, &home, &script, protocol, ENOUGH, &options);
    let fault = &silent["fault_list"][0];
    assert_eq!(fault["kind"], "timeout", "{fault}");
    let detail = fault["detail"].as_str().unwrap();
    assert!(detail.contains("no answer within 1800."), "{detail}");

    // A program that doesn't greet is no engine, whatever the limit is.
    let done = check(
        &home,
        "while read -r p; do :; done",
        &["--protocol", "ugi", "--timeout", "0.3", "--startup", "0.1"],
    );
    done.assert_refused_with(&["doesn't speak UGI", "\"ugiok\""]);
}

/// Many faults, which end the check early.
///
/// Output that one process hasn't sent yet must not be read from the next.
#[test]
#[ignore = "exhaustive: 4 s"]
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
    assert_eq!(reports[0]["stopped_by"], "faults");
    assert!(!reports[0]["refutation"].as_array().unwrap().is_empty());
    assert_eq!(reports[1], reports[0]);
    assert_eq!(reports[2], reports[0]);
}

/// The answers up to the crash are reported.
#[test]
fn a_program_that_cannot_be_started_again_is_a_crash() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    let path = home.path("once");
    let script = format!("#!/bin/sh\nrm once\n{}", answering("exit 3"));
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let args = [
        "check-ai", "--table", TTT, "--ai", "./once", "--json", "--quiet",
    ];
    let done = home.zermelo(&args);
    assert_eq!((done.code, done.err.as_str()), (Some(2), ""));
    let report = report(&done);
    assert_eq!(report["stopped_by"], "faults");
    let faults = report["fault_list"].as_array().unwrap();
    assert_eq!(faults[0]["position"], "X..OX....");
    assert_eq!(faults[0]["detail"], "exited with code 3");
    let again = faults[1]["detail"].as_str().unwrap();
    assert!(again.contains("could not be started again"), "{again}");
    assert!(report["best_moves"].as_u64() > Some(0));
}

/// A reader that closes the report early doesn't change the exit code.
#[test]
fn a_closed_output_does_not_change_the_verdict() {
    let home = Home::new();
    let args = ["check-ai", "--table", TTT, "--ai", "builtin:first"];
    let mut child = home.command(ZERMELO, &args).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn impossible_checks_are_refused() {
    let home = Home::new();
    let refused = |args: &[&str], words: &[&str]| {
        let args = [&["check-ai", "--table", TTT], args].concat();
        home.zermelo(&args).assert_refused_with(words);
    };
    refused(
        &["--ai", "builtin:best"],
        &["no builtin AI \"best\"", "greedy", "negamax:DEPTH"],
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
        &["--ai", "builtin:first", "--scope", "play", "--sample", "5"],
        &["--total-timeout"],
    );
    refused(
        &["--ai", "builtin:first", "--side", "first"],
        &["--scope play"],
    );
    refused(
        &["--ai", "builtin:first", "--report", "no/such/page.html"],
        &["no such directory"],
    );
    std::fs::write(home.path("mine.html"), "a table, say").unwrap();
    refused(
        &["--ai", "builtin:first", "--report", "mine.html"],
        &["mine.html", "can't write a report"],
    );
    let kept = std::fs::read_to_string(home.path("mine.html")).unwrap();
    assert_eq!(kept, "a table, say");
    refused(
        &["--ai", "builtin:first", "--protocol", "ugi"],
        &["is built in"],
    );
    refused(
        &["--ai", "./ai", "--movetime", "5"],
        &["--movetime", "--protocol ugi", "--timeout"],
    );
    for (word, tip) in [
        ("my_ai.py", "--ai \"python3 my_ai.py\""),
        ("my_ai", "--ai \"./my_ai\""),
    ] {
        let done = home.zermelo(&["check-ai", "ttt", word]);
        done.assert_refused_with(&["tip", tip]);
    }
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

/// The timing of an AI that makes its fault the same on any machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pace {
    /// It never writes a second line after a wrong one, so waits for that can be short.
    Fast,
    /// It ends or writes a second line eventually, so waits can be long.
    Slow,
    /// It answers at the end of its input: that time can be long, a move's short.
    AtEnd,
    /// It announces that it falls silent.
    Silent,
    /// It announces that it falls silent, and continues when it receives the next line.
    Late,
}

/// Programs whose faults show their cause, and one whose faults don't.
fn causes(fall_silent: &str) -> Vec<(String, &'static str, Pace)> {
    let each = |say: &str| format!("while read -r p; do {FIRST} {say}; done");
    vec![
        (each("echo ${m#?}${m%?}"), "the row before the column", Pace::Fast),
        (each("echo \"move: $m\""), "more than the move", Pace::Fast),
        (each("echo ${m%?}$((${m#?} - 1))"), "counts from 0", Pace::Fast),
        (
            each("echo $((${#q} + 1))"),
            "numbers the squares from 1",
            Pace::Fast,
        ),
        (
            each("echo $m; echo done"),
            "lines besides its moves",
            Pace::Slow,
        ),
        (
            format!("echo Hello; {}", each("echo $m")),
            "begins with a line",
            Pace::Slow,
        ),
        (
            format!("read -r p; {FIRST} echo $m"),
            "answers one position and ends",
            Pace::Slow,
        ),
        (
            format!("for p in $(cat); do {FIRST} echo $m; done"),
            "answers only when its input ends",
            Pace::AtEnd,
        ),
        (
            format!("{fall_silent}; while read -r p; do :; done; sleep 100"),
            "flush its output",
            Pace::Silent,
        ),
        (
            "echo 'Traceback (most recent call last):' >&2; echo 'KeyError: 7' >&2; exit 1".into(),
            "a Python error ends it, each time: KeyError: 7",
            Pace::Slow,
        ),
        (
            "read -r p; echo 'Traceback (most recent call last):' >&2; echo \"ValueError: '$p'\" >&2; \
             exit 1"
                .into(),
            "a Python error ends it, each time: ValueError: '",
            Pace::Slow,
        ),
        (
            "echo 'x: not found' >&2; echo \"$$\" >&2; exit 1".into(),
            "it ends with the message, each time: x: not found",
            Pace::Slow,
        ),
        (
            each(&format!("printf %s $m; [ \"$n\" ] || {fall_silent}; n=1")),
            "it doesn't end its lines",
            Pace::Silent,
        ),
        (
            format!("echo Hello; {}", each("sleep 0.2; echo $m")),
            "begins with a line",
            Pace::Slow,
        ),
        (
            format!(
                "{fall_silent}; read -r p; while read -r n; do {FIRST} echo $m; p=$n; {fall_silent}; done"
            ),
            "one line behind",
            Pace::Late,
        ),
        (each("echo \"$p\""), "an echo", Pace::Fast),
        (each("echo \"$p\"; echo $m"), "an echo", Pace::Slow),
        (
            format!("printf '\\357\\273\\277'; {}", each("echo $m")),
            "byte order mark",
            Pace::Fast,
        ),
        (each("echo x${#q}y"), "", Pace::Fast),
    ]
}

fn shows_its_cause(report: &Value, script: &str, words: &str) {
    let cause = &report["likely_cause"];
    match words {
        "" => assert!(cause.is_null(), "{script}: {cause}"),
        words => {
            let found = cause.as_str().is_some_and(|cause| cause.contains(words));
            assert!(found, "{script}: {cause}");
        }
    }
}

#[test]
fn faults_show_their_likely_cause() {
    // The programs mostly wait.
    std::thread::scope(|scope| {
        for case in 0..causes("").len() {
            scope.spawn(move || {
                let home = Home::new();
                let fall_silent = TestTime::new(&home, 1.0).fall_silent();
                let (script, words, pace) = causes(&fall_silent).swap_remove(case);
                let (rate, timeout) = match pace {
                    Pace::Fast => (20.0, ENOUGH),
                    Pace::Slow => (0.02, ENOUGH),
                    Pace::Late => (0.2, ENOUGH),
                    Pace::AtEnd => (0.02, Duration::from_millis(4)),
                    Pace::Silent => (10.0, ENOUGH),
                };
                let time = TestTime::new(&home, rate);
                let options = CheckOptions {
                    max_faults: 6,
                    ..CheckOptions::default()
                };
                let report = check_in(&time, &home, &script, Protocol::Line, timeout, &options);
                assert_eq!(report["verdict"], "faulty", "{script}: {report}");
                shows_its_cause(&report, &script, words);
            });
        }
    });
}

/// More timeouts would only take time.
#[test]
fn checks_of_a_silent_ai_end_soon() {
    let home = Home::new();
    let time = TestTime::new(&home, 10.0);
    let script = format!(
        "{}; while read -r p; do :; done; sleep 100",
        time.fall_silent()
    );
    let options = CheckOptions::default();
    let report = check_in(&time, &home, &script, Protocol::Line, ENOUGH, &options);
    assert_eq!(report["faults"]["timeout"], 1, "{report}");
    assert_eq!(report["asked"], 0, "{report}");
    assert_eq!(report["stopped_by"], "faults");
    shows_its_cause(&report, &script, "flush its output");
}

/// A program that writes each line in pieces is recognised, too.
#[test]
fn buffered_lines_in_pieces_are_recognised() {
    let home = Home::new();
    let script = "for p in $(cat); do printf a; sleep 0.05; echo 1; done";
    let options = ["--timeout", "1", "--startup=0.1", "--json"];
    let report = report(&check(&home, script, &options));
    assert_eq!(report["faults"]["timeout"], 1, "{report}");
    shows_its_cause(&report, script, "answers only when its input ends");
}

/// Runs a UGI engine of which each command in `cases` is a branch.
fn engine(home: &Home, cases: &str) -> Done {
    let script = format!("while read -r c rest; do case $c in {cases} esac; done");
    let limits = ["--timeout=1", "--startup=0.1", "--json"];
    check_command(home, "ugi:sh ai.sh", &script, &limits)
}

#[test]
fn silent_engines_are_named_at_once() {
    let home = Home::new();
    let ready = "ugi) echo ugiok;; isready) echo readyok;;";
    let silent = report(&engine(&home, ready));
    assert_eq!(silent["faults"]["timeout"], 1, "{silent}");
    shows_its_cause(&silent, ready, "it speaks UGI, but never answered \"go\"");
    let done = engine(&home, "uci) echo uciok;;");
    assert!(
        done.out.contains("gave no answer within 1.1 s\""),
        "{done:?}"
    );
    // It writes when it notices that its input has ended.
    let script = "cat > /dev/null; echo ugiok";
    let limits = ["--timeout=1", "--startup=0.1"];
    let done = check_command(&home, "ugi:sh ai.sh", script, &limits);
    assert!(
        done.err.contains("it answers only when its input ends"),
        "{done:?}"
    );
}

#[test]
fn the_first_lines_are_traced_in_both_directions() {
    let home = Home::new();
    let first = format!("while read -r p; do {FIRST} echo $m; done");
    let done = check(&home, &first, &["--trace", "2"]);
    let program = "> XXOOXX.OO\n< a3\n> .XOOOXXXO\n< a1\n";
    assert!(done.err.starts_with(program), "{done:?}");
    assert!(!done.err[program.len()..].contains("> "), "{done:?}");
    let args = [
        "check-ai",
        "--table",
        TTT,
        "--ai",
        "builtin:first",
        "--trace=2",
        "--json",
    ];
    assert_eq!(home.zermelo(&args).err, program);
    let script = "read -r c; printf 'id \\033[1m\\n'; exit";
    let err = check_command(&home, "ugi:sh ai.sh", script, &["--trace", "9"]).err;
    assert!(err.starts_with("> ugi\n< id \\u{1b}[1m\n"), "{err}");
}

#[test]
fn the_time_of_a_long_check_is_announced() {
    let home = Home::new();
    let slow = format!("while read -r p; do sleep 0.02; {FIRST} echo $m; done");
    let check_slow = |options: &[&str]| check_command(&home, "sh ai.sh", &slow, options);
    let done = check_slow(&["--total-timeout=3", "--json", "--jobs=2"]);
    let line = done.err.lines().next().unwrap_or_default();
    assert!(line.starts_with("each answer takes "), "{done:?}");
    assert!(line.contains(" ms: 4,520 positions in "), "{done:?}");
    assert_eq!(
        check_slow(&["--total-timeout=3", "--json", "--quiet"]).err,
        ""
    );
}

/// The hour for the start doesn't extend the time for a move.
#[test]
fn a_start_may_take_longer_than_a_move() {
    let home = Home::new();
    for (startup, is_late) in [(7200, false), (0, true)] {
        let mut time = TestTime::new(&home, 1.0);
        time.startup = Duration::from_secs(startup);
        let silent = time.silent.display().to_string();
        let script = format!(
            ": > {silent}; while [ -e {silent} ]; do sleep 0.01; done; \
             while read -r p; do {FIRST} echo $m; done"
        );
        let options = CheckOptions {
            max_faults: 1,
            ..CheckOptions::default()
        };
        let report = check_in(&time, &home, &script, Protocol::Line, ENOUGH, &options);
        let verdict = if is_late { "faulty" } else { "imperfect" };
        assert_eq!(report["verdict"], verdict, "{report}");
    }
}

/// Checks the same programs by the command and the system's clock, where possible.
#[test]
#[ignore = "exhaustive: waits for AIs that say nothing more"]
fn all_faults_show_their_likely_cause() {
    let home = Home::new();
    for (script, words, pace) in causes(":") {
        // Programs that never answer exceed any limit.
        let timeout = match pace {
            Pace::Fast | Pace::Slow => PATIENT,
            Pace::AtEnd | Pace::Silent | Pace::Late => "1",
        };
        let limits = [
            ["--json", "--max-faults=6"],
            ["--timeout", timeout],
            ["--startup", "0.1"],
        ];
        let done = check(&home, &script, &limits.concat());
        assert_eq!(done.code, Some(2), "{script}: {done:?}");
        if matches!(pace, Pace::Fast | Pace::Silent) {
            shows_its_cause(&report(&done), &script, words);
        }
    }
}

/// Answers to questions that were sent together have no individual times.
#[test]
fn the_time_of_a_move_is_measured_however_many_are_sent_together() {
    let home = Home::new();
    let script = format!("while read -r p; do {FIRST} echo $m; done");
    let report = report(&check(&home, &script, &["--json"]));
    assert!(report["seconds_per_move"].as_f64() > Some(0.0), "{report}");
}

/// The documentation shows positions with stores, so an AI may need them.
#[test]
fn positions_of_kalah_are_sent_with_stores_in_every_scope() {
    let home = Home::with_table("t.bin", &["kalah", "--pits", "4", "--seeds", "2"]);
    let script = "while read -r p; do case $p in *:*/*:*) echo 1;; *) echo none;; esac; done";
    std::fs::write(home.path("ai.sh"), script).unwrap();
    let scopes: [&[&str]; 4] = [
        &[],
        &["--canonical"],
        &["--sample", "200"],
        &["--scope", "play"],
    ];
    for scope in scopes {
        let args = [
            "check-ai",
            "t.bin",
            "--ai",
            "sh ai.sh",
            "--max-faults=2",
            "--json",
        ];
        let done = home.zermelo(&[&args[..], scope, patience(&[])].concat());
        let report = report(&done);
        assert_eq!(report["verdict"], "faulty", "{report}");
        assert!(!done.out.contains("none"), "{report}");
    }
}

/// The hour that the clock skips makes an answer late. Right answers come before and after.
#[test]
fn each_slow_position_is_a_timeout_and_no_sign_of_buffering() {
    let home = Home::new();
    let time = TestTime::new(&home, 0.05);
    let silent = time.silent.display().to_string();
    let slow = "X........|.X.......|..X......|X.O......|X..O.....|XO.......|.XO......|.X.O.....";
    let script = format!(
        "while read -r p; do {FIRST} case $p in {slow}) : > {silent}; while [ -e {silent} ]; do \
         sleep 0.01; done;; esac; echo $m; done"
    );
    let options = CheckOptions {
        max_faults: 100,
        ..CheckOptions::default()
    };
    // The first answer after a start may take longer than the skipped hour.
    for startup in [Duration::ZERO, Duration::from_secs(7200)] {
        let time = TestTime {
            startup,
            ..time.clone()
        };
        let report = check_in(&time, &home, &script, Protocol::Line, ENOUGH, &options);
        assert_eq!(report["faults"]["timeout"], 8, "{report}");
        shows_its_cause(&report, &script, "too slow in 8 positions");
    }
}

#[test]
fn a_check_ends_at_the_first_fault_if_one_is_allowed() {
    let home = Home::new();
    for options in [
        &[][..],
        &["--scope", "play"],
        &["--sample", "20"],
        &["--positions", "random", "--sample", "20"],
    ] {
        let script = "while read -r p; do echo x; done";
        let options = [options, &["--json", "--max-faults=1"]].concat();
        let report = report(&check(&home, script, &options));
        assert_eq!(report["faults"]["malformed"], 1, "{report}");
    }
}

/// A limit of processes counts threads. Root has none, so the programs run as another user.
#[test]
#[cfg(target_os = "linux")]
fn too_few_threads_are_an_error_without_a_panic() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    let script = format!("while read -r p; do {FIRST} echo $m; done");
    std::fs::write(home.path("ai.sh"), script).unwrap();
    // Another user can reach neither the program nor the directory where they are.
    std::fs::copy(ZERMELO, home.path("zermelo")).unwrap();
    let folder = home.path("ai.sh");
    let folder = folder.parent().unwrap();
    std::fs::set_permissions(folder, PermissionsExt::from_mode(0o755)).unwrap();
    let is_root = Command::new("id").arg("-u").output().unwrap().stdout == b"0\n";
    let user = match is_root {
        true => "setpriv --reuid=54321 --regid=54321 --clear-groups",
        false => "",
    };
    if Command::new("prlimit").output().is_err() {
        return;
    }
    let mut reports = 0;
    for processes in [1, 2, 3, 4, 5, 6, 8, 10, 14, 20] {
        for command in [
            "check-ai tictactoe --ai 'sh ai.sh'",
            "tournament tictactoe --openings 1 --ai b=builtin:first --ai a='sh ai.sh'",
        ] {
            let line = format!("exec {user} prlimit --nproc={processes} ./zermelo {command}");
            let done = done(home.command("sh", &["-c", &line]).output().unwrap());
            assert!(!done.err.contains("panicked"), "{processes}: {done:?}");
            reports += usize::from(done.code == Some(1));
        }
    }
    assert!(reports > 0);
}
