//! Tests of the checker: its counts, its verdicts, and the consistency of reports.
//!
//! The counts are compared with an independent count.

use crate::common;
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use zermelo::check::builtin::Builtin;
use zermelo::check::{
    Ai, CheckError, CheckOptions, Contender, Coverage, Criterion, FaultKind, InProcess, Report,
    Scope, StoppedBy, Verdict, check,
};
use zermelo::game::{Game, NoProgress, Notation, SolveOptions};
use zermelo::games::Cell;
use zermelo::games::eight::Eight;
use zermelo::games::kalah::{Kalah, Move, Position};
use zermelo::games::tictactoe::{self, TicTacToe};
use zermelo::oracle::{Oracle, OracleError};
use zermelo::solve::{Method, solve};
use zermelo::table::{Table, TableFile, WriteOptions, write_table};

pub fn table_of<G: Notation>(game: &G) -> Table<G> {
    let options = SolveOptions {
        threads: 2,
        memory: 1 << 30,
    };
    let solved = solve(game, Method::Backward, options, &NoProgress).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t.bin");
    let write = WriteOptions::default();
    write_table(game, &solved.solution, &path, write, &NoProgress).unwrap();
    let file = TableFile::from_bytes(std::fs::read(&path).unwrap()).unwrap();
    Table::new(file, game.clone()).unwrap()
}

fn ask<'a, G: Notation>(
    table: &'a Table<G>,
    contender: &'a dyn Contender<'a, G>,
    options: CheckOptions,
) -> Report {
    check(table, contender, &options, &NoProgress).unwrap()
}

/// Returns the builtin AI with this name.
fn builtin(name: &str) -> Builtin {
    name.parse().unwrap()
}

fn ask_builtin<G: Notation>(table: &Table<G>, name: &str, options: CheckOptions) -> Report {
    ask(table, &InProcess(|| builtin(name).make(table)), options)
}

/// Returns a count of each part of the positions in a list of the report.
pub fn of_parts(report: &Report, list: &str, count: &str) -> Vec<u64> {
    let report = serde_json::to_value(report).unwrap();
    let parts = report[list].as_array().unwrap().iter();
    parts.map(|part| part[count].as_u64().unwrap()).collect()
}

/// Returns the report without its times.
pub fn timeless(report: &Report) -> serde_json::Value {
    let mut value = serde_json::to_value(report).unwrap();
    value
        .as_object_mut()
        .unwrap()
        .remove("seconds_per_move")
        .unwrap();
    value
}

fn play() -> CheckOptions {
    CheckOptions {
        scope: Scope::Play,
        ..CheckOptions::default()
    }
}

fn reachable<G: Notation>(game: &G) -> Vec<G::Position> {
    let mut positions = common::all_positions(game);
    positions.retain(|position| game.final_score(position).is_none());
    positions
}

/// Exact scores for the first player, by plain recursion without tables or classes.
///
/// Positions include their stores.
struct Recursion<'a, G: Notation> {
    game: &'a G,
    known: HashMap<G::Position, i32>,
}

impl<G: Notation> Recursion<'_, G> {
    fn first_player_score(&mut self, position: &G::Position) -> i32 {
        let sign = sign(self.game, position);
        if let Some(score) = self.game.final_score(position) {
            return sign * score;
        }
        if let Some(&score) = self.known.get(position) {
            return score;
        }
        let moves = self.game.legal_moves(position);
        let children = moves.iter().map(|&mv| self.game.play(position, mv));
        let children: Vec<G::Position> = children.collect();
        let scores = children.iter().map(|child| self.first_player_score(child));
        let best = sign * scores.map(|score| sign * score).max().unwrap();
        self.known.insert(position.clone(), best);
        best
    }
}

fn sign<G: Notation>(game: &G, position: &G::Position) -> i32 {
    match game.side_to_move(position) {
        zermelo::game::Side::First => 1,
        zermelo::game::Side::Second => -1,
    }
}

/// Returns the value of a search `depth` moves ahead.
///
/// It is the first player's store minus the second's.
fn sees(game: &Kalah, position: &Position, depth: u32) -> i32 {
    if let Some(score) = game.final_score(position) {
        return sign(game, position) * score;
    }
    if depth == 0 {
        return i32::from(position.stores[0]) - i32::from(position.stores[1]);
    }
    let moves = game.legal_moves(position);
    let seen = moves
        .iter()
        .map(|&mv| sees(game, &game.play(position, mv), depth - 1));
    let sign = sign(game, position);
    sign * seen.map(|score| sign * score).max().unwrap()
}

/// Returns the best moves at `depth`, independently of the library.
fn looking_ahead(game: &Kalah, position: &Position, depth: u32) -> Vec<Move> {
    let sign = sign(game, position);
    let seen: Vec<(Move, i32)> = game
        .legal_moves(position)
        .into_iter()
        .map(|mv| (mv, sign * sees(game, &game.play(position, mv), depth - 1)))
        .collect();
    let best = seen.iter().map(|&(_, score)| score).max().unwrap();
    let best = seen.iter().filter(|&&(_, score)| score == best);
    best.map(|&(mv, _)| mv).collect()
}

#[test]
fn kalah_s_mistakes_are_those_of_an_independent_count() {
    mistakes_are_those_of_an_independent_count(&common::kalah(3, 2, false));
}

#[test]
#[ignore = "exhaustive: 15 s"]
fn a_larger_kalah_s_mistakes_are_those_of_an_independent_count() {
    let game = common::kalah(4, 2, false);
    assert_eq!(mistakes_are_those_of_an_independent_count(&game), 303_299);
}

/// Compares the counts of mistakes, and returns the number of unfinished positions.
fn mistakes_are_those_of_an_independent_count(game: &Kalah) -> u64 {
    let table = table_of(game);
    let positions = reachable(game);
    let count = positions.len() as u64;
    let mut oracle = Recursion {
        game,
        known: HashMap::new(),
    };
    for (name, depth) in [("greedy", 1), ("negamax:2", 2)] {
        // Counts: win to draw, win to loss, draw to loss, score only; regret; best moves; outcomes
        // preserved.
        let mut counts = [0u64; 4];
        let (mut lost, mut perfect, mut good) = (0, 0, 0);
        for position in &positions {
            let sign = sign(game, position);
            let before = sign * oracle.first_player_score(position);
            // The AI's seed decides which of equal moves it plays.
            let mv = builtin(name).choose(&table, game, position);
            assert!(looking_ahead(game, position, depth).contains(&mv), "{name}");
            let child = game.play(position, mv);
            let after = sign * oracle.first_player_score(&child);
            assert!(after <= before);
            lost += (before - after) as u64;
            perfect += u64::from(after == before);
            good += u64::from(after.signum() == before.signum());
            match (before.signum(), after.signum()) {
                (1, 0) => counts[0] += 1,
                (1, -1) => counts[1] += 1,
                (0, -1) => counts[2] += 1,
                _ => counts[3] += u64::from(after < before),
            }
        }
        for criterion in [Criterion::Score, Criterion::Outcome] {
            let options = CheckOptions {
                criterion: Some(criterion),
                ..CheckOptions::default()
            };
            let report = ask_builtin(&table, name, options);
            let of = report.mistakes;
            let outcome = counts[0] + counts[1] + counts[2];
            let score_only = match criterion {
                Criterion::Score => counts[3],
                Criterion::Outcome => 0,
            };
            assert_eq!(
                [
                    of.win_to_draw,
                    of.win_to_loss,
                    of.draw_to_loss,
                    of.score_only,
                    of.total
                ],
                [
                    counts[0],
                    counts[1],
                    counts[2],
                    score_only,
                    outcome + score_only
                ],
                "{name}"
            );
            assert_eq!(report.asked, count);
            assert_eq!(
                (report.stopped_by, report.verdict),
                (None, Verdict::Imperfect)
            );
            assert_eq!(
                (report.best_moves, report.outcome_preserved),
                (perfect, good)
            );
            assert_eq!(report.total_regret, lost);
            let by_layer = of_parts(&report, "by_layer", "mistakes");
            assert_eq!(by_layer.iter().sum::<u64>(), of.total);
        }
    }
    let report = ask_builtin(&table, "perfect", CheckOptions::default());
    assert_eq!((report.verdict, report.asked), (Verdict::Perfect, count));
    count
}

#[test]
fn all_ways_to_search_play_alike() {
    let table = table_of(&common::kalah(3, 2, false));
    let options = CheckOptions::default;
    let mistakes = |name: &str| ask_builtin(&table, name, options()).mistakes;
    let negamax = mistakes("negamax:3");
    for name in ["alphabeta:3", "negascout:3", "mtdf:3"] {
        assert_eq!(mistakes(name), negamax, "{name}");
    }
    assert_ne!(mistakes("negamax:1"), negamax);
    assert_eq!(mistakes("greedy"), mistakes("negamax:1"));
}

#[test]
fn perfect_play_is_perfect_in_both_scopes() {
    let table = table_of(&TicTacToe::default());
    let all = ask_builtin(&table, "perfect", CheckOptions::default());
    assert_eq!((all.verdict, all.asked), (Verdict::Perfect, 4520));
    assert_eq!(
        (all.best_moves, all.mistakes.total, all.total_regret),
        (4520, 0, 0)
    );
    assert!(all.worst.is_empty() && all.refutation.is_empty());
    let lines = ask_builtin(&table, "perfect", play());
    assert_eq!((lines.verdict, lines.stopped_by), (Verdict::Perfect, None));
    assert!(lines.asked > 100 && lines.asked < 4520, "{}", lines.asked);
    let table = table_of(&Eight);
    assert_eq!(
        ask_builtin(&table, "perfect", CheckOptions::default()).verdict,
        Verdict::Perfect
    );
}

/// A perfect AI, except in one position.
struct Planted<'a> {
    oracle: &'a dyn Oracle<TicTacToe>,
    place: tictactoe::Position,
    mv: Cell,
}

impl Ai<TicTacToe> for Planted<'_> {
    fn choose(&mut self, game: &TicTacToe, position: &tictactoe::Position) -> Cell {
        if *position == self.place {
            return self.mv;
        }
        builtin("perfect").choose(self.oracle, game, position)
    }
}

#[test]
fn planted_mistakes_are_found_only_in_their_positions() {
    let game = TicTacToe::default();
    let table = table_of(&game);
    let mut positions: Vec<_> = reachable(&game);
    positions.sort_by_key(|position| game.format_position(position));
    let mut planted = 0;
    for place in positions.into_iter().step_by(97) {
        let scores = table.move_scores(&place).unwrap();
        let (mv, worst) = *scores.last().unwrap();
        let lost = scores[0].1 - worst;
        if lost == 0 || planted == 20 {
            continue;
        }
        planted += 1;
        let ai = || Planted {
            oracle: &table,
            place,
            mv,
        };
        let report = ask(&table, &InProcess(ai), CheckOptions::default());
        assert_eq!(report.verdict, Verdict::Imperfect);
        assert_eq!((report.mistakes.total, report.worst.len()), (1, 1));
        let found = &report.worst[0].mistake;
        assert_eq!(found.position, game.format_position(&place));
        assert_eq!(
            (&found.mv, found.regret),
            (&game.format_move(mv), Some(lost))
        );
        assert_eq!(report.total_regret, lost as u64);
        line_is_a_refutation(&game, &report, &mut ai());
    }
    assert_eq!(planted, 20);
}

/// Checks that a line refutes the AI.
///
/// The line must be legal and complete, with only the AI's own moves on its side, and it must end
/// as badly as the mistake deserves.
pub fn line_is_a_refutation<G: Notation>(game: &G, report: &Report, ai: &mut dyn Ai<G>) {
    let line = report.refutation_line.as_ref().expect("a line");
    let moves: Vec<&String> = line.steps.iter().map(|step| &step.mv).collect();
    assert_eq!(moves, report.refutation.iter().collect::<Vec<_>>());
    let mut position = if line.from_start {
        game.start()
    } else {
        game.parse_position(&line.steps[0].position).unwrap()
    };
    let mut made = false;
    for (number, step) in line.steps.iter().enumerate() {
        assert_eq!(step.position, game.format_position(&position));
        let mv = game.parse_move(&step.mv).unwrap();
        assert!(game.is_legal(&position, mv));
        if step.side == line.side {
            assert_eq!(
                mv,
                ai.choose(game, &position),
                "its own move in {}",
                step.position
            );
        }
        made |= number == line.mistake && step.side == line.side;
        position = game.play(&position, mv);
    }
    assert!(made);
    let score = game.final_score(&position).expect("the line ends the game");
    let side = game.side_to_move(&position).to_string();
    assert_eq!(line.score, if side == line.side { score } else { -score });
    assert!(line.score < line.target);
}

#[test]
fn weakly_perfect_play_passes_one_question_and_fails_the_other() {
    let game = TicTacToe::default();
    let table = table_of(&game);
    // The AI is perfect where its own play leads, and as bad as possible elsewhere.
    let mut own = HashSet::new();
    for side in [0, 1] {
        let mut stack = vec![game.start()];
        let mut known = HashSet::new();
        while let Some(position) = stack.pop() {
            if game.final_score(&position).is_some() || !known.insert(position) {
                continue;
            }
            if game.side_to_move(&position).index() == side {
                own.insert(position);
                stack.push(game.play(&position, table.move_scores(&position).unwrap()[0].0));
            } else {
                stack.extend(
                    game.legal_moves(&position)
                        .iter()
                        .map(|&mv| game.play(&position, mv)),
                );
            }
        }
    }
    let ai = |_: &TicTacToe, position: &tictactoe::Position| {
        let scores = table.move_scores(position).unwrap();
        let best = own.contains(position);
        if best {
            scores[0].0
        } else {
            scores.last().unwrap().0
        }
    };
    let lines = ask(&table, &InProcess(|| ai), play());
    assert_eq!(
        (lines.verdict, lines.asked),
        (Verdict::Perfect, own.len() as u64)
    );
    let all = ask(&table, &InProcess(|| ai), CheckOptions::default());
    assert_eq!((all.verdict, all.asked), (Verdict::Imperfect, 4520));
}

#[test]
fn scope_play_requires_only_the_value_of_the_game() {
    let game = TicTacToe::default();
    let table = table_of(&game);
    // The AI plays the worst move that still draws, if there is one, so it misses wins.
    let ai = |_: &TicTacToe, position: &tictactoe::Position| {
        let scores = table.move_scores(position).unwrap();
        let drawing = scores.iter().rev().find(|&&(_, score)| score >= 0);
        drawing.unwrap_or(&scores[0]).0
    };
    let lines = ask(&table, &InProcess(|| ai), play());
    assert_eq!(lines.verdict, Verdict::Perfect);
    assert!(lines.best_moves < lines.asked);
    let all = ask(&table, &InProcess(|| ai), CheckOptions::default());
    assert!(all.mistakes.win_to_draw > 0);
    assert_eq!(
        (all.mistakes.win_to_loss, all.mistakes.draw_to_loss),
        (0, 0)
    );
}

#[test]
fn a_line_of_play_follows_the_ai_and_every_reply() {
    let game = common::kalah(3, 2, false);
    let table = table_of(&game);
    let mut total = 0;
    for side in [zermelo::game::Side::First, zermelo::game::Side::Second] {
        let options = CheckOptions {
            side: Some(side),
            ..play()
        };
        let report = ask_builtin(&table, "first", options);
        // The positions with the AI to move, found independently.
        let mut asked = HashSet::new();
        let mut known = HashSet::new();
        let mut stack = vec![game.start()];
        while let Some(position) = stack.pop() {
            if game.final_score(&position).is_some() || !known.insert(position) {
                continue;
            }
            let mut moves = game.legal_moves(&position);
            if game.side_to_move(&position) == side {
                asked.insert(position);
                moves.truncate(1);
            }
            stack.extend(moves.iter().map(|&mv| game.play(&position, mv)));
        }
        assert_eq!(report.asked, asked.len() as u64);
        assert_eq!(report.stopped_by, None);
        line_is_a_refutation(&game, &report, &mut builtin("first").make(&table));
        total += report.asked;
    }
    assert_eq!(ask_builtin(&table, "first", play()).asked, total);
}

#[test]
fn the_report_is_the_same_for_any_number_of_jobs() {
    reports_are_the_same(&common::kalah(3, 2, false), 500);
}

#[test]
#[ignore = "exhaustive: 25 s"]
fn the_report_of_a_larger_game_is_the_same_for_any_number_of_jobs() {
    reports_are_the_same(&common::kalah(4, 2, false), 3000);
}

fn reports_are_the_same(game: &Kalah, count: u64) {
    const MOST_FAULTS: usize = 100;
    let table = table_of(game);
    let options = [
        CheckOptions::default(),
        play(),
        CheckOptions {
            coverage: Coverage::Canonical,
            ..CheckOptions::default()
        },
        CheckOptions {
            coverage: Coverage::Sample { count, seed: 5 },
            ..CheckOptions::default()
        },
        CheckOptions {
            coverage: Coverage::Sample { count, seed: 5 },
            criterion: Some(Criterion::Outcome),
            ..CheckOptions::default()
        },
    ];
    for options in options {
        let one = ask_builtin(&table, "random:3", options.clone());
        for jobs in [2, 5] {
            let many = ask_builtin(
                &table,
                "random:3",
                CheckOptions {
                    jobs,
                    ..options.clone()
                },
            );
            assert_eq!(timeless(&one), timeless(&many), "{options:?}");
        }
    }
    // With faults that end the check early, in the order of the positions.
    let ai = |game: &Kalah, position: &Position| match position.stores {
        [3, 4] => Move(9),
        [4, 3] => panic!("on purpose"),
        _ => game.legal_moves(position)[0],
    };
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let reports: Vec<Report> = [1, 4]
        .map(|jobs| {
            let options = CheckOptions {
                jobs,
                max_faults: MOST_FAULTS,
                ..CheckOptions::default()
            };
            ask(&table, &InProcess(|| ai), options)
        })
        .into();
    std::panic::set_hook(hook);
    assert_eq!(timeless(&reports[0]), timeless(&reports[1]));
    let report = &reports[0];
    assert_eq!(
        (report.verdict, report.stopped_by),
        (Verdict::Faulty, Some(StoppedBy::Faults))
    );
    assert!(report.asked < ask_builtin(&table, "first", CheckOptions::default()).asked);
    assert!(report.faults.illegal > 0 && report.faults.crash > 0);
    assert!(report.faults.total() <= MOST_FAULTS as u64);
    let crash = report
        .fault_list
        .iter()
        .find(|report| report.fault.kind == FaultKind::Crash)
        .unwrap();
    assert!(
        crash.position.contains(":4/") && crash.fault.detail.contains("on purpose"),
        "{crash:?}"
    );
}

#[test]
fn canonical_positions_are_asked_once_each() {
    for (pits, seeds, classes) in [(3, 2, 1322), (4, 2, 66_265)] {
        let table = table_of(&common::kalah(pits, seeds, false));
        let options = CheckOptions {
            coverage: Coverage::Canonical,
            ..CheckOptions::default()
        };
        let report = ask_builtin(&table, "perfect", options);
        assert_eq!((report.asked, report.verdict), (classes, Verdict::Perfect));
    }
    // An endgame has no start, so all its classes are asked.
    let table = table_of(&Kalah::endgame(2, 6, false).unwrap());
    let report = ask_builtin(&table, "greedy", CheckOptions::default());
    assert_eq!(
        (report.asked, report.stopped_by),
        (table.file().entries(), None)
    );
    let contender = InProcess(|| builtin("first").make(&table));
    let error = check(&table, &contender, &play(), &NoProgress).unwrap_err();
    assert!(matches!(error, CheckError::NoStart(_)), "{error}");
}

#[test]
fn samples_estimate_the_true_rates() {
    // At least 10 of 12 intervals at 95% (or 34 of 40 below) contain the true rate almost always.
    sampled_rates_are_true(&common::kalah(3, 2, false), 6, 10);
}

#[test]
#[ignore = "exhaustive: 45 s"]
fn samples_of_a_larger_game_estimate_the_true_rates() {
    sampled_rates_are_true(&common::kalah(4, 2, false), 20, 34);
}

fn sampled_rates_are_true(game: &Kalah, seeds: u64, least: u32) {
    let table = table_of(game);
    // An AI that ignores stores and sides plays the same in all positions of a class, so the true
    // rate of the classes is defined.
    let options = |coverage| CheckOptions {
        coverage,
        jobs: 2,
        ..CheckOptions::default()
    };
    let truth = ask_builtin(&table, "negamax:2", options(Coverage::Canonical));
    let all = 2 * seeds;
    let mut held = 0;
    for seed in 0..all {
        let sample = Coverage::Sample { count: 2000, seed };
        let report = ask_builtin(&table, "negamax:2", options(sample));
        assert_eq!(report.asked, 2000);
        let of = report.estimates.unwrap().best_moves;
        assert!(of.high - of.low < 0.1, "{of:?}");
        let rate = truth.best_moves as f64 / truth.asked as f64;
        held += u32::from((of.low..=of.high).contains(&rate));
    }
    assert!(
        held >= least,
        "the true rate was in {held} of {all} intervals"
    );
}

#[test]
fn samples_have_positions_of_both_sides() {
    let table = table_of(&common::kalah(3, 2, false));
    let options = |jobs| CheckOptions {
        coverage: Coverage::Sample {
            count: 1000,
            seed: 1,
        },
        jobs,
        ..CheckOptions::default()
    };
    let report = ask_builtin(&table, "random", options(1));
    let sides = of_parts(&report, "by_side", "asked");
    assert!(
        sides.len() == 2 && sides.iter().all(|&asked| asked > 400),
        "{sides:?}"
    );
    let again = ask_builtin(&table, "random", options(3));
    assert_eq!(timeless(&report), timeless(&again));
    // A board has eight images.
    let table = table_of(&TicTacToe::default());
    let asked = std::sync::Mutex::new(HashSet::new());
    let ai = |game: &TicTacToe, position: &tictactoe::Position| {
        asked.lock().unwrap().insert(game.format_position(position));
        game.legal_moves(position)[0]
    };
    ask(&table, &InProcess(|| ai), options(1));
    assert!(asked.lock().unwrap().len() > table.file().entries() as usize);
}

#[test]
fn lists_that_do_not_fit_are_refused() {
    let table = table_of(&common::kalah(4, 2, false));
    for options in [CheckOptions::default(), play()] {
        let options = CheckOptions {
            memory: 10_000,
            ..options
        };
        let contender = InProcess(|| builtin("first").make(&table));
        let error = check(&table, &contender, &options, &NoProgress).unwrap_err();
        assert!(matches!(error, CheckError::TooMany { .. }), "{error}");
    }
}

/// An oracle with scores but without a list of positions, like a search.
struct ScoresOnly<'a, G: Notation>(&'a Table<G>);

impl<G: Notation> Oracle<G> for ScoresOnly<'_, G> {
    fn game(&self) -> &G {
        self.0.game()
    }

    fn score(&self, position: &G::Position) -> Result<i32, OracleError> {
        Ok(self.0.score(position)?)
    }
}

#[test]
fn oracles_without_a_list_are_checked_only_where_none_is_needed() {
    let table = table_of(&common::kalah(3, 2, false));
    let scores = ScoresOnly(&table);
    let greedy = InProcess(|| builtin("greedy").make(&scores));
    for options in [CheckOptions::default(), play()] {
        let report = check(&scores, &greedy, &options, &NoProgress).unwrap();
        let by_table = ask_builtin(&table, "greedy", options.clone());
        let without_classes = |report: &Report| {
            let mut value = timeless(report);
            // Only a table knows the number of classes.
            for key in ["classes", "coverage"] {
                value.as_object_mut().unwrap().remove(key).unwrap();
            }
            value
        };
        assert_eq!(without_classes(&report), without_classes(&by_table));
        let little = CheckOptions {
            memory: 1000,
            ..options
        };
        let error = check(&scores, &greedy, &little, &NoProgress).unwrap_err();
        assert!(matches!(error, CheckError::TooMany { .. }), "{error}");
    }
    let canonical = CheckOptions {
        coverage: Coverage::Canonical,
        ..CheckOptions::default()
    };
    for options in [canonical, few()] {
        let error = check(&scores, &greedy, &options, &NoProgress).unwrap_err();
        assert!(matches!(error, CheckError::NeedsInventory { .. }));
        let text = error.to_string();
        assert!(
            text.contains("kalah(3,2)") && text.contains("every line of play"),
            "{text}"
        );
    }
    // Positions of an endgame come only from the list.
    let table = table_of(&Kalah::endgame(2, 6, false).unwrap());
    let scores = ScoresOnly(&table);
    let first = InProcess(|| builtin("first").make(&table));
    let error = check(&scores, &first, &CheckOptions::default(), &NoProgress).unwrap_err();
    assert!(matches!(error, CheckError::NeedsInventory { .. }));
}

/// Misunderstandings of Kalah that never lead to an illegal move.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Flaw {
    NoExtraTurn,
    NoCapture,
    CapturesOppositeEmpty,
    SowsIntoBothStores,
    LosesSeedsLeft,
}

fn play_flawed(game: &Kalah, flaw: Flaw, position: &Position, mv: Move) -> Position {
    let me = position.side.index();
    let mut after = game.play(position, mv);
    let seeds = usize::from(position.pits[me][usize::from(mv.0)]);
    let last = usize::from(mv.0) + seeds;
    let pits = game.pits();
    let is_empty = last < pits && position.pits[me][last] == 0;
    let opposite = position.pits[1 - me][pits - 1 - last.min(pits - 1)];
    match flaw {
        Flaw::NoExtraTurn => after.side = position.side.other(),
        Flaw::NoCapture if is_empty && opposite > 0 => {
            after.stores[me] -= 1 + opposite;
            after.pits[me][last] = 1;
            after.pits[1 - me][pits - 1 - last] = opposite;
        }
        Flaw::CapturesOppositeEmpty if is_empty && opposite == 0 => {
            after.stores[me] += 1;
            after.pits[me][last] = 0;
        }
        Flaw::SowsIntoBothStores if last > 2 * pits => {
            after = *position;
            after.pits[me][usize::from(mv.0)] = 0;
            let mut place = usize::from(mv.0);
            for _ in 0..seeds {
                place = (place + 1) % (2 * pits + 2);
                match place.cmp(&pits) {
                    Ordering::Less => after.pits[me][place] += 1,
                    Ordering::Equal => after.stores[me] += 1,
                    Ordering::Greater if place == 2 * pits + 1 => after.stores[1 - me] += 1,
                    Ordering::Greater => after.pits[1 - me][place - pits - 1] += 1,
                }
            }
            if place != pits {
                after.side = position.side.other();
            }
            if place < pits && after.pits[me][place] == 1 {
                let taken = std::mem::take(&mut after.pits[1 - me][pits - 1 - place]);
                if taken > 0 {
                    after.pits[me][place] = 0;
                    after.stores[me] += 1 + taken;
                }
            }
        }
        _ => {}
    }
    after
}

fn flawed_score(game: &Kalah, flaw: Flaw, position: &Position, depth: u32) -> i32 {
    let sign = sign(game, position);
    let stores = i32::from(position.stores[0]) - i32::from(position.stores[1]);
    if let Some(score) = game.final_score(position) {
        return if flaw == Flaw::LosesSeedsLeft {
            stores
        } else {
            sign * score
        };
    }
    if depth == 0 {
        return stores;
    }
    let moves = game.legal_moves(position);
    let children = moves
        .iter()
        .map(|&mv| play_flawed(game, flaw, position, mv));
    let scores = children.map(|child| sign * flawed_score(game, flaw, &child, depth - 1));
    sign * scores.max().unwrap()
}

/// Options with few positions, for tests of the diagnosis.
fn few() -> CheckOptions {
    CheckOptions {
        coverage: Coverage::Sample {
            count: 400,
            seed: 1,
        },
        ..CheckOptions::default()
    }
}

/// Checks that an AI with correct rules isn't accused of wrong ones.
///
/// This must hold at any depth of search, and whichever of equal moves the AI makes.
#[test]
fn right_rules_are_not_called_wrong() {
    players_that_look_ahead_are_not_accused(&[(3, 2, false), (3, 2, true), (4, 1, false)], 4);
}

#[test]
#[ignore = "exhaustive: 80 s"]
fn right_rules_of_larger_games_are_not_called_wrong() {
    let games = [
        (3, 2, false),
        (3, 2, true),
        (3, 3, false),
        (4, 2, false),
        (5, 1, false),
        (6, 1, false),
        (6, 1, true),
    ];
    players_that_look_ahead_are_not_accused(&games, 6);
}

/// Checks that AIs that search up to `deepest` moves ahead aren't accused.
fn players_that_look_ahead_are_not_accused(games: &[(usize, usize, bool)], deepest: u32) {
    let few = few();
    for &(pits, seeds, empty_capture) in games {
        let game = common::kalah(pits, seeds, empty_capture);
        let table = table_of(&game);
        for depth in 1..=deepest {
            for takes_last in [false, true] {
                let ai = |game: &Kalah, position: &Position| {
                    let sign = sign(game, position);
                    let worth = |mv: &Move| sign * sees(game, &game.play(position, *mv), depth - 1);
                    let moves = game.legal_moves(position);
                    if takes_last {
                        moves.into_iter().max_by_key(worth).unwrap()
                    } else {
                        moves.into_iter().rev().max_by_key(worth).unwrap()
                    }
                };
                let report = ask(&table, &InProcess(|| ai), few.clone());
                let error = report.diagnosis.explanation.map(|of| of.sentence);
                let depth = match depth {
                    1 => "(greedy)".to_owned(),
                    depth => format!("plays like a search {depth} moves deep"),
                };
                assert!(
                    error.iter().all(|error| error.contains(&depth)),
                    "{}, {depth}, last {takes_last}: {error:?}",
                    game.name()
                );
            }
        }
    }
}

#[test]
fn wrong_rules_are_distinguished_from_bad_play() {
    wrong_rules_are_told(
        (4, 2),
        &[(Flaw::NoCapture, "nothing were ever captured")],
        3,
    );
}

#[test]
#[ignore = "exhaustive: 40 s"]
fn all_wrong_rules_are_distinguished_from_bad_play() {
    let flaws = [
        (Flaw::NoExtraTurn, "the own store earned no other turn"),
        (Flaw::NoCapture, "nothing were ever captured"),
        (
            Flaw::CapturesOppositeEmpty,
            "captured even opposite an empty pit",
        ),
        (Flaw::SowsIntoBothStores, "didn't skip the opponent's store"),
        (Flaw::LosesSeedsLeft, "nobody got the remaining seeds"),
    ];
    // The AIs look two and four moves ahead.
    for depth in [1, 3] {
        wrong_rules_are_told((4, 3), &flaws, depth);
        // With so few seeds only some of the rules matter.
        wrong_rules_are_told((6, 1), &flaws[..2], depth);
    }
}

/// Checks that each flaw is named by its sentence, on a board of this size.
///
/// The AIs search `depth` moves ahead after their own.
fn wrong_rules_are_told((pits, seeds): (usize, usize), flaws: &[(Flaw, &str)], depth: u32) {
    let game = common::kalah(pits, seeds, false);
    let table = table_of(&game);
    let few = few();
    let mut named = 0;
    for &(flaw, topic) in flaws {
        let ai = |game: &Kalah, position: &Position| {
            let sign = sign(game, position);
            let worth = |mv: &Move| {
                let child = play_flawed(game, flaw, position, *mv);
                sign * flawed_score(game, flaw, &child, depth)
            };
            let moves = game.legal_moves(position);
            // The first of the best moves.
            moves.into_iter().rev().max_by_key(worth).unwrap()
        };
        let report = ask(&table, &InProcess(|| ai), few.clone());
        let error = report.diagnosis.explanation.map(|of| of.sentence);
        let expected = format!("search {} moves deep, as if", depth + 1);
        let is_named = |error: &String| error.contains(&expected) && error.contains(topic);
        // With few seeds, some errors can't be told from others.
        assert!(error.as_ref().is_none_or(is_named), "{flaw:?}: {error:?}");
        named += usize::from(error.is_some());
    }
    assert!(named > 0);
    for (name, expected) in [
        ("perfect", None),
        ("first", Some("always plays the first legal pit")),
        ("random:1", None),
        (
            "greedy",
            Some("looks at nothing but the position after its move (greedy)"),
        ),
    ] {
        let diagnosis = ask_builtin(&table, name, few.clone()).diagnosis;
        let error = diagnosis.explanation.map(|of| of.sentence);
        assert_eq!(error.as_deref(), expected, "{name}");
    }
    // This AI counts the pits from the other end.
    let mirrored = |game: &Kalah, position: &Position| {
        let right = builtin("perfect").choose(&table, game, position);
        Move(game.pits() as u8 - 1 - right.0)
    };
    let report = ask(&table, &InProcess(|| mirrored), few.clone());
    assert_eq!(report.verdict, Verdict::Faulty);
    assert!(
        report.fault_list[0]
            .fault
            .detail
            .contains("the only legal pit is"),
        "{report:#?}"
    );
}

#[test]
fn the_page_shows_what_the_ai_wrote_as_text() {
    let table = table_of(&TicTacToe::default());
    let mut report = ask_builtin(&table, "first", CheckOptions::default());
    report.ai = "<script>alert(1)</script>".into();
    let page = zermelo::check::html::page(&report);
    assert!(!page.contains("<script"));
    assert!(page.contains("&lt;script&gt;alert(1)"));
    assert!(page.matches("<svg").count() > 10 + report.refutation.len());
    // The page loads nothing from elsewhere.
    let ways = page.replace("href=\"#", "").replace("url(#", "");
    for outside in ["src=", "href=", "url(", "@import"] {
        assert!(!ways.contains(outside), "{outside}");
    }
    let outside = page.replace("http://www.w3.org/2000/svg", "");
    assert!(!outside.contains("http:") && !outside.contains("https:"));
}
