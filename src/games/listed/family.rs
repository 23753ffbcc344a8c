//! The family of all lists.

use super::Listed;
use crate::game::{Family, Values};

/// Games that are lists: known by their files only, and in no list of families.
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
