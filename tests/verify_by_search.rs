//! Tests of tables compared with searches of their entries.

use crate::common::kalah;
use crate::run::Home;
use crate::table_toy::Toy;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use zermelo::game::{
    NoProgress, Notation, Progress, ScoreRange, Scores, Slot, Solution, SolveOptions, Tile,
};
use zermelo::games::eight::Eight;
use zermelo::games::kalah::Kalah;
use zermelo::games::reversi::{Board, Reversi, Start};
use zermelo::games::tictactoe::TicTacToe;
use zermelo::solve::{Method, score_of, solve};
use zermelo::solve::{Searched, verify_by_search};
use zermelo::table::{Sample, Table, TableFile, VerifyError, WriteOptions, write_to_vec};

const OPTIONS: SolveOptions = SolveOptions {
    threads: 2,
    memory: 256 << 20,
};

fn solution<G: Notation>(game: &G) -> Solution {
    solve(game, Method::Backward, OPTIONS, &NoProgress)
        .unwrap()
        .solution
}

fn bytes<G: Notation>(game: &G, solution: &Solution) -> Vec<u8> {
    write_to_vec(game, solution, WriteOptions::default(), &NoProgress).unwrap()
}

fn table<G: Notation>(game: &G, solution: &Solution) -> Table<G> {
    let file = TableFile::from_bytes(bytes(game, solution)).unwrap();
    Table::new(file, game.clone()).unwrap()
}

fn searched<G: Notation>(table: &Table<G>, sample: Option<Sample>) -> Searched {
    verify_by_search(table, sample, OPTIONS, &NoProgress).unwrap()
}

fn sample(count: u64, seed: u64) -> Option<Sample> {
    Some(Sample { count, seed })
}

/// Scores with one changed code.
struct Changed {
    scores: Box<dyn Scores>,
    slot: Slot,
    code: u8,
}

impl Scores for Changed {
    fn count(&self) -> u64 {
        self.scores.count()
    }

    fn tile(&self, segment: u32, rows: Range<u32>, columns: Range<u32>, tile: &mut Tile) {
        self.scores
            .tile(segment, rows.clone(), columns.clone(), tile);
        let Slot { row, column, .. } = self.slot;
        if segment == self.slot.segment && rows.contains(&row) && columns.contains(&column) {
            let index = tile.index(row - rows.start, column - columns.start);
            tile.set(index, self.code);
        }
    }
}

/// Returns another score that the position could have.
fn another(scores: ScoreRange, score: i32) -> i32 {
    match score + scores.step {
        higher if higher <= scores.highest => higher,
        _ => score - scores.step,
    }
}

/// Returns a solution with one wrong score, and its position.
///
/// The position is the middle one of those whose scores a table stores.
fn with_one_wrong<G: Notation>(game: &G) -> (Solution, G::Position) {
    match solution(game) {
        Solution::Keyed(mut entries) => {
            let middle = entries.len() / 2;
            let (key, score) = &mut entries[middle];
            let position = game.position_of_key(*key).unwrap();
            *score = another(game.score_range(), *score);
            (Solution::Keyed(entries), position)
        }
        Solution::Ranked(scores) => {
            let ranking = game.capabilities().solving.ranking().unwrap();
            let mut slots = Vec::new();
            let mut tile = Tile::default();
            for (segment, shape) in (0..).zip(ranking.segments()) {
                scores.tile(segment, 0..shape.rows, 0..shape.columns, &mut tile);
                for row in 0..shape.rows {
                    for column in 0..shape.columns {
                        let code = tile.get(tile.index(row, column));
                        if let (Some(code), false) = (code, shape.derived) {
                            let slot = Slot {
                                segment,
                                row,
                                column,
                            };
                            slots.push((slot, shape.scores, code));
                        }
                    }
                }
            }
            let (slot, range, code) = slots[slots.len() / 2];
            let wrong = another(range, range.score(code));
            let changed = Changed {
                scores,
                slot,
                code: range.code(wrong).unwrap() as u8,
            };
            (Solution::Ranked(Box::new(changed)), ranking.position(slot))
        }
    }
}

/// Checks that a right table agrees, and that a full search finds a wrong score.
///
/// This must hold for any seed, and for samples larger than the table.
fn wrong_scores_are_found<G: Notation>(game: &G) {
    let name = game.name();
    let right = solution(game);
    let all = right.count();
    let sound = table(game, &right);
    for sample in [
        None,
        sample(all + 5, 3),
        sample(all.div_ceil(2), 3),
        sample(all / 40, 4),
    ] {
        let found = searched(&sound, sample);
        let wanted = sample.map_or(all, |sample| all.min(sample.count));
        assert_eq!((found.entries, found.wrong), (wanted, 0), "{name}");
        assert!(found.examples.is_empty());
    }

    let (solution, position) = with_one_wrong(game);
    let stored = score_of(game, &solution, &position).unwrap();
    let exact = score_of(game, &right, &position).unwrap();
    assert_ne!(stored, exact);
    let wrong = table(game, &solution);
    let mut first = None;
    for sample in [None, sample(all, 1), sample(all + 1, 2)] {
        let found = searched(&wrong, sample);
        assert_eq!(found.entries, all, "{name}");
        // The scores that follow from the wrong one are wrong, too.
        assert!(found.wrong >= 1);
        let text = game.format_position(&position);
        let example = found.examples.iter().find(|wrong| wrong.position == text);
        let example = example.unwrap_or_else(|| panic!("{name}: {text} is not among them"));
        assert_eq!((example.stored, example.found), (stored, exact), "{name}");
        for example in &found.examples {
            let position = game.parse_position(&example.position).unwrap();
            assert_eq!(score_of(game, &right, &position), Some(example.found));
        }
        assert_eq!(first.get_or_insert(found.wrong), &found.wrong);
    }
}

#[test]
fn searches_find_wrong_scores_of_kalah() {
    for empty_capture in [false, true] {
        wrong_scores_are_found(&kalah(3, 2, empty_capture));
        wrong_scores_are_found(&kalah(2, 4, empty_capture));
        wrong_scores_are_found(&Kalah::endgame(3, 7, empty_capture).unwrap());
    }
}

#[test]
#[ignore = "exhaustive: 4 s"]
fn searches_find_wrong_scores_of_larger_kalah() {
    wrong_scores_are_found(&kalah(4, 2, false));
    wrong_scores_are_found(&kalah(6, 1, false));
}

#[test]
fn searches_find_wrong_scores_of_other_games() {
    wrong_scores_are_found(&TicTacToe::default());
    wrong_scores_are_found(&Eight);
}

#[test]
#[ignore = "exhaustive: 2 s"]
fn searches_find_wrong_scores_of_reversi() {
    for start in Start::ALL {
        let board = Board::FourByFour;
        wrong_scores_are_found(&Reversi { board, start });
    }
}

#[test]
fn a_sample_is_the_same_on_any_number_of_threads_and_has_nothing_twice() {
    let game = kalah(4, 2, false);
    let (wrong, _) = with_one_wrong(&game);
    let table = table(&game, &wrong);
    let all = table.file().entries();
    for count in [50, all / 20, all / 3] {
        let of = |threads| {
            let options = SolveOptions { threads, ..OPTIONS };
            verify_by_search(&table, sample(count, 9), options, &NoProgress).unwrap()
        };
        let one = of(1);
        assert_eq!(one.entries, count);
        for threads in [2, 4] {
            let other = of(threads);
            assert_eq!((one.wrong, &one.examples), (other.wrong, &other.examples));
        }
        let places: BTreeSet<&String> = one.examples.iter().map(|wrong| &wrong.position).collect();
        assert_eq!(places.len(), one.examples.len());
    }
}

#[test]
fn a_large_sample_is_drawn_until_it_is_complete() {
    let game = Kalah::endgame(4, 12, false).unwrap();
    let table = table(&game, &solution(&game));
    // As many as are sampled one by one. Some repeat, so the first round is not enough.
    let count = table.file().entries() / 16;
    assert!(count > 5000, "{count}");
    let found = searched(&table, sample(count, 1));
    assert_eq!((found.entries, found.wrong), (count, 0));
}

/// A `Progress` that cancels after a number of units of one phase.
struct StopIn {
    phase: &'static str,
    units: u64,
    is_in: AtomicBool,
    seen: AtomicU64,
    is_enough: AtomicBool,
}

impl StopIn {
    fn look(&self) {
        if self.is_in.load(Relaxed) && self.seen.load(Relaxed) >= self.units {
            self.is_enough.store(true, Relaxed);
        }
    }
}

impl Progress for StopIn {
    fn phase(&self, name: &str, unit: &str, _total: u64) {
        let is_in = format!("{name} {unit}") == self.phase;
        self.is_in.store(is_in, Relaxed);
        self.look();
    }

    fn advance(&self, units: u64) {
        if self.is_in.load(Relaxed) {
            self.seen.fetch_add(units, Relaxed);
        }
        self.look();
    }

    fn cancelled(&self) -> bool {
        self.is_enough.load(Relaxed)
    }
}

#[test]
fn told_to_stop_it_stops() {
    let game = kalah(4, 2, false);
    let table = table(&game, &solution(&game));
    let stopped = |phase, units, count| {
        let progress = StopIn {
            phase,
            units,
            is_in: AtomicBool::new(false),
            seen: AtomicU64::new(0),
            is_enough: AtomicBool::new(false),
        };
        verify_by_search(&table, sample(count, 1), OPTIONS, &progress)
    };
    let all = table.file().entries();
    for (phase, count) in [("searching classes", all), ("sampling entries", all / 16)] {
        for units in [0, 100] {
            let result = stopped(phase, units, count);
            assert!(matches!(result, Err(VerifyError::Interrupted { .. })));
        }
    }
    for count in [all / 16, all] {
        for units in [0, 100, 1000] {
            let result = stopped("searching entries", units, count);
            assert!(matches!(result, Err(VerifyError::Interrupted { .. })));
        }
    }
}

#[test]
fn too_little_memory_is_reported() {
    let game = kalah(4, 2, false);
    let table = table(&game, &solution(&game));
    let options = SolveOptions {
        memory: 1 << 20,
        ..OPTIONS
    };
    let result = verify_by_search(&table, None, options, &NoProgress);
    assert!(matches!(result, Err(VerifyError::Search(_))));
}

/// The generic search, for a game with numbered positions.
#[test]
fn games_of_other_crates_are_searched() {
    for game in [Toy::new(true), Toy::new(false), Toy::derived()] {
        let table = table(&game, &solution(&game));
        let found = searched(&table, sample(200, 1));
        assert_eq!((found.entries, found.wrong), (200, 0));
    }
}

#[test]
fn the_command_refutes_and_names_both_scores() {
    let home = Home::new();
    let game = kalah(3, 2, false);
    let (wrong, position) = with_one_wrong(&game);
    fs::write(home.path("t.bin"), bytes(&game, &wrong)).unwrap();
    let text = game.format_position(&position);
    let args = ["verify", "t.bin", "--by-search", "--sample", "5000"];
    let done = home.zermelo(&args);
    assert_eq!((done.code, done.err.as_str()), (Some(1), ""));
    assert!(done.out.starts_with("Refuted: "), "{}", done.out);
    assert!(done.out.contains(&text), "{}", done.out);
    let done = home.zermelo(&[&args[..], &["--json"]].concat());
    assert_eq!(done.code, Some(1));
    let report: Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(report["verdict"], "refuted");
    assert_eq!(report["checked"], report["classes"]);
    let examples = report["examples"].as_array().unwrap();
    assert_eq!(report["wrong"], examples.len());
    assert_eq!(report["position"], examples[0]["position"]);
    let example = examples.iter().find(|wrong| wrong["position"] == text);
    assert_ne!(example.unwrap()["stored"], example.unwrap()["found"]);
    // Verification without a search finds it, too. With the right score the search agrees.
    assert_eq!(home.zermelo(&["verify", "t.bin"]).code, Some(1));
    fs::write(home.path("t.bin"), bytes(&game, &solution(&game))).unwrap();
    assert!(
        home.zermelo(&args)
            .succeeds()
            .starts_with("All 1,322 searched entries")
    );
}
