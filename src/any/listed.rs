//! The two files of a listed game: its table, and beside it the list.

use crate::game::{Progress, Solution};
use crate::games::listed::{FileError, Listed, NAME, beside};
use crate::table::{WriteError, WriteOptions, Written, check_place, write_table};
use std::fs;
use std::path::{Path, PathBuf};

/// Why they can't be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteListedError {
    /// The table can't be.
    #[error(transparent)]
    Table(#[from] WriteError),
    /// The list can't be.
    #[error(transparent)]
    List(#[from] FileError),
    /// There is something where the list is to go.
    #[error("{path} already exists, and the list of the game's positions goes there")]
    ListExists {
        /// The list's place.
        path: PathBuf,
    },
    /// The table would have the name of its list.
    #[error(
        "{path} is a name for the list of the game's positions, which goes beside the table: call \
         the table something else, such as {}", path.with_extension("bin").display()
    )]
    NameOfList {
        /// The name.
        path: PathBuf,
    },
}

/// Makes sure that a table may go to `path` and its list beside it: for who has long work to do
/// before.
///
/// # Errors
/// If there is a file already where one of them goes and `force` isn't set; or if they can't be
/// there.
pub fn check_listed_place(path: &Path, force: bool) -> Result<(), WriteListedError> {
    if path.extension().is_some_and(|end| end == NAME) {
        return Err(WriteListedError::NameOfList {
            path: path.to_owned(),
        });
    }
    check_place(path, force)?;
    let list = beside(path);
    match fs::symlink_metadata(&list) {
        Ok(found) if !force || found.is_dir() => Err(WriteListedError::ListExists { path: list }),
        _ => Ok(()),
    }
}

/// Writes a listed game's table to `path` and its list beside it: both of them or neither. What was
/// there before stays if that fails.
///
/// # Errors
/// If they can't be written or are there already, or the caller wants it to stop.
pub fn write_listed(
    game: &Listed,
    scores: &[i32],
    path: &Path,
    options: WriteOptions,
    progress: &dyn Progress,
) -> Result<Written, WriteListedError> {
    check_listed_place(path, options.force)?;
    let is_new = !path.exists();
    let solution = Solution::Keyed(game.entries(scores));
    let mut is_made = false;
    let write_table = || {
        let written = write_table(game, &solution, path, options, progress)?;
        is_made = is_new;
        Ok(written)
    };
    // It takes its place when the table has its own, so that no failure leaves one of the two
    // without the other.
    let written = game
        .graph()
        .write_after(&beside(path), progress, write_table);
    written.inspect_err(|_| {
        if is_made {
            // A table without its list is of no use to anybody.
            let _ = fs::remove_file(path);
        }
    })
}
