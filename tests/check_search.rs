//! Tests of checks by search, and of positions from games or lists.
//!
//! The report must be the same as with a table, on any number of threads.

use crate::check::{of_parts, table_of, timeless};
use crate::common;
use crate::run::Home;
use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;
use zermelo::check::builtin::Builtin;
use zermelo::check::{
    Ai, CheckOptions, Coverage, InProcess, ListedPosition, Playouts, Report, StoppedBy, Verdict,
    check,
};
use zermelo::game::{Game, NoProgress, Notation, Progress, SearchSetup, Side};
use zermelo::games::kalah::{Kalah, Move, Position};
use zermelo::games::tictactoe::TicTacToe;
use zermelo::oracle::{BySearch, Oracle};

fn searching<G: Notation>(game: &G, threads: usize) -> BySearch<'static, G> {
    let setup = SearchSetup::new(threads, 34 << 20);
    BySearch::new(game, &setup, &NoProgress).unwrap()
}

fn from_playouts(kind: Option<Playouts>, count: u64) -> CheckOptions {
    CheckOptions {
        coverage: Coverage::Playouts {
            count,
            seed: 5,
            kind,
        },
        ..CheckOptions::default()
    }
}

fn listed<G: Notation>(game: &G, positions: &[G::Position]) -> CheckOptions {
    let lines = (1..).zip(positions);
    let listed = lines.map(|(line, position)| ListedPosition {
        line,
        text: game.format_position(position),
    });
    CheckOptions {
        coverage: Coverage::Listed(listed.collect()),
        ..CheckOptions::default()
    }
}

/// Returns the parts of a report that don't depend on the oracle.
///
/// It leaves out times, the number of classes, and the diagnosis, for which fewer answers are compared
/// if scores come from a search.
fn comparable(report: &Report) -> serde_json::Value {
    let mut report = timeless(report);
    for key in ["classes", "diagnosis"] {
        report.as_object_mut().unwrap().remove(key).unwrap();
    }
    report
}

fn ask<G: Notation>(oracle: &dyn Oracle<G>, name: &str, options: &CheckOptions) -> Report {
    let builtin: Builtin = name.parse().unwrap();
    let contender = InProcess(|| builtin.make(oracle));
    check(oracle, &contender, options, &NoProgress).unwrap()
}

#[test]
fn a_search_and_a_table_give_the_same_report_of_listed_positions() {
    reports_of_listed_positions_agree(&common::kalah(3, 2, false), 4);
    reports_of_listed_positions_agree(&TicTacToe::default(), 4);
}

#[test]
#[ignore = "exhaustive: 6 s"]
fn a_search_and_a_table_of_larger_games_give_the_same_report_of_listed_positions() {
    reports_of_listed_positions_agree(&common::kalah(3, 3, false), 6);
    reports_of_listed_positions_agree(&common::kalah(4, 2, true), 6);
    reports_of_listed_positions_agree(&TicTacToe::default(), 6);
}

fn reports_of_listed_positions_agree<G: Notation>(game: &G, plays: usize) {
    let table = table_of(game);
    let mut positions = common::random_plays(game, plays);
    positions.retain(|position| game.final_score(position).is_none());
    positions.sort_by_key(|position| game.format_position(position));
    let options = listed(game, &positions);
    for ai in ["greedy", "random:4", "perfect"] {
        let by_table = ask(&table, ai, &options);
        let by_search = ask(&searching(game, 1), ai, &options);
        assert_eq!(comparable(&by_table), comparable(&by_search), "{ai}");
        assert_eq!(by_search.asked, positions.len() as u64);
        let regret = by_search.regret.unwrap();
        let lost = by_search.total_regret as f64 / by_search.asked as f64;
        assert!((regret.mean - lost).abs() < 1e-9);
        // All requested positions were asked, so there is no interval.
        assert_eq!((regret.low, regret.high), (None, None));
    }
}

/// Checks that samples from games don't depend on the oracle or the threads.
fn playouts_give_the_same_report(game: &Kalah, count: u64, kinds: &[Option<Playouts>]) {
    let table = table_of(game);
    for &kind in kinds {
        let options = from_playouts(kind, count);
        let by_table = ask(&table, "alphabeta:2", &options);
        let by_search = ask(&searching(game, 1), "alphabeta:2", &options);
        assert_eq!(comparable(&by_table), comparable(&by_search), "{kind:?}");
        for (threads, jobs) in [(2, 1), (2, 3)] {
            let options = CheckOptions {
                jobs,
                ..options.clone()
            };
            let again = ask(&searching(game, threads), "alphabeta:2", &options);
            assert_eq!(timeless(&by_search), timeless(&again), "{kind:?}");
        }
        assert_eq!(by_table.asked, count);
        let of_kinds = of_parts(&by_table, "by_games", "asked");
        assert_eq!(of_kinds.iter().sum::<u64>(), count);
        let regret = by_table.regret.unwrap();
        assert!(regret.low.unwrap() <= regret.mean && regret.mean <= regret.high.unwrap());
        let other = CheckOptions {
            coverage: Coverage::Playouts {
                count,
                seed: 6,
                kind,
            },
            ..CheckOptions::default()
        };
        assert_ne!(
            comparable(&ask(&table, "alphabeta:2", &other)),
            comparable(&by_table),
            "another seed draws other positions"
        );
    }
}

#[test]
fn playouts_give_the_same_report_by_table_by_search_and_on_any_number_of_threads() {
    playouts_give_the_same_report(&common::kalah(3, 2, false), 12, &[None]);
}

#[test]
#[ignore = "exhaustive: a larger game and more positions, for three quarters of a minute"]
fn many_playouts_give_the_same_report_by_table_by_search_and_on_any_number_of_threads() {
    let kinds: Vec<Option<Playouts>> = Playouts::ALL.into_iter().map(Some).chain([None]).collect();
    playouts_give_the_same_report(&common::kalah(4, 2, false), 60, &kinds);
}

/// An AI that records the positions it is asked, and plays like another.
struct Noting<'a, A> {
    ai: A,
    asked: &'a std::sync::Mutex<Vec<Position>>,
}

impl<A: Ai<Kalah>> Ai<Kalah> for Noting<'_, A> {
    fn choose(&mut self, game: &Kalah, position: &Position) -> Move {
        self.asked.lock().unwrap().push(*position);
        self.ai.choose(game, position)
    }
}

#[test]
#[ignore = "exhaustive: 3 s"]
fn sampled_positions_are_different_have_a_choice_and_are_even_over_the_layers() {
    let game = common::kalah(4, 3, false);
    let oracle = searching(&game, 1);
    for (kind, count) in [
        (Some(Playouts::Random), 90),
        (Some(Playouts::OwnPlay), 30),
        (None, 100),
    ] {
        let asked = std::sync::Mutex::default();
        let contender = InProcess(|| Noting {
            ai: |game: &Kalah, position: &Position| game.legal_moves(position)[0],
            asked: &asked,
        });
        let report = check(
            &oracle,
            &contender,
            &from_playouts(kind, count),
            &NoProgress,
        )
        .unwrap();
        assert_eq!(report.asked, count);
        // The last questions, without those for the refutation line and those asked again.
        let own = report
            .refutation_line
            .as_ref()
            .map_or(0, |line| line.questions);
        let mut asked = asked.into_inner().unwrap();
        asked.truncate(asked.len() - (own + report.asked_again.asked) as usize);
        let drawn = asked.split_off(asked.len() - count as usize);
        let classes: HashSet<Position> = drawn.iter().map(|of| game.canonical(of)).collect();
        assert_eq!(classes.len(), count as usize);
        assert!(drawn.iter().all(|of| game.legal_moves(of).len() > 1));
        // Fewer positions are near the start and the end.
        let sizes = of_parts(&report, "by_layer", "asked");
        let most = *sizes.iter().max().unwrap();
        assert!(most * 8 <= count, "{sizes:?}");
        let layers = |of: &Position| game.layer(&game.canonical(of));
        assert!(drawn.iter().any(|of| layers(of) == 24));
        // The AI's own games end earlier.
        let own = kind == Some(Playouts::OwnPlay);
        assert!(own || drawn.iter().any(|of| layers(of) < 6));
    }
}

/// An AI that plays perfectly, except for the worst move in one position.
struct Blunderer<'a> {
    oracle: &'a dyn Oracle<Kalah>,
    at: &'a Position,
}

impl Ai<Kalah> for Blunderer<'_> {
    fn choose(&mut self, game: &Kalah, position: &Position) -> Move {
        if position == self.at {
            return self.oracle.move_scores(position).unwrap().pop().unwrap().0;
        }
        "perfect"
            .parse::<Builtin>()
            .unwrap()
            .choose(self.oracle, game, position)
    }
}

#[test]
#[ignore = "exhaustive: 2 s"]
fn a_blunder_in_the_opening_is_caught_in_own_play_and_punished() {
    let game = common::kalah(4, 3, false);
    let oracle = searching(&game, 1);
    let start = game.start();
    // The first player's first move, and the second player's first move after the AI's own one.
    let score = oracle.score(&start).unwrap();
    let mut reply = start;
    while game.side_to_move(&reply) == Side::First {
        let best = "perfect"
            .parse::<Builtin>()
            .unwrap()
            .choose(&oracle, &game, &reply);
        reply = game.play(&reply, best);
    }
    for at in [start, reply] {
        let scores = oracle.move_scores(&at).unwrap();
        let (worst, left) = *scores.last().unwrap();
        let lost = scores[0].1 - left;
        assert!(lost > 0);
        let contender = InProcess(|| Blunderer {
            oracle: &oracle,
            at: &at,
        });
        let options = from_playouts(Some(Playouts::OwnPlay), 40);
        let report = check(&oracle, &contender, &options, &NoProgress).unwrap();
        assert_eq!(report.verdict, Verdict::Imperfect, "{at:?}");
        assert_eq!(report.mistakes.total, 1);
        let mistake = &report.worst[0].mistake;
        assert_eq!(mistake.position, game.format_position(&at));
        assert_eq!(mistake.mv, game.format_move(worst));
        assert_eq!((mistake.regret, mistake.after), (Some(lost), left));
        let mean = f64::from(lost) / 40.0;
        assert!((report.regret.unwrap().mean - mean).abs() < 1e-12);
        // In the complete game, both sides play perfectly except for this move.
        let line = report.refutation_line.unwrap();
        assert!(line.from_start && line.of_worst == Some(0), "{line:?}");
        assert_eq!(line.steps[line.mistake].mv, mistake.mv);
        assert_eq!((line.target, line.score), (mistake.target, left));
    }
    assert_eq!(score, oracle.score(&game.start()).unwrap());
}

#[test]
fn a_perfect_ai_has_no_regret() {
    let game = common::kalah(4, 3, false);
    let oracle = searching(&game, 1);
    let report = ask(&oracle, "perfect", &from_playouts(None, 60));
    assert_eq!((report.verdict, report.asked), (Verdict::Perfect, 60));
    let regret = report.regret.unwrap();
    assert_eq!((regret.mean, regret.low, regret.high), (0.0, None, None));
    assert_eq!(report.outcome_preserved, report.asked);
    let kept = report.estimates.unwrap().outcome_preserved;
    assert_eq!(kept.high, 1.0);
}

#[test]
fn unresolved_positions_are_counted_but_in_no_rate() {
    let game = common::kalah(3, 3, false);
    let options = CheckOptions {
        budget: Some(Duration::from_nanos(1)),
        ..from_playouts(Some(Playouts::Random), 50)
    };
    // Without an endgame table the search can't answer at once.
    let search = searching(&game, 1);
    let report = ask(&Generic(&search, &NoProgress), "first", &options);
    assert_eq!(report.unresolved, 50);
    assert_eq!(
        (report.asked, report.best_moves, report.outcome_preserved),
        (0, 0, 0)
    );
    assert_eq!(report.verdict, Verdict::Unfinished);
    assert_eq!((report.regret, report.estimates.is_none()), (None, true));
    let by_layer = of_parts(&report, "by_layer", "unresolved");
    assert_eq!(by_layer.iter().sum::<u64>(), 50);
    let enough = CheckOptions {
        budget: Some(Duration::from_secs(3600)),
        ..from_playouts(Some(Playouts::Random), 50)
    };
    let report = ask(&searching(&game, 1), "first", &enough);
    assert_eq!((report.asked, report.unresolved), (50, 0));
}

/// An oracle that obeys every cancellation, even if it could answer at once.
struct Generic<'p>(&'p BySearch<'static, Kalah>, &'p dyn Progress);

impl Oracle<Kalah> for Generic<'_> {
    fn game(&self) -> &Kalah {
        self.0.game()
    }

    fn score(&self, position: &Position) -> Result<i32, zermelo::oracle::OracleError> {
        if self.1.cancelled() {
            let bounds = self.0.bounds(position);
            return Err(zermelo::oracle::OracleError::Interrupted(bounds));
        }
        self.0.score(position)
    }

    fn with_progress<'q>(
        &'q self,
        progress: &'q dyn Progress,
    ) -> Option<Box<dyn Oracle<Kalah> + 'q>> {
        Some(Box::new(Generic(self.0, progress)))
    }

    fn effort(&self) -> Option<zermelo::oracle::Effort> {
        self.0.effort()
    }
}

/// A `Progress` that cancels after a number of steps of the asking phase.
struct StopAfter {
    left: AtomicU64,
    is_asking: std::sync::atomic::AtomicBool,
}

impl Progress for StopAfter {
    fn phase(&self, name: &str, _unit: &str, _total: u64) {
        self.is_asking.store(name == "asking", Relaxed);
    }

    fn advance(&self, units: u64) {
        if self.is_asking.load(Relaxed) {
            let left = self.left.load(Relaxed);
            self.left.store(left.saturating_sub(units), Relaxed);
        }
    }

    fn cancelled(&self) -> bool {
        self.left.load(Relaxed) == 0
    }
}

#[test]
fn interrupted_checks_report_graded_answers() {
    let game = common::kalah(4, 2, false);
    let oracle = searching(&game, 1);
    let after = |steps| StopAfter {
        left: AtomicU64::new(steps),
        is_asking: false.into(),
    };
    let first = InProcess(|| |game: &Kalah, position: &Position| game.legal_moves(position)[0]);
    let options = from_playouts(None, 80);
    let report = check(&oracle, &first, &options, &after(30)).unwrap();
    assert_eq!(report.stopped_by, Some(StoppedBy::Interrupt));
    assert_eq!(report.asked, 30);
    assert!(
        report.coverage.starts_with("the first of those"),
        "{}",
        report.coverage
    );
    assert_eq!(report.verdict, Verdict::Imperfect);
    assert!(!report.worst.is_empty() && report.worst.iter().all(|of| !of.mistake.best.is_empty()));
    // The first positions are spread over the game, too.
    assert!(of_parts(&report, "by_layer", "asked").len() >= 8);
    let options = CheckOptions {
        jobs: 2,
        ..options.clone()
    };
    let perfect = InProcess(|| "perfect".parse::<Builtin>().unwrap().make(&oracle));
    let report = check(&oracle, &perfect, &options, &after(30)).unwrap();
    assert_eq!(report.verdict, Verdict::Unfinished);
    assert!(report.asked < 80);
    let nothing = check(&oracle, &first, &options, &after(0)).unwrap();
    assert_eq!((nothing.verdict, nothing.asked), (Verdict::Unfinished, 0));
}

#[test]
fn samples_end_when_no_new_positions_appear() {
    let game = TicTacToe::default();
    let oracle = searching(&game, 1);
    let all = common::all_positions(&game);
    let with_choice = all.iter().filter(|of| game.legal_moves(of).len() > 1);
    let classes: HashSet<_> = with_choice.map(|of| game.canonical(of)).collect();
    let there = classes.len() as u64;
    let contender = InProcess(|| |game: &TicTacToe, position: &_| game.legal_moves(position)[0]);
    let all = check(
        &oracle,
        &contender,
        &from_playouts(None, there),
        &NoProgress,
    );
    assert_eq!(all.unwrap().asked, there);
    for kind in [None, Some(Playouts::Random)] {
        let options = from_playouts(kind, there + 100);
        let report = check(&oracle, &contender, &options, &NoProgress).unwrap();
        assert_eq!((report.asked, report.stopped_by), (there, None));
    }
}

/// An AI that crashes during sampling games is reported, and sampling ends in time.
#[test]
fn faults_during_sampling_are_reported() {
    let game = common::kalah(4, 2, false);
    let oracle = searching(&game, 1);
    let wrong = InProcess(|| {
        |game: &Kalah, position: &Position| {
            // Only in the middle of the game, where no question about the rules is asked.
            assert!(
                !(8..=12).contains(&position.seeds_on_board()),
                "lost the thread"
            );
            game.legal_moves(position)[0]
        }
    });
    let mut reports = [1, 2].map(|jobs| {
        let options = CheckOptions {
            jobs,
            ..from_playouts(None, 60)
        };
        check(&oracle, &wrong, &options, &NoProgress).unwrap()
    });
    for report in &mut reports {
        assert_eq!(report.verdict, Verdict::Faulty);
        assert_eq!(report.stopped_by, Some(StoppedBy::Faults));
        assert!(report.faults.crash >= 1 && report.faults.total() <= 30);
    }
    assert_eq!(comparable(&reports[0]), comparable(&reports[1]));
}

const FIRST: [&str; 3] = ["check-ai", "--ai", "builtin:first"];

/// Returns the command line with its game, which comes before the options.
fn words<'a>(game: &[&'a str], options: &[&'a str]) -> Vec<&'a str> {
    [&FIRST[..1], game, &FIRST[1..], options].concat()
}

#[test]
fn contradictory_options_are_refused_before_any_question() {
    let home = Home::new();
    let large = ["kalah", "--seeds", "4"];
    let small = ["tictactoe", "--by-search"];
    let endless = ["kalah", "--up-to", "6"];
    std::fs::write(
        home.path("wrong.txt"),
        "# the start, and a seed too many\n4,4,4,4,4,4:0/4,4,4,4,4,4:0 first\n\n\
         5,4,4,4,4,4:0/4,4,4,4,4,4:0 first\n",
    )
    .unwrap();
    std::fs::write(home.path("over.txt"), "\u{feff}XXXOO....\n").unwrap();
    std::fs::write(home.path("empty.txt"), "# nothing\n").unwrap();
    for (game, options, message) in [
        (
            &large[..],
            &[][..],
            &["too many positions", "--sample 300", "--positions FILE"][..],
        ),
        (
            &large,
            &["--canonical"],
            &["--canonical needs a table", "searched"],
        ),
        (
            &large,
            &["--sample", "5", "--positions", "uniform"],
            &["uniform", "needs a table"],
        ),
        (
            &large,
            &["--sample", "5", "--positions", "versus-perfekt"],
            &["no file versus-perfekt", "self", "mixture"],
        ),
        (&large, &["--positions", "self"], &["--sample 300"]),
        (
            &large,
            &["--sample", "5", "--budget", "-1"],
            &["'-1'", "write seconds"],
        ),
        (
            &large,
            &["--positions", "wrong.txt"],
            &["wrong.txt: line 4: can't read", ": 49 seeds"],
        ),
        (
            &large,
            &["--positions", "empty.txt"],
            &["empty.txt: no position is listed"],
        ),
        (
            &large,
            &["--positions", "wrong.txt", "--sample", "4"],
            &["leave out one"],
        ),
        (
            &small,
            &["--positions", "over.txt"],
            &["over.txt: line 1: the game is over"],
        ),
        (
            &small,
            &["--positions", "empty.txt", "--canonical"],
            &["--canonical"],
        ),
        (
            &small,
            &["--positions", "empty.txt", "--scope", "play"],
            &["--scope play"],
        ),
        (
            &endless,
            &["--sample", "5", "--by-search"],
            &["no start", "--positions FILE"],
        ),
    ] {
        home.zermelo(&words(game, options))
            .assert_refused_with(message);
    }
    // Fewer positions than wanted are a note.
    let done = home.zermelo(&words(&small, &["--sample", "2000"]));
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(done.err.contains("593 different positions"), "{done:?}");
}

#[test]
fn an_endgame_of_other_rules_is_refused() {
    let home = Home::with_table("five.bin", &["kalah", "--pits", "5", "--up-to", "6"]);
    let game = [
        "kalah",
        "--pits",
        "4",
        "--seeds",
        "2",
        "--endgame",
        "five.bin",
    ];
    let done = home.zermelo(&words(&game, &["--sample", "10"]));
    done.assert_refused_with(&["five.bin can't serve as endgame", "kalah --pits 4 --up-to"]);
    let own = [
        "solve", "kalah", "--pits", "4", "--up-to", "6", "--out", "four.bin",
    ];
    home.zermelo(&own).succeeds();
    let game = [
        "kalah",
        "--pits",
        "4",
        "--seeds",
        "2",
        "--endgame",
        "four.bin",
    ];
    let perfect = [
        "--ai",
        "builtin:perfect",
        "--sample",
        "10",
        "--memory",
        "40M",
        "--quiet",
    ];
    let done = home.zermelo(&[&FIRST[..1], &game[..], &perfect].concat());
    assert!(done.succeeds().starts_with("perfect: "));
}

#[test]
#[cfg(unix)]
fn ctrl_c_prints_the_report_of_graded_answers() {
    let home = Home::new();
    // The AI falls silent after some hundred answers, most of them to questions about the rules.
    let script = "n=0; while read -r p; do n=$((n+1)); [ $n -gt 300 ] && touch silent && \
                  sleep 86400; q=${p%%.*}; case ${#q} in 0) echo a1;; 1) echo b1;; 2) echo c1;; \
                  3) echo a2;; 4) echo b2;; 5) echo c2;; 6) echo a3;; 7) echo b3;; 8) echo c3;; \
                  esac; done";
    std::fs::write(home.path("ai.sh"), script).unwrap();
    let args = [
        "check-ai",
        "tictactoe",
        "--by-search",
        "--ai",
        "sh ai.sh",
        "--timeout",
        "86400",
        "--json",
        "--quiet",
    ];
    let mut child = home.command(crate::run::ZERMELO, &args).spawn().unwrap();
    crate::run::wait_until("an AI that is silent", || home.path("silent").exists());
    crate::run::send("INT", &child);
    crate::run::wait_until("the end", || child.try_wait().unwrap().is_some());
    let done = crate::run::done(child.wait_with_output().unwrap());
    assert_eq!((done.code, done.err.as_str()), (Some(2), ""));
    let report: serde_json::Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(report["stopped_by"], "interrupt");
    let asked = report["asked"].as_u64().unwrap();
    assert!((1..4520).contains(&asked), "{asked}");
    assert!(
        report["coverage"]
            .as_str()
            .unwrap()
            .starts_with("a part of all")
    );
}

/// Checks the search itself as an AI, for the usual Kalah(6,4).
#[test]
#[cfg(unix)]
#[ignore = "takes minutes and a gigabyte"]
fn huge_the_search_has_no_regret_at_kalah_6_4() {
    let home = Home::new();
    let script = format!(
        r#"{} query kalah --seeds 4 --batch --json | sed -u 's/.*"best_moves":\["\([1-6]\)".*/\1/'"#,
        crate::run::ZERMELO
    );
    std::fs::write(home.path("perfect.sh"), script).unwrap();
    for ai in ["builtin:perfect", "sh perfect.sh"] {
        let options = [
            "--sample",
            "300",
            "--timeout",
            "600",
            "--json",
            "--quiet",
            "--ai",
            ai,
        ];
        let done = home.zermelo(&[&["check-ai", "kalah", "--seeds", "4"], &options[..]].concat());
        let report: serde_json::Value = serde_json::from_str(&done.succeeds()).unwrap();
        assert_eq!(
            (&report["verdict"], &report["asked"]),
            (&"perfect".into(), &300.into())
        );
        assert_eq!(report["regret"]["mean"], 0.0);
    }
}
