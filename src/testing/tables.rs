//! Tables of small games, for tests.

use crate::game::{NoProgress, Notation, SolveOptions};
use crate::games::kalah::{Kalah, Rules};
use crate::solve::{Method, solve};
use crate::table::{Table, TableFile, WriteOptions, write_to_vec};

/// Returns Kalah with standard rules.
pub(crate) fn kalah(pits: usize, seeds: usize) -> Kalah {
    let rules = Rules {
        pits,
        seeds,
        empty_capture: false,
    };
    Kalah::new(rules).unwrap()
}

/// Solves a small game and returns its table in memory.
pub(crate) fn table_of<G: Notation>(game: &G) -> Table<G> {
    Table::new(TableFile::from_bytes(bytes_of(game)).unwrap(), game.clone()).unwrap()
}

/// Solves a small game and returns the bytes of its table.
pub(crate) fn bytes_of<G: Notation>(game: &G) -> Vec<u8> {
    let options = SolveOptions {
        threads: 1,
        memory: 1 << 30,
    };
    let solved = solve(game, Method::Backward, options, &NoProgress).unwrap();
    let write = WriteOptions::default();
    write_to_vec(game, &solved.solution, write, &NoProgress).unwrap()
}
