//! The tests that reach `unsafe` code, for `.ci/sanitize`. `tests/main.rs` has them, too.
#![allow(dead_code, missing_docs)] // The modules below use only a part of what they share.

mod common;
mod run;
mod table_toy;

#[cfg(unix)]
mod check_external;
mod cli_trust;
mod connect4;
mod kalah_search;
mod table_faults;
mod table_roundtrip;
