//! Games and oracles whose type is known only at run time: what commands, pages and other languages
//! speak to, in text.
//!
//! ```no_run
//! use zermelo::oracle::Wanted;
//!
//! let table = zermelo::open("data/ttt.bin")?;
//! let answer = table.ask(Some("X...O...."), Wanted::default())?;
//! assert_eq!(answer.bounds.score(), Some(0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod family;
mod game;
#[cfg(feature = "cli")]
mod look;
mod oracle;
mod searches;
mod solve;

pub use family::{AnyFamily, FAMILIES, RulesStringError, WithBuiltins, family_list, game_of_rules};
pub use game::AnyGame;
#[cfg(feature = "cli")]
pub use look::{LegalMove, Look, LookError, Played, View};
pub use oracle::{AnyAi, AnyOracle, AnyTable};
pub use searches::{CompareSearchesError, ComparedInText};
pub use solve::{SolveJob, SolveJobCause, SolveJobError, SolvedTable};

use crate::table::{Access, ReadError, TableFile};
use std::path::Path;

/// Why a table can't be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// It can't be read, or isn't an undamaged table of its game.
    #[error(transparent)]
    Table(#[from] ReadError),
    /// It is of a game that is not known.
    #[error("{} can't be used: {cause}", path.display())]
    Rules {
        /// The file.
        path: std::path::PathBuf,
        /// What is wrong with its rules string.
        cause: RulesStringError,
    },
}

/// Opens a table of any of the library's games.
///
/// # Errors
/// If it can't be read, isn't an undamaged table, or is of a game that is not known.
pub fn open(path: impl AsRef<Path>) -> Result<Box<dyn AnyTable>, OpenError> {
    let file = TableFile::open(path.as_ref(), Access::default())?;
    open_file(file, FAMILIES)
}

/// Joins an open table file and its game, which is of one of these families.
///
/// # Errors
/// If it is of a game that is not known, or not a table of its game.
pub fn open_file(
    file: TableFile,
    families: &[&dyn AnyFamily],
) -> Result<Box<dyn AnyTable>, OpenError> {
    let game = game_of_rules(file.rules(), families).map_err(|cause| OpenError::Rules {
        path: file.path().to_owned(),
        cause,
    })?;
    Ok(game.open(file)?)
}
