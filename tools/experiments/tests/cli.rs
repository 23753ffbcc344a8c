//! Tests of the command, by the examples in `cli.md`.
//!
//! After an intended change, `TRYCMD=overwrite cargo test -p experiments --test cli` writes the new
//! output into that file.

use std::path::Path;

#[test]
fn examples_behave_as_written() {
    trycmd::TestCases::new()
        .case("tests/cli.md")
        .register_bin("experiments", Path::new(env!("CARGO_BIN_EXE_experiments")))
        // Fixes the width of the help, whatever terminal the tests run in.
        .env("COLUMNS", "100")
        .env("CLICOLOR_FORCE", "");
}
