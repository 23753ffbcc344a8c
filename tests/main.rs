//! All tests of the public API and the commands, in one binary.
//!
//! Each further binary would be linked separately, with its own copy of the shared code.
//!
//! `cargo test --test all cli::` runs one module; `cargo test NAME` runs the tests with NAME in
//! their name.

// Tests of signals, pipes and hostile processes are for Unix.
#![cfg_attr(not(target_os = "linux"), allow(dead_code, unused_imports))]

mod common;
mod http;
mod run;
mod table_toy;

mod check;
mod check_baseline;
mod check_diagnosis;
#[cfg(unix)]
mod check_external;
#[cfg(target_os = "linux")]
mod check_hostile;
mod check_lines;
mod check_python;
mod check_search;
mod check_suite;
mod cli;
mod cli_ask;
mod cli_bytes;
mod cli_faults;
mod cli_files;
mod cli_outputs;
#[cfg(unix)]
mod cli_resume;
mod cli_search;
mod cli_tables;
mod cli_trust;
mod conformance;
mod connect4;
mod docs;
mod kalah_checkpoints;
mod kalah_files;
mod kalah_large;
mod kalah_retro;
mod kalah_search;
mod new_ai;
mod page;
mod random_games;
mod reversi;
mod search;
#[cfg(target_os = "linux")]
mod serve_ai;
mod serve_api;
mod serve_class;
mod serve_hostile;
mod serve_listed;
mod serve_pages;
mod solvers;
mod table_faults;
mod table_python;
mod table_roundtrip;
mod tournament;
mod verify_by_search;
mod verify_layers;
