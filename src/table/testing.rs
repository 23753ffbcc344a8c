//! Tables for tests.

use super::{Table, TableFile, WriteOptions, write_to_vec};
use crate::game::{NoProgress, Notation, SolveOptions};
use crate::solve::{Method, solve};

/// The table of a small game, in memory.
pub(crate) fn table_of<G: Notation>(game: &G) -> Table<G> {
    let options = SolveOptions {
        threads: 1,
        memory: 1 << 30,
    };
    let solved = solve(game, Method::Backward, options, &NoProgress).unwrap();
    let write = WriteOptions::default();
    let bytes = write_to_vec(game, &solved.solution, write, &NoProgress).unwrap();
    Table::new(TableFile::from_bytes(bytes).unwrap(), game.clone()).unwrap()
}
