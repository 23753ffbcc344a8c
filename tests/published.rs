//! The published experiments, held against the published values.

use zermelo::published::{Allowance, EXPERIMENTS, Figure, Published, Selection};

fn figures(experiment: &str, methods: &[&str]) -> Vec<Figure> {
    let known = EXPERIMENTS.iter().find(|known| known.name == experiment);
    let experiment = known.unwrap();
    let selection = Selection {
        methods: Some(methods.iter().map(|&method| method.into()).collect()),
        depths: experiment.depths.clone().unwrap_or(1..=1),
        without_cutoffs_to: 12,
    };
    let allowance = Allowance::unlimited();
    let jobs = (experiment.jobs)(&selection);
    jobs.iter()
        .flat_map(|job| job.run(&allowance).unwrap())
        .collect()
}

/// All figures of these methods that were published are reproduced, and there are so many of them.
#[track_caller]
fn reproduces(experiment: &str, methods: &[&str], cells: usize) {
    let (count, differences) = Published::new().compare(&figures(experiment, methods));
    assert_eq!(differences, []);
    assert_eq!(count, cells);
}

#[test]
fn kalah_engines_without_cutoffs() {
    reproduces(
        "kalah66",
        &["minimax", "minimax-vs-simplified", "simplified-vs-minimax"],
        64,
    );
}

#[test]
fn kalah_engines_with_a_table_of_exact_values() {
    reproduces("kalah66", &["negamax-tt"], 32);
}

#[test]
fn kalah_engines_that_simplify_extra_turns() {
    reproduces("kalah66", &["minimax-simplified"], 32);
}

#[test]
fn kalah_engines_with_cutoffs() {
    let methods = [
        "alphabeta",
        "alphabeta-tt",
        "negascout",
        "negascout-tt",
        "mtdf",
    ];
    reproduces("kalah66", &methods, 16 + 32 + 16 + 32 + 30);
}

#[test]
fn tictactoe_alphabeta_against_mtdf() {
    reproduces("tictactoe", &["alphabeta", "mtdf"], 16 + 8 + 4 + 9);
}

#[test]
fn mancala_with_cutoffs() {
    reproduces("mancala62", &["with-cutoffs"], 12);
}

#[test]
fn mancala_without_cutoffs() {
    reproduces("mancala62", &["without-cutoffs"], 12);
}
