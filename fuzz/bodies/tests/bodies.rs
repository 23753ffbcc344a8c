//! Runs each fuzzing body on its corpus and on a fixed sequence of inputs.

use zermelo_fuzz::{BODIES, Body, input};

fn run(name: &str, inputs: usize) {
    let body = Body::find(name).unwrap();
    let corpus = input::corpus(body);
    assert!(!corpus.is_empty(), "{name} has a corpus");
    let mut random = fastrand::Rng::with_seed(7);
    let made = std::iter::repeat_with(|| input::make(&mut random, &corpus)).take(inputs);
    for (number, input) in corpus.iter().cloned().chain(made).enumerate() {
        let run = std::panic::catch_unwind(|| body.run(&input));
        assert!(run.is_ok(), "{name}: input {number}, {input:02x?}");
    }
}

/// Runs work on one thread, which is faster for such small tasks.
fn in_one_thread(work: impl FnOnce() + Send) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1);
    pool.build().unwrap().install(work);
}

#[test]
fn changed_tables_tell_the_truth_or_nothing() {
    in_one_thread(|| run("table", 1000));
}

#[test]
fn searches_above_changed_endgames_tell_the_truth_or_nothing() {
    in_one_thread(|| run("endgame", 300));
}

#[test]
fn runs_that_go_on_from_damaged_folders_write_the_same_table_or_none() {
    in_one_thread(|| run("partial", 100));
}

#[test]
fn changed_lists_are_games_or_nothing() {
    in_one_thread(|| run("list", 500));
}

#[test]
fn written_values_are_read_back() {
    run("parsers", 20_000);
}

#[test]
fn the_server_answers_or_refuses_any_request() {
    run("http", 500);
}

#[cfg(unix)]
#[test]
fn a_program_that_writes_anything_is_judged() {
    run("program", 30);
}

#[test]
fn every_body_has_a_target_and_a_line_in_the_readme() {
    let readme = include_str!("../../README.md");
    let targets = include_str!("../../Cargo.toml");
    for body in BODIES {
        assert!(readme.contains(&format!("| `{}` |", body.name)));
        assert!(targets.contains(&format!("\nname = \"{}\"\n", body.name)));
    }
}
