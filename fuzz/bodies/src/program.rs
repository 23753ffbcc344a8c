//! Fuzzes the output of an AI's program, in both protocols.

use arbitrary::{Result, Unstructured};
use std::fs;
use std::sync::OnceLock;
use std::time::Duration;
use zermelo::any::{AnyAi, AnyTable, FAMILIES, game_of_rules};
use zermelo::check::{CheckOptions, External, Protocol, Verdict};
use zermelo::game::{NoProgress, SolveOptions};

/// The time limit of an answer, long enough for a program that only writes.
const TIMEOUT: Duration = Duration::from_millis(200);

fn table() -> &'static dyn AnyTable {
    static TABLE: OnceLock<Box<dyn AnyTable>> = OnceLock::new();
    &**TABLE.get_or_init(|| {
        let game = game_of_rules("eight", FAMILIES).unwrap_or_else(|error| panic!("{error}"));
        let options = SolveOptions {
            threads: 1,
            memory: 1 << 24,
        };
        let solved = game.solve_in_memory(options, &NoProgress);
        solved.expect("a small game is solved")
    })
}

/// Solves the game.
pub fn prepare() {
    table();
}

/// Checks a program that writes the input, whatever it is asked.
///
/// # Errors
/// If the input is too short.
///
/// # Panics
/// If such a program is reported as perfect, or the report is inconsistent.
pub fn run(u: &mut Unstructured<'_>) -> Result<&'static str> {
    let protocol = match u.arbitrary()? {
        false => Protocol::Line,
        true => Protocol::Ugi {
            movetime: Duration::from_millis(1),
        },
    };
    let written = u.bytes(u.len())?;
    let home = tempfile::tempdir().expect("a folder for temporary files");
    let file = home.path().join("written");
    fs::write(&file, written).expect("it has room");
    let command = format!("cat {}", file.display());
    let Ok(program) = External::new(&command, protocol, TIMEOUT) else {
        return Ok("not started");
    };
    let program = program.with_startup(Duration::ZERO);
    let options = CheckOptions {
        max_faults: 3,
        ..CheckOptions::default()
    };
    let report = table().check(&AnyAi::Program(program), &options, None, &NoProgress);
    match report {
        Ok(report) => {
            assert_ne!(report.verdict, Verdict::Perfect, "{written:?}");
            Ok("judged")
        }
        Err(error) => {
            let _ = error.to_string();
            Ok("failed")
        }
    }
}
