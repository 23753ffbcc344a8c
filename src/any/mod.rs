//! Games and oracles whose type is known only at run time, with text as interface.
//!
//! The commands, web pages and bindings of other languages use them.
//!
//! ```no_run
//! use zermelo::oracle::Wanted;
//!
//! let table = zermelo::open("data/ttt.bin")?;
//! let answer = table.ask(Some("X...O...."), Wanted::default(), None)?;
//! assert_eq!(answer.bounds.score(), Some(0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod batch;
mod erased;
mod erased_oracle;
mod family;
mod game;
mod graph;
mod labels;
mod listed;
mod oracle;
mod table;
#[cfg(test)]
mod tests;
mod view;

pub use crate::solve::{SolveJob, SolveJobCause, SolveJobError, SolvedTable};
pub use batch::{ArrayShape, BatchError, NO_SCORE, Positions, ScoreNumbers, ScoresOf};
use erased::Erased;
pub use family::{AnyFamily, FAMILIES, Typed, game_named, game_of_rules};
#[cfg(feature = "cli")]
pub(crate) use family::{families_called, family_list, several_called};
pub use game::AnyGame;
pub use graph::MoveGraph;
pub use labels::{Labeller, Labels, LabelsWanted, each_in_order, memory_for_sample};
#[cfg(test)]
use listed::write_listed;
pub use listed::{GraphError, check_listed_place, solve_graph, solve_in_memory};
pub use oracle::{AnyAi, AnyOracle, Client};
#[cfg(feature = "serve")]
pub(crate) use oracle::{MoveQuestion, MoveReply};
pub use table::{AnyTable, Verified, VerifyBy};
pub(crate) use view::Played;
pub use view::{LegalMove, View};

use crate::game::Roots;
use crate::games::listed::{Graph, Listed, ListedFamily, beside};
use crate::table::{Access, ReadError, TableFile};
use std::path::Path;

/// Why a table can't be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The table can't be read or is damaged.
    #[error(transparent)]
    Table(#[from] ReadError),
    /// Its game is unknown or has changed, or the file isn't a whole table.
    #[error("{} {problem}", path.display())]
    Game {
        /// Path of the file, as the caller gave it.
        path: std::path::PathBuf,
        /// The problem, such as "is an opening book".
        problem: String,
    },
}

/// Opens a table of one of the library's games.
///
/// For games of your own, pass their families to [`open_file`].
///
/// # Errors
/// If it can't be read, is damaged, or its game is unknown.
pub fn open(path: impl AsRef<Path>) -> Result<Box<dyn AnyTable>, OpenError> {
    let file = TableFile::open(path.as_ref(), Access::default())?;
    open_file(file, FAMILIES)
}

/// Opens the table in a file, of a game in one of these families.
///
/// # Errors
/// If the game is unknown, the table is not one of its tables, or is an opening book.
pub fn open_file(
    file: TableFile,
    families: &[&dyn AnyFamily],
) -> Result<Box<dyn AnyTable>, OpenError> {
    Ok(game_of_table_file(&file, families)?.open(file)?)
}

/// Returns the game of a table file that answers questions, which an opening book doesn't.
///
/// # Errors
/// If the game is unknown, or the file is an opening book.
pub(crate) fn game_of_table_file(
    file: &TableFile,
    families: &[&dyn AnyFamily],
) -> Result<Box<dyn AnyGame>, OpenError> {
    let game = game_of_file(file, families)?;
    match game.roots() {
        Roots::Opening => Err(OpenError::Game {
            path: file.path().to_owned(),
            problem: format!(
                "is an opening book ({}), which only searches use",
                game.name()
            ),
        }),
        Roots::Start | Roots::Everywhere => Ok(game),
    }
}

/// Returns the game of a table file.
///
/// Either a game of one of these families, or an explicit game graph ([`crate::games::listed`]),
/// whose positions are listed in a file beside the table.
///
/// # Errors
/// If the game is unknown, or the file beside the table is not the right one.
pub fn game_of_file(
    file: &TableFile,
    families: &[&dyn AnyFamily],
) -> Result<Box<dyn AnyGame>, OpenError> {
    let path = file.path();
    let error = |problem| OpenError::Game {
        path: path.to_owned(),
        problem,
    };
    if file.rules().starts_with(LISTED) {
        let list = beside(path);
        let graph = Graph::read(&list).map_err(|cause| {
            error(format!(
                "takes the list of its game's positions beside it: {cause}"
            ))
        })?;
        let game = listed_game(Listed::new(graph));
        if game.rules() != file.rules() {
            return Err(error(format!(
                "doesn't belong to {}: its game has changed, or the files were mixed up",
                list.display()
            )));
        }
        return Ok(game);
    }
    let game = game_of_rules(file.rules(), families);
    game.map_err(|cause| error(format!("can't be used: {cause}")))
}

/// Beginning of the rules string of an explicit game graph.
const LISTED: &str = "listed ";

/// Returns an explicit game graph without its type.
pub(crate) fn listed_game(game: Listed) -> Box<dyn AnyGame> {
    let about = game.graph().about().to_owned();
    let mut game = game::Concrete::of(&ListedFamily, game, Erased::new);
    game.rules_in_words = about;
    Box::new(game)
}
