//! The two files of an explicit game graph: its table, and the list of positions beside it.

use super::Erased;
use crate::game::{Progress, Solution, SolveError, SolveOptions};
use crate::games::listed::{Listed, NAME, beside};
use crate::solve::{Method, solve};
use crate::table::{WriteError, WriteOptions, Written, check_place, unsuitable, write_table};
use crate::work::DiskError;
use std::fs;
use std::path::Path;

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

/// The scores of an explicit game graph, solved if its builder doesn't know them.
///
/// # Errors
/// If it can't be solved, or the caller cancels.
pub fn solve_listed(
    game: &Listed,
    scores: Option<&[i32]>,
    options: SolveOptions,
    progress: &dyn Progress,
) -> Result<Solution, SolveError> {
    if let Some(scores) = scores {
        return Ok(Solution::Keyed(game.entries(scores)));
    }
    let game = Erased::new(game.clone());
    Ok(solve(&game, Method::Backward, options, progress)?.solution)
}

/// Writes the table of an explicit game graph to `path` and its list beside it.
///
/// Both are written or neither. On failure, earlier files remain.
///
/// # Errors
/// If they can't be written or exist already, or the caller cancels.
pub fn write_listed(
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
