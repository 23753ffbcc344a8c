//! Tests of `tournament`: deterministic results, faulty programs, and resuming after a kill.

#[cfg(unix)]
use crate::check_external::FIRST;
use crate::run::{Home, ZERMELO, wait_until};
#[cfg(unix)]
use crate::run::{PATIENT, done, send};
use serde_json::Value;
use std::fs;

const GAME: [&str; 6] = ["tournament", "kalah", "--pits", "3", "--seeds", "2"];
const AIS: [&str; 6] = [
    "--ai",
    "perfect=builtin:perfect",
    "--ai",
    "greedy=builtin:greedy",
    "--ai",
    "random=builtin:random:2",
];

fn with(home: &Home, more: &[&str]) -> String {
    home.zermelo(&[&GAME[..], &AIS, more].concat()).succeeds()
}

#[test]
fn a_tournament_is_the_same_with_any_number_of_jobs() {
    let home = Home::new();
    let json = with(&home, &["--json", "--report", "one.html"]);
    assert_eq!(
        with(&home, &["--json", "--jobs", "2", "--report", "two.html"]),
        json
    );
    let pages = ["one.html", "two.html"].map(|page| fs::read_to_string(home.path(page)).unwrap());
    assert_eq!(pages[0], pages[1]);
    assert_ne!(with(&home, &["--json", "--seed", "2"]), json);
    let result: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(result["games"].as_array().unwrap().len(), 60);
    assert_eq!(result["standings"][0]["ai"], "perfect");
    assert_eq!(result["standings"][0]["mistakes"], 0);
    // The report loads nothing, and links each game at its turning point.
    let page = &pages[0];
    assert!(!page.contains("<script") && !page.contains(" src="));
    let game = &result["games"][0];
    let replay = game["replay"].as_str().unwrap();
    assert!(
        replay.starts_with("http://localhost:8080/explore/kalah-3-2?played="),
        "{replay}"
    );
    assert!(page.contains(&replay.replace('&', "&amp;")));
}

#[cfg(unix)]
#[test]
fn programs_play_and_faulty_ones_forfeit() {
    let home = Home::new();
    let answering = format!("while read -r p; do {FIRST} echo $m; done");
    fs::write(home.path("first.sh"), answering).unwrap();
    // Nothing that an AI writes reaches the terminal or a page as it is.
    fs::write(
        home.path("crash.sh"),
        "read -r p; printf '\\033[31mout of ideas\\a' >&2; exit 3",
    )
    .unwrap();
    fs::write(home.path("wrong.sh"), "while read -r p; do echo a9; done").unwrap();
    let args = [
        "tournament",
        "tictactoe",
        "--json",
        "--openings",
        "2",
        "--timeout",
        PATIENT,
    ];
    let ais = [
        "first=sh first.sh",
        "crash=sh crash.sh",
        "wrong=sh wrong.sh",
    ];
    let ais = ais.map(|ai| ["--ai", ai]).concat();
    let finished = home.zermelo(&[&args[..], &ais].concat());
    // Neither of the two forfeited every game, because they play each other, too.
    assert_eq!((finished.code, &*finished.err), (Some(0), ""));
    let result: Value = serde_json::from_str(&finished.out).unwrap();
    let standings = result["standings"].as_array().unwrap();
    let of = |name| standings.iter().find(|of| of["ai"] == name).unwrap();
    assert_eq!(
        (&of("first")["won"], &of("first")["forfeits"]),
        (&8.into(), &0.into())
    );
    let forfeits = ["crash", "wrong"].map(|name| of(name)["forfeits"].as_u64().unwrap());
    // Whoever of the two has the move first forfeits their games.
    assert_eq!(forfeits.iter().sum::<u64>(), 12);
    for game in result["games"].as_array().unwrap() {
        let forfeit = &game["forfeit"];
        let side = usize::from(forfeit["side"] == "second");
        match game["sides"][side]["ai"].as_str().unwrap() {
            "crash" => {
                assert_eq!(forfeit["kind"], "crash");
                let why = "exited with code 3; its standard error ends with: \
                           \\u{1b}[31mout of ideas\\u{7}";
                assert_eq!(forfeit["detail"], why);
            }
            "wrong" => assert_eq!(forfeit["kind"], "malformed"),
            other => panic!("{other} forfeited: {game}"),
        }
    }
}

/// An engine that never speaks UGI forfeits, and the others play.
#[cfg(unix)]
#[test]
fn a_dead_engine_forfeits_its_games() {
    let home = Home::with_table("t.bin", &["tictactoe"]);
    let args = [
        "tournament",
        "--table",
        "t.bin",
        "--json",
        "--openings",
        "1",
    ];
    let ais = [
        "--ai",
        "dead=ugi:sh -c 'exit 3'",
        "--ai",
        "it=builtin:first",
    ];
    let done = home.zermelo(&[&args[..], &ais].concat());
    assert_eq!((done.code, &*done.err), (Some(1), ""), "{done:?}");
    let result: Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(result["standings"][1]["forfeits"], 2);
    let why = result["games"][0]["forfeit"]["detail"].as_str().unwrap();
    assert!(
        why.contains("doesn't speak UGI") && why.contains("code 3"),
        "{why}"
    );
}

/// It is asked once; the games after that are forfeited at once.
#[cfg(unix)]
#[test]
fn a_player_that_never_answers_is_asked_once() {
    let home = Home::with_table("t.bin", &["tictactoe"]);
    fs::write(
        home.path("silent.sh"),
        "echo started >> starts; exec sleep 1000",
    )
    .unwrap();
    let args = [
        "tournament",
        "--table",
        "t.bin",
        "--json",
        "--openings",
        "3",
    ];
    let limits = ["--timeout", "0.1", "--startup", "0.1"];
    let ais = ["--ai", "silent=sh silent.sh", "--ai", "it=builtin:first"];
    let done = home.zermelo(&[&args[..], &limits, &ais].concat());
    let result: Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(result["standings"][1]["forfeits"], 6, "{result}");
    let starts = fs::read_to_string(home.path("starts")).unwrap();
    assert_eq!(starts.lines().count(), 1);
}

#[test]
fn games_too_large_to_solve_are_played_without_scores() {
    let home = Home::new();
    for game in ["dobutsu", "teeko", "oware --pits 6 --seeds 4"] {
        let args = format!(
            "tournament {game} --no-scores --openings 1 --json --ai a=builtin:random:1 --ai b=builtin:random:2"
        );
        let args: Vec<&str> = args.split(' ').collect();
        let result: Value = serde_json::from_str(&home.zermelo(&args).succeeds()).unwrap();
        assert_eq!(result["games"].as_array().unwrap().len(), 2, "{result}");
    }
}

#[test]
fn impossible_tournaments_are_refused_before_any_game() {
    let home = Home::new();
    let refused = |ais: &[&str], words: &[&str]| {
        let ais: Vec<&str> = ais.iter().flat_map(|ai| ["--ai", ai]).collect();
        home.zermelo(&[&GAME[..], &ais].concat())
            .assert_refused_with(words);
    };
    refused(&["a=builtin:first"], &["at least two AIs"]);
    refused(
        &["a=builtin:first", "a=builtin:greedy"],
        &["two AIs are called a"],
    );
    refused(
        &["a=builtin:first", "b=./nope"],
        &["can't start the AI \"./nope\""],
    );
    refused(
        &["a=builtin:first", "b=builtin:nope"],
        &["no builtin AI \"nope\""],
    );
}

#[test]
fn a_killed_tournament_resumes() {
    let home = Home::new();
    let wanted = with(&home, &["--json", "--openings", "40"]);
    let args = ["--json", "--openings", "40", "--games", "games"];
    let args = [&GAME[..], &AIS, &args].concat();
    let saved = || fs::read_dir(home.path("games")).map_or(0, |files| files.count());
    let mut child = home.command(ZERMELO, &args).spawn().unwrap();
    wait_until("some games", || {
        saved() > 5 || child.try_wait().unwrap().is_some()
    });
    // It may have ended already.
    let _ = child.kill();
    child.wait().unwrap();
    let before = saved();
    assert!(before > 5);
    assert_eq!(home.zermelo(&args).succeeds(), wanted);
    // All games are there now, and none is played again.
    let files = saved();
    assert_eq!(home.zermelo(&args).succeeds(), wanted);
    assert_eq!(saved(), files);
}

#[cfg(unix)]
#[test]
fn interrupted_tournaments_report_their_games_and_how_to_resume() {
    let home = Home::new();
    let slow = "while read -r p; do sleep 0.05; echo 1; done";
    fs::write(home.path("slow.sh"), slow).unwrap();
    with(&home, &["--report", "all.html"]);
    let complete = fs::read(home.path("all.html")).unwrap();
    let args = ["--ai", "slow=sh slow.sh", "--games", "games"];
    let args = [&GAME[..], &AIS, &args, &["--report", "all.html"]].concat();
    let mut child = home.command(ZERMELO, &args).spawn().unwrap();
    let saved = || fs::read_dir(home.path("games")).map_or(0, |files| files.count());
    wait_until("some games", || {
        saved() > 3 || child.try_wait().unwrap().is_some()
    });
    send("INT", &child);
    let ended = done(child.wait_with_output().unwrap());
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(
        ended.err.contains("the same command resumes from games"),
        "{ended:?}"
    );
    assert!(ended.out.contains("1. perfect"), "{ended:?}");
    // An earlier report stays.
    assert_eq!(fs::read(home.path("all.html")).unwrap(), complete);
}
