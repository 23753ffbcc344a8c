//! Solves explicit game graphs, in memory or into a table with the list of positions beside it.

use super::{AnyGame, AnyTable, Erased, listed_game};
use crate::game::{NoProgress, Progress, Solution, SolveError, SolveOptions};
use crate::games::listed::{BuildError, Builder, Listed, NAME, beside};
use crate::games::own::{Rules, explored};
use crate::pool::{STACK, in_pool};
use crate::solve::{Method, solve};
use crate::table::{
    Access, ReadError, TableFile, WriteError, WriteOptions, Written, check_place, unsuitable,
    write_table, write_to_vec,
};
use crate::work::DiskError;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// Checks before long work that a table and its list may be written.
///
/// The table goes to `path` and the list beside it.
///
/// # Errors
/// If one of the files exists and `force` isn't set, or if they can't be written there.
pub fn check_listed_place(path: &Path, force: bool) -> Result<(), WriteError> {
    if path.extension().is_some_and(|end| end == NAME) {
        let found = "a name for the list of the game's positions, which goes beside the table";
        return Err(DiskError::of(path, "write there")(unsuitable(found)).into());
    }
    check_place(path, force)?;
    check_place(&beside(path), force)
}

/// Why an explicit game graph has no table.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[error(transparent)]
pub enum GraphError {
    /// The graph can't be built.
    Build(#[from] BuildError),
    /// The game can't be solved.
    Solve(#[from] SolveError),
    /// The table can't be written.
    Write(#[from] WriteError),
    /// The table can't be read.
    Read(#[from] ReadError),
}

/// Solves a game that is defined by its bare rules, and returns its table in memory.
///
/// It uses [`SolveOptions::default`]. The table knows the name of the rules, but not their parameters.
///
/// # Errors
/// If the rules are faulty, there are too many positions, or the game can't be solved.
pub fn solve_in_memory<R: Rules>(rules: &R) -> Result<Box<dyn AnyTable>, GraphError> {
    let (options, write) = (SolveOptions::default(), WriteOptions::default());
    let builder = explored(rules)?;
    in_pool(options.threads, STACK, || {
        Ok(solve_graph(builder, R::NAME, None, options, write, &NoProgress)?.1)
    })
}

/// The game of a graph, and its table.
type SolvedGraph = (Box<dyn AnyGame>, Box<dyn AnyTable>);

/// Solves an explicit game graph, and writes its table to `path`, or only into memory.
///
/// Returns the game and its table.
/// The list of its positions goes beside the table. Runs on the threads of the caller's pool.
///
/// # Errors
/// If the game can't be solved, the files can't be written, or the caller cancels.
pub fn solve_graph(
    builder: Builder,
    name: &str,
    path: Option<&Path>,
    options: SolveOptions,
    write: WriteOptions,
    progress: &dyn Progress,
) -> Result<SolvedGraph, GraphError> {
    let (graph, scores) = builder.finish(name, progress)?;
    let mut game = Listed::new(graph);
    let solve_keyed = |game: &Listed| {
        let game = Erased::new(game.clone());
        solve(&game, Method::Backward, options, progress)
    };
    // The builder may know the scores.
    let solution = match scores {
        Some(scores) => Solution::Keyed(game.entries(&scores)),
        None => match solve_keyed(&game) {
            Err(SolveError::TooFar { .. }) => {
                let graph = Arc::into_inner(game.graph).expect("no other game has it");
                game = Listed::new(graph.lengthened(progress)?);
                solve_keyed(&game)?.solution
            }
            solved => solved?.solution,
        },
    };
    let file = match path {
        None => TableFile::from_bytes(write_to_vec(&game, &solution, write, progress)?)?,
        Some(path) => {
            write_listed(&game, &solution, path, write, progress)?;
            TableFile::open(path, Access::Plain)?
        }
    };
    let game = listed_game(game);
    let table = game.open(file)?;
    Ok((game, table))
}

/// Writes the table of an explicit game graph to `path` and its list beside it.
///
/// Both are written or neither. On failure, earlier files remain.
pub(super) fn write_listed(
    game: &Listed,
    solution: &Solution,
    path: &Path,
    options: WriteOptions,
    progress: &dyn Progress,
) -> Result<Written, WriteError> {
    check_listed_place(path, options.force)?;
    let is_new = !path.exists();
    let mut is_made = false;
    let write_table = || {
        let written = write_table(game, solution, path, options, progress)?;
        is_made = is_new;
        Ok(written)
    };
    // The list is moved to its path only after the table, so that a failure never leaves one
    // without the other.
    let written = game
        .graph()
        .write_after(&beside(path), progress, write_table);
    written.map_err(|error| {
        if is_made {
            // A table is useless without its list.
            let _ = fs::remove_file(path);
        }
        match progress.cancelled() {
            true => WriteError::Interrupted {
                path: path.to_owned(),
            },
            false => error,
        }
    })
}
