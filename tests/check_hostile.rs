//! Tests of malicious or badly broken AIs.
//!
//! Whatever they do, the check ends with a verdict that names a fault, and none of their processes
//! survives.

use serde_json::Value;
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;
use zermelo::check::{CheckOptions, Coverage, Protocol};
use zermelo::game::{Game, Notation};
use zermelo::games::tictactoe::TicTacToe;
use zermelo::oracle::Oracle;

use crate::check::table_of;
use crate::check_external::{ENOUGH, FIRST, TestTime, check, check_in, report, ugi};
use crate::common;
use crate::run::{Home, PATIENT, TTT, ZERMELO, wait_until};

/// Returns the processes whose working directory is in this home.
pub fn inhabitants(home: &Home) -> Vec<String> {
    let home = home.path("").canonicalize().unwrap();
    let name = |process: &Path| {
        let words = std::fs::read(process.join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&words).replace('\0', " ")
    };
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes
        .map(|process| process.path())
        .filter(|process| std::fs::read_link(process.join("cwd")).is_ok_and(|path| path == home))
        .map(|process| name(&process))
        .collect()
}

/// Returns an AI that runs `say` for each line that it reads; `$m` is a legal move.
fn each(say: &str) -> String {
    format!("while read -r p; do {FIRST} {say}; done")
}

/// Returns AIs with their expected result.
///
/// The result is a list of possible kinds of faults, "imperfect" where no fault is allowed, or
/// "refused" where no check can start.
fn line_ais() -> Vec<(String, &'static str)> {
    let plays = each("echo $m");
    let mut ais: Vec<(String, &'static str)> = vec![
        // Processes that the AI leaves behind.
        (format!("sleep 1000 & {plays}"), "imperfect"),
        (format!("setsid sleep 1000 & {plays}"), "imperfect"),
        (format!("(setsid env -i sleep 1000 &) ; {plays}"), "imperfect"),
        (
            format!("(setsid env -i sh -c '(setsid env -i sh -c \"sleep 1000; :\" &)' &) ; {plays}"),
            "imperfect",
        ),
        (format!("(trap '' HUP INT TERM QUIT; setsid sh -c 'sleep 1000; :' &) ; {plays}"), "imperfect"),
        (format!("(exec >/dev/null 2>&1 </dev/null; setsid sleep 1000 &) ; {plays}"), "imperfect"),
        (format!("i=0; while [ $i -lt 40 ]; do sleep 1000 & i=$((i+1)); done; {plays}"), "imperfect"),
        ("sleep 1000 & exit 0".into(), "crash"),
        ("setsid sleep 1000 & exit 3".into(), "crash"),
        ("setsid env -i sleep 1000 & kill -9 $$".into(), "crash"),
        // Small fork bombs: in one group, each in its own session, and one that moves on.
        (
            "b() { [ $1 = 0 ] || { b $(($1-1)) & b $(($1-1)) & }; sleep 1000; }; b 4".into(),
            "timeout",
        ),
        (
            "n=${N:-4}; [ $n = 0 ] || { N=$((n-1)) setsid sh ai.sh & N=$((n-1)) setsid sh ai.sh & }; sleep 1000"
                .into(),
            "timeout",
        ),
        (
            "[ \"$1\" ] && { sleep 0.02; setsid sh ai.sh on & exit; }; setsid sh ai.sh on & sleep 1000".into(),
            "timeout",
        ),
        ("while :; do (exit 3) & wait; done".into(), "timeout"),
        // Signals to itself, its group and its supervisor.
        ("trap '' HUP INT TERM QUIT; sleep 1000".into(), "timeout"),
        ("kill -STOP $$".into(), "timeout"),
        ("setsid sleep 1000 & kill -STOP 0; sleep 1000".into(), "timeout"),
        ("sleep 1000 & kill -9 0".into(), "crash"),
        ("kill 0; sleep 1000".into(), "crash"),
        ("kill -HUP 0; sleep 1000".into(), "crash"),
        // An AI that kills its supervisor is killed. Its children must end by themselves.
        ("kill -9 $PPID; sleep 3".into(), "crash"),
        ("(setsid env -i sh -c 'sleep 3; :' &) ; kill -9 $PPID; sleep 3".into(), "crash"),
        ("sleep 3 & kill -9 -$PPID; sleep 3".into(), "crash"),
        ("kill -STOP $PPID; exit 3".into(), "crash"),
        ("setsid sleep 1000 & kill -STOP $PPID; sleep 1000".into(), "timeout"),
        ("kill $PPID; kill -HUP $PPID; kill -INT $PPID; kill -INT $PPID; sleep 1000".into(), "timeout"),
        (
            format!("for s in HUP INT QUIT USR1 USR2 ALRM PIPE CHLD CONT TERM TERM; do kill -$s $PPID; done; {plays}"),
            "imperfect",
        ),
        // Pipes, files and terminals.
        ("exec <&-; sleep 1000".into(), "crash|timeout"),
        ("exec >&-; sleep 1000".into(), "crash"),
        ("exec 2>&-; exit 4".into(), "crash"),
        ("exec <&- >&- 2>&-; sleep 1000".into(), "crash"),
        // Its line may come before the question, or after it and be illegal.
        ("exec <&-; echo b1; sleep 1000".into(), "crash|malformed|illegal"),
        ("yes >&2".into(), "timeout"),
        ("echo intruder > /dev/tty || exit 9".into(), "crash"),
        ("setsid -c sh -c 'echo intruder > /dev/tty' || exit 9; exit 8".into(), "crash"),
        (
            format!("for f in 3 4 5 6 7 8 9; do (eval \"echo x >&$f\") 2>/dev/null; done; echo x > /proc/$PPID/fd/0; {plays}"),
            "imperfect",
        ),
        (format!("ulimit -n 3; {plays}"), "imperfect"),
        ("ulimit -n 3; exec 3</dev/null; exit 6".into(), "crash"),
        ("rm ai.sh; exit 2".into(), "crash"),
        ("exec sleep 1000".into(), "timeout"),
        ("cat > /dev/null; sleep 1000".into(), "timeout"),
        // Output that is too long, too short, too late or unrequested.
        ("tr '\\0' x < /dev/zero".into(), "malformed"),
        ("cat /dev/zero".into(), "malformed"),
        ("yes ''".into(), "malformed"),
        ("yes b1".into(), "malformed"),
        ("head -c 100000000 /dev/zero".into(), "malformed"),
        (format!("printf 'Your move: '; {plays}"), "malformed"),
        (format!("echo Welcome; {plays}"), "malformed"),
        (format!("echo; {plays}"), "malformed"),
        (each("printf '%9000s\\n' $m"), "malformed"),
        (each("printf '%8000s\\n' $m"), "imperfect"),
        (each("sleep 1000; echo $m"), "timeout"),
        (each("printf %s $m"), "timeout|malformed"),
        ("read -r p; sleep 1000".into(), "timeout"),
        (format!("read -r p; {FIRST} echo $m; sleep 1000"), "timeout"),
        (format!("for p in $(cat); do {FIRST} echo $m; done"), "timeout"),
        (format!("read -r p; {FIRST} echo $m"), "crash"),
    ];
    // Malformed moves.
    for instead in [
        "a1\\0",
        "\\0\\0",
        "\\377\\376a\\0001\\000",
        "\\303\\050",
        "\\357\\273\\277a1",
        "\\033[31ma1\\033[0m",
        "> a1",
        "\\357\\275\\201\\357\\274\\221",
        "z9\\b\\ba1",
        "{\"move\": \"a1\"}",
        "-1",
        "99999999999999999999",
        "1e9",
        "NaN",
        "%%s%%n",
        "$(kill 0)",
        "../../etc/passwd",
        "a1 b1",
        "a1\\rb1",
        "\\t",
        "resign",
    ] {
        ais.push((each(&format!("printf -- '{instead}\\n'")), "malformed"));
    }
    // Exits at different points.
    for code in [0, 1, 2, 64, 126, 127, 128, 130, 137, 139, 255] {
        ais.push((format!("read -r p; printf b; exit {code}"), "crash"));
    }
    for signal in [
        "SEGV", "ABRT", "PIPE", "USR1", "ALRM", "FPE", "XCPU", "KILL",
    ] {
        ais.push((
            format!("read -r p; printf b; kill -{signal} $$; sleep 1000"),
            "crash",
        ));
    }
    ais
}

fn ugi_ais() -> Vec<(String, &'static str)> {
    let right = "echo bestmove $m";
    let says = |when: &str, what: &str| ugi(right).replace(when, &format!("{when} {what};"));
    vec![
        ("sleep 1000".into(), "refused"),
        ("echo ugiok; sleep 1000".into(), "refused"),
        ("exit 0".into(), "refused"),
        ("yes ugiok".into(), "refused"),
        ("echo bestmove a1; cat > /dev/null".into(), "refused"),
        (ugi("echo bestmove"), "malformed"),
        (ugi("echo bestmove none"), "malformed"),
        (ugi("echo bestmove $m; echo bestmove $m"), "malformed"),
        (ugi("yes info"), "malformed"),
        (ugi("echo readyok"), "timeout"),
        (ugi("echo bestmove $m; exit 0"), "crash"),
        (ugi("echo bestmove $m; kill -STOP $$"), "timeout"),
        (
            ugi("setsid env -i sleep 1000 & echo bestmove $m; exit 7"),
            "crash",
        ),
        (ugi("printf 'bestmove\\0%s\\n' $m"), "timeout|malformed"),
        (ugi("printf 'BESTMOVE %s\\n' $m"), "timeout"),
        (ugi("printf '\\033[1mbestmove %s\\n' $m"), "timeout"),
        (ugi("printf 'bestmove %s\\r\\n' $m"), "imperfect"),
        (says("position)", "echo bestmove a1"), "malformed"),
        (
            says("isready)", "[ \"$m\" ] && echo bestmove a1"),
            "malformed",
        ),
        (
            says("echo readyok;", "[ \"$m\" ] && echo bestmove $m"),
            "malformed",
        ),
    ]
}

/// Returns an error unless the check ends as it should and no process remains.
fn try_one(script: &str, expected: &str, protocol: &str) -> Result<(), String> {
    let home = Home::new();
    let is_silent = expected.contains("timeout") || expected == "refused";
    let timeout = match protocol {
        // Programs that never answer exceed any limit, and are expected to.
        "line" if is_silent => "0.5",
        "ugi" if expected == "refused" => "0.5",
        // These engines must greet in time.
        "ugi" if is_silent => "30",
        _ => PATIENT,
    };
    let startup = if is_silent { "0.1" } else { "10" };
    let limits = [
        ["--json", "--max-faults=1"],
        ["--timeout", timeout],
        ["--startup", startup],
        ["--protocol", protocol],
    ];
    let done = check(&home, script, &limits.concat());
    // Killed processes take a while to die. All others would sleep longer than this waits.
    wait_until(&format!("the end of {script}"), || {
        inhabitants(&home).is_empty()
    });
    if done.err.contains("panicked") {
        return Err(format!("{done:?}"));
    }
    if expected == "refused" {
        let said: Value = serde_json::from_str(&done.out).map_err(|_| format!("{done:?}"))?;
        let is_refused = done.code == Some(2) && said["error"].is_string() && !done.err.is_empty();
        return is_refused.then_some(()).ok_or_else(|| format!("{done:?}"));
    }
    let report: Value = serde_json::from_str(&done.out).map_err(|_| format!("{done:?}"))?;
    let kinds: Vec<&str> = ["illegal", "timeout", "crash", "malformed"]
        .into_iter()
        .filter(|kind| report["faults"][kind] != 0)
        .collect();
    let (verdict, is_right) = match expected {
        "imperfect" => ("imperfect", kinds.is_empty() && done.code == Some(1)),
        some => (
            "faulty",
            done.code == Some(2)
                && kinds
                    .iter()
                    .all(|kind| some.split('|').any(|of| of == *kind)),
        ),
    };
    if report["verdict"] != verdict || !is_right {
        return Err(format!(
            "{expected}: {} {}",
            report["verdict"], report["fault_list"]
        ));
    }
    Ok(())
}

/// A program, its expected result, and the protocol.
type HostileAi = (String, &'static str, &'static str);

fn all_ais() -> Vec<HostileAi> {
    let line = line_ais()
        .into_iter()
        .map(|(script, expected)| (script, expected, "line"));
    let ugi = ugi_ais()
        .into_iter()
        .map(|(script, expected)| (script, expected, "ugi"));
    // By the system's clock, a surplus line may come so late that it answers the next question.
    let (scripts, late) = too_many_lines();
    let many = scripts.map(|script| (script, "malformed|illegal|timeout", "line"));
    let late = (late, "malformed|illegal|timeout", "ugi");
    line.chain(ugi).chain(many).chain([late]).collect()
}

#[test]
#[ignore = "exhaustive: more than a hundred programs, for a minute or two"]
fn all_hostile_programs_are_contained() {
    let ais = all_ais();
    assert!(ais.len() >= 100, "{}", ais.len());
    are_contained(&ais);
}

/// Returns scripts that write unrequested lines, and a late engine.
fn too_many_lines() -> ([String; 5], String) {
    let scripts = [
        format!("echo a1; {}", each("echo $m")),
        each("echo $m; echo $m"),
        each("echo $m; echo"),
        each("echo $m; sleep 0.1; echo $m"),
        each("echo $p; echo $m"),
    ];
    let late = ugi("echo bestmove $m; (sleep 0.02; echo bestmove $m) &");
    (scripts, late)
}

/// Uses a clock by which the surplus lines always come soon.
#[test]
fn extra_lines_are_not_illegal_moves() {
    let (scripts, late) = too_many_lines();
    let line = scripts.map(|script| (script, Protocol::Line));
    let movetime = Duration::from_millis(5);
    let engine = [(late, Protocol::Ugi { movetime })];
    for (script, protocol) in line.into_iter().chain(engine) {
        let home = Home::new();
        let time = TestTime::new(&home, 0.05);
        let options = CheckOptions {
            max_faults: 1,
            ..CheckOptions::default()
        };
        let report = check_in(&time, &home, &script, protocol, ENOUGH, &options);
        assert_eq!(report["verdict"], "faulty", "{script}: {report}");
        for kind in ["illegal", "timeout", "crash"] {
            assert_eq!(report["faults"][kind], 0, "{script}: {report}");
        }
        wait_until("the end", || inhabitants(&home).is_empty());
    }
}

fn are_contained(ais: &[HostileAi]) {
    let next = AtomicUsize::new(0);
    let failures = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    let mut failures = String::new();
                    while let Some((script, expected, protocol)) =
                        ais.get(next.fetch_add(1, Relaxed))
                    {
                        if let Err(problem) = try_one(script, expected, protocol) {
                            writeln!(failures, "{script}\n    {problem}").unwrap();
                        }
                    }
                    failures
                })
            })
            .collect();
        let failures = workers.into_iter().map(|worker| worker.join().unwrap());
        failures.collect::<String>()
    });
    assert!(failures.is_empty(), "{failures}");
}

/// An AI that stops its supervisor whenever that continues.
#[test]
#[ignore = "exhaustive: waits for the supervisor until it is given up"]
fn a_supervisor_that_is_stopped_again_and_again_is_killed() {
    let script =
        "(setsid env -i sh -c \"while :; do kill -STOP $PPID || exit; done\" &) ; sleep 20";
    try_one(script, "timeout|crash", "line").unwrap();
}

/// If the checker dies in any way, no process of its AIs survives.
#[test]
fn a_killed_checker_leaves_no_process_behind() {
    for signal in ["KILL", "HUP", "TERM", "INT", "ABRT"] {
        for stop in ["", "kill -STOP $PPID;"] {
            let home = Home::new();
            let script = format!(
                "(setsid env -i sh -c 'sleep 1000; :' &)
                 (trap '' TERM HUP INT; setsid sh -c '(sleep 1000; :) & (sleep 1000; :)' &)
                 sleep 1000 & {stop} : > ready; sleep 1000"
            );
            std::fs::write(home.path("ai.sh"), script).unwrap();
            let args = [
                "check-ai",
                "--table",
                TTT,
                "--ai",
                "sh ai.sh",
                "--timeout",
                "600",
            ];
            let mut child = home.command(ZERMELO, &args).spawn().unwrap();
            wait_until("it is started", || home.path("ready").exists());
            let pid = child.id().to_string();
            let sent = Command::new("kill")
                .args([&format!("-{signal}"), &pid])
                .status();
            assert!(sent.unwrap().success());
            child.wait().unwrap();
            wait_until("all have ended", || inhabitants(&home).is_empty());
        }
    }
}

/// An AI can't write to the user's terminal.
#[test]
fn the_terminal_is_out_of_reach() {
    let has_script = Command::new("script")
        .arg("--version")
        .stdout(Stdio::null())
        .status();
    if !has_script.is_ok_and(|status| status.success()) {
        return;
    }
    let home = Home::new();
    let script = format!("echo intruder > /dev/tty && : > wrote; {}", each("echo $m"));
    std::fs::write(home.path("ai.sh"), script).unwrap();
    let command = format!("'{ZERMELO}' check-ai '{TTT}' --ai 'sh ai.sh'");
    let done = home
        .command("script", &["-qec", &command, "/dev/null"])
        .output()
        .unwrap();
    let shown = String::from_utf8_lossy(&done.stdout);
    assert_eq!(done.status.code(), Some(1), "{shown}");
    assert!(
        shown.contains("imperfect") && !shown.contains("intruder"),
        "{shown}"
    );
    assert!(!home.path("wrote").exists());
}

/// Writes a file from which a script can read the best move of each position.
fn write_best_moves(home: &Home) {
    let game = TicTacToe::default();
    let table = table_of(&game);
    let mut lines = String::new();
    for position in common::all_positions(&game) {
        if game.final_score(&position).is_none() {
            let (mv, _) = table.move_scores(&position).unwrap()[0];
            let (position, mv) = (game.format_position(&position), game.format_move(mv));
            writeln!(lines, "{position} {mv}").unwrap();
        }
    }
    std::fs::write(home.path("best"), lines).unwrap();
}

/// Returns a command that sets `$m` to a best move in `$p`.
fn best(home: &Home) -> String {
    let path = home.path("best");
    format!("m=$(grep -F \"$p \" {}); m=${{m#* }};", path.display())
}

/// Checks that an engine that repeats its moves is not accused of illegal ones.
///
/// Engines are asked `count` positions. Programs of the line protocol are asked `lines` positions,
/// and given up after `faults`.
fn answers_that_nobody_asked_for_are_not_illegal(count: u64, lines: u64, faults: usize) {
    let home = Home::new();
    write_best_moves(&home);
    let best = best(&home);
    let engine = ugi(&format!("{best} echo bestmove $m"));
    let on = |when: &str, what: &str| engine.replace(when, &format!("{when} {what};"));
    let ask = |script: &str, protocol: Protocol, count: u64, rate: f64| {
        let time = TestTime::new(&home, rate);
        let options = CheckOptions {
            coverage: Coverage::Sample { count, seed: 1 },
            ..CheckOptions::default()
        };
        let options = CheckOptions {
            max_faults: faults,
            ..options
        };
        check_in(&time, &home, script, protocol, ENOUGH, &options)
    };
    let movetime = Duration::from_millis(5);
    let engine_protocol = Protocol::Ugi { movetime };
    // The clock gives an AI with surplus output ten seconds for it, and doesn't wait for the
    // others.
    let (usual, slow) = (1.0, 0.1);
    let right = ask(&engine, engine_protocol, count, usual);
    assert_eq!(right["verdict"], "perfect");
    for (script, words) in [
        (
            engine.replace("echo bestmove $m;;", "echo bestmove $m; echo bestmove $m;;"),
            "answered more than once",
        ),
        (
            on("echo readyok;", "[ \"$m\" ] && echo bestmove $m"),
            "before it was asked",
        ),
        (
            on("position)", "[ \"$m\" ] && echo bestmove $m"),
            "before it was asked",
        ),
        (on("isready)", "[ \"$m\" ] && echo bestmove $m"), ""),
        (
            engine.replace(
                "echo bestmove $m;;",
                "echo bestmove $m; (sleep 0.03; echo bestmove $m) & sleep 0.02;;",
            ),
            "",
        ),
    ] {
        let report = ask(&script, engine_protocol, count, slow);
        assert_eq!(report["verdict"], "faulty", "{script}: {report}");
        assert_eq!(report["faults"]["illegal"], 0, "{script}: {report}");
        let detail = report["fault_list"][0]["detail"].as_str().unwrap();
        assert!(
            detail.contains(words) && detail.contains("bestmove "),
            "{script}: {detail}"
        );
    }

    let each = |say: &str| format!("while read -r p; do {best} {say}; done");
    let right = ask(&each("echo $m"), Protocol::Line, lines, usual);
    assert_eq!(right["verdict"], "perfect");
    for script in [
        format!("echo a1; {}", each("echo $m")),
        format!("echo c3; {}", each("sleep 0.05; echo $m")),
        each("echo $m; echo $m"),
        each("echo $m; sleep 0.06; echo $m"),
    ] {
        let report = ask(&script, Protocol::Line, lines, slow);
        assert_eq!(report["verdict"], "faulty", "{script}: {report}");
        // A machine that is late itself can't distinguish late answers from wrong ones at once.
        for fault in report["fault_list"].as_array().unwrap() {
            let is_withdrawn = fault["detail"]
                .as_str()
                .unwrap()
                .contains("not when asked again");
            assert!(
                fault["kind"] != "illegal" || is_withdrawn,
                "{script}: {report}"
            );
        }
    }
}

#[test]
fn unrequested_answers_are_not_illegal_moves() {
    answers_that_nobody_asked_for_are_not_illegal(8, 20, 2);
}

#[test]
#[ignore = "exhaustive: more positions, for a minute"]
fn many_unrequested_answers_are_not_illegal_moves() {
    answers_that_nobody_asked_for_are_not_illegal(40, 200, 10);
}

/// Answers in time are reported, but a check cut short proves no AI perfect.
#[test]
#[ignore = "exhaustive: four checks that end after 20 seconds"]
fn answers_before_the_total_timeout_are_reported() {
    let home = Home::new();
    write_best_moves(&home);
    let best = best(&home);
    // The first answers must come within that time.
    for (say, total, verdict, code) in [
        (best.as_str(), "20", "unfinished", 2),
        ("", "20", "imperfect", 1),
    ] {
        let script = format!(
            "i=0; while read -r p; do i=$((i+1)); [ $i = 100 ] && sleep 1000; {FIRST} {say} echo $m; done"
        );
        let options = ["--json", "--timeout", "600", "--total-timeout", total];
        for scope in ["all", "play"] {
            let done = check(
                &home,
                &script,
                &[&options[..], &["--scope", scope]].concat(),
            );
            wait_until("the end", || inhabitants(&home).is_empty());
            assert_eq!((done.code, done.err.as_str()), (Some(code), ""), "{done:?}");
            let report = report(&done);
            assert_eq!(report["verdict"], verdict, "{report}");
            assert_eq!(report["stopped_by"], "time");
        }
    }
}

#[test]
fn the_total_timeout_ends_a_check() {
    let home = Home::new();
    // Long before the game is solved.
    let args = [
        "check-ai",
        "kalah",
        "--seeds",
        "2",
        "--ai",
        "builtin:first",
        "--total-timeout",
        "0.01",
    ];
    home.zermelo(&args)
        .assert_refused_with(&["time was up", "--total-timeout"]);
    let done = check(&home, &each("echo $m"), &["--total-timeout", "1000000"]);
    assert_eq!(done.code, Some(1));
    assert!(!done.out.contains("Stopped early"), "{}", done.out);
}
