//! Tests of the experiments against the published values and each other.

use super::*;
use crate::experiment::Value;
use crate::kalah66::Engine;
use std::collections::BTreeMap;

/// An experiment, its methods, and the number of their published cells.
type Part = (&'static str, &'static [&'static str], usize);

const KALAH_WITHOUT_CUTOFFS: Part = (
    "kalah66",
    &["minimax", "minimax-vs-simplified", "simplified-vs-minimax"],
    64,
);
const KALAH_SIMPLIFIED: Part = ("kalah66", &["minimax-simplified"], 32);
const KALAH_WITH_SAVED_VALUES: Part = ("kalah66", &["negamax", "negamax-tt"], 32);
const KALAH_WITH_CUTOFFS: Part = (
    "kalah66",
    &[
        "alphabeta",
        "alphabeta-tt",
        "negascout",
        "negascout-tt",
        "mtdf",
    ],
    126,
);
const REVERSI_WITHOUT_CUTOFFS: Part = ("reversi", &["negamax", "negamax-tt"], 3);
const REVERSI_WITH_CUTOFFS: Part = (
    "reversi",
    &[
        "alphabeta",
        "alphabeta-tt",
        "negascout",
        "negascout-tt",
        "mtdf",
    ],
    8,
);
const MANCALA_WITH_CUTOFFS: Part = ("mancala62", &["with-cutoffs"], 12);
const MANCALA_WITHOUT_CUTOFFS: Part = ("mancala62", &["without-cutoffs"], 12);
const TICTACTOE: Part = ("tictactoe", &["alphabeta", "mtdf"], 37);

fn figures(experiment: &str, methods: &[&str]) -> Vec<Figure> {
    let methods = methods.join(",");
    let args = Args::parse_from(["experiments", experiment, "--methods", &methods]);
    let jobs = args.experiment.jobs().into_iter();
    jobs.flat_map(|job| (job.run)(u64::MAX).unwrap()).collect()
}

/// Checks that all published cells of a part are reproduced; returns all figures.
#[track_caller]
fn reproduce((experiment, methods, cells): Part) -> Vec<Figure> {
    let figures = figures(experiment, methods);
    let (count, differences) = Published::read().compare(&figures);
    assert!(differences.is_empty(), "{differences:?}");
    assert_eq!(count, cells);
    figures
}

fn values<'a>(figures: &'a [Figure], table: &str) -> BTreeMap<&'a str, Value> {
    let of_table = figures.iter().filter(|figure| figure.table == table);
    of_table
        .map(|figure| (figure.cell.as_str(), figure.value))
        .collect()
}

#[test]
fn tests_cover_every_published_cell_and_method() {
    let parts = [
        KALAH_WITHOUT_CUTOFFS,
        KALAH_SIMPLIFIED,
        KALAH_WITH_SAVED_VALUES,
        KALAH_WITH_CUTOFFS,
        REVERSI_WITHOUT_CUTOFFS,
        REVERSI_WITH_CUTOFFS,
        MANCALA_WITH_CUTOFFS,
        MANCALA_WITHOUT_CUTOFFS,
        TICTACTOE,
    ];
    let published = Published::read();
    let cells: usize = published.tables.values().map(BTreeMap::len).sum();
    assert_eq!(parts.iter().map(|part| part.2).sum::<usize>(), cells);
    let experiments = [
        ("kalah66", &kalah66::methods()[..]),
        ("reversi", &reversi::methods()),
        ("mancala62", &mancala62::METHODS),
        ("tictactoe", &tictactoe::methods()),
    ];
    for (experiment, methods) in experiments {
        for method in methods {
            let tried = |part: &Part| part.0 == experiment && part.1.contains(method);
            assert!(parts.iter().any(tried), "{experiment} {method}");
        }
    }
}

#[test]
fn misprints_are_of_published_cells() {
    let published = Published::read();
    assert_eq!(published.misprints.len(), 5);
    for (place, misprint) in &published.misprints {
        let (table, cell) = place.split_once(' ').unwrap();
        let value = published.value(table, cell);
        assert_eq!(value, Some(Value::One(misprint.value)), "{place}");
        assert_ne!(misprint.value, misprint.published);
    }
}

#[test]
#[ignore = "exhaustive: 9 s"]
fn kalah_engines_without_cutoffs_are_reproduced() {
    reproduce(KALAH_WITHOUT_CUTOFFS);
}

#[test]
fn kalah_engines_that_simplify_extra_turns_are_reproduced() {
    reproduce(KALAH_SIMPLIFIED);
}

/// Minimax and negamax play the same games with the same evaluations.
///
/// They compute the same values, and storing values changes only the effort.
#[test]
#[ignore = "exhaustive: 10 s"]
fn kalah_engines_that_save_values_are_reproduced() {
    let figures = reproduce(KALAH_WITH_SAVED_VALUES);
    let published = Published::read();
    let minimax = |measure: &str| -> BTreeMap<&str, Value> {
        let cells = &published.tables[&format!("kalah66/minimax/{measure}")];
        cells
            .iter()
            .map(|(cell, &value)| (&**cell, value))
            .collect()
    };
    for measure in ["stones", "evaluations"] {
        let negamax = values(&figures, &format!("kalah66/negamax/{measure}"));
        assert_eq!(negamax, minimax(measure));
    }
    assert_eq!(
        values(&figures, "kalah66/negamax-tt/stones"),
        minimax("stones")
    );
}

/// Searches with cutoffs choose the moves of minimax.
#[test]
fn kalah_engines_with_cutoffs_are_reproduced() {
    let figures = reproduce(KALAH_WITH_CUTOFFS);
    let published = Published::read();
    let minimax = &published.tables["kalah66/minimax/stones"];
    for method in KALAH_WITH_CUTOFFS.1 {
        let stones = values(&figures, &format!("kalah66/{method}/stones"));
        assert_eq!(stones.len(), 16, "{method}");
        for (cell, value) in stones {
            assert_eq!(value, minimax[cell], "{method} {cell}");
        }
    }
}

/// Checks the scores for every method, too, which the articles don't print.
#[track_caller]
fn reproduce_reversi(part: Part) {
    let figures = reproduce(part);
    let mut scores = 0;
    for figure in figures
        .iter()
        .filter(|figure| figure.table.ends_with("/score"))
    {
        let right = match (figure.table.split('/').next().unwrap(), &*figure.cell) {
            ("reversi4", "cross") => -8,
            ("reversi4", "parallel") => -3,
            ("reversi24", "cross") => 0,
            ("reversi24", "parallel") => 10,
            other => panic!("{other:?} is no game of Reversi"),
        };
        assert_eq!(figure.value, Value::One(right), "{figure:?}");
        scores += 1;
    }
    assert!(scores >= 4);
}

#[test]
#[ignore = "exhaustive: 4 s"]
fn reversi_without_cutoffs_is_reproduced() {
    reproduce_reversi(REVERSI_WITHOUT_CUTOFFS);
}

#[test]
#[ignore = "exhaustive: 17 s"]
fn reversi_with_cutoffs_is_reproduced() {
    reproduce_reversi(REVERSI_WITH_CUTOFFS);
}

#[test]
#[ignore = "exhaustive: 3 s"]
fn mancala_with_cutoffs_is_reproduced() {
    reproduce(MANCALA_WITH_CUTOFFS);
}

#[test]
#[ignore = "exhaustive: 14 s"]
fn mancala_without_cutoffs_is_reproduced() {
    reproduce(MANCALA_WITHOUT_CUTOFFS);
}

#[test]
fn tictactoe_is_reproduced() {
    let figures = reproduce(TICTACTOE);
    // The sums by number of marks are those of the whole set in the same setting.
    let by_depth = figures
        .iter()
        .filter(|figure| figure.table.contains("by-depth"));
    let mut sums = [0; 2];
    for figure in by_depth {
        match figure.value {
            Value::Pair(pair) => (0..2).for_each(|index| sums[index] += pair[index]),
            Value::One(_) => panic!("{figure:?} should be a pair"),
        }
    }
    for (method, sum) in ["alphabeta", "mtdf"].into_iter().zip(sums) {
        let whole = values(&figures, &format!("tictactoe627/{method}/nodes"));
        assert_eq!(whole["sv=0,init_ab=0,tt=0"], Value::One(sum), "{method}");
    }
}

#[test]
fn a_table_that_outgrows_its_memory_is_an_error() {
    let play = |engine, bytes| kalah66::play([engine; 2], [3, 3], bytes);
    assert_eq!(play(Engine::NegaScoutTt, 50_000), Err(OutOfMemory));
    assert!(play(Engine::NegaScout, 50_000).is_ok());
    assert!(play(Engine::NegaScoutTt, 10_000_000).is_ok());
}

#[test]
fn depths_are_ranges_or_single() {
    assert_eq!(parse_depths("2..=5"), Ok(2..=5));
    assert_eq!(parse_depths("4"), Ok(4..=4));
    for wrong in ["", "0..=3", "2..5", "2..", "5..=2", "2..=100", "deep"] {
        let error = parse_depths(wrong).unwrap_err();
        assert!(
            error.contains("2..=5") && error.contains("from 1 to 99"),
            "{wrong}: {error}"
        );
    }
}
