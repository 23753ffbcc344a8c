//! The family of explicit game graphs.

use super::Listed;
use crate::game::{Family, Values};

/// The family of explicit game graphs. No list of families contains it.
///
/// Its games are known only by their files.
#[derive(Clone, Copy, Debug)]
pub struct ListedFamily;

impl Family for ListedFamily {
    type Game = Listed;

    fn name(&self) -> &'static str {
        "listed"
    }

    fn about(&self) -> &'static str {
        "A game whose positions are listed in a file beside its table"
    }

    fn game(&self, _: &Values) -> Result<Listed, String> {
        Err("a game that is a list is read from the file beside its table".into())
    }

    fn table_name(&self, game: &Listed) -> String {
        format!("{}.bin", game.graph().name())
    }
}
