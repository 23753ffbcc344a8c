//! Tables for tests.

use super::{Table, TableFile, WriteOptions, write_table};
use crate::game::{NoProgress, Notation, SolveOptions};
use crate::solve::{Method, solve};

/// The table of a small game, in memory.
pub(crate) fn table_of<G: Notation>(game: &G) -> Table<G> {
    let options = SolveOptions {
        threads: 1,
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
